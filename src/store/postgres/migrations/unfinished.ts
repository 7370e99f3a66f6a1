import type { Kysely, Sql } from 'kysely'

/** Has a row in a database that `mediaproc store migrate` has not filled completely: the store that it is a copy of. */
export async function createUnfinished(sql: Sql, db: Kysely<unknown>): Promise<void> {
  await sql`create table unfinished (source text not null, label text not null)`.execute(db)
}
