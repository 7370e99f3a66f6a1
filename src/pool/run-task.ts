import { existsSync, renameSync, rmdirSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import { MediaprocError } from '../errors.ts'
import { runJob } from '../job/run.ts'
import { placeFile } from '../job/workspace.ts'
import { firstOf, zip } from '../lists.ts'
import { type MediaFile, openMediaFile, printableName } from '../media/file.ts'
import { typeById } from '../media/type.ts'
import { uniqueNames } from '../media/unique-names.ts'
import { planSteps } from '../pipeline/plan/plan-steps.ts'
import { findTool } from '../pipeline/read/find-tool.ts'
import { runPipeline, type StepTime } from '../pipeline/run/run.ts'
import type { ToolResult } from '../tool/contract.ts'
import type {
  Done,
  FailureFields,
  NamedFile,
  PipelineTask,
  RanStep,
  StepSize,
  Task,
  TaskOutput,
  ToolTask,
} from './messages.ts'

export interface TaskContext {
  /** The task's own staging folder next to the destination, for unfinished files. */
  staging: string
  signal: AbortSignal
  onProgress(fraction: number, phase: string): void
  onWarning(message: string, manner?: 'advice'): void
  onMoreTime(seconds: number): void
  onInputLimit(seconds: number): void
  /** Receives the steps that ran, also if the task fails. */
  onRan?(steps: readonly RanStep[]): void
}

/** Error of a pipeline, with its progress. */
export class PipelineFailure extends Error {
  readonly fields: FailureFields

  constructor(cause: unknown, fields: FailureFields) {
    super('the pipeline failed', { cause })
    this.fields = fields
  }
}

/** The pool enforces the timeout: a thread that is blocked cannot. */
const NO_LIMIT = 0

async function openAll(files: readonly NamedFile[], signal: AbortSignal, mayBeEmpty?: boolean): Promise<MediaFile[]> {
  const opened: MediaFile[] = []
  for (const { path, name, known } of files) {
    signal.throwIfAborted()
    const type = known && known.bytes > 0 ? typeById(known.type) : undefined
    opened.push(type ? { path, name, bytes: known!.bytes, type } : await openMediaFile(path, name, mayBeEmpty))
  }
  return opened
}

/**
 * Moves a file into place, replacing one that an interrupted run of the same task left there. Synchronous if possible:
 * this process has nothing else to do, and using another thread would cost more than the move.
 */
async function moveIn(path: string, target: string): Promise<void> {
  try {
    renameSync(path, target)
  } catch {
    // Its folder does not exist yet, or is on another disk.
    await placeFile(path, target, true)
  }
}

/** Path of a file below the destination. @throws MediaprocError when it would be outside, or replace an input */
function targetOf(task: Task, name: string): string {
  if (isAbsolute(name) || name.split(/[/\\]/).includes('..'))
    throw new MediaprocError('INVALID_FILE', `The name ${printableName(name)} leads out of the output folder`)
  const target = join(task.destination, name)
  if ([...task.inputs, ...secondaryOf(task)].some((input) => resolve(input.path) === resolve(target)))
    throw new MediaprocError('OUTPUT_IS_INPUT', `The output ${printableName(name)} would replace the input`)
  return target
}

/**
 * Renames the staging folder to the destination: one step for all files, if the tool wrote nothing else and the
 * destination does not exist yet. Returns whether it did so.
 */
function becomesDestination(staging: string, destination: string): boolean {
  try {
    renameSync(staging, destination)
    return true
  } catch {
    return false
  }
}

/** Moves finished files from the staging folder to the destination. `asked` are the names that the tool requested. */
async function place(
  task: Task,
  staging: string,
  { files, set, report, lines }: ToolResult,
  inputs: readonly MediaFile[],
  asked?: ReadonlySet<string>,
): Promise<Done> {
  const outputs: TaskOutput[] = []
  const names = uniqueNames(files.map(({ name }) => name))
  const moves: { path: string; target: string }[] = []
  for (const [{ path, mime, field, isVerbatim, mentions }, name] of zip(files, names)) {
    moves.push({ path, target: targetOf(task, name) })
    const about = {
      ...(field !== undefined && { field }),
      ...(isVerbatim && { isVerbatim }),
      ...(mentions && { mentions }),
    }
    outputs.push({ name, mime, bytes: statSync(path).size, ...about })
  }
  const isAll =
    asked?.size === files.length && zip(files, names).every(([{ path }, name]) => path === join(staging, name))
  if (!isAll || !becomesDestination(staging, task.destination))
    for (const { path, target } of moves) await moveIn(path, target)
  const inputBytes = inputs.reduce((sum, { bytes }) => sum + bytes, 0)
  return {
    ...{ outputs, inputBytes },
    ...(set !== undefined && { set }),
    ...(report && { report }),
    ...(lines && { lines }),
  }
}

const secondaryOf = (task: Task): NamedFile[] => (task.kind === 'tool' ? Object.values(task.secondary ?? {}) : [])

async function runTool(task: ToolTask, context: TaskContext): Promise<Done> {
  const { runnable } = await findTool(task.target).load()
  const inputs = await openAll(task.inputs, context.signal, runnable.input.mayBeEmpty)
  const named = Object.keys(task.secondary ?? {})
  const further = await openAll(Object.values(task.secondary ?? {}), context.signal)
  const secondary = Object.fromEntries(zip(named, further))
  const { staging: destination, onRan: _onRan, ...hooks } = context
  const { settings } = task
  const asked = new Set<string>()
  const onOutput = async (name: string): Promise<void> => void asked.add(name)
  const manner = { destination, ownsDestination: true, timeoutS: NO_LIMIT, onOutput, ...hooks }
  return runJob({ tool: runnable, inputs, secondary, settings, ...manner }, (result) =>
    place(task, destination, result, inputs, asked),
  )
}

async function runTimed(task: ToolTask, context: TaskContext): Promise<Done> {
  const startedAt = Date.now()
  const begun = performance.now()
  let isFailed = true
  try {
    const done = await runTool(task, context)
    isFailed = false
    return done
  } finally {
    context.onRan?.([{ tool: task.target, startedAt, ms: performance.now() - begun, isFailed }])
  }
}

const sizes = (times: readonly StepTime[]): StepSize[] =>
  times
    .map(({ step, tool, bytes = 0, fused }) => ({ step, toolId: tool, size: bytes, ...(fused > 1 && { fused }) }))
    .sort((a, b) => a.step - b.step)

const ranSteps = (times: readonly StepTime[]): RanStep[] =>
  times.flatMap(({ tool, startedAt, ms, failed = false }) =>
    startedAt === undefined ? [] : [{ tool, startedAt, ms, isFailed: failed }],
  )

function howFar(times: readonly StepTime[]): FailureFields {
  const failed = times.find((time) => time.failed)
  const done = times.filter(({ step, bytes }) => (failed ? step < failed.step : bytes !== undefined))
  return { ...(failed && { step: failed.step }), completedSteps: sizes(done) }
}

async function runSteps(task: PipelineTask, context: TaskContext): Promise<Done> {
  // A plan contains functions and cannot be sent. The sender has already checked the number of steps.
  const steps = task.steps.map(({ toolId, settings }) => ({ tool: toolId, settings }))
  const { plan, diagnostics } = await planSteps({ steps }, { name: 'pipeline' })
  if (!plan)
    throw new MediaprocError('INVALID_PIPELINE', diagnostics.map(({ message }) => message).join('; '), {
      ...(diagnostics[0]?.hint && { hint: diagnostics[0].hint }),
    })
  const times: StepTime[] = []
  try {
    const inputs = await openAll(task.inputs, context.signal)
    const { staging: destination, onRan: _onRan, ...hooks } = context
    return await runPipeline(
      { plan, inputs, destination, ownsDestination: true, timeoutS: NO_LIMIT, times, ...hooks },
      async (results) => ({
        ...(await place(task, destination, firstOf(results).result, inputs)),
        steps: sizes(times),
      }),
    )
  } catch (error) {
    throw new PipelineFailure(error, howFar(times))
  } finally {
    context.onRan?.(ranSteps(times))
  }
}

async function removeStaging(folder: string): Promise<void> {
  // Usually it has become the destination, and an exception takes longer than this check.
  if (!existsSync(folder)) return
  try {
    rmdirSync(folder)
  } catch {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/**
 * Runs one task and moves its outputs to the destination by rename; on any error, nothing else is left there.
 * @throws MediaprocError, or a PipelineFailure that wraps one
 */
export async function runTask(task: Task, context: TaskContext): Promise<Done> {
  try {
    return await (task.kind === 'tool' ? runTimed(task, context) : runSteps(task, context))
  } finally {
    await removeStaging(context.staging)
  }
}
