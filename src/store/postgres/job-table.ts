import type { RawBuilder } from 'kysely'
import type { JobRecord } from '../job-record.ts'
import type { JobQuery, JobUsage } from '../jobs.ts'
import { clientIdUsed } from '../memory/queue.ts'
import { type Access, type Executor, pageOf, textOf } from './access.ts'
import { isEnded, isOwnedBy, isSettled, ownerKey, ownerOf, upsert } from './job-rows.ts'
import { usageSince } from './job-usage.ts'

/** The table of jobs: its statements, without anything in memory. */
export class JobTable {
  readonly access: Access

  constructor(access: Access) {
    this.access = access
  }

  /** @param rest what follows `from jobs` */
  async #select(rest: RawBuilder<unknown>, executor: Executor = this.access.executor): Promise<JobRecord[]> {
    const { sql } = this.access
    const { rows } = await sql<{ record: JobRecord }>`select record from jobs ${rest}`.execute(executor)
    return rows.map(({ record }) => record)
  }

  async #idsWhere(condition: RawBuilder<unknown>): Promise<string[]> {
    const { sql, executor } = this.access
    const { rows } = await sql<{ id: string }>`select id from jobs where ${condition}`.execute(executor)
    return rows.map(({ id }) => id)
  }

  async get(id: string): Promise<JobRecord | undefined> {
    return (await this.#select(this.access.sql`where id = ${textOf(id)}`))[0]
  }

  /** A record that outlives a crash of the database from now on, however it was written. */
  async flushed(id: string): Promise<JobRecord | undefined> {
    const record = await this.get(id)
    if (record) await this.flush()
    return record
  }

  /**
   * Makes all that was committed before outlive a crash of the database: the commit of a message that nothing reads is flushed.
   * It locks no row, which a worker that looks for a job would pass over.
   */
  async flush(): Promise<void> {
    const { sql, executor } = this.access
    await sql`select pg_logical_emit_message(true, 'mediaproc', '')`.execute(executor)
  }

  /** Several at once; unknown ones are left out. */
  some(ids: readonly string[]): Promise<JobRecord[]> {
    return this.#select(this.access.sql`where id = any(${ids.map(textOf)})`)
  }

  /** A record that nothing else changes until the transaction ends. */
  async locked(id: string, executor: Executor): Promise<JobRecord | undefined> {
    return (await this.#select(this.access.sql`where id = ${textOf(id)} for update`, executor))[0]
  }

  /** Jobs with these client ids that were created at or after a time, in milliseconds since 1970. */
  createdSince(clientIds: readonly string[], since: number): Promise<JobRecord[]> {
    const { sql } = this.access
    return this.#select(sql`where client_job_id = any(${clientIds.map(textOf)}) and created >= ${since}`)
  }

  /** Jobs with this client id, newest first. */
  withClientId(id: string): Promise<JobRecord[]> {
    const { sql } = this.access
    return this.#select(sql`where client_job_id = ${textOf(id)} and id <> ${textOf(id)} order by created desc, id`)
  }

  async write(record: JobRecord, executor: Executor = this.access.executor): Promise<void> {
    await upsert(this.access.sql, [record]).execute(executor)
  }

  /** @throws CONFLICT when a job of this owner has the client's id; within a transaction that excludes others */
  async checkUnused({ clientJobId, ownerId }: JobRecord, executor: Executor): Promise<void> {
    const { sql } = this.access
    const isOwn = isOwnedBy(sql, ownerId)
    const found = await this.#select(
      sql`where client_job_id = ${textOf(clientJobId ?? '')} and ${isOwn} limit 1`,
      executor,
    )
    if (found.length > 0) throw clientIdUsed(clientJobId)
  }

  /** Writes a record whose client id no other job of the owner may have. */
  async createUnique(record: JobRecord): Promise<void> {
    await this.access.write(async (executor) => {
      await this.checkUnused(record, executor)
      await this.write(record, executor)
    })
  }

  /** Sets the size of a job's files; returns the one before, null if there was none. */
  async settle(id: string, bytes: number): Promise<number | null> {
    const { sql, executor } = this.access
    const { rows } = await sql<{ before: string | null }>`
      update jobs set bytes = ${bytes} from (select id, bytes as before from jobs where id = ${id} for update) as old
      where jobs.id = old.id returning old.before`.execute(executor)
    const before = rows[0]?.before ?? null
    return before === null ? null : Number(before)
  }

  async ofOwner({ ownerId, status, limit, offset }: JobQuery): Promise<{ jobs: JobRecord[]; total: number }> {
    const { sql, executor } = this.access
    const conditions = [
      sql`type <> 'upload'`,
      ...(ownerId === undefined ? [] : [isOwnedBy(sql, ownerId)]),
      ...(status === undefined ? [] : [sql`status = ${status}`]),
    ]
    const where = sql`where ${sql.join(conditions, sql` and `)}`
    const counted = [
      ...(ownerId === undefined ? [] : [sql`and owner_key = ${ownerKey(ownerId)}`]),
      ...(status === undefined ? [] : [sql`and status = ${status}`]),
    ]
    const [count, jobs] = await Promise.all([
      sql<{ total: string }>`select coalesce(sum(jobs), 0) as total from job_sums
        where not is_upload ${sql.join(counted, sql` `)}`.execute(executor),
      this.#select(sql`${where} order by created desc, id ${pageOf(sql, { limit, offset })}`),
    ])
    return { jobs, total: Number(count.rows[0]?.total) }
  }

  unfinished(): Promise<JobRecord[]> {
    return this.#select(this.access.sql`where status in ('queued', 'processing') order by created, id`)
  }

  /** Unfinished jobs that no process runs or will run: installs, and jobs of a time with one server. */
  abandoned(): Promise<JobRecord[]> {
    return this.#select(this.access.sql`where status in ('queued', 'processing') and turn is null and claim is null`)
  }

  async idsOf(ownerId: string): Promise<string[]> {
    const { sql } = this.access
    // Each has an index.
    const [jobs, uploads] = await Promise.all(
      [sql`type <> 'upload'`, sql`type = 'upload'`].map((isKind) =>
        this.#idsWhere(sql`${isKind} and ${isOwnedBy(sql, ownerId)}`),
      ),
    )
    return [...(jobs ?? []), ...(uploads ?? [])]
  }

  uploadsOf(ownerId: string): Promise<JobRecord[]> {
    const { sql } = this.access
    return this.#select(sql`where type = 'upload' and has_outputs and ${isOwnedBy(sql, ownerId)} order by created, id`)
  }

  expired(moment: string): Promise<string[]> {
    const { sql } = this.access
    return this.#idsWhere(sql`${isSettled(sql)} and has_outputs and expires <= ${Date.parse(moment)}`)
  }

  endedBefore(ended: string, moment: string): Promise<string[]> {
    const { sql } = this.access
    return this.#idsWhere(sql`${isSettled(sql)} and coalesce(completed, created) <= ${Date.parse(ended)}
      and (not has_outputs or expires <= ${Date.parse(moment)})`)
  }

  async surplus(most: number, ownerId?: string | null): Promise<string[]> {
    if (ownerId !== undefined) return this.#oldestOf(ownerId, most)
    const { sql, executor } = this.access
    const { rows } = await sql<{ owner_key: string }>`select owner_key from job_sums where ${isEnded(sql)}
      group by 1 having sum(jobs) > ${most}`.execute(executor)
    const ids: string[] = []
    for (const { owner_key: key } of rows) ids.push(...(await this.#oldestOf(ownerOf(key), most)))
    return ids
  }

  /** All jobs of an owner but the newest `most`. The sums only say whether there may be some, because most owners have none. */
  async #oldestOf(ownerId: string | null, most: number): Promise<string[]> {
    const { sql, executor } = this.access
    const { rows } = await sql<{
      id: string
    }>`select id from jobs where ${isSettled(sql)} and ${isOwnedBy(sql, ownerId)}
      and (select sum(jobs) from job_sums where owner_key = ${ownerKey(ownerId)} and ${isEnded(sql)}) > ${most}
      order by created desc offset ${most}`.execute(executor)
    return rows.map(({ id }) => id)
  }

  /** Removes a record; returns the owner and size of its files, if they were final. */
  async remove(id: string): Promise<{ ownerId: string | null; bytes: number } | undefined> {
    const { sql, executor } = this.access
    const { rows } = await sql<{ owner_id: string | null; bytes: string | null }>`
      delete from jobs where id = ${textOf(id)} returning owner_id, bytes`.execute(executor)
    const [row] = rows
    return row && row.bytes !== null ? { ownerId: row.owner_id, bytes: Number(row.bytes) } : undefined
  }

  usage(since: string): Promise<JobUsage> {
    return usageSince(this.access, Date.parse(since))
  }

  async popularTools(): Promise<{ toolId: string; runs: number }[]> {
    const { sql, executor } = this.access
    const { rows } = await sql<{ tool_id: string; runs: string }>`select tool_id, count(*) as runs from jobs
      where ${isSettled(sql)} and type <> 'upload' and tool_id is not null group by 1 order by 2 desc, 1`.execute(
      executor,
    )
    return rows.map(({ tool_id: toolId, runs }) => ({ toolId, runs: Number(runs) }))
  }
}
