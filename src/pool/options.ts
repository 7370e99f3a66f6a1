export interface PoolOptions {
  /** Jobs at the same time, each in a process of its own; at least 1. */
  size: number
  /** Jobs that may wait. */
  queueLimit: number
  /** The most memory of one process, in MiB. Node with its libraries takes about 150 before any work. */
  memoryMb: number
  /** Jobs after which a process is replaced by a fresh one. */
  recycleAfter: number
  /** Processes load what most jobs need before there is one. */
  warm?: boolean
  /** Between the request to stop a job and SIGKILL, milliseconds; 3000 by default. */
  graceMs?: number
  /** What processes find in their environment besides ours. */
  environment?: Readonly<Record<string, string>>
  /** Told what becomes of processes. Facts hold no settings of jobs. */
  log?: (message: string, facts: Record<string, unknown>) => void
}

export interface PoolStats {
  size: number
  active: number
  pending: number
  /** Since the start. */
  finished: number
  failed: number
  /** Processes that died under a job, limits of time and memory included. */
  crashed: number
  /** Processes that were replaced although they were sound. */
  recycled: number
  processes: { processId: number | undefined; jobs: number; isBusy: boolean }[]
}
