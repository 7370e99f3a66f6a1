import { createHash, randomUUID } from 'node:crypto'
import type { RawBuilder } from 'kysely'
import type { AuditEntry } from '../records.ts'
import type { AuditBreak, AuditCheck, AuditFilter, AuditLog, AuditQuery } from '../store.ts'
import { type Access, textOf } from './access.ts'

const DAY_MS = 86_400_000
/** The first entry's value instead of a previous hash. */
const BEGINNING = '0'.repeat(64)
/** Entries read at once. */
const BATCH = 1000
/** Maximum number of breaks that a check lists. */
const MOST_BREAKS = 20

const hashOf = (line: string): string => createHash('sha256').update(line).digest('hex')

interface Line {
  seq: string
  line: string
}

/** An entry as stored: with the hash of the line before it. */
type ChainedEntry = AuditEntry & { previous: string }

function entryOf(line: string): AuditEntry {
  const { previous: _previous, ...entry } = JSON.parse(line) as ChainedEntry
  return entry
}

/** A time of a filter in the format of the entries; undefined if it is no time. */
function moment(text: string | undefined): string | undefined {
  const time = Date.parse(text ?? '')
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
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
      const ip = entry.ipAddress === null ? null : textOf(entry.ipAddress)
      await sql`insert into audit (created_at, action, ip, line)
        values (${complete.createdAt}, ${entry.action}, ${ip}, ${line})`.execute(executor)
      return complete
    })
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
      order by seq desc limit ${limit} offset ${(page - 1) * limit}`.execute(executor)
    return { entries: rows.map(({ line }) => entryOf(line)), total: Number(counted.rows[0]?.total) }
  }

  async *entries(filter: AuditFilter): AsyncGenerator<AuditEntry> {
    const { sql } = this.#access
    const where = this.#where(filter)
    for await (const { line } of this.#lines((last) => sql`${where} and seq < ${last} order by seq desc`, 2n ** 62n))
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

  /** A line that was changed, removed or inserted breaks the link of the following one. */
  async check(knownHead?: string): Promise<AuditCheck> {
    const { sql } = this.#access
    const breaks: AuditBreak[] = []
    const check = { entries: 0, unlinked: 0, cutOff: 0, broken: 0, breaks, head: BEGINNING, begins: true }
    const found: { first?: string; last?: string } = {}
    let isKnown = knownHead === BEGINNING
    for await (const { seq, line } of this.#lines((last) => sql`seq > ${last} order by seq`, 0n)) {
      const { previous, createdAt } = JSON.parse(line) as ChainedEntry
      if (check.entries === 0) check.begins = previous === BEGINNING
      else if (previous !== check.head) {
        check.broken++
        if (breaks.length < MOST_BREAKS) breaks.push({ file: 'audit', line: Number(seq), createdAt, reason: 'changed' })
      }
      check.entries++
      check.head = hashOf(line)
      isKnown ||= check.head === knownHead || previous === knownHead
      found.first ??= createdAt
      found.last = createdAt
    }
    return { ...check, ...found, ...(knownHead !== undefined && { isHeadKnown: isKnown }) }
  }

  async sweep(): Promise<void> {
    if (this.#retentionDays <= 0) return
    const { sql, executor } = this.#access
    const oldest = new Date(Date.now() - this.#retentionDays * DAY_MS).toISOString()
    await sql`delete from audit where created_at < ${oldest}`.execute(executor)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
  }
}
