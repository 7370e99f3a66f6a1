import type { JSX } from 'preact'
import { may } from '../../api/session.ts'
import { STRINGS } from '../../strings.ts'

/** Permissions that the server keeps for the role of administrators. */
const RESERVED = ['compliance:manage', 'webhooks:manage', 'security:manage']

interface PermissionChoiceProps {
  all: readonly string[]
  held: readonly string[]
  isFixed: boolean
  onChange(held: readonly string[]): void
}

/** What a role may do. Nobody can give a permission that they lack. */
export function PermissionChoice({ all, held, isFixed, onChange }: PermissionChoiceProps): JSX.Element {
  const { roles } = STRINGS.admin
  const shown = isFixed ? all.filter((one) => held.includes(one)) : all.filter((one) => !RESERVED.includes(one))
  return (
    <fieldset class="choices">
      <legend>{roles.permissionsTitle}</legend>
      {shown.map((one) => (
        <label key={one} class="check">
          <input
            type="checkbox"
            value={one}
            checked={held.includes(one)}
            disabled={isFixed || (!may(one) && !held.includes(one))}
            onChange={(event) =>
              onChange(event.currentTarget.checked ? [...held, one] : held.filter((other) => other !== one))
            }
          />
          <span>{roles.permissions[one] ?? one}</span>
        </label>
      ))}
    </fieldset>
  )
}
