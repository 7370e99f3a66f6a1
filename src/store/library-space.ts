import { MediaprocError } from '../errors.ts'
import type { Reservation, SharedLimit } from './store.ts'

/** Space that an upload needs, in bytes. */
export interface WantedSpace {
  ownerId: string
  bytes: number
  /** Of the owner. */
  limit: number
  /** A limit that the owner shares with others. */
  shared?: SharedLimit | undefined
}

/** All owners whose bytes count for a reservation. */
export const ownersOf = ({ ownerId, shared }: WantedSpace): string[] => [
  ...new Set([ownerId, ...(shared?.owners ?? [])]),
]

/**
 * Checks that there is space.
 * @param takenBy an owner's stored and promised bytes
 * @throws MediaprocError QUOTA_EXCEEDED
 */
export function checkSpace({ ownerId, bytes, limit, shared }: WantedSpace, takenBy: (ownerId: string) => number): void {
  if (takenBy(ownerId) + bytes > limit)
    throw new MediaprocError('QUOTA_EXCEEDED', `The library holds at most ${limit / 1_000_000} MB`)
  const together = shared?.owners.reduce((sum, owner) => sum + takenBy(owner), 0) ?? 0
  if (shared && together + bytes > shared.limit)
    throw new MediaprocError(
      'QUOTA_EXCEEDED',
      `The libraries of the team hold at most ${shared.limit / 1_000_000} MB together`,
    )
}

/** Space in the library that one server has promised to uploads and that is not stored yet, in bytes. */
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
  reserve(wanted: WantedSpace, takenBy: (ownerId: string) => number): Reservation {
    checkSpace(wanted, takenBy)
    let open = 0
    const change = async (by: number): Promise<void> => {
      open += by
      const all = this.of(wanted.ownerId) + by
      if (all > 0) this.#bytes.set(wanted.ownerId, all)
      else this.#bytes.delete(wanted.ownerId)
    }
    void change(wanted.bytes)
    return { stored: (part) => change(-Math.min(part, open)), release: () => change(-open) }
  }
}
