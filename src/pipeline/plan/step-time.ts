/** What a step cost, for records. */
export interface StepTime {
  /** From 1. */
  step: number
  tool: string
  variant?: string
  /** Milliseconds; the time of the one encode of a group stands at its last step. */
  ms: number
  /** How many steps ran as one with it, itself included. */
  fused: number
  /** Bytes of the files that it wrote, or that the last of the steps fused with it wrote; absent where nothing was written. */
  bytes?: number
  /** The run ended in this step. */
  failed?: true
}
