import type { RawBuilder, Sql } from 'kysely'
import type { JobRecord } from '../job-record.ts'
import { jsonOf, textOf } from './access.ts'

const timeOf = (text: string | null): number | null => (text === null ? null : Date.parse(text))

const plain = (text: string | null): string | null => (text === null ? null : textOf(text))

/** Writes a record with the columns that repeat its fields; the number of its bytes stays. */
export function upsert(sql: Sql, record: JobRecord): RawBuilder<unknown> {
  const { id, ownerId, clientJobId, type, status, toolId, createdAt, startedAt, completedAt, expiresAt } = record
  return sql`insert into jobs (
      id, owner_id, client_job_id, type, status, tool_id,
      created, started, completed, expires, has_outputs, input_bytes, record
    ) values (
      ${id}, ${plain(ownerId)}, ${plain(clientJobId)}, ${type}, ${status}, ${plain(toolId)},
      ${Date.parse(createdAt)}, ${timeOf(startedAt)}, ${timeOf(completedAt)}, ${timeOf(expiresAt)},
      ${record.outputs.length > 0}, ${Math.round(record.inputBytes)}, ${jsonOf(record)}::json
    ) on conflict (id) do update set
      status = excluded.status, started = excluded.started, completed = excluded.completed, expires = excluded.expires,
      has_outputs = excluded.has_outputs, input_bytes = excluded.input_bytes, record = excluded.record`
}

/** Jobs of an owner: a null owner is one as well. */
export const isOwnedBy = (sql: Sql, ownerId: string | null): RawBuilder<unknown> =>
  ownerId === null ? sql`owner_id is null` : sql`owner_id = ${textOf(ownerId)}`

/** Finished jobs whose files are final. */
export const isSettled = (sql: Sql): RawBuilder<unknown> => sql`bytes is not null`
