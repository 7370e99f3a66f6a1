/** A job on the server: its events until it ends, whether it exists, and a cancel that arrives. */
import { ApiError, addressOf, call, OfflineError } from '../api/call.ts'
import type { GetJobsByJobId, JobEvent } from '../api/types.ts'
import { STRINGS } from '../strings.ts'
import { aborted } from './upload.ts'

export type Answer = Readonly<Record<string, unknown>>

/** Seconds between questions to a server that does not answer, or does not know the job yet. */
const AGAIN_S = 2
/** Seconds in which a job must be known after its upload. */
const KNOWN_WITHIN_S = 10

export const pause = (seconds: number, stop: AbortSignal): Promise<void> =>
  new Promise((done, failed) => {
    if (stop.aborted) return failed(aborted())
    const timer = setTimeout(done, seconds * 1000)
    stop.addEventListener('abort', () => {
      clearTimeout(timer)
      failed(aborted())
    })
  })

const pathOf = (id: string): string => `api/v1/jobs/${id}`

const stateOf = (id: string, signal: AbortSignal): Promise<GetJobsByJobId> =>
  call<GetJobsByJobId>(pathOf(id), { signal })

/** The server, or a proxy before it, may answer later. */
const isTemporary = (error: unknown): boolean =>
  error instanceof OfflineError || (error instanceof ApiError && (error.status === 429 || error.status >= 500))

const isUnknown = (error: unknown): boolean => error instanceof ApiError && error.status === 404

/** @throws ApiError for a job without a result, which would look like one with nothing to show */
function answerOf(result: Record<string, unknown> | null): Answer {
  if (result) return result
  throw new ApiError(200, { error: STRINGS.results.noAnswer })
}

/** Follows the events of one connection. @returns the end of the job, or undefined if the server refused the stream */
function listen(
  id: string,
  onProgress: (percent: number, stage: string) => void,
  stop: AbortSignal,
): Promise<Answer | undefined> {
  return new Promise((done, failed) => {
    const source = new EventSource(addressOf(`${pathOf(id)}/progress`))
    const end = (settle: () => void): void => {
      source.close()
      settle()
    }
    stop.addEventListener('abort', () => end(() => failed(aborted())))
    source.addEventListener('message', ({ data }: MessageEvent<string>) => {
      const event = JSON.parse(data) as JobEvent
      if (event.type !== 'single') return
      if (event.phase === 'processing') onProgress(event.percent, event.stage ?? '')
      else if (event.phase === 'failed') end(() => failed(new ApiError(422, { ...event })))
      else end(() => done(Promise.resolve(event.result).then(answerOf)))
    })
    // After a broken connection the browser connects again by itself; after an HTTP error it does not.
    source.addEventListener('error', () => {
      if (source.readyState === EventSource.CLOSED) end(() => done(undefined))
    })
  })
}

/**
 * Follows a job until it ends.
 * @param isAccepted whether the server must know the job: it is followed before its upload ends
 * @throws ApiError why it failed, or why it cannot be followed
 */
export async function follow(
  id: string,
  onProgress: (percent: number, stage: string) => void,
  stop: AbortSignal,
  isAccepted: () => boolean,
): Promise<Answer> {
  for (;;) {
    const answer = await listen(id, onProgress, stop)
    if (answer) return answer
    try {
      const { status, result, error, progress } = await stateOf(id, stop)
      if (status === 'completed') return answerOf(result)
      if (status === 'failed' || status === 'canceled')
        throw new ApiError(422, { ...error, error: error?.message ?? STRINGS.results.noAnswer })
      onProgress(progress.percent, progress.stage ?? '')
    } catch (error) {
      if (!isTemporary(error) && !(isUnknown(error) && !isAccepted())) throw error
    }
    await pause(AGAIN_S, stop)
  }
}

/** Whether the server has the job of an upload whose answer was lost. Waits for a server that does not answer. */
export async function isOnServer(id: string, stop: AbortSignal): Promise<boolean> {
  for (let waited = 0; waited < KNOWN_WITHIN_S; ) {
    try {
      await stateOf(id, stop)
      return true
    } catch (error) {
      if (isUnknown(error)) waited += AGAIN_S
      else if (!isTemporary(error)) throw error
    }
    await pause(AGAIN_S, stop)
  }
  return false
}

/** Cancels a job; tries again until the server has answered, or the job has ended. */
export async function cancelOnServer(id: string, over: AbortSignal): Promise<void> {
  for (;;) {
    try {
      await call(`${pathOf(id)}/cancel`, { method: 'POST', signal: over })
      return
    } catch (error) {
      if (!isTemporary(error) && !isUnknown(error)) throw error
    }
    await pause(AGAIN_S, over)
  }
}
