import type { JobRecord, JobStatus } from './job-record.ts'
import type { Page, Patch } from './repositories.ts'

export interface JobQuery extends Page {
  /** undefined: everybody's. */
  ownerId: string | undefined
  status?: JobStatus
}

/** What jobs were run since a moment. Uploads are none. */
export interface JobUsage {
  /** In the order of the days. */
  perDay: { day: string; total: number; completed: number; failed: number }[]
  /** The most frequent first; null: pipelines. */
  perTool: { toolId: string | null; runs: number }[]
  /** The most active first. */
  perOwner: { ownerId: string | null; runs: number; bytesIn: number }[]
  /** Of those that were begun, by the type of the job. */
  durations: { type: JobRecord['type']; p50Ms: number; p95Ms: number }[]
}

/**
 * The records of jobs and uploads. A record is never changed in place. Finished ones may be many: they are read when they
 * are asked for.
 */
export interface Jobs {
  /** Ids of records that were found damaged while the store was read: left as they are, and out of all answers. */
  readonly damaged: readonly string[]
  /**
   * Whether all records are known. A store that was kept without its index is read after the start: until then lists, sums
   * and reports lack what was not read yet, while `get` finds everything, and what must not overlook one waits.
   */
  readonly isComplete: boolean
  /** Waits until all records are known, or the store is closed. */
  complete(): Promise<void>
  get(id: string): Promise<JobRecord | undefined>
  /** Jobs that go by this id: the server's own, and those for which a client chose it; newest first. */
  named(id: string): Promise<JobRecord[]>
  /**
   * Keeps a new record.
   * @param how whether the client's id must not be that of another job of the owner; `mayBeLost` leaves the record to the
   *   first `update`, or until somebody is shown it: for work whose caller waits for its end, a crash loses both
   * @throws CONFLICT, DISK_FULL
   */
  create(record: JobRecord, how?: { isUnique?: boolean; mayBeLost?: boolean }): Promise<void>
  /**
   * Changes a record; what was noted of it before is kept with it.
   * @throws NOT_FOUND, DISK_FULL
   */
  update(id: string, patch: Patch<JobRecord>): Promise<JobRecord>
  /**
   * Changes a record that is not over in a way that may be lost in a crash, such as its progress; costs no write. Gives
   * nothing when it is over.
   */
  note(id: string, edit: (record: JobRecord) => Patch<JobRecord>): Promise<JobRecord | undefined>
  /** The job is over, and its files are in order: so many bytes. */
  settle(id: string, bytes: number): Promise<void>
  /** Jobs without uploads, newest first; `total` counts all pages. */
  ofOwner(query: JobQuery): Promise<{ jobs: JobRecord[]; total: number }>
  /** All jobs that are not over, the oldest first. */
  unfinished(): Promise<JobRecord[]>
  /** Ids of all jobs and uploads of an owner. */
  idsOf(ownerId: string): Promise<string[]>
  /** Ids of those that are over and whose results have expired at a moment, ISO 8601, and are still there. */
  expired(moment: string): Promise<string[]>
  /** Ids of those that ended at or before a moment, and have no results that were still to be fetched at another. */
  endedBefore(ended: string, moment: string): Promise<string[]>
  /** Ids of the oldest that are over, of owners who have more of them than so many. @param ownerId undefined: everybody */
  surplus(most: number, ownerId?: string | null): Promise<string[]>
  /** Removes a record with all that is kept of the job. */
  remove(id: string): Promise<void>
  usage(since: string): Promise<JobUsage>
  /** How often each tool ran in the jobs that are over, the most frequent first. */
  popularTools(): Promise<{ toolId: string; runs: number }[]>
}

/**
 * The place on this machine where uploads come in and jobs work: a folder for each job. On purpose not behind `Blobs`: the
 * programs that work on uploads read files of this machine, so a blob would only be written to be fetched again, and nobody
 * but the server that took a job in works on it. What outlives a job, its results and the library, is in blobs. Where several
 * servers share a store, each has a workspace of its own, and takes up its own jobs after a start.
 */
export interface Workspace {
  /** Makes the folder of a job that is about to be: uploads go into it before the record exists. */
  begin(ownerId: string | null): Promise<{ id: string; folder: string }>
  folderOf(id: string): string
  /** Bytes of all folders, as last measured. */
  readonly totalBytes: number
  /** Bytes of all folders of one owner, as last measured. */
  bytesOf(ownerId: string | null): number
  /** Takes note of the bytes of a folder, where they are known. */
  count(id: string, bytes: number): void
  /** Recounts the bytes of a folder. */
  measure(id: string): Promise<number>
  /** Removes one thing in a job's folder. */
  removeFile(id: string, name: string): Promise<void>
  /** Removes everything in a job's folder but its record. */
  removeFiles(id: string): Promise<void>
  /** Removes the folder of uploads that came to nothing. */
  discard(id: string): Promise<void>
}
