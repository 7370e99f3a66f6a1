import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { eventsOf } from '../client/events.ts'
import { MediaprocError } from '../errors.ts'
import type { AnyJob } from '../tool/contract.ts'
import { type Connection, isLost, jsonOf } from './connection.ts'
import { serverFailure } from './failure.ts'

/** A request that takes longer is followed by its events, in milliseconds. */
const FOLLOW_AFTER_MS = 1000
/** Streams of events that ended early one after the other, after which the job counts as lost. */
const MAX_LOST_STREAMS = 8
/** How long a cancellation may take, in milliseconds. */
const CANCEL_MS = 2000
/** Delay before a job that is not known yet is canceled again, in milliseconds. */
const CANCEL_PAUSE_MS = 200

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
      void this.#showProgress(AbortSignal.any([signal, ended.signal]))
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
        if (!(isLost(error) || isTaken(error)) || attempt >= MAX_LOST_STREAMS) throw error
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

  /** Shows the progress of a job that its request still waits for. */
  async #showProgress(signal: AbortSignal): Promise<void> {
    try {
      await wait(FOLLOW_AFTER_MS, undefined, { signal })
      await this.#read(signal)
    } catch {
      // Only the request itself decides how the job ends.
    }
  }

  /** Follows the events to the last one. A lost connection is followed again. */
  async #follow(): Promise<ServerResult> {
    const { signal } = this.#job
    for (let lost = 0; lost < MAX_LOST_STREAMS; lost += 1) {
      const last = await this.#read(signal)
      if (last?.phase === 'complete') return last.result as ServerResult
      if (last) throw serverFailure(last, 200, this.#connection.address)
      await wait(FOLLOW_AFTER_MS * lost, undefined, { signal })
    }
    throw new MediaprocError('SERVER_UNREACHABLE', `${this.#connection.address} lost the job`)
  }

  /** Reads events to the end of the job; undefined if the stream ends before it. */
  async #read(signal: AbortSignal): Promise<Record<string, unknown> | undefined> {
    const { body } = await this.#connection.send('GET', `/api/v1/jobs/${this.#id}/progress`, { signal })
    try {
      for await (const event of eventsOf(body)) {
        const { phase, percent, stage } = event
        if (phase === 'complete' || phase === 'failed') return event
        if (typeof percent === 'number') this.#job.progress(percent / 100, typeof stage === 'string' ? stage : '')
      }
    } catch (error) {
      if (signal.aborted) throw error
    } finally {
      body.destroy()
    }
    return undefined
  }

  async #cancel(): Promise<void> {
    const signal = AbortSignal.timeout(CANCEL_MS)
    try {
      for (let status = 404; status === 404; ) {
        const url = `/api/v1/jobs/${this.#id}/cancel`
        const answer = await this.#connection.send('POST', url, { signal, isOnce: true, accepted: [404] })
        answer.body.resume()
        status = answer.status
        // The request may have arrived, and its job starts in a moment.
        if (status === 404) await wait(CANCEL_PAUSE_MS, undefined, { signal })
      }
    } catch {
      // The job has not started, or has ended, or the server is away: nothing is left to stop.
    }
  }
}
