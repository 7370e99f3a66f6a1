/** What is said between a job and the thread that runs a group of its steps. Everything here is plain data. */
import type { Consulted } from '../../engines/consulted.ts'
import type { MediaFile } from '../../media/file.ts'
import type { Group, PlannedStep } from '../plan/plan.ts'
import type { StepTime } from '../plan/step-time.ts'
import type { Item, Items } from '../run/item.ts'

/** A step by the name of its tool, whose code the thread loads for itself. */
export type IsolatedStep = Omit<PlannedStep, 'tool'>

/** What a thread loads before it is asked for anything. */
export interface IsolatedTool {
  name: string
  engines: readonly string[]
}

/** An item that is a file. */
export type IsolatedItem = Omit<Item, 'picture'>

/** A group, what it is to be run on, and what its run context is made of; see RunContext. */
export interface IsolatedWork {
  variant: string
  progress: { from: number; part: number }
  isAlone: boolean
  medium: Group['medium']
  steps: readonly IsolatedStep[]
  items: Omit<Items, 'list'> & { list: readonly IsolatedItem[] }
  /** The further files of a tool by itself. Those of a pipeline's steps are named by the steps. */
  secondary: Readonly<Record<string, MediaFile>>
  /** What comes out is among the outputs of the job, which are asked for by name. */
  isLast: boolean
}

export interface IsolatedResult {
  items: IsolatedWork['items']
  times: readonly StepTime[]
}

/** What the thread tells while it works. */
export type IsolatedNews =
  | { type: 'progress'; fraction: number; phase: string | undefined }
  | { type: 'warning'; message: string; manner?: 'advice' }
  | { type: 'moreTime'; seconds: number }
  /** A program that it started, or that is gone. */
  | { type: 'program'; processId: number; isAlive: boolean }
  /** A program or model that it looked for. */
  | { type: 'consulted'; what: Consulted }

/** What the thread asks; the answer is a path. */
export type IsolatedQuestion = { type: 'scratch' } | { type: 'output'; name: string }
