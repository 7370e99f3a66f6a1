import type { RawBuilder } from 'kysely'
import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { isOver, type JobRecord } from '../job-record.ts'
import type { JobQuery, Jobs, JobUsage } from '../jobs.ts'
import { isJobFolder } from '../local/leftovers.ts'
import type { LocalWorkspace } from '../local/workspace.ts'
import type { Patch } from '../repositories.ts'
import { Turns } from '../turns.ts'
import { untilAvailable } from '../until-available.ts'
import { type Access, type Executor, pageOf, textOf } from './access.ts'
import { isOwnedBy, isSettled, upsert } from './job-rows.ts'
import { usageSince } from './job-usage.ts'

const isUnfinished = `status in ('queued', 'processing')`

/**
 * The records of jobs in PostgreSQL. Those of unfinished jobs are in memory as well, because their progress is not written:
 * one server at a time uses a database.
 */
export class PostgresJobs implements Jobs {
  /** The database contains no damaged records. */
  readonly damaged: readonly string[] = []
  readonly isComplete = true
  readonly #access: Access
  readonly #workspace: LocalWorkspace
  readonly #turns = new Turns()
  /** Jobs that are unfinished, or whose files are not settled yet. */
  readonly #live = new Map<string, JobRecord>()
  /** The ones of which the database lacks the record, or what lists depend on: they are written before a list is made. */
  readonly #unwritten = new Set<string>()
  #isClosed = false

  constructor(access: Access, workspace: LocalWorkspace) {
    this.#access = access
    this.#workspace = workspace
  }

  complete = async (): Promise<void> => {}

  async #select(rest: RawBuilder<unknown>, executor: Executor = this.#access.executor): Promise<JobRecord[]> {
    const { sql } = this.#access
    const { rows } = await sql<{ record: JobRecord }>`select record from jobs ${rest}`.execute(executor)
    return rows.map(({ record }) => this.#live.get(record.id) ?? record)
  }

  async #idsWhere(condition: RawBuilder<unknown>): Promise<string[]> {
    const { sql, executor } = this.#access
    const { rows } = await sql<{ id: string }>`select id from jobs where ${condition}`.execute(executor)
    return rows.map(({ id }) => id)
  }

  async get(id: string): Promise<JobRecord | undefined> {
    return this.#live.get(id) ?? (await this.#select(this.#access.sql`where id = ${textOf(id)}`))[0]
  }

  async named(id: string): Promise<JobRecord[]> {
    const { sql } = this.#access
    const own = await this.get(id)
    await this.#writeUnwritten(({ clientJobId }) => clientJobId === id)
    const others = await this.#select(
      sql`where client_job_id = ${textOf(id)} and id <> ${textOf(id)} order by created desc, id`,
    )
    return own ? [own, ...others] : others
  }

  async create(record: JobRecord, { isUnique = false, mayBeLost = false } = {}): Promise<void> {
    const { id, clientJobId, ownerId } = record
    try {
      if (mayBeLost) this.#unwritten.add(id)
      else if (isUnique && clientJobId !== null) await this.#createUnique(record, clientJobId, ownerId)
      else await this.#write(record)
    } catch (error) {
      // If only the answer was lost, there is a record of a job that was refused.
      if (toMediaprocError(error).code === 'STORE_UNAVAILABLE') this.#removeLater(id)
      throw error
    }
    this.#live.set(id, record)
  }

  #removeLater(id: string): void {
    untilAvailable(
      () => this.remove(id),
      () => this.#isClosed,
    ).catch(() => {})
  }

  /** The id is locked until the record is written, for every process. */
  async #createUnique(record: JobRecord, clientJobId: string, ownerId: string | null): Promise<void> {
    const { sql } = this.#access
    await this.#access.write(async (executor) => {
      const found = await this.#select(
        sql`where client_job_id = ${textOf(clientJobId)} and ${isOwnedBy(sql, ownerId)} limit 1`,
        executor,
      )
      if (found.length > 0) throw new MediaprocError('CONFLICT', `clientJobId ${clientJobId} was used before`)
      await upsert(sql, record).execute(executor)
    })
  }

  async #write(record: JobRecord): Promise<void> {
    await upsert(this.#access.sql, record).execute(this.#access.executor)
  }

  update(id: string, patch: Patch<JobRecord>): Promise<JobRecord> {
    return this.#turns.run(id, async () => {
      const before = await this.get(id)
      if (!before) throw new MediaprocError('NOT_FOUND', 'There is no such job')
      const isLive = this.#live.has(id)
      // An empty update of a finished job writes nothing.
      if (isOver(before) && Object.keys(patch).length === 0) return before
      await this.#write({ ...before, ...patch })
      this.#unwritten.delete(id)
      // Includes notes made during the write.
      const record = { ...(this.#live.get(id) ?? before), ...patch }
      if (isLive) this.#live.set(id, record)
      return record
    })
  }

  async note(id: string, edit: (record: JobRecord) => Patch<JobRecord>): Promise<JobRecord | undefined> {
    const before = this.#live.get(id)
    if (!before || isOver(before)) return undefined
    const record = { ...before, ...edit(before) }
    this.#live.set(id, record)
    if (record.status !== before.status) this.#unwritten.add(id)
    return record
  }

  async settle(id: string, bytes: number): Promise<void> {
    const { sql, executor } = this.#access
    const record = await this.get(id)
    if (!record) return
    const { rows } = await sql<{ before: string | null }>`
      update jobs set bytes = ${bytes} from (select id, bytes as before from jobs where id = ${id} for update) as old
      where jobs.id = old.id returning old.before`.execute(executor)
    const before = rows[0]?.before ?? null
    if (before === null) this.#workspace.count(id, bytes)
    else this.#workspace.add(record.ownerId, bytes - Number(before))
    this.#live.delete(id)
    this.#workspace.rest(id)
  }

  /** Writes records that may be lost before a caller sees them; one that cannot be written is not listed. */
  async #writeUnwritten(isWanted: (record: JobRecord) => boolean): Promise<void> {
    const ids = [...this.#unwritten].filter((id) => {
      const record = this.#live.get(id)
      return record && isWanted(record)
    })
    await Promise.all(ids.map((id) => this.update(id, {}).catch(() => undefined)))
  }

  async ofOwner({ ownerId, status, limit, offset }: JobQuery): Promise<{ jobs: JobRecord[]; total: number }> {
    const { sql, executor } = this.#access
    await this.#writeUnwritten((record) => ownerId === undefined || record.ownerId === ownerId)
    const conditions = [
      sql`type <> 'upload'`,
      ...(ownerId === undefined ? [] : [isOwnedBy(sql, ownerId)]),
      ...(status === undefined ? [] : [sql`status = ${status}`]),
    ]
    const where = sql`where ${sql.join(conditions, sql` and `)}`
    const [count, jobs] = await Promise.all([
      sql<{ total: string }>`select count(*) as total from jobs ${where}`.execute(executor),
      this.#select(sql`${where} order by created desc, id ${pageOf(sql, { limit, offset })}`),
    ])
    return { jobs, total: Number(count.rows[0]?.total) }
  }

  async unfinished(): Promise<JobRecord[]> {
    const { sql } = this.#access
    await this.#writeUnwritten(() => true)
    const found = await this.#select(sql`where ${sql.raw(isUnfinished)} order by created, id`)
    for (const record of found) {
      this.#live.set(record.id, this.#live.get(record.id) ?? record)
      this.#workspace.open(record.id, record.ownerId, 0)
    }
    return found
  }

  async idsOf(ownerId: string): Promise<string[]> {
    await this.#writeUnwritten((record) => record.ownerId === ownerId)
    return this.#idsWhere(isOwnedBy(this.#access.sql, ownerId))
  }

  expired(moment: string): Promise<string[]> {
    const { sql } = this.#access
    return this.#idsWhere(sql`${isSettled(sql)} and has_outputs and expires <= ${Date.parse(moment)}`)
  }

  endedBefore(ended: string, moment: string): Promise<string[]> {
    const { sql } = this.#access
    return this.#idsWhere(sql`${isSettled(sql)} and coalesce(completed, created) <= ${Date.parse(ended)}
      and (not has_outputs or expires <= ${Date.parse(moment)})`)
  }

  async surplus(most: number, ownerId?: string | null): Promise<string[]> {
    if (ownerId !== undefined) return this.#oldestOf(ownerId, most)
    const { sql, executor } = this.#access
    const { rows } = await sql<{ owner_id: string | null }>`select owner_id from jobs where ${isSettled(sql)}
      group by 1 having count(*) > ${most}`.execute(executor)
    const ids: string[] = []
    for (const { owner_id: owner } of rows) ids.push(...(await this.#oldestOf(owner, most)))
    return ids
  }

  /** The oldest jobs of an owner, all but the newest `most`. */
  async #oldestOf(ownerId: string | null, most: number): Promise<string[]> {
    const { sql, executor } = this.#access
    const own = sql`jobs where ${isSettled(sql)} and ${isOwnedBy(sql, ownerId)}`
    const { rows } = await sql<{ id: string }>`select id from ${own} order by created
      limit greatest(0, (select count(*) from ${own}) - ${most}::bigint)`.execute(executor)
    return rows.map(({ id }) => id)
  }

  async remove(id: string): Promise<void> {
    await this.#turns.run(id, async () => {
      const { sql, executor } = this.#access
      const { rows } = await sql<{ owner_id: string | null; bytes: string | null }>`
        delete from jobs where id = ${textOf(id)} returning owner_id, bytes`.execute(executor)
      for (const { owner_id: ownerId, bytes } of rows) if (bytes !== null) this.#workspace.add(ownerId, -Number(bytes))
      this.#live.delete(id)
      this.#unwritten.delete(id)
      if (isJobFolder(id)) await this.#workspace.discard(id)
    })
  }

  async usage(since: string): Promise<JobUsage> {
    await this.#writeUnwritten(() => true)
    return usageSince(this.#access, Date.parse(since))
  }

  async popularTools(): Promise<{ toolId: string; runs: number }[]> {
    const { sql, executor } = this.#access
    const { rows } = await sql<{ tool_id: string; runs: string }>`select tool_id, count(*) as runs from jobs
      where ${isSettled(sql)} and type <> 'upload' and tool_id is not null group by 1 order by 2 desc, 1`.execute(
      executor,
    )
    return rows.map(({ tool_id: toolId, runs }) => ({ toolId, runs: Number(runs) }))
  }

  /** Ends what waits for the database. */
  close(): void {
    this.#isClosed = true
  }
}
