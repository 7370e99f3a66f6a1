import type { Reservation, SharedLimit, Store } from '../../store/store.ts'
import type { ServerConfig } from '../config.ts'

export interface LibraryUsage {
  usedBytes: number
  limitBytes: number | null
  /** null if the team has no limit. */
  teamUsedBytes: number | null
  teamLimitBytes: number | null
}

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
    return { id: team.id, owners: (await users.ofTeam(team.id)).map(({ id }) => id), limit: team.storageQuota }
  }

  /**
   * Reserves space in a user's library, in bytes.
   * @throws MediaprocError QUOTA_EXCEEDED
   */
  async reserve(ownerId: string | null, bytes: number): Promise<Reservation> {
    if (ownerId === null) return { stored: async () => undefined, release: async () => undefined }
    const own = this.#config.userQuotaBytes || Number.POSITIVE_INFINITY
    return this.#store.library.reserve(ownerId, bytes, own, await this.#teamLimit(ownerId))
  }

  /** Stored bytes and limits of a user, and of the team together; null for no limit. */
  async usage(ownerId: string): Promise<LibraryUsage> {
    const { library } = this.#store
    const team = await this.#teamLimit(ownerId)
    const ofTeam = team && (await Promise.all(team.owners.map((owner) => library.usedBytes(owner))))
    return {
      usedBytes: await library.usedBytes(ownerId),
      limitBytes: this.#config.userQuotaBytes || null,
      teamUsedBytes: ofTeam ? ofTeam.reduce((sum, bytes) => sum + bytes, 0) : null,
      teamLimitBytes: team?.limit ?? null,
    }
  }

  /** @throws MediaprocError QUOTA_EXCEEDED when no space is left */
  async check(ownerId: string | null): Promise<void> {
    const { release } = await this.reserve(ownerId, 0)
    await release()
  }
}
