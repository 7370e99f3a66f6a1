/** What the pool and its child processes say to each other. Everything here is plain data. */
import type { ErrorCode } from '../errors.ts'

/** A file on disk and its name for people. */
export interface NamedFile {
  path: string
  name: string
  /** What was seen when it came in; it is not looked at again then. `type` is the id of its type. */
  known?: { bytes: number; type: string }
}

interface AnyTask {
  id: string
  /** Whose it is: owners take turns. */
  ownerKey?: string
  /** As many as the tool, or the first step of the pipeline, takes for one job. */
  inputs: readonly NamedFile[]
  /** The folder for the outputs, on any file system; made if absent. Nothing in it is replaced but by this task. */
  destination: string
  /** Seconds; 0 for no limit. */
  timeoutS: number
  /** The tool, or one of the steps, uses many cores or much memory: not all places of the pool go to such tasks. */
  heavy: boolean
}

export interface ToolTask extends AnyTask {
  kind: 'tool'
  /** `image/resize`, or with an action `image/edit-metadata/inspect`. */
  target: string
  /** Checked against the tool's table, with defaults. */
  settings: Record<string, unknown>
  /** The tool's named further files. */
  secondary?: Readonly<Record<string, NamedFile>>
}

/** A step of a pipeline that waits to be run. */
export interface TaskStep {
  /** With its section: `image/resize`. */
  toolId: string
  settings?: Readonly<Record<string, unknown>>
}

export interface PipelineTask extends AnyTask {
  kind: 'pipeline'
  /** Tools with their section. Steps may not name files. */
  steps: readonly TaskStep[]
}

export type Task = ToolTask | PipelineTask

export interface TaskOutput {
  /** Its path below the destination, with '/'. */
  name: string
  mime: string
  bytes: number
  /** The field of the answer that gives its address. */
  field?: string | readonly string[]
}

/** A step of a pipeline that is done. */
export interface StepSize {
  /** From 1. */
  step: number
  toolId: string
  /** Bytes of what it wrote; steps that ran as one have the size of what they wrote together. 0 where nothing was written. */
  size: number
  /** How many steps ran as one with it, itself included: the size is that of all of them; absent where it ran alone. */
  fused?: number
}

export interface Done {
  outputs: TaskOutput[]
  /** When the outputs are one set: the name for its ZIP, without extension. */
  set?: string
  /** The answer's own fields. */
  report?: Record<string, unknown>
  /** The primary inputs together. */
  inputBytes: number
  /** Of a pipeline. */
  steps?: StepSize[]
}

/** What more is known of a pipeline that failed; `fields` of the error. */
export type FailureFields = {
  /** The step in which it ended, from 1; absent when it was stopped from outside. */
  step?: number
  /** The steps before it; when it was stopped from outside, those whose output was written. */
  completedSteps: StepSize[]
}

export interface Failed {
  code: ErrorCode
  message: string
  hint: string
  httpHint: string
  detail?: string
  fields?: Readonly<Record<string, unknown>>
  status: number
}

export type ToChild =
  | {
      type: 'run'
      task: Task
      /** A folder beside the destination for what is not finished; the pool removes it when the child cannot. */
      staging: string
      /** How many jobs of the pool share the cores, this one included. */
      jobsAtOnce: number
    }
  | { type: 'abort' }
  /** Ends the process. */
  | { type: 'leave' }

/** How far a job came, from 0 to 1, and a word on what is being done. */
export interface ProgressNote {
  fraction: number
  phase: string
}

/** What a child tells. `progress` is what was not told yet. `residentBytes` is its memory once it can take another job. */
export type FromChild =
  | { type: 'ready' }
  | { type: 'progress'; progress: ProgressNote[] }
  | { type: 'warning'; message: string }
  /** The job takes so much longer than its limit. */
  | { type: 'moreTime'; seconds: number }
  /** The length of its input allows the next step of the job so much. */
  | { type: 'inputLimit'; seconds: number }
  | { type: 'done'; done: Done; progress: ProgressNote[]; residentBytes: number }
  /** Without `residentBytes`, work that could not be stopped goes on; `idle` follows. */
  | { type: 'failed'; failed: Failed; progress: ProgressNote[]; residentBytes?: number }
  /** Nothing of the job runs any more. */
  | { type: 'idle'; residentBytes: number }
