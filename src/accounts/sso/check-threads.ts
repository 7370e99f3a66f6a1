import { openWorker, type WorkerThread } from '../../engines/workers/worker-thread.ts'
import { MediaprocError } from '../../errors.ts'
import { builtFile } from '../../root.ts'

interface Reader<Request, Answer> {
  thread: WorkerThread<Request, Answer>
  ending: AbortController
}

/** Checks that run concurrently; others are queued. */
const MAX_AT_ONCE = 2
/** Queued and running checks, in total and per client address: a company may share one address. */
const MAX_WAITING = 64
const MAX_OF_ADDRESS = 16
/** An idle thread ends after this time. */
const IDLE_MS = 60_000

/** Worker threads that talk to providers: the main thread never parses what they send, and a crash ends one check. */
export class CheckThreads<Request, Answer> {
  readonly #entry: string
  readonly #timeoutMs: number
  readonly #free: Reader<Request, Answer>[] = []
  readonly #waiting: (() => void)[] = []
  #running = 0
  /** Queued and running checks by client address. */
  readonly #ofAddress = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined

  /** @param entry the module of the thread, such as `src/accounts/sso/saml-worker.js` */
  constructor(entry: string, timeoutMs: number) {
    this.#entry = entry
    this.#timeoutMs = timeoutMs
  }

  /**
   * @param from the address of the client
   * @throws MediaprocError QUEUE_UNAVAILABLE when too many are queued, TIMEOUT; the error of the check
   */
  async ask(request: Request, from: string): Promise<Answer> {
    const own = this.#ofAddress.get(from) ?? 0
    if (own >= MAX_OF_ADDRESS || this.#running + this.#waiting.length >= MAX_WAITING)
      throw new MediaprocError('QUEUE_UNAVAILABLE', 'Too many sign-ins are being checked', {
        hint: 'Sign in again in a few seconds.',
      })
    this.#ofAddress.set(from, own + 1)
    try {
      return await this.#askInTurn(request)
    } finally {
      const left = (this.#ofAddress.get(from) ?? 1) - 1
      if (left > 0) this.#ofAddress.set(from, left)
      else this.#ofAddress.delete(from)
    }
  }

  async #askInTurn(request: Request): Promise<Answer> {
    if (this.#running >= MAX_AT_ONCE) await new Promise<void>((start) => this.#waiting.push(start))
    else this.#running++
    const reader = this.#free.pop() ?? this.#open()
    const limit = setTimeout(() => reader.ending.abort(new MediaprocError('TIMEOUT')), this.#timeoutMs)
    try {
      return await reader.thread.ask(request)
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

  #open(): Reader<Request, Answer> {
    const ending = new AbortController()
    return { ending, thread: openWorker<Request, Answer>(builtFile(this.#entry), { signal: ending.signal }) }
  }
}
