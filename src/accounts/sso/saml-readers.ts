import { openWorker, type WorkerThread } from '../../engines/workers/worker-thread.ts'
import { MediaprocError } from '../../errors.ts'
import { builtFile } from '../../root.ts'
import type { SamlExpectations, SamlUser } from './saml-response.ts'

export interface SamlReading {
  response: string
  expected: SamlExpectations
}

interface Reader {
  thread: WorkerThread<SamlReading, SamlUser>
  ending: AbortController
}

/** A response takes some 10 ms to check, the first one 200, and one with as many elements as are allowed half a second. */
const CHECK_MS = 5_000
/** Responses that are checked at the same time; others wait for their turn. */
const MAX_AT_ONCE = 2
/** Responses that wait or are checked, of all clients and of one address: a company may be behind one address. */
const MAX_WAITING = 64
const MAX_OF_ADDRESS = 16
/** A thread that has nothing to do for so long is ended. */
const IDLE_MS = 60_000

/** Threads that check responses: the thread that answers requests never reads XML of strangers. */
export class SamlReaders {
  readonly #free: Reader[] = []
  readonly #waiting: (() => void)[] = []
  #running = 0
  /** Responses that wait or are checked, by the address of the client. */
  readonly #ofAddress = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined

  /**
   * @param from the address of the client
   * @throws MediaprocError QUEUE_UNAVAILABLE where too many wait, TIMEOUT; what the check throws
   */
  async read(reading: SamlReading, from: string): Promise<SamlUser> {
    const own = this.#ofAddress.get(from) ?? 0
    if (own >= MAX_OF_ADDRESS || this.#running + this.#waiting.length >= MAX_WAITING)
      throw new MediaprocError('QUEUE_UNAVAILABLE', 'Too many sign-ins are being checked', {
        hint: 'Sign in again in a few seconds.',
      })
    this.#ofAddress.set(from, own + 1)
    try {
      return await this.#readInTurn(reading)
    } finally {
      const left = this.#ofAddress.get(from)! - 1
      if (left > 0) this.#ofAddress.set(from, left)
      else this.#ofAddress.delete(from)
    }
  }

  async #readInTurn(reading: SamlReading): Promise<SamlUser> {
    if (this.#running >= MAX_AT_ONCE) await new Promise<void>((start) => this.#waiting.push(start))
    else this.#running++
    const reader = this.#free.pop() ?? this.#open()
    const limit = setTimeout(() => reader.ending.abort(new MediaprocError('TIMEOUT')), CHECK_MS)
    try {
      return await reader.thread.ask(reading)
    } finally {
      clearTimeout(limit)
      if (reader.thread.isFree) this.#free.push(reader)
      else await reader.thread.close()
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => void this.close(), IDLE_MS).unref()
    }
  }

  /** Ends the threads that have nothing to do. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    for (const { thread } of this.#free.splice(0)) await thread.close()
  }

  #open(): Reader {
    const ending = new AbortController()
    const entry = builtFile('src/accounts/sso/saml-worker.js')
    return { ending, thread: openWorker<SamlReading, SamlUser>(entry, { signal: ending.signal }) }
  }
}
