import { openWorker, type WorkerThread } from '../../engines/workers/worker-thread.ts'
import { MediaprocError } from '../../errors.ts'
import { builtFile } from '../../root.ts'
import type { LogoutExpectations, LogoutMessage, LogoutRequest } from './saml-logout.ts'
import type { SamlExpectations, SamlUser } from './saml-response.ts'

/** A response to a sign-in, in base64. */
export interface ResponseReading {
  response: string
  expected: SamlExpectations
}

/** A logout request of the provider. */
export interface LogoutReading {
  logout: LogoutMessage
  expected: LogoutExpectations
}

export type SamlReading = ResponseReading | LogoutReading

interface Reader {
  thread: WorkerThread<SamlReading, SamlUser | LogoutRequest>
  ending: AbortController
}

/**
 * Timeout. A response takes about 10 ms to check, the first one 200, and one with the maximum of elements half a
 * second.
 */
const CHECK_MS = 5_000
/** Responses checked concurrently; others are queued. */
const MAX_AT_ONCE = 2
/** Queued and running checks, in total and per client address: a company may share one address. */
const MAX_WAITING = 64
const MAX_OF_ADDRESS = 16
/** An idle thread ends after this time. */
const IDLE_MS = 60_000

/** Worker threads that check messages: the main thread never parses untrusted XML. */
export class SamlReaders {
  readonly #free: Reader[] = []
  readonly #waiting: (() => void)[] = []
  #running = 0
  /** Queued and running checks by client address. */
  readonly #ofAddress = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined

  /**
   * @param from the address of the client
   * @throws MediaprocError QUEUE_UNAVAILABLE when too many are queued, TIMEOUT; the error of the check
   */
  async read(reading: ResponseReading, from: string): Promise<SamlUser>
  async read(reading: LogoutReading, from: string): Promise<LogoutRequest>
  async read(reading: SamlReading, from: string): Promise<SamlUser | LogoutRequest> {
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

  async #readInTurn(reading: SamlReading): Promise<SamlUser | LogoutRequest> {
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

  /** Ends idle threads. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    for (const { thread } of this.#free.splice(0)) await thread.close()
  }

  #open(): Reader {
    const ending = new AbortController()
    const entry = builtFile('src/accounts/sso/saml-worker.js')
    return { ending, thread: openWorker<SamlReading, SamlUser | LogoutRequest>(entry, { signal: ending.signal }) }
  }
}
