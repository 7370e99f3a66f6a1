import { mkdtemp, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { checkAccepted } from '../../job/accept.ts'
import { makeFolder } from '../../make-folder.ts'
import { type MediaFile, openMediaFile } from '../../media/file.ts'
import { extensionLike } from '../../media/naming.ts'
import type { AnyJob, StepContext } from '../../tool/contract.ts'
import type { Isolation } from '../isolate/isolation.ts'
import type { PlannedStep } from '../plan/plan.ts'
import type { StepTime } from '../plan/step-time.ts'
import { type Item, type Sink, withExtension } from './item.ts'

/** State shared by the groups of one job. */
export interface RunContext {
  job: AnyJob
  /** '' outside variants. */
  variant: string
  /** The share of the total work done before this group, and its own share; from 0 to 1. */
  progress: { from: number; part: number }
  times: StepTime[]
  /** Threads for steps whose engines block the calling thread; if absent, they run here. */
  isolation?: Isolation
  /** A single tool, not a pipeline. */
  isAlone: boolean
  /** The additional named files of a step, opened; each file once for all steps of a job. */
  secondary(step: PlannedStep): Promise<Readonly<Record<string, MediaFile>>>
  /** How a failure of a step is reported. */
  failure(error: unknown, step: PlannedStep): MediaprocError
  /** The name of the file for an item. `extension` is that of its type. */
  nameOf(item: Item, extension: string): string
  /** Progress text, once a step has been planned. */
  phaseOf(step: PlannedStep): string
}

/** Differences between a pipeline and a single tool. */
export type RunManner = Pick<RunContext, 'isAlone' | 'secondary' | 'failure' | 'nameOf' | 'phaseOf'>

/** A pipeline keeps names, as its pattern names the outputs, and reports which step failed. */
export function pipelineManner(variant: string, further: OpenOnce): RunManner {
  return {
    isAlone: false,
    secondary: (step) => secondaryOf(further, step),
    failure: (error, step) => stepError(error, step, variant),
    nameOf: ({ name, picture }, extension) =>
      withExtension(name, picture ? extensionLike(picture.origin, extension) : extension),
    phaseOf: ({ name }) => name,
  }
}

export type OpenOnce = (path: string) => Promise<MediaFile>

/** A function that opens each file once. */
export function openFurther(): OpenOnce {
  const opened = new Map<string, Promise<MediaFile>>()
  return (path) => {
    const file = opened.get(path) ?? openMediaFile(path)
    opened.set(path, file)
    return file
  }
}

/** A new folder for files passed from one group to the next. */
export async function scratchSink(context: RunContext): Promise<Sink> {
  const folder = await mkdtemp(join(await context.job.scratch(), 'step-'))
  return async (name) => {
    const path = join(folder, name)
    // The folder itself is never recreated: an aborted job must not leave one behind.
    if (dirname(path) !== folder) await makeFolder(dirname(path))
    return path
  }
}

/** The additional named files of a step, opened and checked. */
async function secondaryOf(
  further: OpenOnce,
  { tool, name, secondary }: PlannedStep,
): Promise<Record<string, MediaFile>> {
  const files: Record<string, MediaFile> = {}
  for (const [key, path] of Object.entries(secondary)) {
    files[key] = await further(path)
    checkAccepted(tool.input.secondary![key]!.accept, files[key], `${name} ${key}`)
  }
  return files
}

/** The part of the job available to a fused step. */
export async function stepContext(context: RunContext, step: PlannedStep): Promise<StepContext> {
  const { job, progress } = context
  return {
    secondary: await context.secondary(step),
    signal: job.signal,
    warn: (message, manner) => job.warn(message, manner),
    progress: (fraction, phase) => job.progress(progress.from + fraction * progress.part, phase),
    moreTime: (seconds) => job.moreTime(seconds),
    ...(job.limitByInput && { limitByInput: (seconds: number) => job.limitByInput!(seconds) }),
    ...(job.timeLeftS && { timeLeftS: () => job.timeLeftS!() }),
    scratch: async () => mkdtemp(join(await job.scratch(), 'own-')),
  }
}

/** Reports which step failed; cancels and time limits are not failures of a step. */
function stepError(error: unknown, step: PlannedStep, variant: string): MediaprocError {
  const known = toMediaprocError(error)
  const { code, message, httpMessage = message, parts } = known
  if (code === 'CANCELED' || code === 'TIMEOUT' || 'step' in (known.fields ?? {})) return known
  const where = `step ${step.number}${variant && ` of ${variant}`} (${step.name})`
  return new MediaprocError(code, `${where}: ${message}`, {
    ...{ ...parts, httpMessage: `${where}: ${httpMessage}`, cause: known },
    fields: { ...known.fields, step: step.number },
  })
}

const timeOf = ({ times, variant }: RunContext, step: PlannedStep): StepTime | undefined =>
  times.find((one) => one.step === step.number && one.variant === (variant || undefined))

/** Adds up the bytes that the step, and those fused with it, wrote. `last` is the last of them. */
export async function noteWritten(
  context: RunContext,
  last: PlannedStep,
  files: readonly { path: string }[],
): Promise<void> {
  // Step times are not needed for a single tool.
  if (context.isAlone) return
  const { variant, fused = 1 } = timeOf(context, last) ?? {}
  const sizes = await Promise.all(files.map(async ({ path }) => (await stat(path)).size))
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  for (const time of context.times)
    if (time.variant === variant && time.step <= last.number && time.step > last.number - fused)
      time.bytes = (time.bytes ?? 0) + bytes
}

/** Runs the part of a step, records its time, and names the step in errors. */
export async function timed<T>(
  context: RunContext,
  step: PlannedStep,
  fused: number,
  work: () => Promise<T>,
): Promise<T> {
  const startedAt = Date.now()
  const started = performance.now()
  let isDone = false
  try {
    context.job.signal.throwIfAborted()
    const result = await work()
    isDone = true
    return result
  } catch (error) {
    throw context.failure(error, step)
  } finally {
    const ms = performance.now() - started
    let time = timeOf(context, step)
    if (time) time.ms += ms
    else {
      const { variant } = context
      time = { step: step.number, tool: step.name, ...(variant && { variant }), ms, startedAt, fused }
      context.times.push(time)
    }
    if (!isDone) time.failed = true
  }
}
