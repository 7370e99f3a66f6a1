import { MediaprocError, toMediaprocError } from '../../errors.ts'
import type { Blobs } from '../blobs.ts'
import { isOver, type JobRecord, resultFiles } from '../job-record.ts'
import type { JobQuery, Jobs, JobUsage } from '../jobs.ts'
import type { JobTable } from '../postgres/job-table.ts'
import type { Patch } from '../repositories.ts'
import { Turns } from '../turns.ts'
import { untilAvailable } from '../until-available.ts'
import type { Claim, Claims } from './claims.ts'
import type { JobInputs } from './inputs.ts'
import { heldBytes } from './workspace.ts'

/** Time between two writes of what is only noted, in milliseconds. */
const FLUSH_MS = 1000
/** Events arrive within this time, in milliseconds. */
const EVENTS_MS = 10_000

/** Another process has taken the job over: nothing that this one does with it counts any more. */
export class ClaimLost extends MediaprocError {
  constructor(id: string) {
    super('CONFLICT', `Another process has taken over the job ${id}`)
  }
}

interface Held {
  record: JobRecord
  claim: string
  /** Comes from the queue; installs and uploads do not, and their files are counted later. */
  isQueued: boolean
}

/** Keys of the results that a record names. */
export const resultsOf = (record: JobRecord): string[] => resultFiles(record).map(({ file }) => `${record.id}/${file}`)

/**
 * The records of jobs that several processes share. The process with the claim of a job has its record in memory, and writes
 * its progress about once a second; the others read the database.
 */
export class ClusterJobs implements Jobs {
  readonly damaged: readonly string[] = []
  readonly isComplete = true
  readonly #table: JobTable
  readonly #claims: Claims
  readonly #blobs: { results: Blobs; inputs: JobInputs }
  readonly #turns = new Turns()
  readonly #held = new Map<string, Held>()
  readonly #noted = new Set<string>()
  /** Jobs that another process has taken over, while this one still works on them. */
  readonly #lost = new Set<string>()
  /** Records that were read at the ends of their jobs, for the downloads that follow. */
  readonly #ended = new Map<string, JobRecord>()
  /** Number of changes and removals. */
  #changes = 0
  /** Jobs that were changed or removed lately, and when: an event may describe the time before. */
  readonly #changed = new Map<string, number>()
  /** Jobs whose end is written with the sizes of their files, until the runner has settled them. */
  readonly #settled = new Set<string>()
  readonly #timer: NodeJS.Timeout
  #isClosed = false

  constructor(table: JobTable, claims: Claims, blobs: { results: Blobs; inputs: JobInputs }) {
    this.#table = table
    this.#claims = claims
    this.#blobs = blobs
    this.#timer = setInterval(() => this.#flush(), FLUSH_MS).unref()
  }

  complete = async (): Promise<void> => {}

  /** Takes a job into this process. */
  hold({ record, claim }: Pick<Claim, 'record' | 'claim'>): void {
    this.#held.set(record.id, { record, claim, isQueued: true })
  }

  /** Claims of the jobs of this process, by their ids. */
  claimOf(id: string): string | undefined {
    return this.#held.get(id)?.claim
  }

  /** Whether a job that this process ran has ended, with its files counted, or was removed. */
  isDone(id: string): boolean {
    return !this.#held.has(id) && !this.#lost.has(id)
  }

  /** The claim of a job is lost: until `drop`, this process can no longer change it. */
  lose(id: string): void {
    this.drop(id)
    this.#lost.add(id)
  }

  /** This process has nothing to do with a job any more. */
  drop(id: string): void {
    this.#held.delete(id)
    this.#noted.delete(id)
    this.#lost.delete(id)
    this.#settled.delete(id)
  }

  /** Gives a job to the other processes. */
  async release(id: string, isCounted: boolean): Promise<void> {
    const held = this.#held.get(id)
    if (!held) return
    await this.#claims.release(id, held.claim, isCounted)
    this.drop(id)
  }

  #current(records: readonly JobRecord[]): JobRecord[] {
    return records.map((record) => this.#held.get(record.id)?.record ?? record)
  }

  async get(id: string): Promise<JobRecord | undefined> {
    return this.#held.get(id)?.record ?? this.#ended.get(id) ?? this.#table.get(id)
  }

  /** Reads a record from the database. That of an ended job then answers the next questions, for less than a second. */
  async look(id: string): Promise<JobRecord | undefined> {
    const changes = this.#changes
    const record = await this.#table.get(id)
    // What this process has changed or removed since may be older here.
    if (record && isOver(record) && changes === this.#changes) this.#ended.set(id, record)
    return record
  }

  /** The record of a job that another process has ended: as after `look`. */
  learn(ended: JobRecord): void {
    if (!this.#changed.has(ended.id)) this.#ended.set(ended.id, ended)
  }

  /** A record was changed or removed. */
  #forgetEnded(id: string): void {
    this.#changes++
    this.#changed.set(id, Date.now())
    this.#ended.delete(id)
  }

  async named(id: string): Promise<JobRecord[]> {
    const [own, others] = await Promise.all([this.get(id), this.#table.withClientId(id)])
    return [...(own ? [own] : []), ...this.#current(others)]
  }

  /** Uploads and installs. Jobs of the queue are created by it, together with their turn. */
  async create(record: JobRecord, { isUnique = false } = {}): Promise<void> {
    const { id } = record
    try {
      if (!isOver(record))
        this.#held.set(id, { record, claim: await this.#claims.create(record, isUnique), isQueued: false })
      else if (isUnique && record.clientJobId !== null) await this.#table.createUnique(record)
      else await this.#table.write(record)
    } catch (error) {
      this.removeIfUnanswered(id, error)
      throw error
    }
  }

  /** If only the answer was lost, there is a record of a job that was refused: it is removed when the database is back. */
  removeIfUnanswered(id: string, error: unknown): void {
    if (toMediaprocError(error).code !== 'STORE_UNAVAILABLE') return
    untilAvailable(
      () => this.remove(id),
      () => this.#isClosed,
    ).catch(() => {})
  }

  update(id: string, patch: Patch<JobRecord>): Promise<JobRecord> {
    return this.#turns.run(id, () => {
      if (this.#lost.has(id)) throw new ClaimLost(id)
      return this.#held.has(id) ? this.#updateHeld(id, patch) : this.#updateOther(id, patch)
    })
  }

  /** @throws ClaimLost */
  async #updateHeld(id: string, patch: Patch<JobRecord>): Promise<JobRecord> {
    const held = this.#held.get(id)
    if (!held) throw new ClaimLost(id)
    this.#noted.delete(id)
    // Intermediate states of a job that has ended are written late.
    if (isOver(held.record) && Object.keys(patch).length === 0) return held.record
    const written = { ...held.record, ...patch }
    const endsHere = isOver(written) && held.isQueued
    const isWritten = endsHere
      ? await this.#claims.end(written, held.claim, heldBytes(written))
      : await this.#claims.write(written, held.claim)
    if (!isWritten) {
      this.lose(id)
      throw new ClaimLost(id)
    }
    // Includes notes made during the write.
    held.record = { ...held.record, ...patch }
    if (endsHere) {
      this.drop(id)
      this.#settled.add(id)
    }
    return held.record
  }

  async #updateOther(id: string, patch: Patch<JobRecord>): Promise<JobRecord> {
    const isChange = Object.keys(patch).length > 0
    const change = () => this.#claims.change(id, patch).finally(() => this.#forgetEnded(id))
    const record = await (isChange ? change() : this.#table.flushed(id))
    if (!record) throw new MediaprocError('NOT_FOUND', 'There is no such job')
    if (record === 'held') throw new ClaimLost(id)
    if (!isChange && !isOver(record)) await this.#blobs.inputs.flush(record)
    return record
  }

  async note(id: string, edit: (record: JobRecord) => Patch<JobRecord>): Promise<JobRecord | undefined> {
    const held = this.#held.get(id)
    if (!held || isOver(held.record)) return undefined
    const patch = edit(held.record)
    held.record = { ...held.record, ...patch }
    if (Object.keys(patch).length > 0) this.#noted.add(id)
    return held.record
  }

  /** Failing to write an intermediate state costs nothing: the next one is written later. */
  #flush(): void {
    for (const id of this.#noted) void this.update(id, {}).catch(() => {})
    this.#noted.clear()
    this.#ended.clear()
    for (const [id, at] of this.#changed) if (at < Date.now() - EVENTS_MS) this.#changed.delete(id)
  }

  /** @throws ClaimLost */
  async settle(id: string, bytes: number): Promise<void> {
    if (this.#lost.has(id)) throw new ClaimLost(id)
    if (this.#settled.delete(id)) return
    const held = this.#held.get(id)
    if (!held) await this.#table.settle(id, bytes)
    // A job that was removed meanwhile has no claim, and nothing to count.
    else if ((await this.#claims.settle(id, held.claim, bytes)) || (await this.#claims.claimOf(id)) === undefined)
      this.drop(id)
    else throw new ClaimLost(id)
  }

  async ofOwner(query: JobQuery): Promise<{ jobs: JobRecord[]; total: number }> {
    const { jobs, total } = await this.#table.ofOwner(query)
    // A job that a caller has seen must not be lost, however it was submitted.
    if (jobs.some((record) => !isOver(record))) await this.#table.flush()
    return { jobs: this.#current(jobs), total }
  }

  async unfinished(): Promise<JobRecord[]> {
    return this.#current(await this.#table.unfinished())
  }

  uploadsOf(ownerId: string): Promise<JobRecord[]> {
    return this.#table.uploadsOf(ownerId)
  }

  idsOf(ownerId: string): Promise<string[]> {
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
      const record = await this.get(id)
      await this.#table.remove(id)
      this.drop(id)
      this.#forgetEnded(id)
      if (!record) return
      for (const key of resultsOf(record)) await this.#blobs.results.remove(key)
      if (record.task) await this.#blobs.inputs.remove(record)
    })
  }

  usage(since: string): Promise<JobUsage> {
    return this.#table.usage(since)
  }

  popularTools(): Promise<{ toolId: string; runs: number }[]> {
    return this.#table.popularTools()
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#timer)
  }
}
