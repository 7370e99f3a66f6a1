import type { Kysely, Sql } from 'kysely'

/** What the servers of a cluster keep in their memory if there is only one. */
export async function createShared(sql: Sql, db: Kysely<unknown>): Promise<void> {
  // Space in the library: `at` is the last sign of life of the server that has promised it.
  await sql`create table promised (
    id text primary key,
    owner_id text collate "C" not null,
    bytes bigint not null,
    node text not null,
    at timestamptz not null
  )`.execute(db)
  await sql`create index promised_owner on promised (owner_id)`.execute(db)
  await sql`create index promised_node on promised (node)`.execute(db)
  // Attempts to sign in: hashes of the account, and of the account with the network; times in milliseconds since 1970.
  await sql`create table attempts (
    id text primary key,
    account text collate "C" not null,
    pair text collate "C",
    at bigint not null,
    is_open boolean not null
  )`.execute(db)
  await sql`create index attempts_account on attempts (account, at)`.execute(db)
  await sql`create index attempts_at on attempts (at)`.execute(db)
  await sql`create table known_networks (
    pair text collate "C" primary key,
    at bigint not null
  )`.execute(db)
  await sql`create index known_networks_at on known_networks (at)`.execute(db)
}
