import type { JSX } from 'preact'
import type { AuditEntry } from '../../api/types.ts'
import { momentText } from '../../app/dates.ts'
import { STRINGS } from '../../strings.ts'
import { actionText } from './audit-words.ts'

/** Who did what, when, from where; the details on demand. */
export function AuditEntryRow({ entry }: { entry: AuditEntry }): JSX.Element {
  const { audit } = STRINGS.admin
  const { action, actorUsername, createdAt, ipAddress, targetType, targetId, details } = entry
  const target = [targetType, targetId].filter(Boolean).join(' ')
  return (
    <li>
      <div>
        <strong>{actionText(action)}</strong>
        <span class="faint small block">
          {[momentText(createdAt), actorUsername ?? audit.nobody, ipAddress].filter(Boolean).join(' · ')}
        </span>
        {(target || details) && (
          <details class="small">
            <summary>{audit.details}</summary>
            {target && <p class="faint">{target}</p>}
            {details && <pre>{JSON.stringify(details, null, 2)}</pre>}
          </details>
        )}
      </div>
    </li>
  )
}
