import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaprocError } from '../errors.ts'
import { dropLinesBefore, LineWriter, parseLine } from './audit-file.ts'
import { storageFailure } from './durable.ts'
import { linesBackwards } from './lines-backwards.ts'
import type { AuditEntry } from './records.ts'
import type { AuditFilter, AuditLog, AuditQuery } from './seam.ts'

const DAY_MS = 86_400_000
const FILE_NAME = /^audit-(\d{4}-\d{2})\.ndjson$/

export interface AuditOptions {
  /** In days; 0 = for ever. */
  retentionDays: number
  /** The clock, in milliseconds since 1970. */
  now?: () => number
}

/** A moment as the entries write it; undefined when it cannot be read. */
function moment(text: string | undefined): string | undefined {
  const time = Date.parse(text ?? '')
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

/** One file of lines a month, in UTC. Entries are only ever added; retention removes them. */
class FileAuditLog implements AuditLog {
  readonly #folder: string
  readonly #retentionDays: number
  readonly #now: () => number
  #writer: LineWriter | undefined
  #sweeping: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(folder: string, { retentionDays, now = Date.now }: AuditOptions) {
    this.#folder = folder
    this.#retentionDays = retentionDays
    this.#now = now
    if (retentionDays > 0) this.#timer = setInterval(() => void this.sweep().catch(() => {}), DAY_MS).unref()
  }

  async append(entry: Omit<AuditEntry, 'id' | 'createdAt'>): Promise<AuditEntry> {
    if (this.#closed) throw new MediaprocError('SHUTTING_DOWN')
    const complete = { id: randomUUID(), ...entry, createdAt: new Date(this.#now()).toISOString() }
    const path = this.#pathOf(complete.createdAt.slice(0, 7))
    try {
      if (this.#writer?.path !== path) {
        this.#closeWriter()
        this.#writer = new LineWriter(path)
      }
      this.#writer.write(JSON.stringify(complete))
    } catch (error) {
      throw storageFailure(error)
    }
    return complete
  }

  async query({ page, limit, ...filter }: AuditQuery): Promise<{ entries: AuditEntry[]; total: number }> {
    const skipped = (page - 1) * limit
    const entries: AuditEntry[] = []
    let total = 0
    for await (const entry of this.entries(filter)) {
      if (total >= skipped && entries.length < limit) entries.push(entry)
      total++
    }
    return { entries, total }
  }

  async *entries({ action, ip, ...range }: AuditFilter): AsyncGenerator<AuditEntry> {
    const [from, to] = [moment(range.from), moment(range.to)]
    for (const month of await this.#months()) {
      if ((from && month < from.slice(0, 7)) || (to && month > to.slice(0, 7))) continue
      for await (const line of linesBackwards(this.#pathOf(month))) {
        const entry = parseLine(line)
        if (!entry || (action && entry.action !== action) || (ip && entry.ipAddress !== ip)) continue
        if ((from && entry.createdAt < from) || (to && entry.createdAt > to)) continue
        yield entry
      }
    }
  }

  sweep(): Promise<void> {
    this.#sweeping = this.#sweeping.catch(() => {}).then(() => this.#removeOld())
    return this.#sweeping
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    await this.#sweeping.catch(() => {})
    this.#closeWriter()
  }

  async #removeOld(): Promise<void> {
    if (this.#retentionDays <= 0) return
    const oldest = new Date(this.#now() - this.#retentionDays * DAY_MS).toISOString()
    for (const month of await this.#months()) {
      const path = this.#pathOf(month)
      if (month < oldest.slice(0, 7)) await rm(path, { force: true })
      else if (month === oldest.slice(0, 7))
        await dropLinesBefore(path, oldest, () => {
          if (this.#writer?.path === path) this.#closeWriter()
        })
    }
  }

  /** Newest first. */
  async #months(): Promise<string[]> {
    const names = await readdir(this.#folder)
    return names
      .flatMap((name) => FILE_NAME.exec(name)?.[1] ?? [])
      .sort()
      .reverse()
  }

  #pathOf(month: string): string {
    return join(this.#folder, `audit-${month}.ndjson`)
  }

  #closeWriter(): void {
    this.#writer?.close()
    this.#writer = undefined
  }
}

/** Opens the log in a folder, which is made when it is not there, and removes what is older than the retention. */
export async function openAuditLog(folder: string, options: AuditOptions): Promise<AuditLog> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const log = new FileAuditLog(folder, options)
  await log.sweep()
  return log
}
