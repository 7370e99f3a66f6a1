import { timeText } from '../../accounts/context.ts'
import type { DeliveryRecord } from '../../store/webhook-records.ts'
import { type AttemptParts, attempt } from './attempt.ts'
import { noteResult } from './outcome.ts'
import { LOCK_MS, MOST_AT_ONCE, MOST_OF_ACCOUNT, TICK_MS } from './rules.ts'

export interface DispatcherParts extends AttemptParts {
  warn(message: string, error: unknown): void
  /** From 0 to 1. */
  random?: () => number
}

/**
 * Sends the messages for webhooks that are due. Every server has one: a delivery is taken by one of them, which has
 * `LOCK_MS` for the attempt; if that server is killed, another one repeats the attempt.
 */
export class WebhookDispatcher {
  readonly #parts: DispatcherParts
  readonly #stop = new AbortController()
  /** Running attempts, by delivery, with their accounts. */
  readonly #running = new Map<string, { userId: string; ended: Promise<unknown> }>()
  #isWanted = false
  #loop: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(parts: DispatcherParts) {
    this.#parts = parts
  }

  /** Starts to look for deliveries that are due. */
  start(): void {
    this.#timer ??= setInterval(() => this.wake(), TICK_MS).unref()
    this.wake()
  }

  /** Looks for deliveries that are due, such as those of a job that has just ended. */
  wake(): void {
    this.#isWanted = true
    if (this.#loop || this.#timer === undefined) return
    this.#loop = this.#takeAll()
      .catch((error: unknown) => this.#parts.warn('deliveries for webhooks cannot be read', error))
      .finally(() => {
        this.#loop = undefined
        if (this.#isWanted && this.#running.size < MOST_AT_ONCE) this.wake()
      })
  }

  /** Waits until nothing is due and no attempt runs. */
  async idle(): Promise<void> {
    while (this.#loop || this.#running.size > 0)
      await Promise.all([this.#loop, ...[...this.#running.values()].map(({ ended }) => ended)])
  }

  /** Ends running attempts: they are repeated after the next start, or by other servers. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#isWanted = false
    this.#stop.abort()
    await this.idle()
  }

  #attemptsOf(userId: string): number {
    return [...this.#running.values()].filter((one) => one.userId === userId).length
  }

  async #takeAll(): Promise<void> {
    while (this.#isWanted && !this.#stop.signal.aborted && this.#running.size < MOST_AT_ONCE) {
      this.#isWanted = false
      for (const delivery of await this.#take()) {
        this.#isWanted = true
        const ended = this.#attempt(delivery)
        this.#running.set(delivery.id, { userId: delivery.userId, ended })
      }
    }
  }

  /** Takes deliveries that are due, a few of each account. */
  async #take(): Promise<DeliveryRecord[]> {
    const { store, accounts } = this.#parts
    const users = [...new Set([...this.#running.values()].map(({ userId }) => userId))]
    const busy = users.filter((userId) => this.#attemptsOf(userId) >= MOST_OF_ACCOUNT)
    const room = MOST_AT_ONCE - this.#running.size
    const at = timeText(accounts.now())
    // Usually nothing is due: then nothing is locked.
    if ((await store.deliveries.due(at, 1, busy)).length === 0) return []
    return store.transaction(async ({ deliveries }) => {
      const due = await deliveries.due(at, room, busy)
      const taken = due.filter((one, index) => {
        const earlier = due.slice(0, index).filter(({ userId }) => userId === one.userId).length
        return this.#attemptsOf(one.userId) + earlier < MOST_OF_ACCOUNT && !this.#running.has(one.id)
      })
      const dueAt = timeText(accounts.now() + LOCK_MS)
      for (const one of taken) await deliveries.put({ ...one, dueAt })
      return taken
    })
  }

  /** Makes an attempt and stores its result. */
  async #attempt(delivery: DeliveryRecord): Promise<void> {
    try {
      await this.attemptNow(delivery)
    } catch (error) {
      this.#parts.warn('the result of a delivery for a webhook is not stored: it is repeated', error)
    } finally {
      this.#running.delete(delivery.id)
      this.wake()
    }
  }

  /**
   * Makes an attempt of a stored delivery at once.
   * @returns the delivery afterwards; undefined if it was deleted meanwhile, or the server stops
   */
  async attemptNow(stored: DeliveryRecord): Promise<DeliveryRecord | undefined> {
    const { store, accounts, random = Math.random } = this.#parts
    const begun = accounts.now()
    const { delivery, result } = await attempt(this.#parts, stored, this.#stop.signal)
    const now = accounts.now()
    if (this.#stop.signal.aborted && result.kind === 'made' && result.status === null) {
      // The attempt does not count, and the next server to look makes it.
      await store.transaction(async ({ deliveries }) => {
        if (await deliveries.byId(stored.id)) await deliveries.put({ ...stored, dueAt: timeText(now) })
      })
      return undefined
    }
    return store.transaction((known) => noteResult(known, { delivery, result, ms: now - begun }, now, random()))
  }
}
