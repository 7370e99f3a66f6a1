import { randomUUID } from 'node:crypto'
import type { OpenDatabase } from '../../engines/postgres/database.ts'
import { isOver, type JobRecord } from '../job-record.ts'
import { type Access, jsonOf, LOCKS, unflushed } from '../postgres/access.ts'
import { changes, insertion } from '../postgres/job-rows.ts'
import type { JobTable } from '../postgres/job-table.ts'
import type { Patch } from '../repositories.ts'

/** The jobs that are looked at first. */
const NEAR = 50
/** Time between two looks at all jobs that find none, in milliseconds. */
const ALL_MS = 5000

/** A job that this process may run: nothing else writes its record while the claim holds. */
export interface Claim {
  record: JobRecord
  /** Names this attempt. */
  claim: string
  /** Number of starts, with this one. */
  attempt: number
  /** Why the job is to stop, if an earlier attempt was to stop. */
  stop: StopReason | null
  /** Whether other jobs waited as well. */
  hasOthers: boolean
}

/** What a process offers. */
export interface Offer {
  /** The tools of its version, as PostgreSQL writes a list of texts: it is long, and always the same. */
  tools: string
  /** Bundles whose models are loaded. */
  bundles: readonly string[]
  mayBeHeavy: boolean
}

/** A list of texts as PostgreSQL writes it. */
export const listText = (texts: readonly string[]): string =>
  `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`

/** Why a job is to stop. */
export interface StopReason {
  code: string
  message: string
}

/**
 * The statements of the queue in the table of jobs. A job waits while it has a turn and no claim; the process that sets the
 * claim runs it. The turn makes shares fair (start-time fair queuing): an owner's next job follows their last one, but no job
 * comes before those that are being served now.
 */
export class Claims {
  /** The id of this process. */
  readonly node: string
  readonly #opened: OpenDatabase<unknown>
  readonly #access: Access
  readonly #table: JobTable
  /** When a look at all jobs found none. */
  #foundNone = Number.NEGATIVE_INFINITY

  constructor(opened: OpenDatabase<unknown>, table: JobTable, node: string) {
    this.node = node
    this.#opened = opened
    this.#access = table.access
    this.#table = table
  }

  /** Number of unfinished jobs. */
  async size(): Promise<number> {
    const { sql, executor } = this.#access
    const { rows } = await sql<{ jobs: string }>`select count(*) as jobs from jobs where turn is not null`.execute(
      executor,
    )
    return Number(rows[0]?.jobs)
  }

  /**
   * Takes the next job that this process can run. Usually it is among the first ones that wait, which an index gives. If this
   * version has the tools of none of them, all are looked at, and seldom again if that finds none: it takes most of a second for
   * 100,000.
   */
  async next({ tools, bundles, mayBeHeavy }: Offer): Promise<Claim | undefined> {
    const { sql } = this.#access
    const waits = sql`turn is not null and claim is null ${mayBeHeavy ? sql`` : sql`and not heavy`}`
    const fits = sql`${waits} and tools <@ ${tools}::text[]`
    const near = sql`(select * from jobs where ${waits} order by turn, created, id limit ${NEAR}) as near`
    if (bundles.length > 0) {
      // Among those whose turn it is, first one whose models are loaded here.
      const fitting = sql`select id, bundles, turn, min(turn) over () as first from ${near} where tools <@ ${tools}::text[]`
      const loaded = await this.#take(sql`select id from jobs where ${fits} and id = (
        select id from (${fitting}) as fitting where turn = first and bundles && ${[...bundles]}::text[] limit 1
      ) for update skip locked`)
      if (loaded) return loaded
    }
    const inOrder = sql`order by turn, created, id limit 1 for update skip locked`
    const first = await this.#take(
      sql`select id from jobs where ${fits} and id = any(array(select id from ${near})) ${inOrder}`,
    )
    if (first || performance.now() - this.#foundNone < ALL_MS) return first
    const found = await this.#take(sql`select id from jobs where ${fits} ${inOrder}`)
    if (!found) this.#foundNone = performance.now()
    return found
  }

  /** Takes a certain job, if it waits. */
  one(id: string): Promise<Claim | undefined> {
    const { sql } = this.#access
    return this.#take(sql`select id from jobs where id = ${id} and turn is not null and claim is null for update`)
  }

  /** A claim that is lost is as one that another process took over: what its process does no longer counts. */
  async #take(chosen: ReturnType<Access['sql']>): Promise<Claim | undefined> {
    const { sql, executor } = this.#access
    const claim = randomUUID()
    const { rows } = await sql<{
      record: JobRecord
      claims: number
      stop: StopReason | null
      others: boolean
    }>`with chosen as (${chosen})
      update jobs set claim = ${claim}, node = ${this.node}, claims = claims + 1
      from chosen where jobs.id = chosen.id returning jobs.record, jobs.claims, jobs.stop, ${unflushed(sql)},
        (select count(*) > 1 from (select from jobs where turn is not null and claim is null limit 2) as waiting) as others`.execute(
      executor,
    )
    const [row] = rows
    if (!row) return undefined
    // A record that was not written before its process died lacks the attempt.
    const { claims: attempt, stop, others: hasOthers } = row
    return { record: { ...row.record, attempts: attempt - 1 }, claim, attempt, stop, hasOthers }
  }

  /** Writes the record of a job that this process runs. Returns false when the claim is lost. */
  async write(record: JobRecord, claim: string): Promise<boolean> {
    const { sql, executor } = this.#access
    const { rows } = await sql`update jobs set ${changes(sql, record)} ${isOver(record) ? sql`, turn = null` : sql``}
      where id = ${record.id} and claim = ${claim} returning id`.execute(executor)
    return rows.length > 0
  }

  /**
   * Writes the end of a job of the queue and the size of its files, and gives up its place and the claim. Returns false when
   * the claim is lost; if only the answer was lost, the same end may be written again.
   */
  async end(record: JobRecord, claim: string, bytes: number): Promise<boolean> {
    const { sql, executor } = this.#access
    const { id, attempts, completedAt } = record
    const isWritten = sql`claim is null and turn is null and completed is not distinct from ${completedAt === null ? null : Date.parse(completedAt)}
      and (record->>'attempts')::int = ${attempts}`
    const { rows } =
      await sql`update jobs set ${changes(sql, record)}, turn = null, claim = null, node = null, bytes = ${bytes}
      where id = ${id} and (claim = ${claim} or (${isWritten})) returning id`.execute(executor)
    return rows.length > 0
  }

  /** Changes the record of a job that no process runs; undefined when there is none, `held` when a process runs it. */
  async change(id: string, patch: Patch<JobRecord>): Promise<JobRecord | 'held' | undefined> {
    const { sql } = this.#access
    return this.#opened.db.transaction().execute(async (executor) => {
      const before = await this.#table.locked(id, executor)
      const record = before && { ...before, ...patch }
      if (!record) return undefined
      const { rows } =
        await sql`update jobs set ${changes(sql, record)} where id = ${id} and claim is null returning id`.execute(
          executor,
        )
      return rows.length > 0 ? record : 'held'
    })
  }

  /** Gives a claim up. @param isCounted whether the attempt counts */
  async release(id: string, claim: string, isCounted: boolean): Promise<void> {
    const { sql, executor } = this.#access
    await sql`update jobs set claim = null, node = null, claims = claims - ${isCounted ? 0 : 1}
      where id = ${id} and claim = ${claim}`.execute(executor)
  }

  /**
   * Sets the size of an ended job's files, and gives the claim up; false when another process runs the job. If this is lost,
   * the claim is one that nobody knows of, and the files are counted again.
   */
  async settle(id: string, claim: string, bytes: number): Promise<boolean> {
    const { sql, executor } = this.#access
    const { rows } = await sql`update jobs set bytes = ${bytes}, claim = null, node = null
      where id = ${id} and (claim = ${claim} or (claim is null and turn is null)) returning id, ${unflushed(sql)}`.execute(
      executor,
    )
    return rows.length > 0
  }

  /** Writes the record of a job that this process runs outside of the queue; returns its claim. */
  async create(record: JobRecord, isUnique: boolean): Promise<string> {
    const { sql } = this.#access
    const claim = randomUUID()
    await this.#opened.db.transaction().execute(async (executor) => {
      // As in `submit_job`: no other job of this owner is created until the transaction ends.
      await sql`select pg_advisory_xact_lock(${LOCKS}, hashtext(${record.ownerId ?? ''}))`.execute(executor)
      if (isUnique && record.clientJobId !== null) await this.#table.checkUnused(record, executor)
      await insertion(sql, record, { claim, node: this.node }).execute(executor)
    })
    return claim
  }

  /** Asks the process that runs a job to stop it; undefined if none does. */
  async stop(id: string, reason: StopReason): Promise<string | undefined> {
    const { sql, executor } = this.#access
    const { rows } = await sql<{ node: string }>`update jobs set stop = ${jsonOf(reason)}::json
      where id = ${id} and claim is not null and turn is not null returning node`.execute(executor)
    return rows[0]?.node
  }

  /** The claim of the process that runs a job or counts its files; undefined when there is none. */
  async claimOf(id: string): Promise<string | undefined> {
    const { sql, executor } = this.#access
    const { rows } = await sql<{ claim: string | null }>`select claim from jobs where id = ${id}`.execute(executor)
    return rows[0]?.claim ?? undefined
  }
}
