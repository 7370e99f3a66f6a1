import { randomUUID } from 'node:crypto'
import type { OpenDatabase } from '../../engines/postgres/database.ts'
import type { Attempt, AttemptHistory, AttemptRecords, AttemptResult } from '../attempts.ts'
import { Turns } from '../turns.ts'
import { type Executor, inTurn } from './access.ts'

/** An attempt that has not ended after this time counts as wrong, because its server may have died; in milliseconds. */
const LEASE_MS = 30_000
/** Time between removals of old records, and the age of the records of attempts that are removed, in milliseconds. */
const PRUNE_MS = 60_000
const OLD_MS = 3_600_000
/** How long a network of a sign-in is remembered, in milliseconds. */
const KNOWN_MS = 30 * 86_400_000
/** Time after which a sign-in from a known network is noted again, in milliseconds. */
const NOTED_MS = 86_400_000

interface Row {
  at: string
  is_own: boolean | null
  is_open: boolean
}

/** Attempts to sign in as rows; no connection is held while an attempt is checked. */
export class PostgresAttempts implements AttemptRecords {
  readonly #database: Pick<OpenDatabase<unknown>, 'db' | 'sql'>
  /** Attempts of this server wait here for each other, and not with a connection. */
  readonly #turns = new Turns()
  #pruned = 0

  constructor(database: Pick<OpenDatabase<unknown>, 'db' | 'sql'>) {
    this.#database = database
  }

  async begin(
    attempt: Attempt,
    mayBegin: (history: AttemptHistory) => boolean,
  ): Promise<((result: AttemptResult) => Promise<void>) | undefined> {
    const { sql } = this.#database
    const { account, pair, at } = attempt
    const id = randomUUID()
    this.#prune(at)
    const isBegun = await this.#inTurn(account, async (executor) => {
      if (!mayBegin(await this.#history(attempt, executor))) return false
      await sql`insert into attempts (id, account, pair, at, is_open)
        values (${id}, ${account}, ${pair}, ${at}, true)`.execute(executor)
      return true
    })
    return isBegun ? (result) => this.#end(id, attempt, result) : undefined
  }

  #inTurn<R>(account: string, work: (executor: Executor) => Promise<R>): Promise<R> {
    return this.#turns.run(account, () => inTurn(this.#database, [`attempts ${account}`], work))
  }

  async #history({ account, pair, at, since }: Attempt, executor: Executor): Promise<AttemptHistory> {
    const { sql } = this.#database
    const { rows } = await sql<Row>`select at, pair = ${pair} as is_own, is_open from attempts
      where account = ${account} and at > ${since} order by at`.execute(executor)
    const known = await sql`select from known_networks where pair = ${pair}`.execute(executor)
    const own = rows.filter((row) => row.is_own)
    return {
      ofAccount: rows.map((row) => Number(row.at)),
      ofPair: own.map((row) => Number(row.at)),
      isKnown: known.rows.length > 0,
      isBusy: own.some((row) => row.is_open && Number(row.at) > at - LEASE_MS),
    }
  }

  async #end(id: string, { account, pair, at, since }: Attempt, result: AttemptResult): Promise<void> {
    const { sql, db } = this.#database
    if (result === 'wrong') return void (await sql`update attempts set is_open = false where id = ${id}`.execute(db))
    if (result === 'none') return void (await sql`delete from attempts where id = ${id}`.execute(db))
    await this.#inTurn(account, async (executor) => {
      await sql`delete from attempts where id = ${id}`.execute(executor)
      // They still count for the account.
      await sql`update attempts set pair = null
        where account = ${account} and pair = ${pair} and at > ${since}`.execute(executor)
      await sql`insert into known_networks (pair, at) values (${pair}, ${at}) on conflict (pair)
        do update set at = excluded.at where known_networks.at < excluded.at - ${NOTED_MS}`.execute(executor)
    })
  }

  /** Removes old records in the background. */
  #prune(at: number): void {
    if (at - this.#pruned < PRUNE_MS) return
    this.#pruned = at
    const { sql, db } = this.#database
    const remove = async (): Promise<void> => {
      await sql`delete from attempts where at < ${at - OLD_MS}`.execute(db)
      await sql`delete from known_networks where at < ${at - KNOWN_MS}`.execute(db)
    }
    remove().catch(() => undefined)
  }
}
