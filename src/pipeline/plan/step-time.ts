/** The cost of a step, for records. */
export interface StepTime {
  /** From 1. */
  step: number
  tool: string
  variant?: string
  /** In milliseconds; the encode time of a group is counted for its last step. */
  ms: number
  /** When its first part began, in milliseconds since 1970; not in results. */
  startedAt?: number
  /** The number of steps fused with it, including itself. */
  fused: number
  /** Bytes written by it, or by the last step fused with it; absent if nothing was written. */
  bytes?: number
  /** The condition that the input did not meet: the step did not run. */
  skipped?: string
  /** The run ended at this step. */
  failed?: true
}
