import { randomUUID } from 'node:crypto'
import type { RawBuilder } from 'kysely'
import { type DatabaseOptions, openDatabase } from '../../engines/postgres/database.ts'
import { MediaprocError } from '../../errors.ts'
import { BEGINNING, ChainCheck, type ChainedEntry, hashOf, moment } from '../audit-chain.ts'
import type { AuditEntry } from '../records.ts'
import type { AuditCheck, AuditFilter, AuditLog, AuditQuery } from '../store.ts'
import { type Access, directly, type Executor, pageOf, textOf } from './access.ts'

const DAY_MS = 86_400_000
/** Entries read at once. */
const BATCH = 1000
/** No entry has this number. */
const LAST = 2n ** 62n

interface Line {
  seq: string
  line: string
}

function entryOf(line: string): AuditEntry {
  const { previous: _previous, ...entry } = JSON.parse(line) as ChainedEntry
  return entry
}

/** The audit log as a table of lines, each with the hash of the one before it. */
export class PostgresAudit implements AuditLog {
  readonly #access: Access
  readonly #retentionDays: number
  readonly #timer: NodeJS.Timeout | undefined

  /** @param retentionDays 0 means without expiry */
  constructor(access: Access, retentionDays: number) {
    this.#access = access
    this.#retentionDays = retentionDays
    if (retentionDays > 0) this.#timer = setInterval(() => void this.sweep().catch(() => {}), DAY_MS).unref()
  }

  append(entry: Omit<AuditEntry, 'id' | 'createdAt'>): Promise<AuditEntry> {
    const { sql } = this.#access
    return this.#access.write(async (executor) => {
      const { rows } = await sql<Line>`select seq, line from audit order by seq desc limit 1`.execute(executor)
      const complete = { id: randomUUID(), ...entry, createdAt: new Date().toISOString() }
      const line = textOf(JSON.stringify({ ...complete, previous: rows[0] ? hashOf(rows[0].line) : BEGINNING }))
      await this.#insert([line], executor)
      return complete
    })
  }

  async #insert(lines: readonly string[], executor: Executor): Promise<void> {
    const { sql } = this.#access
    const rows = lines.map((line) => {
      const { createdAt, action, ipAddress } = entryOf(line)
      const ip = typeof ipAddress === 'string' ? textOf(ipAddress) : null
      return sql`(${textOf(createdAt)}, ${textOf(action)}, ${ip}, ${line})`
    })
    await sql`insert into audit (created_at, action, ip, line) values ${sql.join(rows)}`.execute(executor)
  }

  /** All lines as they are, first to last, in pages. */
  async *allLines(): AsyncGenerator<string[]> {
    const { sql } = this.#access
    let page: string[] = []
    for await (const { line } of this.#lines((last) => sql`seq > ${last} order by seq`, 0n)) {
      page.push(line)
      if (page.length < BATCH) continue
      yield page
      page = []
    }
    if (page.length > 0) yield page
  }

  /** Appends lines of another log as they are. */
  restore(lines: readonly string[]): Promise<void> {
    return this.#access.write((executor) => this.#insert(lines, executor))
  }

  /** Removes all entries: those of another log follow. */
  clear(): Promise<void> {
    const { sql } = this.#access
    return this.#access.write(async (executor) => void (await sql`truncate audit restart identity`.execute(executor)))
  }

  #where({ action, ip, from, to }: AuditFilter): RawBuilder<unknown> {
    const { sql } = this.#access
    const [first, last] = [moment(from), moment(to)]
    return sql.join(
      [
        sql`true`,
        ...(action ? [sql`action = ${textOf(action)}`] : []),
        ...(ip ? [sql`ip = ${textOf(ip)}`] : []),
        ...(first === undefined ? [] : [sql`created_at >= ${first}`]),
        ...(last === undefined ? [] : [sql`created_at <= ${last}`]),
      ],
      sql` and `,
    )
  }

  async query({ page, limit, ...filter }: AuditQuery): Promise<{ entries: AuditEntry[]; total: number }> {
    const { sql, executor } = this.#access
    const where = this.#where(filter)
    const counted = await sql<{ total: string }>`select count(*) as total from audit where ${where}`.execute(executor)
    const { rows } = await sql<Line>`select seq, line from audit where ${where}
      order by seq desc ${pageOf(sql, { limit, offset: (page - 1) * limit })}`.execute(executor)
    return { entries: rows.map(({ line }) => entryOf(line)), total: Number(counted.rows[0]?.total) }
  }

  async *entries(filter: AuditFilter): AsyncGenerator<AuditEntry> {
    const { sql } = this.#access
    const where = this.#where(filter)
    for await (const { line } of this.#lines((last) => sql`${where} and seq < ${last} order by seq desc`, LAST))
      yield entryOf(line)
  }

  /** Lines in batches, each after the last one of the batch before. */
  async *#lines(next: (last: bigint) => RawBuilder<unknown>, start: bigint): AsyncGenerator<Line> {
    const { sql, executor } = this.#access
    for (let last = start; ; ) {
      const { rows } = await sql<Line>`select seq, line from audit where ${next(last)} limit ${BATCH}`.execute(executor)
      yield* rows
      const end = rows.at(-1)
      if (rows.length < BATCH || !end) return
      last = BigInt(end.seq)
    }
  }

  async check(knownHead?: string): Promise<AuditCheck> {
    const { sql } = this.#access
    const check = new ChainCheck(knownHead)
    for await (const { seq, line } of this.#lines((last) => sql`seq > ${last} order by seq`, 0n))
      check.add(line, JSON.parse(line) as ChainedEntry, { file: 'audit', line: Number(seq) })
    return check.result()
  }

  async sweep(): Promise<void> {
    if (this.#retentionDays <= 0) return
    const { sql, executor } = this.#access
    const oldest = new Date(Date.now() - this.#retentionDays * DAY_MS).toISOString()
    // Only the first entries, without a gap: the clocks of servers differ, and a gap would break the chain.
    const kept = sql`select min(seq) from audit where created_at >= ${oldest}`
    await sql`delete from audit where created_at < ${oldest} and seq < coalesce((${kept}), ${LAST})`.execute(executor)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
  }
}

/**
 * Checks the log of a database, even while a server uses it.
 * @throws FILE_NOT_FOUND for a database without tables of a server; as `openDatabase`
 */
export async function checkDatabaseAudit(options: DatabaseOptions, knownHead?: string): Promise<AuditCheck> {
  const opened = await openDatabase<unknown>(options)
  try {
    if (!(await opened.isMigrated()))
      throw new MediaprocError('FILE_NOT_FOUND', 'The database of DATABASE_URL has no audit log of a server')
    return await new PostgresAudit(directly(opened, 'audit'), 0).check(knownHead)
  } finally {
    await opened.close()
  }
}
