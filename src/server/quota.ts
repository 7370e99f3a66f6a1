import type { Reservation, Store } from '../store/seam.ts'
import type { ServerConfig } from './config.ts'

/** The room that users have in their libraries. */
export class LibraryQuota {
  readonly #store: Store
  readonly #config: ServerConfig

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
    return this.#store.library.reserve(ownerId, bytes, await this.#limitOf(ownerId))
  }

  /** @throws MediaprocError QUOTA_EXCEEDED when there is no room at all */
  async check(ownerId: string | null): Promise<void> {
    const { release } = await this.reserve(ownerId, 0)
    release()
  }
}
