import { MediaprocError } from '../errors.ts'
import type { Reservation, SharedLimit } from './store.ts'

/** Space in the library that was promised to uploads and is not stored yet, in bytes. */
export class PromisedSpace {
  readonly #bytes = new Map<string, number>()

  of(ownerId: string): number {
    return this.#bytes.get(ownerId) ?? 0
  }

  /**
   * Promises space to an owner.
   * @param takenBy an owner's stored and promised bytes
   * @throws MediaprocError QUOTA_EXCEEDED
   */
  reserve(
    ownerId: string,
    bytes: number,
    limit: number,
    takenBy: (ownerId: string) => number,
    shared?: SharedLimit,
  ): Reservation {
    if (takenBy(ownerId) + bytes > limit)
      throw new MediaprocError('QUOTA_EXCEEDED', `The library holds at most ${limit / 1_000_000} MB`)
    const together = shared?.owners.reduce((sum, owner) => sum + takenBy(owner), 0) ?? 0
    if (shared && together + bytes > shared.limit)
      throw new MediaprocError(
        'QUOTA_EXCEEDED',
        `The libraries of the team hold at most ${shared.limit / 1_000_000} MB together`,
      )
    let open = 0
    const change = (by: number): void => {
      open += by
      const all = this.of(ownerId) + by
      if (all > 0) this.#bytes.set(ownerId, all)
      else this.#bytes.delete(ownerId)
    }
    change(bytes)
    return { stored: (part) => change(-Math.min(part, open)), release: () => change(-open) }
  }
}
