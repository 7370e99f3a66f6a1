import type { RawBuilder, Sql } from 'kysely'
import type { JobRecord } from '../job-record.ts'
import { jsonOf, textOf } from './access.ts'

const timeOf = (text: string | null): number | null => (text === null ? null : Date.parse(text))

const plain = (text: string | null): string | null => (text === null ? null : textOf(text))

/** The columns that repeat fields of a record, because they are looked up or sorted by. Some never change. */
const fixed = ({ id, ownerId, clientJobId, type, toolId, createdAt }: JobRecord) => ({
  ...{ id, owner_id: plain(ownerId), client_job_id: plain(clientJobId), type, tool_id: plain(toolId) },
  created: Date.parse(createdAt),
})
const changing = ({ status, startedAt, completedAt, expiresAt, outputs, inputBytes }: JobRecord) => ({
  ...{ status, started: timeOf(startedAt), completed: timeOf(completedAt), expires: timeOf(expiresAt) },
  ...{ has_outputs: outputs.length > 0, input_bytes: Math.round(inputBytes) },
})

/** All columns of a record, with the record itself. */
export const columnsOf = (record: JobRecord) => ({ ...fixed(record), ...changing(record), record })

type Columns = Readonly<Record<string, unknown>>

const bound = (sql: Sql, value: unknown): RawBuilder<unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? sql`${jsonOf(value)}::json` : sql`${value}`

/** `(names) values (…), (…)` of rows that have the same columns. */
function rowsOf(sql: Sql, rows: readonly Columns[]): RawBuilder<unknown> {
  const names = Object.keys(rows[0] ?? {})
  const row = (columns: Columns) => sql`(${sql.join(names.map((name) => bound(sql, columns[name])))})`
  return sql`(${sql.join(names.map((name) => sql.ref(name)))}) values ${sql.join(rows.map(row))}`
}

/** Writes a new record with the columns of the queue. */
export const insertion = (sql: Sql, record: JobRecord, queued: Columns): RawBuilder<unknown> =>
  sql`insert into jobs ${rowsOf(sql, [{ ...columnsOf(record), ...queued }])}`

/** Writes records with the columns that repeat their fields; the numbers of their bytes stay. */
export function upsert(sql: Sql, records: readonly [JobRecord, ...JobRecord[]]): RawBuilder<unknown> {
  const names = [...Object.keys(changing(records[0])), 'record']
  const changed = names.map((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`)
  return sql`insert into jobs ${rowsOf(sql, records.map(columnsOf))}
    on conflict (id) do update set ${sql.join(changed)}`
}

/** The columns of a record that may change, for `update jobs set`. */
export function changes(sql: Sql, record: JobRecord): RawBuilder<unknown> {
  const columns = Object.entries({ ...changing(record), record })
  return sql.join(columns.map(([name, value]) => sql`${sql.ref(name)} = ${bound(sql, value)}`))
}

/** Jobs of an owner: a null owner is one as well. */
export const isOwnedBy = (sql: Sql, ownerId: string | null): RawBuilder<unknown> =>
  ownerId === null ? sql`owner_id is null` : sql`owner_id = ${textOf(ownerId)}`

/** The key of an owner in `job_sums`. */
export const ownerKey = (ownerId: string | null): string => (ownerId === null ? 'n' : `u${textOf(ownerId)}`)

/** The owner of such a key. */
export const ownerOf = (key: string): string | null => (key === 'n' ? null : key.slice(1))

/** Finished jobs whose files are final. */
export const isSettled = (sql: Sql): RawBuilder<unknown> => sql`bytes is not null`

/** Finished jobs. */
export const isEnded = (sql: Sql): RawBuilder<unknown> => sql`status in ('completed', 'failed', 'canceled')`
