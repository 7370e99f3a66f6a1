import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaprocError } from '../../../errors.ts'
import { makeFolder } from '../../../make-folder.ts'
import { BEGINNING, hashOf, moment } from '../../audit-chain.ts'
import { storageFailure } from '../../local/atomic-write.ts'
import type { AuditEntry } from '../../records.ts'
import type { AuditCheck, AuditFilter, AuditLog, AuditQuery } from '../../store.ts'
import { type AuditBlock, AuditIndex, mayHold, readBlock } from './blocks.ts'
import { checkChain, fileOfMonth, monthsIn, monthsOf } from './chain.ts'
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

/** A query; undefined matches all. */
interface Wanted {
  action: string | undefined
  ip: string | undefined
  /** First and last time, in the format of the entries. */
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

/** Number of matching entries in a block; undefined when the block must be read to count them. */
function countOf(block: AuditBlock, { action, ip, from, to }: Wanted): number | undefined {
  if (ip || (from && block.first < from) || (to && block.last > to)) return undefined
  return action ? (block.actions.get(action) ?? 0) : block.entries
}

/** Converts the times of a filter to the format of the entries. */
const wantedBy = ({ action, ip, from, to }: AuditFilter): Wanted => ({
  action,
  ip,
  from: moment(from),
  to: moment(to),
})

/** One file of lines per month, in UTC. Entries are only appended; retention removes them. */
class FileAuditLog implements AuditLog {
  readonly #folder: string
  readonly #retentionDays: number
  readonly #mustSync: () => Promise<boolean>
  readonly #now: () => number
  /** Hash of the last line; undefined before the first append, and after a failed one that may be in the file. */
  #head: string | undefined
  /** The month of the last file. */
  #newest: string | undefined
  /** Block indexes of the files that were queried, by month. */
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
      // Blocks outside the requested page are only counted.
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

  /** Blocks that may contain matches, newest first, each with its open file. */
  async *#blocks(wanted: Wanted): AsyncGenerator<{ handle: FileHandle; block: AuditBlock }> {
    const { from } = wanted
    const months = await monthsOf(this.#folder)
    for (const month of this.#indexes.keys()) if (!months.includes(month)) this.#indexes.delete(month)
    for (const month of months) {
      // If the clock was set back, entries may be older than their file, but never newer.
      if (from && month < from.slice(0, 7)) continue
      const handle = await open(this.#pathOf(month)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error
      })
      // Removed by retention.
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
   * The file of an entry: never one before the last, because an entry would be out of order there if the clock was set
   * back over the end of a month.
   */
  #monthFor(month: string): string {
    this.#newest ??= monthsIn(readdirSync(this.#folder))[0] ?? month
    if (month > this.#newest) this.#newest = month
    return this.#newest
  }

  /** The hash that the next line links to. Not async: no line may be appended in the meantime. */
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
    // Lines that were written remain valid if this fails.
    return closing?.catch(() => {}) ?? Promise.resolve()
  }
}

/** Opens the log in a folder, creates the folder if needed, and removes entries older than the retention. */
export async function openAuditLog(folder: string, options: AuditOptions): Promise<AuditLog> {
  await makeFolder(folder, 0o700)
  const log = new FileAuditLog(folder, options)
  await log.sweep()
  return log
}
