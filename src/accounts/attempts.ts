import { MediaprocError } from '../errors.ts'

/** Failures per account and time (HTTP contract, section 4). */
const MAX_FAILURES = 10
const WINDOW_MS = 15 * 60_000
/** Accounts that are remembered; names are the client's, so their number is bounded. The oldest go first. */
const MAX_ACCOUNTS = 10_000
/** Attempts that may wait for their turn; each costs about 0.1 s. */
const MAX_WAITING = 200

/** Counts wrong passwords per account. In memory: a restart forgives. */
export class FailedAttempts {
  readonly #now: () => number
  readonly #failures = new Map<string, number[]>()
  readonly #turns = new Map<string, Promise<void>>()
  #waiting = 0

  constructor(now: () => number) {
    this.#now = now
  }

  /**
   * Runs a check of a password. Checks of one account run one after the other, so that many at the same time get no more
   * guesses than the limit, and right passwords never count.
   *
   * @throws RATE_LIMITED after too many failures, with the field `retryAfter` in seconds
   */
  async check(account: string, verify: () => Promise<boolean>): Promise<boolean> {
    if (this.#waiting >= MAX_WAITING)
      throw new MediaprocError('RATE_LIMITED', 'Rate limit exceeded: too many sign-ins at the same time', {
        fields: { retryAfter: 10 },
      })
    this.#waiting++
    const before = this.#turns.get(account) ?? Promise.resolve()
    const result = before.then(() => this.#checkNow(account, verify))
    const settled = result.then(
      () => {},
      () => {},
    )
    this.#turns.set(account, settled)
    try {
      return await result
    } finally {
      this.#waiting--
      if (this.#turns.get(account) === settled) this.#turns.delete(account)
    }
  }

  async #checkNow(account: string, verify: () => Promise<boolean>): Promise<boolean> {
    const recent = (this.#failures.get(account) ?? []).filter((time) => time > this.#now() - WINDOW_MS)
    if (recent.length >= MAX_FAILURES) {
      const retryAfter = Math.ceil((recent[0]! + WINDOW_MS - this.#now()) / 1000)
      throw new MediaprocError(
        'RATE_LIMITED',
        `Rate limit exceeded: ${MAX_FAILURES} failed sign-ins to this account; try again in ${retryAfter} seconds`,
        { fields: { retryAfter } },
      )
    }
    const right = await verify()
    this.#failures.delete(account)
    if (!right) this.#failures.set(account, [...recent, this.#now()])
    if (this.#failures.size > MAX_ACCOUNTS) this.#failures.delete(this.#failures.keys().next().value!)
    return right
  }
}
