export interface PoolOptions {
  /** Concurrent jobs, each in its own process; at least 1. */
  size: number
  /** Maximum number of waiting jobs. */
  queueLimit: number
  /** Memory limit of one process, in MiB. Node with its libraries uses about 150 before any work. */
  memoryMb: number
  /** A process is replaced after this many jobs. */
  recycleAfter: number
  /** A process with the common libraries loaded waits for the next job; without it, processes start when there is a job. */
  warm?: boolean
  /** Time between the request to stop a job and SIGKILL, in milliseconds; 3000 by default. */
  graceMs?: number
  /** Environment variables of the processes, in addition to the parent's. */
  environment?: Readonly<Record<string, string>>
  /** Receives events of the processes. They contain no job settings. */
  log?: (message: string, facts: Record<string, unknown>) => void
}

export interface PoolStats {
  size: number
  active: number
  pending: number
  /** Since the start. */
  finished: number
  failed: number
  /** Processes that died during a job, including time and memory limits. */
  crashed: number
  /** Healthy processes that were replaced. */
  recycled: number
  processes: { processId: number | undefined; jobs: number; isBusy: boolean }[]
}
