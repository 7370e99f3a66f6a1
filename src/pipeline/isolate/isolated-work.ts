/** Messages between a job and the thread that runs a group of its steps. All of them are plain data. */
import type { Consulted } from '../../engines/consulted.ts'
import type { MediaFile } from '../../media/file.ts'
import type { Group, PlannedStep } from '../plan/plan.ts'
import type { StepTime } from '../plan/step-time.ts'
import type { Item, Items } from '../run/item.ts'

/** A step by the name of its tool; the thread loads the code itself. */
export type IsolatedStep = Omit<PlannedStep, 'tool'>

/** What a thread preloads. */
export interface IsolatedTool {
  name: string
  engines: readonly string[]
}

/** An item that is a file. */
export type IsolatedItem = Omit<Item, 'picture'>

/** A group, its input, and the data of its run context; see RunContext. */
export interface IsolatedWork {
  variant: string
  progress: { from: number; part: number }
  isAlone: boolean
  medium: Group['medium']
  steps: readonly IsolatedStep[]
  items: Omit<Items, 'list'> & { list: readonly IsolatedItem[] }
  /** The additional files of a single tool. Those of a pipeline's steps are named in the steps. */
  secondary: Readonly<Record<string, MediaFile>>
  /** Results are outputs of the job, requested by name. */
  isLast: boolean
}

export interface IsolatedResult {
  items: IsolatedWork['items']
  times: readonly StepTime[]
}

/** Messages from the thread while it works. */
export type IsolatedNews =
  | { type: 'progress'; fraction: number; phase: string | undefined }
  | { type: 'warning'; message: string; manner?: 'advice' }
  | { type: 'moreTime'; seconds: number }
  /** A program that it started, or that has ended. */
  | { type: 'program'; processId: number; isAlive: boolean }
  /** A program or model that it looked up. */
  | { type: 'consulted'; what: Consulted }

/** A request from the thread; the response is a path. */
export type IsolatedQuestion = { type: 'scratch' } | { type: 'output'; name: string }
