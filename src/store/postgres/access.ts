import { createHash } from 'node:crypto'
import type { Kysely, RawBuilder, Sql, Transaction } from 'kysely'
import type { OpenDatabase } from '../../engines/postgres/database.ts'
import type { Page } from '../repositories.ts'

/** Executes statements: a pool, or one transaction. Tables are described by `kinds.ts`, not by types. */
export type Executor = Kysely<unknown> | Transaction<unknown>

/** How repositories reach the database: each write by itself, or all in one transaction. */
export interface Access {
  readonly sql: Sql
  readonly executor: Executor
  /** Runs a change that no other change of the same area overlaps, with all its statements or none. */
  write<R>(work: (executor: Executor) => Promise<R>): Promise<R>
}

/** Areas whose changes exclude each other, by the numbers of their advisory locks. */
export const AREA = { accounts: 1, library: 2, audit: 3, server: 4 } as const

/** Distinguishes our locks from those of other programs that use the database. */
export const LOCKS = 0x6d_65_64

/** The lock of an area as one number, which is what a session can hold as well. */
export const lockOf = (area: keyof typeof AREA): number => LOCKS * 2 ** 16 + AREA[area]

type Database = Pick<OpenDatabase<unknown>, 'db' | 'sql'>

/** After the wait for a lock, each statement must see what its former holder has committed. */
const transaction = <R>({ db }: Database, work: (executor: Executor) => Promise<R>): Promise<R> =>
  db.transaction().setIsolationLevel('read committed').execute(work)

/** Each write is a transaction of its own. */
export function directly(database: Database, area: keyof typeof AREA): Access {
  const { db, sql } = database
  return {
    sql,
    executor: db,
    write: (work) =>
      transaction(database, async (executor) => {
        await sql`select pg_advisory_xact_lock(${lockOf(area)})`.execute(executor)
        return work(executor)
      }),
  }
}

/** Names of locks are numbers of 32 bits: two with the same number only wait for each other. */
const numberOf = (name: string): number => createHash('sha256').update(name).digest().readInt32BE(0)

/**
 * Runs a change that no other change with one of these names overlaps.
 * @param names in an order that is the same for all callers
 */
export const inTurn = <R>(
  database: Database,
  names: readonly string[],
  work: (executor: Executor) => Promise<R>,
): Promise<R> =>
  transaction(database, async (executor) => {
    const { sql } = database
    for (const name of names)
      await sql`select pg_advisory_xact_lock(${LOCKS}::int, ${numberOf(name)}::int)`.execute(executor)
    return work(executor)
  })

/** All writes belong to a transaction that has begun. */
export const within = (sql: Sql, transaction: Executor): Access => ({
  sql,
  executor: transaction,
  write: (work) => work(transaction),
})

/** Escapes that PostgreSQL refuses in JSON: NUL, and surrogates without their other half. They become U+FFFD. */
const REFUSED = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g

/**
 * A column that lets its statement be committed without a flush, for what may be lost when the database crashes. A later
 * commit with a flush includes it. By itself, the change lasts until the end of the transaction.
 */
export const unflushed = (sql: Sql): RawBuilder<unknown> => sql`set_config('synchronous_commit', 'off', true)`

/** A value as JSON that PostgreSQL accepts. */
export const jsonOf = (value: unknown): string => JSON.stringify(value).replace(REFUSED, '$1\\ufffd')

/** A text that PostgreSQL accepts. */
export const textOf = (text: string): string => text.replaceAll('\0', '\u{fffd}')

/** A page of rows: offsets of clients may be larger than PostgreSQL's numbers. */
export const pageOf = (sql: Sql, { limit, offset }: Page): RawBuilder<unknown> =>
  sql`limit ${limit} offset ${Math.min(offset, Number.MAX_SAFE_INTEGER)}`
