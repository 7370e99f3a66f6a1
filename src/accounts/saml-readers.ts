import { openWorker, type WorkerThread } from '../engines/worker-thread.ts'
import { MediaprocError } from '../errors.ts'
import { builtFile } from '../root.ts'
import type { SamlExpectations, SamlUser } from './saml-response.ts'

export interface SamlReading {
  response: string
  expected: SamlExpectations
}

interface Reader {
  thread: WorkerThread<SamlReading, SamlUser>
  ending: AbortController
}

/** A response takes some 10 ms to check, and the first one 200; a machine that is busy may take longer, an attack for ever. */
const CHECK_MS = 15_000
/** Responses that are checked at the same time; others wait for their turn. */
const MAX_AT_ONCE = 2
/** A thread that has nothing to do for so long is ended. */
const IDLE_MS = 60_000

/** Threads that check responses: the thread that answers requests never reads XML of strangers. */
export class SamlReaders {
  readonly #free: Reader[] = []
  readonly #waiting: (() => void)[] = []
  #running = 0
  #timer: NodeJS.Timeout | undefined

  /** @throws MediaprocError TIMEOUT; what the check throws */
  async read(reading: SamlReading): Promise<SamlUser> {
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
    const entry = builtFile('src/accounts/saml-worker.js')
    return { ending, thread: openWorker<SamlReading, SamlUser>(entry, { signal: ending.signal }) }
  }
}
