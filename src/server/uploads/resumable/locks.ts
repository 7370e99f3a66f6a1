import { setTimeout as sleep } from 'node:timers/promises'
import { MediaprocError } from '../../../errors.ts'
import type { Store } from '../../../store/store.ts'

/** Lifetime of a lock that is not renewed because its server was killed, in milliseconds. */
const LOCK_MS = 15_000
const RENEW_MS = 5000
/** How long another server gets to end its request, in milliseconds. */
const YIELD_MS = 3000
const RETRY_MS = 100

const CHANNEL = 'upload-lock'

interface Holder {
  interrupt(): void
  ended: Promise<void>
}

/**
 * One request at a time changes an upload. A newer one ends the one before: usually its client has lost the connection, which
 * the server has not noticed yet. Several servers lock in their database; their locks expire after a kill.
 */
export class UploadLocks {
  readonly #store: Pick<Store, 'transaction' | 'redis'>
  readonly #holders = new Map<string, Holder>()
  #isListening = false

  constructor(store: Pick<Store, 'transaction' | 'redis'>) {
    this.#store = store
  }

  /**
   * Runs `work` while no other request changes the upload.
   * @param interrupt ends the work early; called when another request waits for it
   * @throws UPLOAD_LOCKED when another server does not end its request
   */
  async run<R>(id: string, work: () => Promise<R>, interrupt: () => void = () => {}): Promise<R> {
    for (let other = this.#holders.get(id); other; other = this.#holders.get(id)) {
      other.interrupt()
      await other.ended
    }
    let end = (): void => {}
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    this.#holders.set(id, { interrupt, ended })
    try {
      return this.#store.redis ? await this.#amongServers(id, work) : await work()
    } finally {
      this.#holders.delete(id)
      end()
    }
  }

  async #amongServers<R>(id: string, work: () => Promise<R>): Promise<R> {
    const { redis } = this.#store
    if (!this.#isListening) {
      this.#isListening = true
      await redis?.subscribe(CHANNEL, (locked) => this.#holders.get(locked)?.interrupt())
    }
    const end = Date.now() + YIELD_MS
    while (!(await this.#take(id))) {
      redis?.publish(CHANNEL, id)
      if (Date.now() > end) throw new MediaprocError('UPLOAD_LOCKED')
      await sleep(RETRY_MS)
    }
    const renewing = setInterval(() => void this.#put(id).catch(() => {}), RENEW_MS)
    try {
      return await work()
    } finally {
      clearInterval(renewing)
      await this.#store.transaction(({ tickets }) => tickets.remove(nameOf(id))).catch(() => {})
    }
  }

  #take(id: string): Promise<boolean> {
    return this.#store.transaction(async ({ tickets }) => {
      const other = await tickets.byId(nameOf(id))
      if (other && Date.parse(other.expiresAt) > Date.now()) return false
      await tickets.put(ticketOf(id))
      return true
    })
  }

  #put(id: string): Promise<void> {
    return this.#store.transaction(({ tickets }) => tickets.put(ticketOf(id)))
  }
}

const nameOf = (id: string): string => `${CHANNEL} ${id}`

const ticketOf = (id: string) => ({
  ...{ id: nameOf(id), kind: 'used' as const, userId: null, tries: 0 },
  expiresAt: new Date(Date.now() + LOCK_MS).toISOString(),
})
