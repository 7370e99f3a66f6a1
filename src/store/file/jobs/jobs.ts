import { lstat, readdir } from 'node:fs/promises'
import { mapConcurrently } from '../../../concurrency.ts'
import { MediaprocError } from '../../../errors.ts'
import { makeFolder } from '../../../make-folder.ts'
import { isOver, type JobRecord } from '../../job-record.ts'
import { type CountedJob, usageOf } from '../../job-usage.ts'
import type { JobQuery, Jobs, JobUsage } from '../../jobs.ts'
import { discard, isJobFolder, isOwnFolder, removeLeftovers } from '../../local/leftovers.ts'
import { LocalWorkspace, RECORD } from '../../local/workspace.ts'
import { clientIdUsed } from '../../memory/queue.ts'
import type { Patch } from '../../repositories.ts'
import { RecordFiles } from '../record-files.ts'
import { JobIndex } from './index.ts'
import { type IndexedJob, timeOf } from './indexed-job.ts'
import { newestFirst, newestPage } from './newest.ts'
import { UnreadFolders } from './unread-folders.ts'

/** Maximum number of records read concurrently. */
const MAX_READERS = 16

export interface FileJobsOptions {
  /** Path of the index of finished jobs; without it all records are read at each start. */
  index?: string
  /** Called with the id of a record that was found damaged after the initial read. */
  onDamaged?(id: string): void
}

const hasExpired = ({ expires }: IndexedJob, time: number): boolean => expires !== null && expires <= time

/**
 * The records of jobs, each in the folder of its job, written by rename before a change is acknowledged: killing the
 * server loses nothing that was acknowledged, and a save writes one record. Records of unfinished jobs are in memory;
 * finished jobs are in an index, which is compared with the existing folders at the start.
 */
export class FileJobs implements Jobs {
  readonly workspace: LocalWorkspace
  /** Folders whose record was damaged at the initial read: left unchanged, and excluded from all answers. */
  readonly damaged: string[] = []
  readonly #files: RecordFiles
  readonly #index: JobIndex
  readonly #options: FileJobsOptions
  #unread = new UnreadFolders([], async () => {})
  /** Jobs that are unfinished, or whose files are not settled yet. */
  readonly #live = new Map<string, JobRecord>()
  /** The ones that were not acknowledged, and are not on disk. */
  readonly #unwritten = new Set<string>()
  /** Client ids that are being claimed. */
  readonly #claims = new Set<string>()

  private constructor(workspace: LocalWorkspace, index: JobIndex, options: FileJobsOptions) {
    this.workspace = workspace
    this.#files = new RecordFiles(workspace)
    this.#index = index
    this.#options = options
  }

  /**
   * Compares the folders with the index. Records that are missing in it are read in the background. Folders
   * without a record are uploads that never became a job: they are removed, with all leftovers of a killed run.
   */
  static async open(folder: string, options: FileJobsOptions = {}): Promise<FileJobs> {
    await makeFolder(folder, 0o700)
    // Folders that this server creates are not in the list.
    const [index, names] = await Promise.all([JobIndex.open(options.index), readdir(folder)])
    const jobs = new FileJobs(new LocalWorkspace(folder), index, options)
    const present = new Set(names)
    for (const { id } of index.where((job) => !present.has(job.id))) index.remove(id)
    for (const { ownerId, bytes } of index.all()) jobs.workspace.add(ownerId, bytes)
    const unknown = names.filter((name) => !index.has(name) && isOwnFolder(name))
    jobs.#unread = new UnreadFolders(unknown, (name) => jobs.#takeUp(name))
    return jobs
  }

  get isComplete(): boolean {
    return this.#unread.size === 0
  }

  async complete(): Promise<void> {
    await this.#unread.all
    this.damaged.sort()
  }

  /** Reads a folder that is missing in the index. */
  async #takeUp(id: string): Promise<void> {
    await this.#readFolder(id).catch(() => this.damaged.push(id))
  }

  async #readFolder(id: string): Promise<void> {
    const folder = this.workspace.folderOf(id)
    const record = await this.#files.read(id)
    if (record === undefined) await this.#discardFolder(folder)
    else if (record === 'damaged') this.damaged.push(id)
    else {
      await removeLeftovers(folder, record, [RECORD])
      this.#live.set(id, record)
      this.workspace.open(id, record.ownerId, 0)
      const bytes = await this.workspace.measure(id)
      if (isOver(record)) await this.settle(id, bytes)
    }
  }

  /** A file with the name of a job folder is not ours. */
  async #discardFolder(folder: string): Promise<void> {
    const about = await lstat(folder).catch(() => undefined)
    if (about?.isDirectory()) await discard(folder)
  }

  async get(id: string): Promise<JobRecord | undefined> {
    if (!this.isComplete) await this.#unread.take(id)
    const live = this.#live.get(id)
    if (live || !isJobFolder(id) || !this.#index.has(id)) return live
    const record = await this.#files.read(id)
    if (record === 'damaged') this.#options.onDamaged?.(id)
    // The folder was removed by another program.
    if (record === undefined) this.#forget(id)
    return record === 'damaged' ? undefined : record
  }

  #forget(id: string): void {
    const known = this.#index.get(id)
    if (!known) return
    this.workspace.add(known.ownerId, -known.bytes)
    this.#index.remove(id)
  }

  async named(id: string): Promise<JobRecord[]> {
    const own = await this.get(id)
    // A client id may be in any record.
    if (!own) await this.complete()
    const live = [...this.#live.values()].filter(({ clientJobId }) => clientJobId === id)
    const finished = this.#index.where((job) => job.clientJobId === id && job.id !== id)
    const others = await this.#read(finished.map((job) => job.id))
    return [...(own ? [own] : []), ...[...live, ...others].sort(newestFirst)]
  }

  async #read(ids: readonly string[]): Promise<JobRecord[]> {
    const found = await mapConcurrently(ids, MAX_READERS, (id) => this.get(id))
    return found.filter((record) => record !== undefined)
  }

  async create(record: JobRecord, { isUnique = false, mayBeLost = false } = {}): Promise<void> {
    const { id, clientJobId, ownerId } = record
    const claim = isUnique && clientJobId !== null ? `${ownerId} ${clientJobId}` : undefined
    if (claim !== undefined) {
      if (this.#claims.has(claim)) throw clientIdUsed(clientJobId)
      this.#claims.add(claim)
    }
    try {
      if (claim !== undefined && (await this.named(clientJobId!)).some((one) => one.ownerId === ownerId))
        throw clientIdUsed(clientJobId)
      if (mayBeLost) this.#unwritten.add(id)
      else await this.#files.inTurn(id, () => this.#files.write(record))
      this.#live.set(id, record)
    } finally {
      if (claim !== undefined) this.#claims.delete(claim)
    }
  }

  update(id: string, patch: Patch<JobRecord>): Promise<JobRecord> {
    return this.#files.inTurn(id, async () => {
      const before = await this.get(id)
      if (!before) throw new MediaprocError('NOT_FOUND', 'There is no such job')
      // An empty update of a finished job writes nothing.
      if (isOver(before) && Object.keys(patch).length === 0) return before
      await this.#files.write({ ...before, ...patch })
      this.#unwritten.delete(id)
      // Includes notes made during the write.
      const record = { ...(this.#live.get(id) ?? before), ...patch }
      const known = this.#index.get(id)
      if (known) this.#index.put(record, known.bytes)
      else this.#live.set(id, record)
      return record
    })
  }

  async note(id: string, edit: (record: JobRecord) => Patch<JobRecord>): Promise<JobRecord | undefined> {
    const before = this.#live.get(id)
    if (!before || isOver(before)) return undefined
    const record = { ...before, ...edit(before) }
    this.#live.set(id, record)
    return record
  }

  async settle(id: string, bytes: number): Promise<void> {
    const known = this.#index.get(id)
    const record = this.#live.get(id) ?? (await this.get(id))
    if (!record) return
    this.#index.put(record, bytes)
    if (known) this.workspace.add(record.ownerId, bytes - known.bytes)
    else this.workspace.count(id, bytes)
    this.#live.delete(id)
    this.workspace.rest(id)
  }

  async ofOwner({ ownerId, status, limit, offset }: JobQuery): Promise<{ jobs: JobRecord[]; total: number }> {
    const isWanted = (job: Pick<JobRecord, 'type' | 'ownerId' | 'status'>): boolean =>
      job.type !== 'upload' &&
      (ownerId === undefined || job.ownerId === ownerId) &&
      (status === undefined || job.status === status)
    const live = [...this.#live.values()].filter(isWanted)
    const found = [
      ...this.#index.where(isWanted),
      ...live.map((record) => ({ created: Date.parse(record.createdAt), record })),
    ]
    const jobs = await mapConcurrently(newestPage(found, { limit, offset }), MAX_READERS, async (one) => {
      if (!('record' in one)) return this.get(one.id)
      if (!this.#unwritten.has(one.record.id)) return one.record
      // A record that cannot be written is not listed.
      return this.update(one.record.id, {}).catch(() => undefined)
    })
    return { jobs: jobs.filter((record) => record !== undefined), total: found.length }
  }

  async unfinished(): Promise<JobRecord[]> {
    await this.complete()
    const all = [...this.#live.values()].filter((record) => !isOver(record))
    return all.sort((one, other) => newestFirst(other, one))
  }

  async idsOf(ownerId: string): Promise<string[]> {
    await this.complete()
    const live = [...this.#live.values()].filter((record) => record.ownerId === ownerId)
    return [...live.map(({ id }) => id), ...this.#idsWhere((job) => job.ownerId === ownerId)]
  }

  async uploadsOf(ownerId: string): Promise<JobRecord[]> {
    await this.complete()
    const ids = this.#idsWhere((job) => job.type === 'upload' && job.hasOutputs && job.ownerId === ownerId)
    return (await this.#read(ids)).sort((one, other) => newestFirst(other, one))
  }

  async expired(moment: string): Promise<string[]> {
    const time = Date.parse(moment)
    return this.#idsWhere((job) => job.hasOutputs && hasExpired(job, time))
  }

  async endedBefore(ended: string, moment: string): Promise<string[]> {
    const [latest, time] = [Date.parse(ended), Date.parse(moment)]
    return this.#idsWhere(
      (job) => (job.completed ?? job.created) <= latest && (!job.hasOutputs || hasExpired(job, time)),
    )
  }

  async surplus(most: number, ownerId?: string | null): Promise<string[]> {
    const owners = ownerId === undefined ? this.#index.owners : [ownerId]
    return owners.flatMap((one) => {
      const tooMany = this.#index.countOf(one) - most
      if (tooMany <= 0) return []
      const own = this.#index.where((job) => job.ownerId === one).sort((a, b) => a.created - b.created)
      return own.slice(0, tooMany).map((job) => job.id)
    })
  }

  #idsWhere(isWanted: (job: IndexedJob) => boolean): string[] {
    return this.#index.where(isWanted).map((job) => job.id)
  }

  async remove(id: string): Promise<void> {
    await this.#unread.take(id)
    await this.#files.inTurn(id, async () => {
      this.#forget(id)
      this.#live.delete(id)
      this.#unwritten.delete(id)
      // Without its record the folder is a leftover if removing the rest fails.
      await this.#files.remove(id)
      await this.workspace.discard(id)
    })
  }

  async usage(since: string): Promise<JobUsage> {
    const live = [...this.#live.values()].map((record) => ({
      ...record,
      created: Date.parse(record.createdAt),
      started: timeOf(record.startedAt),
      completed: timeOf(record.completedAt),
    }))
    const index = this.#index
    const all = function* (): Generator<CountedJob> {
      yield* index.all()
      yield* live
    }
    return usageOf(all(), Date.parse(since))
  }

  async popularTools(): Promise<{ toolId: string; runs: number }[]> {
    return this.#index.popularTools()
  }

  async close(): Promise<void> {
    await this.#unread.close()
    await this.#index.close()
  }
}
