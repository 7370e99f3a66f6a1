import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { WatchedFile } from './roots.ts'

/** What is known about a watched file. */
export interface Entry {
  file: WatchedFile
  /** `settling`: still being observed. `waiting`: complete, in the queue or running. `known`: processed or ignored. */
  state: 'settling' | 'waiting' | 'known'
  /** Inode, size and time of the last look. */
  seen?: string
  /** When `seen` was first true, in milliseconds of `performance.now()`. */
  since: number
  /** The state in which it was processed or ignored. */
  processed?: string
}

/** Identifies a version of a file. An atomic replace changes the inode, even if size and time are the same. */
const versionOf = ({ ino, size, mtimeMs }: Stats): string => `${ino}:${size}:${mtimeMs}`

export interface FileTableOptions {
  /** How long size and time of a file must be unchanged, in milliseconds. */
  settleMs: number
  /** Called once for each complete new version of a file. */
  onComplete(entry: Entry, about: Stats): Promise<void>
  /** Called when a file changes while it is observed; returns whether it is observed further. */
  onGrowing(entry: Entry): boolean
}

/** The files of all watched folders. Each is in it once, so that memory grows only with the number of files. */
export class FileTable {
  readonly #entries = new Map<string, Entry>()
  readonly #settling = new Set<Entry>()
  readonly #options: FileTableOptions

  constructor(options: FileTableOptions) {
    this.#options = options
  }

  /** The number of files that are still observed. */
  get settling(): number {
    return this.#settling.size
  }

  /** A file may be new or changed: it is observed until it is complete. */
  touch(file: WatchedFile): void {
    const key = resolve(file.path)
    const entry = this.#entries.get(key)
    if (!entry) {
      const added: Entry = { file, state: 'settling', since: 0 }
      this.#entries.set(key, added)
      this.#settling.add(added)
    } else if (entry.state === 'known') this.#observe(entry)
  }

  #observe(entry: Entry): void {
    entry.state = 'settling'
    delete entry.seen
    this.#settling.add(entry)
  }

  /** A file that appears again under this name is a new one. */
  forget(entry: Entry): void {
    this.#settling.delete(entry)
    this.#entries.delete(resolve(entry.file.path))
  }

  /** Looks at the observed files whose time has come. */
  async settle(signal: AbortSignal): Promise<void> {
    for (const entry of this.#settling) {
      if (signal.aborted) return
      const now = performance.now()
      if (entry.seen !== undefined && now - entry.since < this.#options.settleMs) continue
      await this.#look(entry, now)
    }
  }

  async #look(entry: Entry, now: number): Promise<void> {
    const about = await stat(entry.file.path).catch(() => undefined)
    if (!about?.isFile()) {
      this.forget(entry)
      return
    }
    const version = versionOf(about)
    if (version === entry.processed) this.ignore(entry)
    else if (version === entry.seen) {
      this.#settling.delete(entry)
      entry.state = 'waiting'
      await this.#options.onComplete(entry, about)
    } else if (entry.seen === undefined || this.#options.onGrowing(entry)) {
      entry.seen = version
      entry.since = now
    } else this.ignore(entry)
  }

  /** The version seen last needs no further processing. */
  ignore(entry: Entry): void {
    this.#settling.delete(entry)
    entry.state = 'known'
    if (entry.seen !== undefined) entry.processed = entry.seen
  }

  /**
   * Whether a file is still the version that was seen when it was complete. Otherwise it is observed again, or
   * forgotten if it was deleted.
   */
  async isUnchanged(entry: Entry): Promise<boolean> {
    const about = await stat(entry.file.path).catch(() => undefined)
    if (!about?.isFile()) this.forget(entry)
    else if (versionOf(about) === entry.seen) return true
    else this.#observe(entry)
    return false
  }

  /** Deletes the entries of files that are gone. */
  async prune(): Promise<void> {
    for (const entry of this.#entries.values())
      if (entry.state === 'known' && !(await stat(entry.file.path).catch(() => undefined))) this.forget(entry)
  }
}
