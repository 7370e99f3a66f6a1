import { isIPv6 } from 'node:net'
import { MediaprocError } from '../errors.ts'

/** Failures per account and network in the time of the window (HTTP contract, section 4). */
const MAX_FAILURES = 10
/** Failures per account from all networks together; those that the account was signed in from are let in all the same. */
const MAX_FAILURES_OF_ALL = 100
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
  readonly #failures = new Map<string, number[]>()
  readonly #turns = new Map<string, Promise<void>>()
  /** Accounts with a network that a right password came from. */
  readonly #known = new Map<string, true>()
  #waiting = 0

  constructor(now: () => number) {
    this.#now = now
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
    this.#refuse(this.#recent(pair), MAX_FAILURES)
    if (!this.#known.has(pair)) this.#refuse(this.#recent(account), MAX_FAILURES_OF_ALL)
    const right = await verify()
    if (right) {
      this.#failures.delete(pair)
      remember(this.#known, pair, true)
    } else for (const name of [pair, account]) remember(this.#failures, name, [...this.#recent(name), this.#now()])
    return right
  }
}
