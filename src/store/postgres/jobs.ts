import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { isOver, type JobRecord } from '../job-record.ts'
import type { JobQuery, Jobs, JobUsage } from '../jobs.ts'
import { isJobFolder } from '../local/leftovers.ts'
import type { LocalWorkspace } from '../local/workspace.ts'
import type { Patch } from '../repositories.ts'
import { Turns } from '../turns.ts'
import { untilAvailable } from '../until-available.ts'
import type { Access } from './access.ts'
import { JobTable } from './job-table.ts'

/**
 * The records of jobs in PostgreSQL, for one server. Those of unfinished jobs are in memory as well, because their progress
 * is not written.
 */
export class PostgresJobs implements Jobs {
  /** The database contains no damaged records. */
  readonly damaged: readonly string[] = []
  readonly isComplete = true
  readonly #table: JobTable
  readonly #workspace: LocalWorkspace
  readonly #turns = new Turns()
  /** Jobs that are unfinished, or whose files are not settled yet. */
  readonly #live = new Map<string, JobRecord>()
  /** The ones of which the database lacks the record, or what lists depend on: they are written before a list is made. */
  readonly #unwritten = new Set<string>()
  #isClosed = false

  constructor(access: Access, workspace: LocalWorkspace) {
    this.#table = new JobTable(access)
    this.#workspace = workspace
  }

  complete = async (): Promise<void> => {}

  /** Records as they are now. */
  #current(records: readonly JobRecord[]): JobRecord[] {
    return records.map((record) => this.#live.get(record.id) ?? record)
  }

  async get(id: string): Promise<JobRecord | undefined> {
    return this.#live.get(id) ?? this.#table.get(id)
  }

  async named(id: string): Promise<JobRecord[]> {
    const own = await this.get(id)
    await this.#writeUnwritten(({ clientJobId }) => clientJobId === id)
    const others = this.#current(await this.#table.withClientId(id))
    return own ? [own, ...others] : others
  }

  async create(record: JobRecord, { isUnique = false, mayBeLost = false } = {}): Promise<void> {
    const { id, clientJobId } = record
    try {
      if (mayBeLost) this.#unwritten.add(id)
      else if (isUnique && clientJobId !== null) await this.#table.createUnique(record)
      else await this.#table.write(record)
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

  update(id: string, patch: Patch<JobRecord>): Promise<JobRecord> {
    return this.#turns.run(id, async () => {
      const before = await this.get(id)
      if (!before) throw new MediaprocError('NOT_FOUND', 'There is no such job')
      const isLive = this.#live.has(id)
      // An empty update of a finished job writes nothing.
      if (isOver(before) && Object.keys(patch).length === 0) return before
      await this.#table.write({ ...before, ...patch })
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
    const record = await this.get(id)
    if (!record) return
    const before = await this.#table.settle(id, bytes)
    if (before === null) this.#workspace.count(id, bytes)
    else this.#workspace.add(record.ownerId, bytes - before)
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

  async ofOwner(query: JobQuery): Promise<{ jobs: JobRecord[]; total: number }> {
    const { ownerId } = query
    await this.#writeUnwritten((record) => ownerId === undefined || record.ownerId === ownerId)
    const { jobs, total } = await this.#table.ofOwner(query)
    return { jobs: this.#current(jobs), total }
  }

  async unfinished(): Promise<JobRecord[]> {
    await this.#writeUnwritten(() => true)
    const found = this.#current(await this.#table.unfinished())
    for (const record of found) {
      this.#live.set(record.id, record)
      this.#workspace.open(record.id, record.ownerId, 0)
    }
    return found
  }

  uploadsOf(ownerId: string): Promise<JobRecord[]> {
    return this.#table.uploadsOf(ownerId)
  }

  async idsOf(ownerId: string): Promise<string[]> {
    await this.#writeUnwritten((record) => record.ownerId === ownerId)
    return this.#table.idsOf(ownerId)
  }

  expired(moment: string): Promise<string[]> {
    return this.#table.expired(moment)
  }

  endedBefore(ended: string, moment: string): Promise<string[]> {
    return this.#table.endedBefore(ended, moment)
  }

  surplus(most: number, ownerId?: string | null): Promise<string[]> {
    return this.#table.surplus(most, ownerId)
  }

  async remove(id: string): Promise<void> {
    await this.#turns.run(id, async () => {
      const removed = await this.#table.remove(id)
      if (removed) this.#workspace.add(removed.ownerId, -removed.bytes)
      this.#live.delete(id)
      this.#unwritten.delete(id)
      if (isJobFolder(id)) await this.#workspace.discard(id)
    })
  }

  async usage(since: string): Promise<JobUsage> {
    await this.#writeUnwritten(() => true)
    return this.#table.usage(since)
  }

  popularTools(): Promise<{ toolId: string; runs: number }[]> {
    return this.#table.popularTools()
  }

  /** Ends what waits for the database. */
  close(): void {
    this.#isClosed = true
  }
}
