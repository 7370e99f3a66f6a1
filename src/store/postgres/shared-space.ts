import { randomUUID } from 'node:crypto'
import type { OpenDatabase } from '../../engines/postgres/database.ts'
import { checkSpace, ownersOf, type WantedSpace } from '../library-space.ts'
import type { Reservation } from '../store.ts'
import { Turns } from '../turns.ts'
import { type Executor, inTurn, textOf } from './access.ts'
import type { LibrarySpace } from './space.ts'

/** A promise counts for this long after its server last renewed it, in seconds: the server may have died. */
const LEASE_S = 60
/** Time between renewals, in milliseconds. */
const RENEW_MS = 20_000

const NOTHING: Reservation = { stored: async () => undefined, release: async () => undefined }

/** Library space of a cluster: promises are rows, which every server counts together with the stored bytes. */
export class SharedSpace implements LibrarySpace {
  readonly #database: Pick<OpenDatabase<unknown>, 'db' | 'sql'>
  readonly #renewMs: number
  readonly #node = randomUUID()
  readonly #open = new Set<string>()
  readonly #turns = new Turns()
  #timer: NodeJS.Timeout | undefined

  /** @param renewMs time between renewals of promises, in milliseconds */
  constructor(database: Pick<OpenDatabase<unknown>, 'db' | 'sql'>, renewMs = RENEW_MS) {
    this.#database = database
    this.#renewMs = renewMs
  }

  async reserve(wanted: WantedSpace): Promise<Reservation> {
    const { ownerId, bytes, limit, shared } = wanted
    if (limit === Number.POSITIVE_INFINITY && !shared) return NOTHING
    const { sql, db } = this.#database
    if (bytes === 0) {
      checkSpace(wanted, await this.#taken(wanted, db))
      return NOTHING
    }
    const id = randomUUID()
    const names = [...(shared ? [`space of team ${shared.id}`] : []), `space of user ${ownerId}`]
    const add = async (executor: Executor): Promise<void> => {
      checkSpace(wanted, await this.#taken(wanted, executor))
      await sql`insert into promised (id, owner_id, bytes, node, at)
        values (${id}, ${textOf(ownerId)}, ${bytes}, ${this.#node}, clock_timestamp())`.execute(executor)
    }
    // Uploads of this server wait here for each other, and not with a connection.
    await this.#turns.run(shared?.id ?? ownerId, () => inTurn(this.#database, names, add))
    this.#open.add(id)
    this.#renewLater()
    let open = bytes
    return {
      stored: (part) => {
        open -= Math.min(part, open)
        return this.#try(sql`update promised set bytes = ${open} where id = ${id}`)
      },
      release: () => {
        this.#open.delete(id)
        return this.#try(sql`delete from promised where id = ${id}`)
      },
    }
  }

  /** Stored and promised bytes by owner, at one moment. */
  async #taken(wanted: WantedSpace, executor: Executor): Promise<(ownerId: string) => number> {
    const { sql } = this.#database
    const owners = ownersOf(wanted).map(textOf)
    const query = sql<{ owner_id: string; sum: string }>`select owner_id, sum(bytes) as sum from (
        select owner_id, written as bytes from library where owner_id = any(${owners})
        union all select owner_id, bytes from promised
          where owner_id = any(${owners}) and at > clock_timestamp() - make_interval(secs => ${LEASE_S})
      ) as taken group by 1`
    const sums = new Map((await query.execute(executor)).rows.map((row) => [row.owner_id, Number(row.sum)]))
    return (ownerId) => sums.get(textOf(ownerId)) ?? 0
  }

  /** A promise that cannot be changed ends with its lease. */
  async #try(statement: { execute(executor: Executor): Promise<unknown> }): Promise<void> {
    await statement.execute(this.#database.db).catch(() => undefined)
  }

  #renewLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      if (this.#open.size === 0) return
      this.#renewLater()
      void this.#renew()
    }, this.#renewMs).unref()
  }

  /** Renews the promises of this server, and removes those of servers that died. */
  async #renew(): Promise<void> {
    const { sql } = this.#database
    await this.#try(sql`update promised set at = clock_timestamp() where node = ${this.#node}`)
    await this.removeDead()
  }

  /** Removes promises whose server died. */
  removeDead(): Promise<void> {
    const { sql } = this.#database
    return this.#try(sql`delete from promised where at <= clock_timestamp() - make_interval(secs => ${LEASE_S})`)
  }

  close(): void {
    clearTimeout(this.#timer)
  }
}
