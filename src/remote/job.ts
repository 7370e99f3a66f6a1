import { randomUUID } from 'node:crypto'
import { eventsOf } from '../client/events.ts'
import { cancelSoon, followJob, type RawEvent, resultIn, showProgress } from '../client/follow.ts'
import { pause } from '../client/pause.ts'
import { MediaprocError } from '../errors.ts'
import type { AnyJob } from '../tool/contract.ts'
import { type Connection, isLost, jsonOf } from './connection.ts'
import { serverFailure } from './failure.ts'

/** A request that takes longer is followed by its events, in milliseconds. */
const FOLLOW_AFTER_MS = 1000
/** Attempts to send a job whose connection is lost. */
const MAX_ATTEMPTS = 8
/** How long a cancellation may take, in milliseconds. */
const CANCEL_MS = 2000

/** The response of a finished job. */
export type ServerResult = Record<string, unknown>

/** The id of a job is taken. It is random, so an earlier attempt whose answer was lost has taken it. */
const isTaken = (error: unknown): boolean => error instanceof MediaprocError && error.code === 'CONFLICT'

type JobContext = Pick<AnyJob, 'signal' | 'progress'>

/** One job on a server. */
export class ServerJob {
  readonly #connection: Connection
  readonly #id = `cli-${randomUUID()}`
  readonly #job: JobContext

  constructor(connection: Connection, job: JobContext) {
    this.#connection = connection
    this.#job = job
  }

  /**
   * Sends a form, and waits for the result of its job, however long it takes. An abort cancels the job on the server.
   * @param form creates the form: it can be sent again
   * @throws MediaprocError of the job
   */
  async run(path: string, form: () => Promise<FormData>): Promise<ServerResult> {
    const { signal } = this.#job
    const cancel = (): void => this.#connection.beforeClose(this.#cancel())
    signal.addEventListener('abort', cancel, { once: true })
    const ended = new AbortController()
    try {
      const shown = AbortSignal.any([signal, ended.signal])
      const open = (): AsyncIterable<RawEvent> => this.#eventsAfter(FOLLOW_AFTER_MS, shown)
      void showProgress(open, this.#job.progress, shown)
      return await this.#submit(path, form)
    } finally {
      ended.abort()
      signal.removeEventListener('abort', cancel)
    }
  }

  async #submit(path: string, form: () => Promise<FormData>): Promise<ServerResult> {
    const { signal } = this.#job
    const body = async (): Promise<FormData> => {
      const parts = await form()
      parts.append('clientJobId', this.#id)
      parts.append('outcome', 'true')
      return parts
    }
    for (let attempt = 0; ; attempt += 1) {
      try {
        const headers = { accept: 'application/json' }
        const answer = await this.#connection.send('POST', path, { headers, body, signal, isOnce: true })
        const result = await jsonOf(answer)
        if (!result) throw serverFailure(undefined, answer.status, this.#connection.address)
        return answer.status === 202 ? await this.#follow() : result
      } catch (error) {
        if (!(isLost(error) || isTaken(error)) || attempt >= MAX_ATTEMPTS) throw error
        // The connection is lost, and the job may have started: it must not run twice.
        if (await this.#exists(error)) return this.#follow()
        if (isTaken(error)) throw error
      }
    }
  }

  async #exists(lost: unknown): Promise<boolean> {
    try {
      const url = `/api/v1/jobs/${this.#id}`
      const answer = await this.#connection.send('GET', url, { signal: this.#job.signal, accepted: [404] })
      answer.body.resume()
      return answer.status === 200
    } catch (error) {
      throw isLost(error) ? lost : error
    }
  }

  async #follow(): Promise<ServerResult> {
    const { signal, progress } = this.#job
    const { address } = this.#connection
    const last = await followJob({
      open: () => this.#events(signal),
      // Requests are repeated by the connection: a stream that ends early is opened again.
      isLost: (error) => !(error instanceof MediaprocError),
      ...{ signal, onProgress: progress },
    })
    if (!last) throw new MediaprocError('SERVER_UNREACHABLE', `${address} lost the job`)
    const result = resultIn(last)
    if (result) return result
    throw serverFailure(last, 200, address)
  }

  async *#eventsAfter(ms: number, signal: AbortSignal): AsyncGenerator<RawEvent> {
    await pause(ms, signal)
    yield* this.#events(signal)
  }

  async *#events(signal: AbortSignal): AsyncGenerator<RawEvent> {
    const { body } = await this.#connection.send('GET', `/api/v1/jobs/${this.#id}/progress`, { signal })
    try {
      yield* eventsOf(body)
    } finally {
      body.destroy()
    }
  }

  #cancel(): Promise<void> {
    const signal = AbortSignal.timeout(CANCEL_MS)
    const path = `/api/v1/jobs/${this.#id}/cancel`
    return cancelSoon(async () => {
      const { body, status } = await this.#connection.send('POST', path, { signal, isOnce: true, accepted: [404] })
      body.resume()
      return status !== 404
    })
  }
}
