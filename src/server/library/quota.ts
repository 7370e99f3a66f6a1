import type { Reservation, SharedLimit, Store } from '../../store/store.ts'
import type { ServerConfig } from '../config.ts'

/** Library quotas of users and teams. */
export class LibraryQuota {
  readonly #store: Store
  readonly #config: ServerConfig

  constructor(store: Store, config: ServerConfig) {
    this.#store = store
    this.#config = config
  }

  /** Total quota of the members of a user's team; undefined if the team has no limit. */
  async #teamLimit(ownerId: string): Promise<SharedLimit | undefined> {
    const { users, teams } = this.#store
    const user = await users.byId(ownerId)
    const team = user && (await teams.byId(user.teamId))
    if (!team || team.storageQuota === null) return undefined
    return { owners: (await users.ofTeam(team.id)).map(({ id }) => id), limit: team.storageQuota }
  }

  /**
   * Reserves space in a user's library, in bytes.
   * @throws MediaprocError QUOTA_EXCEEDED
   */
  async reserve(ownerId: string | null, bytes: number): Promise<Reservation> {
    if (ownerId === null) return { stored: () => undefined, release: () => undefined }
    const own = this.#config.userQuotaBytes || Number.POSITIVE_INFINITY
    return this.#store.library.reserve(ownerId, bytes, own, await this.#teamLimit(ownerId))
  }

  /** @throws MediaprocError QUOTA_EXCEEDED when no space is left */
  async check(ownerId: string | null): Promise<void> {
    const { release } = await this.reserve(ownerId, 0)
    release()
  }
}
