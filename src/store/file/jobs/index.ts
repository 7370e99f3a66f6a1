import type { JobRecord } from '../../job-record.ts'
import { JobIndexFile } from './index-file.ts'
import { type IndexedJob, indexedJob } from './indexed-job.ts'

function add<Key>(counts: Map<Key, number>, key: Key, more: number): void {
  const count = (counts.get(key) ?? 0) + more
  if (count === 0) counts.delete(key)
  else counts.set(key, count)
}

/**
 * The finished jobs, in memory and in a file, so that lists need no record and a start reads none. The index is derived from
 * the records: a damaged line is dropped, and a job that is not in the index is read again.
 */
export class JobIndex {
  readonly #jobs: Map<string, IndexedJob>
  /** The number of jobs of each owner, and of runs of each tool. */
  readonly #owners = new Map<string | null, number>()
  readonly #tools = new Map<string, number>()
  readonly #file: JobIndexFile | undefined

  private constructor(jobs: Map<string, IndexedJob>, file?: JobIndexFile) {
    this.#jobs = jobs
    this.#file = file
    for (const job of jobs.values()) this.#count(job, 1)
  }

  /** @param path of the file; without one the index is in memory only */
  static async open(path?: string): Promise<JobIndex> {
    if (path === undefined) return new JobIndex(new Map())
    const { file, jobs } = await JobIndexFile.open(path)
    return new JobIndex(jobs, file)
  }

  get size(): number {
    return this.#jobs.size
  }

  has(id: string): boolean {
    return this.#jobs.has(id)
  }

  get(id: string): IndexedJob | undefined {
    return this.#jobs.get(id)
  }

  /** Adds or updates a job. */
  put(record: JobRecord, bytes: number): void {
    const job = indexedJob(record, bytes)
    const before = this.#jobs.get(job.id)
    if (before) this.#count(before, -1)
    this.#count(job, 1)
    this.#jobs.set(job.id, job)
    this.#file?.add(job, this.#jobs)
  }

  remove(id: string): void {
    const job = this.#jobs.get(id)
    if (!job) return
    this.#count(job, -1)
    this.#jobs.delete(id)
    this.#file?.add({ id, isRemoved: true }, this.#jobs)
  }

  /** Uploads do not count as runs of a tool. */
  #count({ ownerId, toolId, type }: IndexedJob, sign: 1 | -1): void {
    add(this.#owners, ownerId, sign)
    if (toolId !== null && type !== 'upload') add(this.#tools, toolId, sign)
  }

  get owners(): (string | null)[] {
    return [...this.#owners.keys()]
  }

  /** The number of an owner's jobs, with uploads. */
  countOf(ownerId: string | null): number {
    return this.#owners.get(ownerId) ?? 0
  }

  /** The tools by number of runs, most frequent first. */
  popularTools(): { toolId: string; runs: number }[] {
    const all = [...this.#tools].map(([toolId, runs]) => ({ toolId, runs }))
    return all.sort((one, other) => other.runs - one.runs)
  }

  /** All finished jobs, in no order. */
  all(): IterableIterator<IndexedJob> {
    return this.#jobs.values()
  }

  where(isWanted: (job: IndexedJob) => boolean): IndexedJob[] {
    const found: IndexedJob[] = []
    for (const job of this.#jobs.values()) if (isWanted(job)) found.push(job)
    return found
  }

  /** Writes pending changes. Changes that cannot be written are read from the records at the next start. */
  async close(): Promise<void> {
    await this.#file?.close()
  }
}
