import type { Connection } from './connection.ts'
import { chunksOf, eventsOf } from './events.ts'
import { ApiError, apiError, isUnreachable, unreachable } from './failure.ts'
import { cancelSoon, followJob, type OnProgress, type RawEvent, resultIn } from './follow.ts'
import type { components } from './schema.ts'

type Job = components['schemas']['Job']
export type JobEvent = components['schemas']['JobEvent']

export interface WaitOptions {
  /** Ends the wait; the job itself continues. */
  signal?: AbortSignal
  /** Progress from 0 to 1, with a short description of the current step. */
  onProgress?: OnProgress
}

/** The jobs of the key's owner. */
export class Jobs {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** What a job does, and how it ended. @throws ApiError NOT_FOUND */
  async get(jobId: string, { signal }: Pick<WaitOptions, 'signal'> = {}): Promise<Job> {
    const path = `/api/v1/jobs/${encodeURIComponent(jobId)}`
    return (await this.#connection.json('GET', path, signal && { signal })) as Job
  }

  /** The events of a job to its last one, or to a lost connection. @throws ApiError */
  async *events(jobId: string, options: Pick<WaitOptions, 'signal'> = {}): AsyncGenerator<JobEvent> {
    for await (const event of this.stream(jobId, options)) if (event.type !== 'heartbeat') yield event as JobEvent
  }

  /** The events as they arrive, with the heartbeats of the connection. @throws ApiError */
  async *stream(jobId: string, { signal }: Pick<WaitOptions, 'signal'> = {}): AsyncGenerator<RawEvent> {
    const path = `/api/v1/jobs/${encodeURIComponent(jobId)}/progress`
    const headers = { accept: 'text/event-stream' }
    const { body } = await this.#connection.request('GET', path, { headers, ...(signal && { signal }) })
    try {
      if (body) yield* eventsOf(chunksOf(body))
    } catch (error) {
      signal?.throwIfAborted()
      throw unreachable(this.#connection.address, error)
    }
  }

  /**
   * Waits for the end of a job, however long it takes. A lost connection is opened again.
   * @returns the result, as the request of the job would have answered it
   * @throws ApiError of the job; the reason of the signal
   */
  async wait(jobId: string, options: WaitOptions = {}): Promise<Record<string, unknown>> {
    const last = await this.last(jobId, options)
    const done = resultIn(last)
    if (done) return done
    if (typeof last.code === 'string' && last.code !== 'NOT_FOUND') throw apiError(last, undefined)
    // Events of batches have no code, and those of old jobs say that the files are gone.
    const { status, result, error } = (await this.get(jobId, options)) as Record<string, unknown>
    if (status === 'completed') return (result ?? {}) as Record<string, unknown>
    const { message, code, details } = (error ?? last) as Record<string, unknown>
    throw apiError({ ...last, error: message, code, details }, undefined)
  }

  /** The last event of a job, which says how it ended. @throws ApiError; the reason of the signal */
  async last(jobId: string, { signal, onProgress }: WaitOptions = {}): Promise<RawEvent> {
    const { get, stream } = { get: () => this.get(jobId, { signal }), stream: () => this.stream(jobId, { signal }) }
    const last = await followJob({
      async *open() {
        // The stream of an unknown job stays open, because the job may come.
        await get()
        yield* stream()
      },
      ...{ isLost: isUnreachable, signal, onProgress },
    })
    if (last) return last
    throw new ApiError('SERVER_UNREACHABLE', `${this.#connection.address} lost the job`)
  }

  /**
   * Stops a job.
   * @returns false if it had ended before
   * @throws ApiError NOT_FOUND
   */
  async cancel(jobId: string): Promise<boolean> {
    const path = `/api/v1/jobs/${encodeURIComponent(jobId)}/cancel`
    return (await this.#connection.json('POST', path, { repeat: 'always' })).canceled === true
  }

  /** Stops a job whose request may not have arrived; nothing is thrown. */
  cancelSoon(jobId: string): Promise<void> {
    return cancelSoon(() =>
      this.cancel(jobId).then(
        () => true,
        (error: unknown) => !(error instanceof ApiError) || error.code !== 'NOT_FOUND',
      ),
    )
  }
}
