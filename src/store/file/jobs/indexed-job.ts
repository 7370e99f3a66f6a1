import type { JobRecord, JobStatus } from '../../job-record.ts'

/** The facts of a finished job that lists, reports and sweeps need. Times are milliseconds since 1970; null for none. */
export interface IndexedJob {
  readonly id: string
  readonly type: JobRecord['type']
  readonly status: JobStatus
  readonly hasOutputs: boolean
  readonly ownerId: string | null
  readonly toolId: string | null
  readonly clientJobId: string | null
  readonly created: number
  readonly started: number | null
  readonly completed: number | null
  readonly expires: number | null
  readonly inputBytes: number
  /** Size of the job's folder. */
  readonly bytes: number
}

/** Milliseconds since 1970. */
export const timeOf = (text: string | null): number | null => (text === null ? null : Date.parse(text))

/** The indexed facts of a record. @param bytes size of the job's folder */
export const indexedJob = (record: JobRecord, bytes: number): IndexedJob => ({
  id: record.id,
  type: record.type,
  status: record.status,
  hasOutputs: record.outputs.length > 0,
  ownerId: record.ownerId,
  toolId: record.toolId,
  clientJobId: record.clientJobId,
  created: Date.parse(record.createdAt),
  started: timeOf(record.startedAt),
  completed: timeOf(record.completedAt),
  expires: timeOf(record.expiresAt),
  inputBytes: record.inputBytes,
  bytes,
})
