import { rm } from 'node:fs/promises'
import { join, parse, resolve } from 'node:path'
import { MediaprocError, toMediaprocError } from '../errors.ts'
import { firstOf } from '../lists.ts'
import { Assignment, type Hooks } from './assignment.ts'
import { Child } from './child.ts'
import { FairQueue, type Queued } from './fair-queue.ts'
import type { Done, Task } from './messages.ts'
import type { PoolOptions, PoolStats } from './options.ts'
import { bundlesOfTask } from './task-bundles.ts'

export type { PoolOptions, PoolStats } from './options.ts'

const MEBIBYTE = 1024 * 1024
const GRACE_MS = 3000
/** How long all processes must be busy before a spare one is started, in milliseconds. */
const SPARE_MS = 100

interface Waiting extends Queued {
  task: Task
  hooks: Hooks
  resolve(done: Done): void
  reject(error: MediaprocError): void
  /** Set when it is running. */
  assignment?: Assignment
}

/** Warm child processes that run jobs; a crash, a hang or excess memory costs one job. Callers must call `close`. */
export class Pool {
  readonly #options: PoolOptions
  readonly #queue = new FairQueue<Waiting>()
  readonly #busy = new Map<Child, Waiting>()
  readonly #idle: Child[] = []
  readonly #leaving = new Set<Promise<unknown>>()
  readonly #counts = { finished: 0, failed: 0, crashed: 0, recycled: 0 }
  #onceQuiet: (() => void)[] = []
  #stagings = 0
  #spareTimer: NodeJS.Timeout | undefined
  #isDraining = false

  constructor(options: PoolOptions) {
    this.#options = options
    this.#keepSpare()
  }

  /** Number of running jobs. */
  get active(): number {
    return this.#busy.size
  }

  /** Number of waiting jobs. */
  get pending(): number {
    return this.#queue.length
  }

  /** Bundles whose models the processes have loaded. */
  loadedBundles(): string[] {
    return [...new Set([...this.#busy.keys(), ...this.#idle].flatMap(({ bundles }) => [...bundles]))]
  }

  stats(): PoolStats {
    const busy = [...this.#busy.keys()].map((child) => ({ child, isBusy: true }))
    const idle = this.#idle.map((child) => ({ child, isBusy: false }))
    const processes = [...busy, ...idle].map(({ child: { processId, jobs }, isBusy }) => ({ processId, jobs, isBusy }))
    return { size: this.#options.size, active: this.active, pending: this.pending, ...this.#counts, processes }
  }

  /**
   * Runs a task when its turn comes; an admitted task is accepted even if the queue is full. A job that finished before
   * a cancel or timeout took effect counts as done.
   * @throws MediaprocError QUEUE_UNAVAILABLE and SHUTTING_DOWN at once; CANCELED (or the signal's reason), TIMEOUT,
   *   PROCESSING_FAILED when the process died, or the tool's error; for a pipeline with FailureFields as its fields
   */
  async run(
    task: Task,
    { signal, isAdmitted = false, ...hooks }: Hooks & { signal?: AbortSignal; isAdmitted?: boolean } = {},
  ): Promise<Done> {
    if (this.#isDraining) throw new MediaprocError('SHUTTING_DOWN')
    if (signal?.aborted) throw toMediaprocError(signal.reason, 'CANCELED')
    // A separate signal: Node would report a hundred listeners on a batch's shared signal as a leak.
    const stop = signal && AbortSignal.any([signal])
    let onAbort = (): void => undefined
    return new Promise<Done>((resolve, reject) => {
      const job: Waiting = { ownerKey: task.ownerKey ?? '', isHeavy: task.heavy, task, hooks, resolve, reject }
      this.#queue.add(job)
      this.#dispatch()
      const { queueLimit } = this.#options
      if (!isAdmitted && this.#queue.length > queueLimit && this.#queue.remove(job)) {
        const sentence = `The queue is full: ${queueLimit} jobs are waiting`
        return reject(new MediaprocError('QUEUE_UNAVAILABLE', sentence))
      }
      onAbort = (): void => {
        const reason = toMediaprocError(stop!.reason, 'CANCELED')
        if (this.#queue.remove(job)) reject(reason)
        else job.assignment?.stop(reason)
      }
      stop?.addEventListener('abort', onAbort)
    }).finally(() => stop?.removeEventListener('abort', onAbort))
  }

  /**
   * Refuses new jobs: waiting jobs fail with SHUTTING_DOWN, running ones may finish.
   * @returns whether all jobs ended within the time, in milliseconds
   */
  async drain(timeoutMs: number): Promise<boolean> {
    this.#isDraining = true
    for (const { reject } of this.#queue.clear()) reject(new MediaprocError('SHUTTING_DOWN'))
    if (this.active === 0) return true
    let timer: NodeJS.Timeout | undefined
    const quiet = new Promise<boolean>((resolve) => this.#onceQuiet.push(() => resolve(true)))
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, timeoutMs, false)
    })
    return Promise.race([quiet, late]).finally(() => clearTimeout(timer))
  }

  /** Ends all processes. Running jobs fail with INTERRUPTED. Resolves when all processes have exited. */
  async close(): Promise<void> {
    await this.drain(0)
    for (const [child, { assignment }] of this.#busy) {
      assignment?.stop(new MediaprocError('INTERRUPTED'))
      child.kill()
    }
    if (this.active > 0) await new Promise<void>((resolve) => this.#onceQuiet.push(resolve))
    for (const child of this.#idle.splice(0)) this.#retire(child)
    await Promise.all(this.#leaving)
  }

  #start(): Child {
    const child = new Child(this.#options)
    this.#log('a process was started', { processId: child.processId })
    void child.ended.then((ending) => {
      const place = this.#idle.indexOf(child)
      if (place < 0) return
      this.#idle.splice(place, 1)
      this.#log('an idle process ended', { processId: child.processId, ...ending })
      // A process that was never ready would only fail again: the next one starts when there is a job.
      if (ending.wasReady) this.#keepSpare()
    })
    return child
  }

  /** Keeps one spare process for the next job, if there is room. */
  #keepSpare(): void {
    const { warm, size } = this.#options
    if (!warm || this.#isDraining || this.#idle.length > 0 || this.#busy.size >= size) return
    this.#idle.push(this.#start())
  }

  /** Starting a process blocks this thread, and most jobs end quickly, which frees their process. */
  #keepSpareSoon(): void {
    this.#spareTimer ??= setTimeout(() => {
      this.#spareTimer = undefined
      this.#keepSpare()
    }, SPARE_MS).unref()
  }

  /** The idle process with the task's models loaded; else a ready one, preferably without models of other tasks. */
  #takeIdle(bundles: readonly string[]): Child {
    const fitness = (child: Child): number => {
      if (bundles.some((id) => child.bundles.has(id))) return 3
      return child.isReady ? (child.bundles.size === 0 ? 2 : 1) : 0
    }
    const best = Math.max(...this.#idle.map(fitness))
    const place = this.#idle.findLastIndex((child) => fitness(child) === best)
    return place >= 0 ? firstOf(this.#idle.splice(place, 1)) : this.#start()
  }

  /** If there are several slots, reserves one for light jobs, and one of the others for heavy jobs of another owner. */
  #allowsHeavy(ownerKey: string): boolean {
    const places = Math.max(1, this.#options.size - 1)
    const owners = [...this.#busy.values()].flatMap((job) => (job.isHeavy ? [job.ownerKey] : []))
    if (owners.length >= places) return false
    // Without accounts there is only one owner.
    if (ownerKey === '') return true
    return owners.filter((owner) => owner === ownerKey).length < Math.max(1, places - 1)
  }

  #dispatch(): void {
    while (this.#busy.size < this.#options.size) {
      const job = this.#queue.take((ownerKey) => this.#allowsHeavy(ownerKey))
      if (!job) break
      const bundles = bundlesOfTask(job.task)
      const child = this.#takeIdle(bundles)
      for (const id of bundles) child.bundles.add(id)
      this.#assign(job, child)
    }
    this.#keepSpareSoon()
    if (this.active > 0) return
    for (const notify of this.#onceQuiet.splice(0)) notify()
  }

  #assign(job: Waiting, child: Child): void {
    const { size, memoryMb, graceMs = GRACE_MS } = this.#options
    this.#stagings += 1
    // Next to the destination, so that a single rename can make it the destination.
    const { dir, base } = parse(resolve(job.task.destination))
    const staging = join(dir, `.mediaproc-${process.pid}-${this.#stagings}-${base}`)
    // A single job on an idle server gets all cores; with many jobs, each gets its part from the start.
    const jobsAtOnce = Math.min(size, this.#busy.size + 1 + this.#queue.length)
    const assignment = new Assignment(child, job.task, { ...job.hooks, staging, jobsAtOnce, memoryMb, graceMs })
    job.assignment = assignment
    this.#busy.set(child, job)
    const count = (what: 'finished' | 'failed'): void => {
      this.#counts[what] += 1
    }
    assignment.done.then(
      (done) => {
        count('finished')
        job.resolve(done)
      },
      (error: MediaprocError) => {
        count('failed')
        job.reject(error)
      },
    )
    void assignment.free.then((residentBytes) => this.#release(child, staging, residentBytes))
  }

  async #release(child: Child, staging: string, residentBytes: number | undefined): Promise<void> {
    const { memoryMb, recycleAfter } = this.#options
    if (residentBytes === undefined) {
      this.#counts.crashed += 1
      this.#log('a process ended during a job', { processId: child.processId, ...(await child.ended) })
      await rm(staging, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined)
    }
    this.#busy.delete(child)
    if (residentBytes !== undefined) {
      if (child.jobs < recycleAfter && residentBytes <= (memoryMb * MEBIBYTE) / 2) this.#idle.push(child)
      else {
        this.#counts.recycled += 1
        this.#log('a process is replaced', { processId: child.processId, jobs: child.jobs, residentBytes })
        this.#retire(child)
      }
    }
    this.#dispatch()
  }

  #retire(child: Child): void {
    const gone = child.retire().finally(() => this.#leaving.delete(gone))
    this.#leaving.add(gone)
  }

  #log(message: string, facts: Record<string, unknown>): void {
    this.#options.log?.(message, facts)
  }
}

/** Starts a pool; the first process of a warm one starts at once, others on demand. */
export function createPool(options: PoolOptions): Pool {
  return new Pool(options)
}
