/** Messages between the pool and its child processes. All are plain data. */
import type { ErrorCode } from '../errors.ts'

/** A file on disk with its name for users. */
export interface NamedFile {
  path: string
  name: string
  /** Type detected at upload, so that it is not detected again. `type` is its id. */
  known?: { bytes: number; type: string }
}

interface AnyTask {
  id: string
  /** Owner of the job: owners take turns. */
  ownerKey?: string
  /** As many files as the tool, or the pipeline's first step, takes per job. */
  inputs: readonly NamedFile[]
  /** Output folder on any file system; created if missing. Only files of this task are ever replaced in it. */
  destination: string
  /** In seconds; 0 for no limit. */
  timeoutS: number
  /** The tool or one of the steps uses many cores or much memory; the pool limits the number of such tasks. */
  heavy: boolean
}

export interface ToolTask extends AnyTask {
  kind: 'tool'
  /** `image/resize`, or with an action `image/edit-metadata/inspect`. */
  target: string
  /** Validated settings, with defaults. */
  settings: Record<string, unknown>
  /** The tool's secondary inputs by name. */
  secondary?: Readonly<Record<string, NamedFile>>
}

/** A pipeline step that has not run yet. */
export interface TaskStep {
  /** Tool id with its section: `image/resize`. */
  toolId: string
  settings?: Readonly<Record<string, unknown>>
}

export interface PipelineTask extends AnyTask {
  kind: 'pipeline'
  /** Tool ids with section. Steps must not name files. */
  steps: readonly TaskStep[]
}

export type Task = ToolTask | PipelineTask

export interface TaskOutput {
  /** Path below the destination, with '/'. */
  name: string
  mime: string
  bytes: number
  /** The response field for its URL. */
  field?: string | readonly string[]
  /** As in the tool's result. */
  isVerbatim?: boolean
  mentions?: { name: string; as: string }
}

/** A problem of a job that succeeds; `advice` loses nothing. */
export interface JobWarning {
  message: string
  manner?: 'advice'
}

/** A completed pipeline step. */
export interface StepSize {
  /** From 1. */
  step: number
  toolId: string
  /** Bytes written; for merged steps the bytes of all of them. 0 if nothing was written. */
  size: number
  /** Number of steps merged with this one, including itself: the size covers all of them; absent if it ran alone. */
  fused?: number
}

/** A step that a process has run, for traces. */
export interface RanStep {
  /** Tool id with its section. */
  tool: string
  /** In milliseconds since 1970. */
  startedAt: number
  ms: number
  isFailed: boolean
}

export interface Done {
  outputs: TaskOutput[]
  /** If the outputs are one set: the name of its ZIP, without extension. */
  set?: string
  /** The tool's own response fields. */
  report?: Record<string, unknown>
  /** Shell output instead of the report. */
  lines?: readonly string[]
  /** Total size of the primary inputs. */
  inputBytes: number
  /** Pipelines only. */
  steps?: StepSize[]
}

/** Additional `fields` of the error when a pipeline fails. */
export type FailureFields = {
  /** The failed step, from 1; absent when the pipeline was stopped from outside. */
  step?: number
  /** The steps before it; after a stop from outside, the steps whose output was written. */
  completedSteps: StepSize[]
}

export interface Failed {
  code: ErrorCode
  message: string
  hint: string
  detail?: string
  fields?: Readonly<Record<string, unknown>>
  status: number
}

export type ToChild =
  | {
      type: 'run'
      task: Task
      /** Staging folder next to the destination, for unfinished files; the pool removes it if the child cannot. */
      staging: string
      /** Number of running jobs that share the cores, including this one. */
      jobsAtOnce: number
    }
  | { type: 'abort' }
  /** Ends the process. */
  | { type: 'leave' }

/** Progress of a job from 0 to 1, and the current phase. */
export interface ProgressNote {
  fraction: number
  phase: string
}

/**
 * Messages from a child. `progress` is not yet reported; `residentBytes` is its memory when it can take another job.
 */
export type FromChild =
  | { type: 'ready' }
  | { type: 'progress'; progress: ProgressNote[] }
  | { type: 'warning'; message: string; manner?: 'advice' }
  /** Extends the job's timeout by this much. */
  | { type: 'moreTime'; seconds: number }
  /** Time that the length of its input allows the job's next step. */
  | { type: 'inputLimit'; seconds: number }
  | { type: 'done'; done: Done; progress: ProgressNote[]; ran: RanStep[]; residentBytes: number }
  /** Without `residentBytes`, work that could not be stopped is still running; `idle` follows. */
  | { type: 'failed'; failed: Failed; progress: ProgressNote[]; ran: RanStep[]; residentBytes?: number }
  /** Nothing of the job is running any more. */
  | { type: 'idle'; residentBytes: number }
