import type { FastifyRateLimitOptions, FastifyRateLimitStore, FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import type { Redis } from '../../engines/redis/redis.ts'

const MINUTE_MS = 60_000
/** Addresses whose requests are counted in memory. */
const MOST_ADDRESSES = 10_000

/** Requests of each user in the last minute, for the setting `rateLimitPerUser`. */
interface UserRate {
  /** Counts a request of the user; false if there were `limit` in the last minute. */
  takes(userId: string, limit: number): boolean | Promise<boolean>
}

/** Counts the requests of this process. */
export class LocalUserRate implements UserRate {
  readonly #times = new Map<string, number[]>()

  takes(userId: string, limit: number): boolean {
    const since = Date.now() - MINUTE_MS
    const times = (this.#times.get(userId) ?? []).filter((time) => time > since)
    this.#times.set(userId, times)
    if (times.length >= limit) return false
    times.push(Date.now())
    return true
  }
}

/** Counts the requests of all servers. While Redis is away, each counts its own. */
export class SharedUserRate implements UserRate {
  readonly #redis: Redis
  readonly #own = new LocalUserRate()

  constructor(redis: Redis) {
    this.#redis = redis
  }

  async takes(userId: string, limit: number): Promise<boolean> {
    const isOwn = this.#own.takes(userId, limit)
    return (await this.#redis.take(`user:${userId}`, limit, MINUTE_MS)) ?? isOwn
  }
}

/** Uses in fixed windows, in memory. */
class Windows {
  readonly #windows = new Map<string, { count: number; end: number }>()

  count(key: string, windowMs: number): { count: number; leftMs: number } {
    const now = Date.now()
    let window = this.#windows.get(key)
    if (!window || window.end <= now) {
      window = { count: 0, end: now + windowMs }
      // The oldest windows are the first ones.
      this.#windows.delete(key)
      for (const oldest of this.#windows.keys()) {
        if (this.#windows.size < MOST_ADDRESSES) break
        this.#windows.delete(oldest)
      }
      this.#windows.set(key, window)
    }
    window.count++
    return { count: window.count, leftMs: window.end - now }
  }
}

/** Counts how often something is repeated, on all servers. While Redis is away, each counts its own. */
export class Repeats {
  readonly #redis: Redis | undefined
  readonly #own = new Windows()

  constructor(redis: Redis | undefined) {
    this.#redis = redis
  }

  /** Counts a use of a name; returns the number of uses in this window. */
  async count(name: string, windowMs: number): Promise<number> {
    const own = this.#own.count(name, windowMs)
    return ((await this.#redis?.count(`repeat:${name}`, windowMs)) ?? own).count
  }
}

/** What @fastify/rate-limit passes for a route besides its types. */
interface Limit {
  routeInfo?: { method?: string | string[]; url?: string }
  max?: unknown
  timeWindow?: unknown
}

/** The same on all servers for the same route, or for the same limit of several routes. */
const nameOf = ({ routeInfo, max, timeWindow }: Limit): string =>
  routeInfo?.url === undefined ? `${max}/${timeWindow}` : `${[routeInfo.method].flat().join()} ${routeInfo.url}`

/**
 * A store of @fastify/rate-limit that counts the requests of all servers. Its own one for Redis fails, or lets everything
 * pass, while Redis is away: here each server counts its own then.
 */
export function sharedRates(redis: Redis): FastifyRateLimitStoreCtor {
  return class SharedRates implements FastifyRateLimitStore {
    readonly #name: string
    readonly #own = new Windows()

    constructor(options: FastifyRateLimitOptions) {
      this.#name = nameOf(options as Limit)
    }

    incr(
      address: string,
      done: (error: Error | null, result?: { current: number; ttl: number }) => void,
      windowMs: number,
    ): void {
      const own = this.#own.count(address, windowMs)
      const counted = redis.count(`address:${this.#name}:${address}`, windowMs)
      void counted.then((shared) => {
        const { count, leftMs } = shared ?? own
        done(null, { current: count, ttl: leftMs })
      })
    }

    child(options: object): SharedRates {
      return new SharedRates(options)
    }
  }
}
