import type { Client } from 'pg'
import { MediaprocError } from '../../errors.ts'
import { databaseFailure } from './failure.ts'

/** Time between checks of the connection that holds a lock, and how long one may take, in milliseconds. */
const BEAT_MS = 5000
/** Time between attempts to take a lost lock again, in milliseconds. */
const RETRY_MS = 1000

export interface LockOptions {
  isShared?: boolean
  isTakenAgain?: boolean
}

/** A session of the server: process ids are used again, with another start. */
interface Session {
  pid: number
  started: string
}

const OWN = `select pid, backend_start::text as started from pg_stat_activity where pid = pg_backend_pid()`
/** The session that holds an advisory lock of this database: its number is in two halves. */
const HOLDER = `select l.pid, a.backend_start::text as started from pg_locks l join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'advisory' and l.granted and l.objsubid = 1
    and l.database = (select oid from pg_database where datname = current_database())
    and (l.classid::bigint << 32 | l.objid::bigint) = $1`

/**
 * A lock of the database that a connection of its own holds. If the connection is lost, because the database was restarted
 * or the network cut it, the lock is taken again: also from the former session, which the server may not know to be gone.
 */
export class DatabaseLock {
  readonly #key: number
  readonly #connect: () => Client
  readonly #onTaken: () => void
  readonly #isShared: boolean
  readonly #isTakenAgain: boolean
  #client: Client | undefined
  #session: Session | undefined
  #timer: NodeJS.Timeout | undefined
  #isReleased = false

  /**
   * @param connect makes a client that is not connected yet
   * @param onTaken called when another session has taken the lock meanwhile
   * @param isShared whether other sessions may hold it as well, if they share it too
   * @param isTakenAgain whether a lost lock is taken again; otherwise `onTaken` is called as soon as it is lost
   */
  constructor(
    key: number,
    connect: () => Client,
    onTaken: () => void,
    { isShared = false, isTakenAgain = true }: LockOptions = {},
  ) {
    this.#isTakenAgain = isTakenAgain
    this.#key = key
    this.#connect = connect
    this.#onTaken = onTaken
    this.#isShared = isShared
  }

  /** Takes the lock; false when another session holds it. @throws STORE_UNAVAILABLE */
  async take(): Promise<boolean> {
    const client = this.#connect()
    client.on('error', () => {})
    try {
      await client.connect()
      // A former session does not exclude this one from a shared lock.
      const mayEnd = async () => !this.#isShared && (await this.#endFormer(client))
      const isHeld = (await this.#try(client)) || ((await mayEnd()) && (await this.#try(client)))
      if (!isHeld) {
        await client.end()
        return false
      }
      this.#session = (await client.query<Session>(OWN)).rows[0]
    } catch (error) {
      await client.end().catch(() => {})
      throw databaseFailure(error)
    }
    if (this.#isReleased) {
      await client.end().catch(() => {})
      return true
    }
    this.#client = client
    client.once('end', () => this.#again())
    this.#beat(client)
    return true
  }

  async #try(client: Client): Promise<boolean> {
    const taken = this.#isShared ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock'
    const { rows } = await client.query<{ held: boolean }>(`select ${taken}($1) as held`, [this.#key])
    return rows[0]?.held === true
  }

  /** Ends the session that held the lock for this server before, if it still does. */
  async #endFormer(client: Client): Promise<boolean> {
    const [holder] = (await client.query<Session>(HOLDER, [this.#key])).rows
    const former = this.#session
    if (!holder || holder.pid !== former?.pid || holder.started !== former.started) return false
    // Waits until it has ended, at most this long (from version 14 on; before, the next attempt finds it gone).
    await client.query('select pg_terminate_backend($1)', [holder.pid])
    for (let tries = 0; tries < 20; tries++) {
      const [now] = (await client.query<Session>(HOLDER, [this.#key])).rows
      if (now?.pid !== holder.pid) return true
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    return true
  }

  /** A connection that was cut silently is noticed by its lack of answers. */
  #beat(client: Client): void {
    this.#timer = setTimeout(() => {
      const limit = setTimeout(() => destroy(client), BEAT_MS)
      client
        .query('select 1')
        .then(
          () => this.#client === client && this.#beat(client),
          () => destroy(client),
        )
        .finally(() => clearTimeout(limit))
    }, BEAT_MS).unref()
  }

  #again(): void {
    this.#client = undefined
    clearTimeout(this.#timer)
    if (this.#isReleased) return
    if (!this.#isTakenAgain) {
      this.#onTaken()
      return
    }
    this.#timer = setTimeout(() => {
      this.take().then(
        (isHeld) => isHeld || this.#onTaken(),
        () => this.#again(),
      )
    }, RETRY_MS).unref()
  }

  /** Gives the lock back. May be called more than once. */
  async release(): Promise<void> {
    this.#isReleased = true
    clearTimeout(this.#timer)
    const client = this.#client
    this.#client = undefined
    await client?.end().catch(() => {})
  }
}

/** Ends a connection that does not answer; `end` would wait for it. */
function destroy(client: Client): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } }
  connection.stream.destroy()
}

/** @throws CONFLICT when another session holds the lock */
export async function takeOrRefuse(lock: DatabaseLock): Promise<void> {
  if (await lock.take()) return
  throw new MediaprocError('CONFLICT', 'The database of DATABASE_URL is in use by another server', {
    hint: 'Stop that one, or name another database.',
  })
}
