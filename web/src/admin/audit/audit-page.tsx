/** The audit log: filters, pages, export. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { call, request } from '../../api/call.ts'
import type { GetAuditLog, GetAuditLogActions } from '../../api/types.ts'
import { Pager } from '../../app/pager.tsx'
import { fieldsOf, useWork } from '../../app/work.ts'
import { saveAs } from '../../run/save.ts'
import { STRINGS } from '../../strings.ts'
import { AuditEntryRow } from './audit-entry.tsx'
import { actionText } from './audit-words.ts'

const PAGE = 50

type Filters = Readonly<Record<string, string>>

/** The times of the form are those of the browser; the server takes UTC. */
function filtersOf({ action = '', ip = '', from = '', to = '' }: Record<string, string>): Filters {
  const moment = (text: string): string => (text ? new Date(text).toISOString() : '')
  const all = { action, ip: ip.trim(), from: moment(from), to: moment(to) }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''))
}

export function AuditPage(): JSX.Element {
  const { audit, parts } = STRINGS.admin
  const work = useWork()
  const actions = useSignal<readonly string[]>([])
  const filters = useSignal<Filters>({})
  const answer = useSignal<GetAuditLog>({ entries: [], total: 0, page: 1, limit: PAGE })
  const load = async (page: number): Promise<void> => {
    const query = new URLSearchParams({ ...filters.value, page: String(page), limit: String(PAGE) })
    answer.value = await call<GetAuditLog>(`api/v1/audit-log?${query}`)
  }
  useEffect(() => {
    work.run(async () => {
      await load(1)
      actions.value = (await call<GetAuditLogActions>('api/v1/audit-log/actions')).actions
    })
  }, [])
  const filter = (event: SubmitEvent): void => {
    filters.value = filtersOf(fieldsOf(event))
    work.run(() => load(1))
  }
  const save = (format: 'csv' | 'json'): Promise<void> =>
    work.run(async () => {
      const query = new URLSearchParams({ ...filters.value, format })
      const blob = await (await request(`api/v1/enterprise/audit/export?${query}`)).blob()
      const address = URL.createObjectURL(blob)
      saveAs(address, `audit-log.${format}`)
      setTimeout(() => URL.revokeObjectURL(address), 60_000)
    })
  const { entries, total, page } = answer.value
  return (
    <>
      <div class="row apart">
        <div>
          <h1 tabIndex={-1}>{parts.audit}</h1>
          <p class="faint">{audit.help}</p>
        </div>
        <div class="row">
          {(['csv', 'json'] as const).map((format) => (
            <button key={format} type="button" class="plain" disabled={work.isBusy} onClick={() => save(format)}>
              {audit.exportAs(format.toUpperCase())}
            </button>
          ))}
        </div>
      </div>
      <form id="audit-filters" class="card filters" onSubmit={filter}>
        <label>
          {audit.action}
          <select name="action">
            <option value="">{audit.all}</option>
            {actions.value.map((action) => (
              <option key={action} value={action}>
                {actionText(action)}
              </option>
            ))}
          </select>
        </label>
        <label>
          {audit.ip}
          <input name="ip" maxLength={100} autocomplete="off" />
        </label>
        <label>
          {audit.from}
          <input name="from" type="datetime-local" />
        </label>
        <label>
          {audit.to}
          <input name="to" type="datetime-local" />
        </label>
        <button type="submit" disabled={work.isBusy}>
          {audit.filter}
        </button>
      </form>
      <p class="alert" role="alert">
        {work.message}
      </p>
      <section class="card" aria-label={parts.audit}>
        <p class="faint small" role="status">
          {audit.count(total)}
        </p>
        <ul class="rows audit-list">
          {entries.map((entry) => (
            <AuditEntryRow key={entry.id} entry={entry} />
          ))}
        </ul>
        <Pager
          offset={(page - 1) * PAGE}
          size={PAGE}
          total={total}
          onMove={(to) => work.run(() => load(to / PAGE + 1))}
        />
      </section>
    </>
  )
}
