import { setTimeout as pause } from 'node:timers/promises'
import type { Attempt, AttemptRecords, AttemptResult } from '../../store/attempts.ts'
import {
  type AttemptLimits,
  AttemptQueue,
  type FailedAttempts,
  networkOf,
  refuse,
  remember,
  tooMany,
  WINDOW_MS,
} from './attempts.ts'
import { sha256Hex } from './tokens.ts'

/** Time between attempts to begin while another server checks the same account and network, in milliseconds. */
const LOOK_MS = 50
/** How long an attempt waits for those of other servers, in milliseconds. */
const LONGEST_MS = 30_000

/** Counts attempts that the servers of a cluster record together. */
export class SharedAttempts implements FailedAttempts {
  readonly #records: AttemptRecords
  readonly #kind: string
  readonly #now: () => number
  readonly #limits: AttemptLimits
  readonly #queue = new AttemptQueue()
  /** Pairs that have signed in at this server. */
  readonly #known = new Map<string, true>()

  /** @param kind what is guessed: each kind is counted by itself */
  constructor(records: AttemptRecords, kind: string, now: () => number, limits: AttemptLimits) {
    this.#records = records
    this.#kind = kind
    this.#now = now
    this.#limits = limits
  }

  check(account: string, address: string, verify: () => Promise<boolean>): Promise<boolean> {
    // Hashes, because some users type their password as their name.
    const names = {
      account: sha256Hex(`${this.#kind} ${account}`),
      pair: sha256Hex(`${this.#kind} ${networkOf(address)} ${account}`),
    }
    return this.#queue.run(names.pair, this.#known.has(names.pair), async () => {
      const end = await this.#begin(names)
      let result: AttemptResult = 'none'
      try {
        result = (await verify()) ? 'right' : 'wrong'
      } finally {
        await end(result)
      }
      if (result === 'right') remember(this.#known, names.pair, true)
      return result === 'right'
    })
  }

  async #begin(names: Pick<Attempt, 'account' | 'pair'>): Promise<(result: AttemptResult) => Promise<void>> {
    for (let waited = 0; waited < LONGEST_MS; waited += LOOK_MS) {
      const at = this.#now()
      const end = await this.#records.begin(
        { ...names, at, since: at - WINDOW_MS },
        ({ ofAccount, ofPair, isKnown, isBusy }) => {
          if (isBusy) return false
          refuse(ofPair, this.#limits.ofNetwork, at)
          if (!isKnown) refuse(ofAccount, this.#limits.ofAll, at)
          return true
        },
      )
      if (end) return end
      await pause(LOOK_MS)
    }
    throw tooMany()
  }
}
