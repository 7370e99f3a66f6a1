import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { watchFolder } from '../../engines/chokidar.ts'
import { filesAt, filesOf, isExcluded, type WatchedFile, type WatchRoot } from './roots.ts'

/** More changed paths than this are handled by listing the folder, which costs less. */
const MAX_CHANGES = 256
/** Interval of the check whether the folder was deleted or replaced, in milliseconds. */
const PRESENCE_MS = 1000
/** Interval of complete listings: they find changes whose events were lost, in milliseconds. */
const RELIST_MS = 30_000
/** Pause after a complete listing, as a multiple of its duration. */
const PAUSE_FACTOR = 4
/** The interval of listings if the system cannot watch, in milliseconds. */
const FALLBACK_POLL_MS = 2000

export interface ObserverOptions {
  /** Lists the folder at this interval instead of watching it, in milliseconds. */
  pollMs?: number
  /** Wakes the session: `collect` has something to do. */
  wake(): void
  /** The system cannot watch this folder. */
  onFallback(root: WatchRoot, error: NodeJS.ErrnoException): void
  /** The folder was deleted, or is there again. */
  onPresence(root: WatchRoot, isPresent: boolean): void
}

/** Observes one root: events of the system, complete listings now and then, and folders that are deleted and recreated. */
export class Observer {
  readonly #root: WatchRoot
  readonly #options: ObserverOptions
  readonly #changed = new Set<string>()
  #pollMs: number | undefined
  #watching: Promise<{ close(): Promise<void> }> | undefined
  /** The device and inode of the watched folder. */
  #identity: string | undefined
  #isDue = true
  #isOpen = false
  #listed = 0
  /** Duration of the last complete listing. */
  #listingMs = 0
  #checked = 0

  constructor(root: WatchRoot, options: ObserverOptions) {
    this.#root = root
    this.#options = options
    this.#pollMs = options.pollMs
  }

  /** Starts watching, if the folder exists. */
  async open(): Promise<void> {
    this.#isOpen = true
    this.#identity = await this.#look()
    this.#checked = performance.now()
    if (this.#identity !== undefined && this.#pollMs === undefined) await this.#watch()
  }

  async #look(): Promise<string | undefined> {
    const about = await stat(this.#root.folder).catch(() => undefined)
    return about?.isDirectory() ? `${about.dev}:${about.ino}` : undefined
  }

  async #watch(): Promise<void> {
    const root = this.#root
    this.#watching = watchFolder(
      resolve(root.folder),
      { isDeep: root.kind !== 'file', isExcluded: (path) => isExcluded(root, path) },
      {
        onChange: (path) => this.#onChange(path),
        onError: (error) => this.#onError(error),
      },
    )
    await this.#watching
  }

  #onChange(path: string): void {
    if (isExcluded(this.#root, path)) return
    if (this.#changed.size >= MAX_CHANGES) this.#isDue = true
    else this.#changed.add(path)
    this.#options.wake()
  }

  #onError(error: NodeJS.ErrnoException): void {
    // A folder without permission, or deleted in the meantime, is no reason to give up on the others.
    if (!['ENOSPC', 'EMFILE', 'ENFILE', 'ENOSYS'].includes(error.code ?? '') || this.#pollMs !== undefined) return
    this.#pollMs = FALLBACK_POLL_MS
    this.#options.onFallback(this.#root, error)
    void this.close()
    this.#options.wake()
  }

  /** Notices a folder that was deleted, unmounted or recreated: its watch is lost. */
  async #checkPresence(now: number): Promise<void> {
    if (!this.#isOpen || now - this.#checked < PRESENCE_MS) return
    this.#checked = now
    const identity = await this.#look()
    if (identity === this.#identity) return
    const isNews = (identity === undefined) !== (this.#identity === undefined)
    this.#identity = identity
    await this.close()
    if (identity !== undefined && this.#pollMs === undefined) await this.#watch()
    this.#isDue = true
    if (isNews) this.#options.onPresence(this.#root, identity !== undefined)
  }

  /**
   * Reports the files that may be new or changed.
   * @returns whether all files were listed
   */
  async collect(onFile: (file: WatchedFile) => void): Promise<boolean> {
    const now = performance.now()
    await this.#checkPresence(now)
    if (now - this.#listed >= (this.#pollMs ?? RELIST_MS)) this.#isDue = true
    // A folder of 100,000 files that changes all the time must not be listed all the time.
    if (this.#isDue && now - this.#listed < this.#listingMs * PAUSE_FACTOR) return false
    const isComplete = this.#isDue
    const changes = isComplete ? [] : [...this.#changed]
    // Cleared first: events that arrive during the listing count for the next one.
    this.#changed.clear()
    this.#isDue = false
    if (isComplete) for await (const file of filesOf(this.#root)) onFile(file)
    for (const path of changes) for await (const file of filesAt(this.#root, path)) onFile(file)
    if (isComplete) {
      this.#listed = performance.now()
      this.#listingMs = this.#listed - now
    }
    return isComplete
  }

  async close(): Promise<void> {
    const watching = this.#watching
    this.#watching = undefined
    await (await watching)?.close()
  }
}
