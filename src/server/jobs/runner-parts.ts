import type { FastifyBaseLogger } from 'fastify'
import type { RanStep } from '../../pool/messages.ts'
import type { Pool } from '../../pool/pool.ts'
import type { Blobs } from '../../store/blobs.ts'
import type { JobFile, JobRecord } from '../../store/job-record.ts'
import type { Jobs, Workspace } from '../../store/jobs.ts'
import type { JobQueue } from '../../store/queue.ts'

/** Adds a finished result to the file library as the next version of an item; returns the new item's id. */
export type SaveVersion = (record: JobRecord, path: string, file: JobFile) => Promise<string>

export interface RunnerParts {
  jobs: Jobs
  workspace: Workspace
  results: Blobs
  queue: JobQueue
  pool: Pool
  log: FastifyBaseLogger
  saveVersion: SaveVersion
  /** How long results are kept, in milliseconds; 0 = without expiry. */
  resultAgeMs(ownerId: string | null): Promise<number>
  /** Called with the steps that a process ran for a job, for traces. */
  onRan?(id: string, steps: readonly RanStep[]): void
  /** Called with the end of a job, before it is stored. Returns whether there are messages to send afterwards. */
  announceEnd?(record: JobRecord): Promise<boolean>
  /** Called when a job has ended. */
  onEnd?(record: JobRecord, ms: number, hasMessages: boolean): void
  /** Whether other processes may run the same job, if they take this one for dead. */
  isShared: boolean
  concurrentJobs: number
  /** Finished jobs kept per owner; 0 for no limit. */
  maxFinishedJobs: number
}
