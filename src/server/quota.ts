import { MediaprocError } from '../errors.ts'
import type { Store } from '../store/seam.ts'
import type { ServerConfig } from './config.ts'

/** Room in a library that is promised to one upload. */
export interface Reservation {
  /** So many bytes of it are stored now, and counted there. */
  stored(bytes: number): void
  /** Gives back what is left; must be called at the end. */
  release(): void
}

/** The room that users have in their libraries: what is promised counts until it is stored, so that none is given twice. */
export class LibraryQuota {
  readonly #store: Store
  readonly #config: ServerConfig
  readonly #promised = new Map<string, number>()

  constructor(store: Store, config: ServerConfig) {
    this.#store = store
    this.#config = config
  }

  /** In bytes; Infinity where there is no limit. */
  async #limitOf(ownerId: string): Promise<number> {
    const user = await this.#store.users.byId(ownerId)
    const team = user && (await this.#store.teams.byId(user.teamId))
    return Math.min(...[this.#config.userQuotaBytes, team?.storageQuota ?? 0].map((one) => one || Infinity))
  }

  /**
   * Promises room for so many bytes in the library of a user.
   * @throws MediaprocError QUOTA_EXCEEDED
   */
  async reserve(ownerId: string | null, bytes: number): Promise<Reservation> {
    if (ownerId === null) return { stored: () => undefined, release: () => undefined }
    const limit = await this.#limitOf(ownerId)
    // From here to the promise nothing may be waited for.
    const promised = this.#promised.get(ownerId) ?? 0
    if (this.#store.library.storedBytes(ownerId) + promised + bytes > limit)
      throw new MediaprocError('QUOTA_EXCEEDED', `The library holds at most ${limit / 1_000_000} MB`)
    let open = 0
    const change = (by: number): void => {
      open += by
      const all = (this.#promised.get(ownerId) ?? 0) + by
      if (all > 0) this.#promised.set(ownerId, all)
      else this.#promised.delete(ownerId)
    }
    change(bytes)
    return { stored: (part) => change(-Math.min(part, open)), release: () => change(-open) }
  }

  /** @throws MediaprocError QUOTA_EXCEEDED when there is no room at all */
  async check(ownerId: string | null): Promise<void> {
    const { release } = await this.reserve(ownerId, 0)
    release()
  }
}
