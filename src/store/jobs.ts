import type { JobRecord, JobStatus } from './job-record.ts'
import type { Page, Patch } from './repositories.ts'

export interface JobQuery extends Page {
  /** undefined: jobs of all users. */
  ownerId: string | undefined
  status?: JobStatus
}

/** Job statistics since a point in time. Uploads are not counted. */
export interface JobUsage {
  /** In chronological order. */
  perDay: { day: string; total: number; completed: number; failed: number }[]
  /** Most frequent first; null for pipelines. */
  perTool: { toolId: string | null; runs: number }[]
  /** Most active first. */
  perOwner: { ownerId: string | null; runs: number; bytesIn: number }[]
  /** Of started jobs, by job type. */
  durations: { type: JobRecord['type']; p50Ms: number; p95Ms: number }[]
}

/**
 * The records of jobs and uploads. A record never changes in place. There may be many finished ones, so those are read
 * on demand.
 */
export interface Jobs {
  /** Ids of records found damaged while the store was read: they are kept unchanged, and excluded from all results. */
  readonly damaged: readonly string[]
  /**
   * Whether all records are loaded. A store without its index is read after the start: until then lists, sums and
   * reports may be incomplete, while `get` finds every record, and operations that need all records wait.
   */
  readonly isComplete: boolean
  /** Waits until all records are loaded, or the store is closed. */
  complete(): Promise<void>
  get(id: string): Promise<JobRecord | undefined>
  /** Jobs with this id, newest first: the one with it as server id, and those with it as client id. */
  named(id: string): Promise<JobRecord[]>
  /**
   * Stores a new record.
   * @param how whether the client's id must be unique among the owner's jobs; `mayBeLost` delays writing the record to
   *   the first `update`, or until a caller sees it: if the caller waits for the end of the job, a crash loses both
   * @throws CONFLICT, DISK_FULL
   */
  create(record: JobRecord, how?: { isUnique?: boolean; mayBeLost?: boolean }): Promise<void>
  /**
   * Changes a record; this also writes earlier changes made with `note`.
   * @throws NOT_FOUND, DISK_FULL, CONFLICT when another process has taken over the job that this one runs
   */
  update(id: string, patch: Patch<JobRecord>): Promise<JobRecord>
  /**
   * Changes the record of an unfinished job in memory only. A crash may lose the change, such as its progress. Returns
   * undefined when the job has ended.
   */
  note(id: string, edit: (record: JobRecord) => Patch<JobRecord>): Promise<JobRecord | undefined>
  /** The job has ended and its files are final, with a total size in bytes. */
  settle(id: string, bytes: number): Promise<void>
  /** Jobs without uploads, newest first; `total` counts all pages. */
  ofOwner(query: JobQuery): Promise<{ jobs: JobRecord[]; total: number }>
  /** All unfinished jobs, oldest first. */
  unfinished(): Promise<JobRecord[]>
  /** Ids of all jobs and uploads of an owner. */
  idsOf(ownerId: string): Promise<string[]>
  /** Uploads of an owner that still have files, oldest first. */
  uploadsOf(ownerId: string): Promise<JobRecord[]>
  /** Ids of finished jobs whose results have expired at a given time, ISO 8601, and still exist. */
  expired(moment: string): Promise<string[]>
  /** Ids of jobs that ended at or before a given time, and have no results that are valid at another. */
  endedBefore(ended: string, moment: string): Promise<string[]>
  /** Ids of the oldest finished jobs above a limit per owner. @param ownerId undefined: all owners */
  surplus(most: number, ownerId?: string | null): Promise<string[]>
  /** Removes a record with all data of the job. */
  remove(id: string): Promise<void>
  usage(since: string): Promise<JobUsage>
  /** Number of runs of each tool in finished jobs, most frequent first. */
  popularTools(): Promise<{ toolId: string; runs: number }[]>
}

/** What the files that a job keeps are known by. */
export type HeldFiles = Pick<JobRecord, 'id' | 'outputs' | 'members'>

/**
 * Local working folders for uploads and jobs, one per job. Deliberately not part of `Blobs`: the programs that process
 * uploads read local files, so with one server a blob would be written only to be fetched again. Results and the library,
 * which outlive a job, are blobs. Several servers pass the inputs of a job on as blobs, and each has its own workspace.
 */
export interface Workspace {
  /** Creates the folder of a future job: uploads are stored in it before the record exists. */
  begin(ownerId: string | null): Promise<{ id: string; folder: string }>
  folderOf(id: string): string
  /** Brings the sizes up to date that others may have changed: all, and those of one owner. */
  refresh(ownerId: string | null): Promise<void>
  /** Size of all folders in bytes, as last measured. */
  readonly totalBytes: number
  /** Size of all folders of one owner in bytes, as last measured. */
  bytesOf(ownerId: string | null): number
  /** Sets the size of a folder in bytes, if it is known. */
  count(id: string, bytes: number): void
  /** Size of the files that a job keeps, in bytes: measured again where they are in its folder. */
  held(record: HeldFiles): Promise<number>
  /** Removes one entry of a job's folder. */
  removeFile(id: string, name: string): Promise<void>
  /** Removes everything in a job's folder except its record. */
  removeFiles(id: string): Promise<void>
  /** The files of a folder are elsewhere from now on, if results have another place; they are not counted here any more. */
  handOver(id: string): Promise<void>
  /** Removes the folder of uploads that led to no job. */
  discard(id: string): Promise<void>
}
