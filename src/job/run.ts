import { isAbsolute, sep } from 'node:path'
import { environmentNumber } from '../environment.ts'
import { MediaprocError, toMediaprocError } from '../errors.ts'
import { type MediaFile, printableName } from '../media/file.ts'
import type { AnyJob, Section, Tool, ToolResult } from '../tool/contract.ts'
import { checkAccepted, checkCount, checkSecondary } from './accept.ts'
import type { StagingFolders } from './staging-folders.ts'
import { verifyOutputs } from './verify-outputs.ts'
import { Workspace } from './workspace.ts'

/** The maximum delay of Node's timers; longer means no limit. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** A tool or action to run. */
export type Runnable = Pick<Tool, 'id' | 'input' | 'timeoutS'> & {
  run(job: AnyJob, settings: Record<string, unknown>): Promise<ToolResult>
  /** The tool's, or `pipeline`. */
  section: Section | 'pipeline'
}

export interface JobRequest {
  tool: Runnable
  inputs: readonly MediaFile[]
  secondary?: Readonly<Record<string, MediaFile>>
  /** Checked against the tool's table. */
  settings: Record<string, unknown>
  /** The destination folder of the outputs. */
  destination: string
  /** The destination is a folder only for this job, which the caller removes: outputs are written into it directly. */
  ownsDestination?: boolean
  /** The staging folders of the run. */
  staging?: StagingFolders
  signal?: AbortSignal
  /** In seconds; defaults to the tool's own limit, 0 for none. */
  timeoutS?: number
  onProgress?: (fraction: number, phase: string) => void
  onWarning?: (message: string, manner?: 'advice') => void
  /** Called when the limit is extended by a number of seconds, for callers that track time. */
  onMoreTime?: (seconds: number) => void
  /** A step is allowed this many seconds, based on the length of the input: see Job.limitByInput. */
  onInputLimit?: (seconds: number) => void
  /** Turns warnings of the tool about unmet or lost requirements into an error: REFUSED_BY_STRICT. */
  strict?: boolean
  /** Called when the tool names an output, before it is made: an exception ends the job before anything is lost. */
  onOutput?: (name: string) => Promise<void>
}

/**
 * Handles the finished files while the staging folder still exists. `stage` returns more paths in it, for files that
 * must appear by rename.
 */
export type Place<T> = (result: ToolResult, stage: (name: string) => Promise<string>) => Promise<T>

/** The maximum duration of a job, in seconds. */
function timeCap(): number {
  const cap = environmentNumber('PROCESSING_TIMEOUT_S')
  return cap > 0 ? cap : Number.POSITIVE_INFINITY
}

/**
 * Ends a job that takes too long: after the requested limit, or after the tool's own limit, which the job can extend.
 */
class Clock {
  readonly #begun = performance.now()
  readonly #isChosen: boolean
  readonly #onEnd: (limitS: number) => void
  #limitS: number
  #timer: NodeJS.Timeout | undefined

  constructor({ timeoutS, tool }: JobRequest, onEnd: (limitS: number) => void) {
    this.#isChosen = timeoutS !== undefined
    this.#limitS = timeoutS ?? Math.min(timeCap(), tool.timeoutS)
    this.#onEnd = onEnd
    this.#set()
  }

  add(seconds: number): void {
    if (this.#isChosen) return
    this.#limitS = Math.min(timeCap(), this.#limitS + seconds)
    this.#set()
  }

  /** Seconds until the limit; Infinity if there is none. */
  leftS(): number {
    return this.#limitS > 0 ? this.#limitS - (performance.now() - this.#begun) / 1000 : Number.POSITIVE_INFINITY
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #set(): void {
    this.stop()
    const restMs = this.#limitS * 1000 - (performance.now() - this.#begun)
    if (this.#limitS > 0 && restMs <= MAX_TIMER_MS) this.#timer = setTimeout(() => this.#onEnd(this.#limitS), restMs)
  }
}

/**
 * Runs a job, for all callers. The tool writes into a staging folder; `place` then moves the finished files to their
 * destinations. Nothing else is left behind in any case.
 * @throws MediaprocError only
 */
export async function runJob<T>(request: JobRequest, place: Place<T>): Promise<T> {
  const { tool, inputs, secondary = {}, settings, destination, signal } = request
  const shared = request.staging
  const workspace = new Workspace(destination, { isOwn: request.ownsDestination ?? false, ...(shared && { shared }) })
  let isDone = false
  const ending = new AbortController()
  const stop = ending.signal
  const clock = new Clock(request, (limitS) => ending.abort(timedOut(tool, limitS)))
  // AbortSignal.any would leave an entry in the signal of the run for each job.
  const onStop = (): void => ending.abort(signal?.reason)
  if (signal?.aborted) onStop()
  signal?.addEventListener('abort', onStop, { once: true })
  let reached = 0
  const warnings: string[] = []
  const job: AnyJob = {
    inputs,
    secondary,
    signal: stop,
    scratch: () => workspace.scratch(),
    async output(name) {
      if (isAbsolute(name) || name.split(sep).includes('..') || name.split('/').includes('..'))
        throw new MediaprocError('INVALID_FILE', `The name ${printableName(name)} leads out of the output folder`)
      await request.onOutput?.(name)
      return workspace.output(name)
    },
    progress(fraction, phase = '') {
      reached = Math.max(reached, Math.min(1, fraction))
      request.onProgress?.(reached, phase)
    },
    moreTime(seconds) {
      clock.add(seconds)
      request.onMoreTime?.(seconds)
    },
    limitByInput: (seconds) => request.onInputLimit?.(seconds),
    timeLeftS: () => clock.leftS(),
    warn(message, manner) {
      if (manner !== 'advice') warnings.push(message)
      request.onWarning?.(message, manner)
    },
  }
  try {
    const toolName = `${tool.section}/${tool.id}`
    checkCount(tool.input, inputs.length, toolName)
    for (const file of inputs) checkAccepted(tool.input.accept, file, toolName)
    checkSecondary(tool, secondary, toolName)
    stop.throwIfAborted()
    const result = await untilAborted(tool.run(job, settings), stop)
    stop.throwIfAborted()
    verifyOutputs(result.files, inputs)
    if (request.strict && warnings.length > 0) throw new MediaprocError('REFUSED_BY_STRICT', warnings.join('; '))
    const placed = await place(result, (name) => workspace.output(name))
    isDone = true
    return placed
  } catch (error) {
    if (stop.aborted) throw toMediaprocError(stop.reason, 'CANCELED')
    throw toMediaprocError(error)
  } finally {
    clock.stop()
    signal?.removeEventListener('abort', onStop)
    await workspace.remove({ isDone })
  }
}

function timedOut(tool: Runnable, limit: number): MediaprocError {
  return new MediaprocError('TIMEOUT', `${tool.section}/${tool.id} was stopped after its time limit of ${limit} s`)
}

const abandoned = new Set<Promise<unknown>>()

/** Aborted work that keeps running because its library cannot stop it; undefined if there is none. */
export function abandonedWork(): Promise<unknown> | undefined {
  return abandoned.size === 0 ? undefined : Promise.allSettled(abandoned)
}

/** A library that cannot be stopped must not delay the result; its later output goes into a deleted folder. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      abandoned.add(work)
      reject(signal.reason)
    }
    signal.addEventListener('abort', stop, { once: true })
    const settled = (): void => {
      signal.removeEventListener('abort', stop)
      abandoned.delete(work)
    }
    work.then(resolve, reject).finally(settled)
  })
}
