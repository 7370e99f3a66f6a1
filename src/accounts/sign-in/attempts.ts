import { isIPv6 } from 'node:net'
import { MediaprocError } from '../../errors.ts'

/** Failures that are let through in the time of the window. */
export interface AttemptLimits {
  /** Per account and network. */
  ofNetwork: number
  /** Per account from all networks together; those that the account was signed in from are let in all the same. */
  ofAll: number
}

/** HTTP contract, section 4. */
const PASSWORDS: AttemptLimits = { ofNetwork: 10, ofAll: 100 }
/** Of six digits three are right at any time: an attacker with the password finds a code in a day with a chance of 1 to 200. */
export const CODES: AttemptLimits = { ofNetwork: 10, ofAll: 20 }
const WINDOW_MS = 15 * 60_000
/** Names that are remembered; they are the client's, so their number is bounded. The oldest go first. */
const MAX_NAMES = 10_000
/** Attempts that may wait for their turn; each costs about 0.1 s. */
const MAX_WAITING = 200

/** Who tries: a client has one address of IPv4, and of IPv6 at least the 64 bits that belong to a network. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('::')
  const groups = head.split(':')
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').length
  return [...groups, ...new Array<string>(Math.max(0, missing)).fill('0')].slice(0, 4).join(':')
}

const remember = <Value>(names: Map<string, Value>, name: string, value: Value): void => {
  names.delete(name)
  names.set(name, value)
  if (names.size > MAX_NAMES) names.delete(names.keys().next().value!)
}

/**
 * Counts wrong passwords: per account and network, so that nobody can lock another one out by guessing, and per account
 * against many networks at once, where those that the account was signed in from stay open. In memory: a restart forgives.
 */
export class FailedAttempts {
  readonly #now: () => number
  readonly #limits: AttemptLimits
  readonly #failures = new Map<string, number[]>()
  readonly #turns = new Map<string, Promise<void>>()
  /** Accounts with a network that a right password came from. */
  readonly #known = new Map<string, true>()
  #waiting = 0

  constructor(now: () => number, limits = PASSWORDS) {
    this.#now = now
    this.#limits = limits
  }

  /**
   * Runs a check of a password. Checks of one account from one network run one after the other, so that many at the same
   * time get no more guesses than the limit, and right passwords never count.
   *
   * @throws RATE_LIMITED after too many failures, with the field `retryAfter` in seconds
   */
  async check(account: string, address: string, verify: () => Promise<boolean>): Promise<boolean> {
    // A space is in no address.
    const pair = `${networkOf(address)} ${account}`
    if (this.#waiting >= MAX_WAITING && !this.#known.has(pair))
      throw new MediaprocError('RATE_LIMITED', 'Rate limit exceeded: too many sign-ins at the same time', {
        fields: { retryAfter: 10 },
      })
    this.#waiting++
    const before = this.#turns.get(pair) ?? Promise.resolve()
    const result = before.then(() => this.#checkNow(account, pair, verify))
    const settled = result.then(
      () => {},
      () => {},
    )
    this.#turns.set(pair, settled)
    try {
      return await result
    } finally {
      this.#waiting--
      if (this.#turns.get(pair) === settled) this.#turns.delete(pair)
    }
  }

  #recent(name: string): number[] {
    return (this.#failures.get(name) ?? []).filter((time) => time > this.#now() - WINDOW_MS)
  }

  #refuse(failures: readonly number[], most: number): void {
    if (failures.length < most) return
    const retryAfter = Math.ceil((failures[0]! + WINDOW_MS - this.#now()) / 1000)
    throw new MediaprocError(
      'RATE_LIMITED',
      `Rate limit exceeded: ${most} failed sign-ins to this account; try again in ${retryAfter} seconds`,
      { fields: { retryAfter } },
    )
  }

  async #checkNow(account: string, pair: string, verify: () => Promise<boolean>): Promise<boolean> {
    this.#refuse(this.#recent(pair), this.#limits.ofNetwork)
    if (!this.#known.has(pair)) this.#refuse(this.#recent(account), this.#limits.ofAll)
    // Counted before it is known to be wrong: attempts from many networks at the same time must not see each other off.
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

  /** Takes back what was counted of an attempt that was right, or that came to nothing. */
  #forgive(account: string, time: number): void {
    const failures = this.#recent(account)
    const index = failures.indexOf(time)
    if (index >= 0) failures.splice(index, 1)
    if (failures.length > 0) this.#failures.set(account, failures)
    else this.#failures.delete(account)
  }
}
