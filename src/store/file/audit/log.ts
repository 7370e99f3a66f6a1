import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaprocError } from '../../../errors.ts'
import { makeFolder } from '../../../make-folder.ts'
import type { AuditEntry } from '../../records.ts'
import type { AuditCheck, AuditFilter, AuditLog, AuditQuery } from '../../store.ts'
import { storageFailure } from '../atomic-write.ts'
import { type AuditBlock, AuditIndex, mayHold, readBlock } from './blocks.ts'
import { BEGINNING, checkChain, fileOfMonth, hashOf, monthsIn, monthsOf } from './chain.ts'
import { dropLinesBefore, LineWriter, lastLine } from './lines.ts'

const DAY_MS = 86_400_000

export interface AuditOptions {
  /** In days; 0 = without expiry. */
  retentionDays: number
  /** Whether a line must be flushed to the disk before its entry counts as written. */
  mustSync?: () => Promise<boolean>
  /** The clock, in milliseconds since 1970. */
  now?: () => number
}

/** A time in the format of the entries; undefined when it cannot be parsed. */
function moment(text: string | undefined): string | undefined {
  const time = Date.parse(text ?? '')
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

/** What a question is about; undefined: all. */
interface Wanted {
  action: string | undefined
  ip: string | undefined
  /** First and last moment, as the entries write it. */
  from: string | undefined
  to: string | undefined
}

function isWanted({ createdAt, ...entry }: AuditEntry, { action, ip, from, to }: Wanted): boolean {
  if ((action && entry.action !== action) || (ip && entry.ipAddress !== ip)) return false
  return !((from && createdAt < from) || (to && createdAt > to))
}

function mayHoldWanted(block: AuditBlock, { action, ip, from, to }: Wanted): boolean {
  if (block.entries === 0 || (from && block.last < from) || (to && block.first > to)) return false
  return !((action && !block.actions.has(action)) || (ip && !mayHold(block, ip)))
}

/** How many entries of a part are wanted; undefined where it must be read to know. */
function countOf(block: AuditBlock, { action, ip, from, to }: Wanted): number | undefined {
  if (ip || (from && block.first < from) || (to && block.last > to)) return undefined
  return action ? (block.actions.get(action) ?? 0) : block.entries
}

/** A filter with its moments as the entries write them. */
const wantedBy = ({ action, ip, from, to }: AuditFilter): Wanted => ({
  action,
  ip,
  from: moment(from),
  to: moment(to),
})

/** One file of lines a month, in UTC. Entries are only ever added; retention removes them. */
class FileAuditLog implements AuditLog {
  readonly #folder: string
  readonly #retentionDays: number
  readonly #mustSync: () => Promise<boolean>
  readonly #now: () => number
  /** The hash of the last line; undefined before the first is added, and after one that may be in the file or not. */
  #head: string | undefined
  /** The month of the last file. */
  #newest: string | undefined
  /** What is known of the files that were asked for, by month. */
  readonly #indexes = new Map<string, AuditIndex>()
  #writer: LineWriter | undefined
  #sweeping: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(folder: string, { retentionDays, mustSync = async () => false, now = Date.now }: AuditOptions) {
    this.#folder = folder
    this.#retentionDays = retentionDays
    this.#mustSync = mustSync
    this.#now = now
    if (retentionDays > 0) this.#timer = setInterval(() => void this.sweep().catch(() => {}), DAY_MS).unref()
  }

  async append(entry: Omit<AuditEntry, 'id' | 'createdAt'>): Promise<AuditEntry> {
    const isSynced = await this.#mustSync()
    if (this.#closed) throw new MediaprocError('SHUTTING_DOWN')
    const complete = { id: randomUUID(), ...entry, createdAt: new Date(this.#now()).toISOString() }
    try {
      const path = this.#pathOf(this.#monthFor(complete.createdAt.slice(0, 7)))
      if (this.#writer?.path !== path) {
        void this.#closeWriter()
        this.#writer = new LineWriter(path)
      }
      const line = JSON.stringify({ ...complete, previous: this.#head ?? this.#lastHash() })
      this.#head = undefined
      this.#writer.write(line)
      this.#head = hashOf(line)
      if (isSynced) await this.#writer.sync()
    } catch (error) {
      throw storageFailure(error)
    }
    return complete
  }

  async query({ page, limit, ...filter }: AuditQuery): Promise<{ entries: AuditEntry[]; total: number }> {
    const wanted = wantedBy(filter)
    const skipped = (page - 1) * limit
    const entries: AuditEntry[] = []
    let total = 0
    for await (const { handle, block } of this.#blocks(wanted)) {
      const count = countOf(block, wanted)
      // Parts that lie before or behind the page are counted only.
      if (count !== undefined && (total + count <= skipped || entries.length >= limit)) {
        total += count
        continue
      }
      for (const entry of await readBlock(handle, block)) {
        if (!isWanted(entry, wanted)) continue
        if (total >= skipped && entries.length < limit) entries.push(entry)
        total++
      }
    }
    return { entries, total }
  }

  async *entries(filter: AuditFilter): AsyncGenerator<AuditEntry> {
    const wanted = wantedBy(filter)
    for await (const { handle, block } of this.#blocks(wanted))
      for (const entry of await readBlock(handle, block)) if (isWanted(entry, wanted)) yield entry
  }

  /** Parts of the files that may hold what is wanted, the newest first, each with its open file. */
  async *#blocks(wanted: Wanted): AsyncGenerator<{ handle: FileHandle; block: AuditBlock }> {
    const { from } = wanted
    const months = await monthsOf(this.#folder)
    for (const month of this.#indexes.keys()) if (!months.includes(month)) this.#indexes.delete(month)
    for (const month of months) {
      // Entries may be older than their file, where the clock was set back, but not newer.
      if (from && month < from.slice(0, 7)) continue
      const handle = await open(this.#pathOf(month)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error
      })
      // Retention took it away.
      if (!handle) continue
      try {
        const index = this.#indexes.get(month) ?? new AuditIndex()
        this.#indexes.set(month, index)
        for (const block of (await index.blocks(handle)).toReversed())
          if (mayHoldWanted(block, wanted)) yield { handle, block }
      } finally {
        await handle.close()
      }
    }
  }

  check(knownHead?: string): Promise<AuditCheck> {
    return checkChain(this.#folder, knownHead)
  }

  sweep(): Promise<void> {
    this.#sweeping = this.#sweeping.catch(() => {}).then(() => this.#removeOld())
    return this.#sweeping
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    await this.#sweeping.catch(() => {})
    await this.#closeWriter()
  }

  async #removeOld(): Promise<void> {
    if (this.#retentionDays <= 0) return
    const oldest = new Date(this.#now() - this.#retentionDays * DAY_MS).toISOString()
    for (const month of await monthsOf(this.#folder)) {
      const path = this.#pathOf(month)
      if (month < oldest.slice(0, 7)) await rm(path, { force: true })
      else if (month === oldest.slice(0, 7))
        await dropLinesBefore(path, oldest, () => {
          this.#indexes.delete(month)
          if (this.#writer?.path === path) void this.#closeWriter()
        })
    }
  }

  /**
   * The file of an entry: never one before the last, into which it would bring disorder where the clock was set back
   * over the end of a month.
   */
  #monthFor(month: string): string {
    this.#newest ??= monthsIn(readdirSync(this.#folder))[0] ?? month
    if (month > this.#newest) this.#newest = month
    return this.#newest
  }

  /** What the next line links to. Not async: nothing may be added meanwhile. */
  #lastHash(): string {
    for (const month of monthsIn(readdirSync(this.#folder))) {
      const line = lastLine(this.#pathOf(month))
      if (line !== undefined) return hashOf(line)
    }
    return BEGINNING
  }

  #pathOf(month: string): string {
    return join(this.#folder, fileOfMonth(month))
  }

  #closeWriter(): Promise<void> {
    const closing = this.#writer?.close()
    this.#writer = undefined
    // What was written stays written where this fails.
    return closing?.catch(() => {}) ?? Promise.resolve()
  }
}

/** Opens the log in a folder, which is made when it is not there, and removes what is older than the retention. */
export async function openAuditLog(folder: string, options: AuditOptions): Promise<AuditLog> {
  await makeFolder(folder, 0o700)
  const log = new FileAuditLog(folder, options)
  await log.sweep()
  return log
}
