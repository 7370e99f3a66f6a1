import { ownersOf, PromisedSpace, type WantedSpace } from '../library-space.ts'
import type { Reservation } from '../store.ts'
import { Turns } from '../turns.ts'
import { type Access, textOf } from './access.ts'

/** Reserves space in the library. */
export interface LibrarySpace {
  /** @throws QUOTA_EXCEEDED */
  reserve(wanted: WantedSpace): Promise<Reservation>
}

/** The space of a single server: its promises are in its memory. */
export class LocalSpace implements LibrarySpace {
  readonly #access: Access
  readonly #promised = new PromisedSpace()
  readonly #turns = new Turns()

  constructor(access: Access) {
    this.#access = access
  }

  reserve(wanted: WantedSpace): Promise<Reservation> {
    return this.#turns.run('reserve', () => this.#reserve(wanted))
  }

  async #reserve(wanted: WantedSpace): Promise<Reservation> {
    const owners = ownersOf(wanted)
    const before = new Map(owners.map((owner) => [owner, this.#promised.of(owner)]))
    const { sql, executor } = this.#access
    const query = sql<{ owner_id: string; sum: string }>`select owner_id, sum(written) as sum from library
      where owner_id = any(${owners.map(textOf)}) group by 1`
    const stored = new Map((await query.execute(executor)).rows.map((row) => [row.owner_id, Number(row.sum)]))
    // What was stored meanwhile is missing in the sums, and was promised before them.
    return this.#promised.reserve(
      wanted,
      (owner) => (stored.get(textOf(owner)) ?? 0) + Math.max(before.get(owner) ?? 0, this.#promised.of(owner)),
    )
  }
}
