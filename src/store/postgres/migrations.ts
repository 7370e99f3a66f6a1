import type { Kysely, Migration, Sql } from 'kysely'
import { createJobDays } from './migrations/days.ts'
import { createJobSums, createQueue, createSubmission } from './migrations/queue.ts'
import { createShared } from './migrations/shared.ts'
import { createUnfinished } from './migrations/unfinished.ts'

/** Their columns for look-ups besides id and record, and the ones of them that are unique. */
type SmallTables = Readonly<Record<string, { columns: readonly string[]; unique?: readonly string[] }>>

/** Tables of small records. */
const SMALL: SmallTables = {
  users: { columns: ['name_key', 'team_id', 'role_key'], unique: ['name_key'] },
  sessions: { columns: ['user_id', 'expires_at', 'last_seen_at'] },
  api_keys: { columns: ['prefix', 'user_id'] },
  factors: { columns: [] },
  passkeys: { columns: ['user_id'] },
  identities: { columns: ['user_id'] },
  tickets: { columns: ['user_id', 'expires_at'] },
  teams: { columns: ['name_key'], unique: ['name_key'] },
  roles: { columns: ['name_key'], unique: ['name_key'] },
  settings: { columns: [] },
  preferences: { columns: [] },
  pipelines: { columns: ['user_id'] },
}

/** Those of a later release: a migration that was released never changes. */
const IDEMPOTENCY: SmallTables = { idempotency_keys: { columns: ['user_id', 'expires_at'] } }

const WEBHOOKS: SmallTables = {
  webhooks: { columns: ['user_id'] },
  deliveries: { columns: ['user_id', 'webhook_id', 'due_at', 'expires_at', 'status'] },
}

/** Records are JSON; columns repeat what is looked up or sorted by. Texts are compared by bytes, in every locale. */
async function createSmallTables(sql: Sql, db: Kysely<unknown>, tables: SmallTables): Promise<void> {
  for (const [table, { columns, unique = [] }] of Object.entries(tables)) {
    const further = columns.map((name) => sql`, ${sql.ref(name)} text collate "C"`)
    await sql`create table ${sql.table(table)} (
      id text collate "C" primary key,
      seq bigint generated always as identity unique,
      record json not null
      ${sql.join(further, sql``)}
    )`.execute(db)
    for (const name of columns) {
      const kind = unique.includes(name) ? sql`unique index` : sql`index`
      await sql`create ${kind} ${sql.ref(`${table}_${name}`)} on ${sql.table(table)} (${sql.ref(name)})`.execute(db)
    }
  }
}

/** Times are milliseconds since 1970, as in the records; `bytes` is null until the files of a job are final. */
async function createJobs(sql: Sql, db: Kysely<unknown>): Promise<void> {
  await sql`create table jobs (
    id text collate "C" primary key,
    owner_id text collate "C",
    client_job_id text collate "C",
    type text not null,
    status text not null,
    tool_id text,
    created bigint not null,
    started bigint,
    completed bigint,
    expires bigint,
    has_outputs boolean not null,
    input_bytes bigint not null,
    bytes bigint,
    record json not null
  )`.execute(db)
  await sql`create index jobs_owner on jobs (owner_id, created desc, id) where type <> 'upload'`.execute(db)
  await sql`create index jobs_created on jobs (created desc, id) where type <> 'upload'`.execute(db)
  await sql`create index jobs_status on jobs (status, created desc, id) where type <> 'upload'`.execute(db)
  await sql`create index jobs_tool on jobs (tool_id) where bytes is not null and type <> 'upload'`.execute(db)
  await sql`create index jobs_client on jobs (client_job_id) where client_job_id is not null`.execute(db)
  await sql`create index jobs_unfinished on jobs (created) where status in ('queued', 'processing')`.execute(db)
  await sql`create index jobs_expiry on jobs (expires) where bytes is not null and has_outputs`.execute(db)
  await sql`create index jobs_ended on jobs (coalesce(completed, created)) where bytes is not null`.execute(db)
  await sql`create index jobs_settled on jobs (owner_id, created) where bytes is not null`.execute(db)
}

async function createLibrary(sql: Sql, db: Kysely<unknown>): Promise<void> {
  await sql`create table library (
    id text collate "C" primary key,
    owner_id text collate "C",
    chain text collate "C" not null,
    version integer not null,
    name_key text not null,
    created bigint not null,
    size bigint not null,
    written bigint not null,
    content text not null,
    record json not null
  )`.execute(db)
  await sql`create index library_chain on library (chain, created, version)`.execute(db)
  await sql`create index library_owner on library (owner_id, created desc)`.execute(db)
  await sql`create index library_created on library (created desc)`.execute(db)
}

/** `line` is the entry as it was written, with the hash of the line before it. */
async function createAudit(sql: Sql, db: Kysely<unknown>): Promise<void> {
  await sql`create table audit (
    seq bigint generated always as identity primary key,
    created_at text collate "C" not null,
    action text not null,
    ip text,
    line text not null
  )`.execute(db)
  await sql`create index audit_created on audit (created_at)`.execute(db)
  await sql`create index audit_action on audit (action, seq desc)`.execute(db)
  await sql`create index audit_ip on audit (ip, seq desc)`.execute(db)
}

/** What a database has to become, in the order of the names. A released migration never changes; there is no way back. */
export const migrations = (sql: Sql): Record<string, Migration> => ({
  '001-records': {
    async up(db) {
      // The id by which folders of files know their database.
      await sql`create table store (id text primary key)`.execute(db)
      await createSmallTables(sql, db, SMALL)
      await createJobs(sql, db)
      await createLibrary(sql, db)
      await createAudit(sql, db)
    },
  },
  '002-shared': { up: (db) => createShared(sql, db) },
  '003-queue': {
    async up(db) {
      await createQueue(sql, db)
      await createJobSums(sql, db)
      await createJobDays(sql, db)
      await createSubmission(sql, db)
    },
  },
  '004-unfinished': { up: (db) => createUnfinished(sql, db) },
  '005-idempotency': { up: (db) => createSmallTables(sql, db, IDEMPOTENCY) },
  '006-webhooks': { up: (db) => createSmallTables(sql, db, WEBHOOKS) },
})
