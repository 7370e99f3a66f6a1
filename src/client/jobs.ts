import type { Connection } from './connection.ts'
import { chunksOf, eventsOf } from './events.ts'
import { ApiError, apiError, isUnreachable, textOf, unreachable } from './failure.ts'
import type { components } from './schema.ts'

type Job = components['schemas']['Job']
export type JobEvent = components['schemas']['JobEvent']

export interface WaitOptions {
  /** Ends the wait; the job itself continues. */
  signal?: AbortSignal
  /** Progress from 0 to 1, with a short description of the current step. */
  onProgress?: (fraction: number, stage: string) => void
}

/** Lost connections one after the other, after which the job counts as lost. */
const MAX_LOST = 8
/** Delay before a lost connection is opened again, in milliseconds; longer each time. */
const PAUSE_MS = 1000
/** Attempts to cancel a job whose request is on its way, and the delay between them in milliseconds. */
const CANCEL = { attempts: 10, pauseMs: 200 }

const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    if (signal?.aborted) abort()
    signal?.addEventListener('abort', abort, { once: true })
  })

function progressOf(event: Record<string, unknown>): [fraction: number, stage: string] | undefined {
  const { percent, stage, completedFiles, totalFiles, currentFile } = event
  if (typeof percent === 'number') return [percent / 100, textOf(stage)]
  if (typeof completedFiles !== 'number' || typeof totalFiles !== 'number' || totalFiles === 0) return undefined
  return [completedFiles / totalFiles, textOf(currentFile)]
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
  async *events(jobId: string, { signal }: Pick<WaitOptions, 'signal'> = {}): AsyncGenerator<JobEvent> {
    const path = `/api/v1/jobs/${encodeURIComponent(jobId)}/progress`
    const headers = { accept: 'text/event-stream' }
    const { body } = await this.#connection.request('GET', path, { headers, ...(signal && { signal }) })
    try {
      if (body)
        for await (const event of eventsOf(chunksOf(body))) if (event.type !== 'heartbeat') yield event as JobEvent
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
  async wait(jobId: string, { signal, onProgress }: WaitOptions = {}): Promise<Record<string, unknown>> {
    for (let lost = 0; lost < MAX_LOST; lost += 1) {
      try {
        const { status, result, error } = (await this.get(jobId, { signal })) as Record<string, unknown>
        if (status === 'completed') return (result ?? {}) as Record<string, unknown>
        if (status === 'failed' || status === 'canceled') throw await this.#failure(jobId, error, signal)
        for await (const event of this.events(jobId, { signal }) as AsyncIterable<Record<string, unknown>>) {
          lost = 0
          const progress = progressOf(event)
          if (progress) onProgress?.(...progress)
        }
      } catch (error) {
        if (!isUnreachable(error)) throw error
      }
      if (lost > 0) await pause(PAUSE_MS * lost, signal)
    }
    throw new ApiError('SERVER_UNREACHABLE', `${this.#connection.address} lost the job`)
  }

  /**
   * Stops a job.
   * @returns false if it had ended before
   * @throws ApiError NOT_FOUND
   */
  async cancel(jobId: string): Promise<boolean> {
    return (await this.#connection.json('POST', `/api/v1/jobs/${encodeURIComponent(jobId)}/cancel`)).canceled === true
  }

  /** Stops a job whose request may not have arrived; nothing is thrown. */
  async cancelSoon(jobId: string): Promise<void> {
    for (let attempt = 0; attempt < CANCEL.attempts; attempt += 1)
      try {
        await this.cancel(jobId)
        return
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'NOT_FOUND') return
        await pause(CANCEL.pauseMs)
      }
  }

  /** The last event has what the answer of the request would have had; the state has less. */
  async #failure(jobId: string, error: unknown, signal?: AbortSignal): Promise<ApiError> {
    for await (const event of this.events(jobId, { signal }) as AsyncIterable<Record<string, unknown>>)
      if (typeof event.code === 'string') return apiError(event, undefined)
    const { message, code, details } = (error ?? {}) as Record<string, unknown>
    return apiError({ error: message, code, details }, undefined)
  }
}
