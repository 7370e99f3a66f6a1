import { realpath, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { shareCores } from '../../concurrency.ts'
import { type MediaprocError, toMediaprocError } from '../../errors.ts'
import { keepHeapSmall } from '../../job/batch.ts'
import { printableName } from '../../media/file.ts'
import type { InputSpec } from '../../tool/contract.ts'
import type { InputItem } from '../inputs.ts'
import { isTaken } from '../listing.ts'
import { type JobOutcome, type PlannedRun, runOne } from '../planned-run.ts'
import { type Entry, FileTable } from './file-table.ts'
import { type HotFolders, moveOriginal } from './hot-folder.ts'
import { Observer } from './observer.ts'
import { OwnOutputs } from './own-outputs.ts'
import { isBelow, type WatchedFile, type WatchRoot } from './roots.ts'

/** Events of a watch, for display. */
export interface WatchListener {
  /** All folders are watched. */
  onReady(): void
  /**
   * A job has ended.
   * @param moved the new path of the original, if it was moved
   */
  onOutcome(outcome: JobOutcome, moved: string | undefined): void
  /** A sentence for the user. */
  onNote(text: string): void
}

export interface WatchRequest {
  roots: readonly WatchRoot[]
  /** `image/resize`, or `pipeline/web-images`. */
  name: string
  input: Pick<InputSpec, 'accept' | 'mayBeEmpty'>
  /** Plans the job of one file. @throws MediaprocError, with which the file fails */
  plan(item: InputItem): Promise<PlannedRun>
  /** Number of concurrent jobs. */
  concurrency: number
  /** How long size and time of a file must be unchanged, in milliseconds. */
  settleMs: number
  /** Lists the folders at this interval instead of watching them, in milliseconds. */
  pollMs?: number
  /** Processes the present files and ends. */
  once: boolean
  hotFolders: HotFolders
  listener: WatchListener
  /** Ends the watch: running jobs are aborted, and no more are started. */
  signal: AbortSignal
}

/** The shortest and longest interval of checks whether files are complete, in milliseconds. */
const TICK_MS = { min: 10, max: 250 }
/** The interval of checks while nothing happens, in milliseconds. */
const IDLE_MS = 1000

/** One process that watches folders and processes their files. */
export class WatchSession {
  readonly #request: WatchRequest
  readonly #files: FileTable
  readonly #own: OwnOutputs
  readonly #observers: readonly Observer[]
  readonly #queue: Entry[] = []
  readonly #running = new Set<Promise<void>>()
  readonly #noted = new Set<string>()
  #wake = (): void => {}
  #left = 0

  constructor(request: WatchRequest) {
    const { roots, settleMs, pollMs, listener } = request
    this.#request = request
    this.#own = new OwnOutputs(roots)
    this.#files = new FileTable({
      settleMs,
      onComplete: (entry, about) => this.#onComplete(entry, about.size === 0),
      onGrowing: () => this.#onGrowing(),
    })
    this.#observers = roots.map(
      (root) =>
        new Observer(root, {
          ...(pollMs !== undefined && { pollMs }),
          wake: () => this.#wake(),
          onFallback: ({ given }, { code }) =>
            listener.onNote(
              `${printableName(given)}: the system cannot watch more files (${code}); the folder is listed every 2 s instead, as with --poll`,
            ),
          onPresence: ({ given }, isPresent) =>
            listener.onNote(`${printableName(given)} ${isPresent ? 'is there again' : 'was deleted; waiting for it'}`),
        }),
    )
  }

  /** Watches until the signal, or with `once` until the present files are processed. */
  async run(): Promise<void> {
    const { concurrency, once, signal, listener } = this.#request
    keepHeapSmall()
    const done = shareCores(concurrency)
    const stop = (): void => this.#wake()
    signal.addEventListener('abort', stop)
    try {
      if (!once) for (const observer of this.#observers) await observer.open()
      if (!signal.aborted) listener.onReady()
      await this.#loop()
      await Promise.all(this.#running)
      if (this.#left > 0) this.#noteLeft()
    } finally {
      signal.removeEventListener('abort', stop)
      for (const observer of this.#observers) await observer.close()
      done()
    }
  }

  async #loop(): Promise<void> {
    const { once, signal } = this.#request
    for (let round = 0; !signal.aborted; round++) {
      if (!once || round === 0) await this.#collect()
      await this.#files.settle(signal)
      this.#start()
      if (once && this.#files.settling + this.#queue.length + this.#running.size === 0) return
      await this.#pause()
    }
  }

  async #collect(): Promise<void> {
    for (const observer of this.#observers)
      if (await observer.collect((file) => this.#files.touch(file))) await this.#files.prune()
  }

  /** Until the next check; an event or the end of a job ends it early. */
  async #pause(): Promise<void> {
    const { settleMs, pollMs = IDLE_MS } = this.#request
    const isSettling = this.#files.settling > 0
    const ms = isSettling ? Math.max(TICK_MS.min, Math.min(TICK_MS.max, settleMs / 4)) : Math.min(IDLE_MS, pollMs)
    await new Promise<void>((resolved) => {
      const timer = setTimeout(resolved, ms)
      // Bursts of events are collected for one tick.
      this.#wake = () => setTimeout(end, TICK_MS.min)
      const end = (): void => {
        clearTimeout(timer)
        resolved()
      }
      if (this.#request.signal.aborted) end()
    })
    this.#wake = () => {}
  }

  /** A file is still being written: with `once`, the next call processes it. */
  #onGrowing(): boolean {
    if (this.#request.once) this.#left += 1
    return !this.#request.once
  }

  #noteLeft(): void {
    const [files, are] = this.#left === 1 ? ['1 file', 'is'] : [`${this.#left} files`, 'are']
    this.#request.listener.onNote(
      `${files} ${are} still being written; the next run processes ${are === 'is' ? 'it' : 'them'}`,
    )
  }

  /** Each kind of note appears once: a folder may have thousands of such files. */
  #noteOnce(kind: string, text: string): void {
    if (this.#noted.has(kind)) return
    this.#noted.add(kind)
    this.#request.listener.onNote(text)
  }

  async #onComplete(entry: Entry, isEmpty: boolean): Promise<void> {
    const { input, once } = this.#request
    const { file } = entry
    if (isEmpty && !input.mayBeEmpty) {
      // Many programs create a file long before they write to it; its next version is processed.
      if (once) this.#left += 1
      this.#files.ignore(entry)
    } else if (await this.#isInput(file)) {
      this.#queue.push(entry)
      this.#start()
    } else this.#files.ignore(entry)
  }

  async #isInput({ path, root }: WatchedFile): Promise<boolean> {
    const shown = printableName(path)
    const about = await stat(path).catch(() => undefined)
    if (!about) return false
    const real = await realpath(path).catch(() => resolve(path))
    if (root.kind !== 'file' && !isBelow(real, root.real)) {
      this.#noteOnce(
        'link',
        `${shown} is skipped: it is a link to a file outside ${printableName(root.given)}; so are others`,
      )
      return false
    }
    if (await this.#own.has(path, about)) return false
    if (await isTaken(path, path, this.#request.input.accept)) return true
    this.#noteOnce('type', `${shown} is skipped: ${this.#request.name} does not take files of this type; so are others`)
    return false
  }

  /** Starts waiting jobs up to the limit. */
  #start(): void {
    const { concurrency, signal } = this.#request
    while (this.#running.size < concurrency && !signal.aborted) {
      const entry = this.#queue.shift()
      if (!entry) return
      const job = this.#process(entry).finally(() => {
        this.#running.delete(job)
        this.#start()
        this.#wake()
      })
      this.#running.add(job)
    }
  }

  /** Runs the job of a file, and moves the original. Never throws. */
  async #process(entry: Entry): Promise<void> {
    const { file } = entry
    if (!(await this.#files.isUnchanged(entry))) return
    const outcome = await this.#outcomeOf(file)
    if (outcome.ok) await this.#own.add(outcome.outputs)
    const isUnchanged = await this.#files.isUnchanged(entry)
    // A failure while the file was replaced or deleted says nothing about the new version, which is processed again.
    if (!outcome.ok && (!isUnchanged || outcome.error.code === 'CANCELED')) return
    const moved = isUnchanged ? await this.#move(file, outcome.ok ? undefined : outcome.error) : undefined
    if (moved !== undefined) this.#files.forget(entry)
    else if (isUnchanged) this.#files.ignore(entry)
    this.#request.listener.onOutcome(outcome, moved)
  }

  async #outcomeOf({ path, subfolder }: WatchedFile): Promise<JobOutcome> {
    const { plan, name } = this.#request
    const item: InputItem = { given: path, kind: 'file', path: resolve(path), subfolder, isListed: true }
    let run: PlannedRun | undefined
    try {
      run = await plan(item)
      const [job] = run.jobs
      if (!job) throw new Error('Expected a job for the file')
      return { ...(await runOne(run, job, () => {})), input: path }
    } catch (error) {
      return { tool: name, input: path, warnings: [], ms: 0, ok: false, error: toMediaprocError(error) }
    } finally {
      await run?.close()
    }
  }

  async #move(file: WatchedFile, failure: MediaprocError | undefined): Promise<string | undefined> {
    try {
      return await moveOriginal(file, this.#request.hotFolders, this.#request.name, failure)
    } catch (error) {
      const { message } = toMediaprocError(error)
      this.#request.listener.onNote(`${printableName(file.path)} cannot be moved: ${message}`)
      return undefined
    }
  }
}
