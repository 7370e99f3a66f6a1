import { isIPv6 } from 'node:net'
import { MediaprocError } from '../../errors.ts'
import { Turns } from '../../store/turns.ts'

/** Failures allowed within the time window. */
export interface AttemptLimits {
  /** Per account and network. */
  ofNetwork: number
  /** Per account over all networks; networks with an earlier successful sign-in to the account stay allowed. */
  ofAll: number
}

/** HTTP contract, section 4. */
export const PASSWORDS: AttemptLimits = { ofNetwork: 10, ofAll: 100 }
/**
 * Three six-digit codes are valid at any time: an attacker with the password finds one in a day with probability 1 in
 * 200.
 */
export const CODES: AttemptLimits = { ofNetwork: 10, ofAll: 20 }
/** How long failures count, in milliseconds. */
export const WINDOW_MS = 15 * 60_000
/** Number of remembered names; clients choose them, so it is bounded. The oldest are dropped first. */
const MAX_NAMES = 10_000
/** Attempts that may be queued; each costs about 0.1 s. */
const MAX_WAITING = 200

/** Network of a client: its IPv4 address, or the first 64 bits of its IPv6 address, which belong to one network. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('::')
  const groups = head.split(':')
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').length
  return [...groups, ...new Array<string>(Math.max(0, missing)).fill('0')].slice(0, 4).join(':')
}

/** Adds a name as the newest one. */
export const remember = <Value>(names: Map<string, Value>, name: string, value: Value): void => {
  names.delete(name)
  names.set(name, value)
  if (names.size > MAX_NAMES) names.delete(names.keys().next().value!)
}

/**
 * Counts wrong passwords: per account and network, so that nobody can lock another user out by guessing; and per
 * account, against attacks from many networks, exempting networks with an earlier sign-in.
 */
export interface FailedAttempts {
  /**
   * Runs a password check. Checks of one account from one network run one at a time, so that concurrent attempts get no
   * more guesses than the limit. Correct passwords do not count.
   *
   * @throws RATE_LIMITED after too many failures, with the field `retryAfter` in seconds
   */
  check(account: string, address: string, verify: () => Promise<boolean>): Promise<boolean>
}

/** Error for more attempts at the same time than are queued. */
export const tooMany = (): MediaprocError =>
  new MediaprocError('RATE_LIMITED', 'Rate limit exceeded: too many sign-ins at the same time', {
    fields: { retryAfter: 10 },
  })

/**
 * Refuses an attempt after too many failures.
 * @param failures times of the recent ones in milliseconds, oldest first
 * @throws RATE_LIMITED
 */
export function refuse(failures: readonly number[], most: number, now: number): void {
  if (failures.length < most) return
  const retryAfter = Math.ceil(((failures[0] ?? now) + WINDOW_MS - now) / 1000)
  throw new MediaprocError(
    'RATE_LIMITED',
    `Rate limit exceeded: ${most} failed sign-ins to this account; try again in ${retryAfter} seconds`,
    { fields: { retryAfter } },
  )
}

/** Runs the attempts of this server, one at a time for each pair of account and network. */
export class AttemptQueue {
  readonly #turns = new Turns()
  #waiting = 0

  /** @param mayExceed whether it is accepted even if too many are waiting @throws RATE_LIMITED */
  async run<R>(pair: string, mayExceed: boolean, work: () => Promise<R>): Promise<R> {
    if (this.#waiting >= MAX_WAITING && !mayExceed) throw tooMany()
    this.#waiting++
    try {
      return await this.#turns.run(pair, work)
    } finally {
      this.#waiting--
    }
  }
}

/** Counts the attempts of a single server, in its memory: a restart resets it. */
export class LocalAttempts implements FailedAttempts {
  readonly #now: () => number
  readonly #limits: AttemptLimits
  readonly #failures = new Map<string, number[]>()
  readonly #queue = new AttemptQueue()
  /** Pairs of account and network with a successful sign-in. */
  readonly #known = new Map<string, true>()

  constructor(now: () => number, limits = PASSWORDS) {
    this.#now = now
    this.#limits = limits
  }

  check(account: string, address: string, verify: () => Promise<boolean>): Promise<boolean> {
    // An address never contains a space.
    const pair = `${networkOf(address)} ${account}`
    return this.#queue.run(pair, this.#known.has(pair), () => this.#checkNow(account, pair, verify))
  }

  #recent(name: string): number[] {
    return (this.#failures.get(name) ?? []).filter((time) => time > this.#now() - WINDOW_MS)
  }

  async #checkNow(account: string, pair: string, verify: () => Promise<boolean>): Promise<boolean> {
    refuse(this.#recent(pair), this.#limits.ofNetwork, this.#now())
    if (!this.#known.has(pair)) refuse(this.#recent(account), this.#limits.ofAll, this.#now())
    // Counted before the check, so that concurrent attempts from many networks cannot exceed the limit.
    const time = this.#now()
    remember(this.#failures, account, [...this.#recent(account), time])
    let right: boolean | undefined
    try {
      right = await verify()
    } finally {
      if (right !== false) this.#forgive(account, time)
    }
    if (right) {
      this.#failures.delete(pair)
      remember(this.#known, pair, true)
    } else remember(this.#failures, pair, [...this.#recent(pair), this.#now()])
    return right
  }

  /** Reverts the count of an attempt that succeeded or was not completed. */
  #forgive(account: string, time: number): void {
    const failures = this.#recent(account)
    const index = failures.indexOf(time)
    if (index >= 0) failures.splice(index, 1)
    if (failures.length > 0) this.#failures.set(account, failures)
    else this.#failures.delete(account)
  }
}
