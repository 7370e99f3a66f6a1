import { environmentNumber } from '../environment.ts'
import { MediaprocError } from '../errors.ts'
import type { Child, Ending } from './child.ts'
import type { Done, Failed, FromChild, ProgressNote, RanStep, Task } from './messages.ts'

/** How long a caller waits for a stopped job's child to report its progress, in milliseconds. */
const SETTLE_MS = 1000
/** Maximum delay of Node's timers; longer means no limit. */
const MAX_TIMER_MS = 2 ** 31 - 1

export interface Hooks {
  /** Progress from 0 to 1, and the current phase. */
  onProgress?: (fraction: number, phase: string) => void
  onWarning?: (message: string, manner?: 'advice') => void
  /** The job has left the queue and is running. */
  onStart?: () => void
  /** The steps that ran, just before the job ends. Not called if its process died. */
  onRan?: (steps: readonly RanStep[]) => void
}

export interface AssignmentOptions extends Hooks {
  /** Staging folder next to the destination, for unfinished files. */
  staging: string
  /** Number of running jobs that share the cores, including this one. */
  jobsAtOnce: number
  memoryMb: number
  /** Time between the request to stop and SIGKILL, in milliseconds. */
  graceMs: number
}

const nameOf = (task: Task): string => (task.kind === 'tool' ? task.target : 'The pipeline')

/** One job running in one child process. */
export class Assignment {
  /** Outcome of the job. After a stop it settles within a second, whatever the child does. */
  readonly done: Promise<Done>
  /** Resolves with the child's memory in bytes when it can take another job; undefined when the child has exited. */
  readonly free: Promise<number | undefined>
  readonly #child: Child
  readonly #task: Task
  readonly #options: AssignmentOptions
  readonly #timers: NodeJS.Timeout[] = []
  #isSent = false
  /** Start of the job and its timeout; in seconds, 0 for no limit. */
  #begun = 0
  #limitS: number
  #limitTimer: NodeJS.Timeout | undefined
  /** Timeout allowed so far by the inputs of the job's steps, in seconds from the start. */
  #allowedS: number | undefined
  /** Last progress, and the timer that ends a job without progress. */
  #reached = { fraction: -1, phase: '' }
  #stallTimer: NodeJS.Timeout | undefined
  /** Why the job was stopped. */
  #reason: MediaprocError | undefined
  #resolve!: (done: Done) => void
  #reject!: (error: MediaprocError) => void
  #release!: (residentBytes: number | undefined) => void

  constructor(child: Child, task: Task, options: AssignmentOptions) {
    this.#child = child
    this.#task = task
    this.#options = options
    this.#limitS = task.timeoutS
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    this.free = new Promise((resolve) => {
      this.#release = resolve
    })
    void this.free.then(() => {
      for (const timer of this.#timers) clearTimeout(timer)
      clearTimeout(this.#limitTimer)
      clearTimeout(this.#stallTimer)
    })
    child.onMessage = (message) => this.#hear(message)
    void child.ready.then((isReady) => isReady && this.#start())
    void child.ended.then((ending) => {
      this.#reject(this.#reason ?? endedError(ending, options.memoryMb))
      this.#release(undefined)
    })
  }

  /** Stops the job; kills a child that does not stop within the grace time. The first reason counts. */
  stop(reason: MediaprocError): void {
    if (this.#reason) return
    this.#reason = reason
    if (!this.#isSent) {
      this.#reject(reason)
      // The child has not received the job yet.
      this.#release(0)
      return
    }
    const { graceMs } = this.#options
    this.#child.send({ type: 'abort' })
    this.#after(Math.min(graceMs, SETTLE_MS), () => this.#reject(reason))
    this.#after(graceMs, () => this.#child.kill())
  }

  #start(): void {
    if (this.#reason) return
    this.#isSent = true
    this.#child.jobs += 1
    const { staging, jobsAtOnce } = this.#options
    this.#child.send({ type: 'run', task: this.#task, staging, jobsAtOnce })
    this.#begun = performance.now()
    this.#setLimit()
    this.#setStall()
    this.#options.onStart?.()
  }

  #setLimit(): void {
    clearTimeout(this.#limitTimer)
    const limitS = Math.min(this.#limitS, this.#allowedS ?? this.#limitS)
    const restMs = limitS * 1000 - (performance.now() - this.#begun)
    if (limitS === 0 || restMs > MAX_TIMER_MS) return
    this.#limitTimer = setTimeout(() => {
      const isByInput = limitS < this.#limitS
      const sentence = `${nameOf(this.#task)} was stopped after its time limit of ${Math.round(limitS)} s`
      const hint = isByInput
        ? 'The limit follows the length of the file: drawing or computing takes far longer than usual.'
        : 'Try a smaller file; JOB_TIMEOUT_FAST_S and JOB_TIMEOUT_LONG_S are the limits.'
      this.stop(new MediaprocError('TIMEOUT', sentence, { hint }))
    }, restMs)
  }

  /** Extends the timeout, up to the operator's limit. */
  #addTime(seconds: number): void {
    const cap = environmentNumber('PROCESSING_TIMEOUT_S')
    if (this.#reason || this.#limitS === 0 || (cap > 0 && this.#limitS >= cap)) return
    this.#limitS = cap > 0 ? Math.min(cap, this.#limitS + seconds) : this.#limitS + seconds
    this.#setLimit()
  }

  #limitByInput(seconds: number): void {
    if (this.#reason) return
    this.#allowedS = (this.#allowedS ?? (performance.now() - this.#begun) / 1000) + seconds
    this.#setLimit()
  }

  /** Restarts the timer for the next progress. */
  #setStall(): void {
    clearTimeout(this.#stallTimer)
    const stallS = environmentNumber('JOB_STALL_S')
    if (stallS === 0 || this.#limitS === 0 || stallS * 1000 > MAX_TIMER_MS) return
    this.#stallTimer = setTimeout(() => {
      const sentence = `${nameOf(this.#task)} was stopped: it made no progress for ${stallS} s`
      const hint = 'The file may be damaged, or ask for more than the engine can do; JOB_STALL_S is the limit.'
      this.stop(new MediaprocError('TIMEOUT', sentence, { hint }))
    }, stallS * 1000)
  }

  #noteProgress({ fraction, phase }: ProgressNote): void {
    if (fraction <= this.#reached.fraction && phase === this.#reached.phase) return
    this.#reached = { fraction, phase }
    this.#setStall()
  }

  #after(milliseconds: number, work: () => void): void {
    this.#timers.push(setTimeout(work, milliseconds))
  }

  #hear(message: FromChild): void {
    const { onProgress, onWarning, onRan } = this.#options
    if ('progress' in message && !this.#reason)
      for (const note of message.progress) {
        this.#noteProgress(note)
        onProgress?.(note.fraction, note.phase)
      }
    if ('ran' in message) onRan?.(message.ran)
    if (message.type === 'warning' && !this.#reason) onWarning?.(message.message, message.manner)
    if (message.type === 'moreTime') this.#addTime(message.seconds)
    if (message.type === 'inputLimit') this.#limitByInput(message.seconds)
    // The slot is free before any caller receives the result.
    if ('residentBytes' in message && message.residentBytes !== undefined) this.#release(message.residentBytes)
    // A job that finished before the stop arrived counts as done.
    if (message.type === 'done') this.#resolve(message.done)
    else if (message.type === 'failed') this.#reject(failure(message.failed, this.#reason))
  }
}

/** The error of a stop is its own reason; a pipeline's progress is still reported. */
function failure(
  { code, message, hint, detail, fields, status }: Failed,
  reason: MediaprocError | undefined,
): MediaprocError {
  if (!reason) return new MediaprocError(code, message, { hint, detail, fields, status })
  return new MediaprocError(reason.code, reason.message, { ...reason.parts, fields: { ...reason.fields, ...fields } })
}

/** Error of a job whose process died. */
function endedError({ code, signal, memory, errorText, wasReady }: Ending, memoryMb: number): MediaprocError {
  const detail = [signal ?? `exit code ${code}`, errorText].filter((text) => text !== '').join('\n')
  if (!wasReady) return new MediaprocError('INTERNAL', 'A process for jobs could not be started', { detail })
  if (memory !== undefined)
    return new MediaprocError(
      'PROCESSING_FAILED',
      `The work was ended by the system: it took more than ${memoryMb} MiB of memory`,
      { hint: 'Try a smaller file; MAX_JOB_MEMORY_MB is the limit.', detail },
    )
  const hint =
    signal === 'SIGKILL'
      ? 'Another program or the system sent SIGKILL; where memory was short, try a smaller file or fewer jobs at a time.'
      : signal === 'SIGABRT'
        ? 'The engine gave up, which happens where memory is short: try a smaller file or fewer jobs at a time.'
        : 'The file may be damaged in a way that stops the engine: try another copy.'
  return new MediaprocError('PROCESSING_FAILED', 'The work was ended by the system', { hint, detail })
}
