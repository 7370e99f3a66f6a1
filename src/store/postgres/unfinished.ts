import type { Sql } from 'kysely'
import type { Marker } from '../migrate/marker.ts'
import type { Executor } from './access.ts'

/** The store of which a database is an unfinished copy. */
export async function readUnfinished(sql: Sql, executor: Executor): Promise<Marker | undefined> {
  const { rows } = await sql<Marker>`select source as id, label from unfinished`.execute(executor)
  return rows[0]
}

export async function writeUnfinished(sql: Sql, executor: Executor, { id, label }: Marker): Promise<void> {
  await sql`insert into unfinished (source, label) values (${id}, ${label})`.execute(executor)
}

export async function removeUnfinished(sql: Sql, executor: Executor): Promise<void> {
  await sql`delete from unfinished`.execute(executor)
}
