/** One job: the upload, the progress by events, and the answer. */

import { randomId } from '../../../src/client/random-id.ts'
import { ApiError, OfflineError } from '../api/call.ts'
import { forgetGone } from '../files/on-server.ts'
import { STRINGS } from '../strings.ts'
import { type Answer, cancelOnServer, follow, isOnServer, pause } from './follow.ts'
import { keepRun } from './history.ts'
import { type Prepared, prepare } from './prepare.ts'
import { send } from './send.ts'
import { aborted, type Upload } from './upload.ts'

export interface Progress {
  /** `uploading`: percent of the bytes sent. `working`: percent of the job. */
  phase: 'uploading' | 'working'
  percent: number
  stage: string
}

/** Times that a request limited by rate is sent again. */
const RETRIES = 3

const isBusyServer = (error: unknown): error is ApiError => error instanceof ApiError && error.status === 429

/** The connection broke, or a proxy answered: the server itself would give a code. */
const isLostAnswer = (error: unknown): boolean =>
  error instanceof OfflineError ||
  (error instanceof ApiError && error.code === '' && [502, 503, 504].includes(error.status))

/**
 * Runs a job to its end.
 * @param stop cancels it; the job counts as cancelled when the server has ended it
 * @throws ApiError, with the code CANCELED after a cancel; OfflineError; an AbortError if nothing reached the server
 */
export async function runJob(
  upload: Upload,
  onProgress: (progress: Progress) => void,
  stop: AbortSignal,
): Promise<Answer> {
  const uploading = (percent: number, isWaiting: boolean): void =>
    onProgress({ phase: 'uploading', percent, stage: isWaiting ? STRINGS.uploads.waiting : '' })
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptJob(upload, await prepare(upload, uploading, stop), onProgress, stop)
    } catch (error) {
      const files = upload.files.map(({ file }) => file)
      if (forgetGone(error, files)) continue
      if (!isBusyServer(error) || attempt > RETRIES) throw error
      const wait = Number(error.fields.retryAfter)
      await pause(Number.isFinite(wait) && wait > 0 ? Math.min(wait, 60) : 5 * attempt, stop)
    }
  }
}

async function attemptJob(
  upload: Upload,
  { parts, sentBytes, allBytes }: Prepared,
  onProgress: (progress: Progress) => void,
  stop: AbortSignal,
): Promise<Answer> {
  // An id of ours, so that the events of the job can be followed before it is accepted.
  const id = `web-${randomId()}`
  // A job that fails is in the list as well.
  if (upload.kept) keepRun({ job: id, ...upload.kept })
  const over = new AbortController()
  let isAccepted = false
  const working = (percent: number, stage: string): void => onProgress({ phase: 'working', percent, stage })
  const followed = follow(id, working, over.signal, () => isAccepted)
  // A refusal comes as the response; the stream then has no job to report.
  followed.catch(() => undefined)
  const before = allBytes > 0 ? (sentBytes / allBytes) * 100 : 0
  const uploading = (percent: number): void =>
    percent < 100
      ? onProgress({ phase: 'uploading', percent: before + (percent * (100 - before)) / 100, stage: '' })
      : working(0, '')
  const sending = send(upload, parts, id, uploading)
  const cancel = (): void => {
    if (sending.isSent()) cancelOnServer(id, over.signal).catch(() => undefined)
    else sending.abort()
  }
  if (stop.aborted) cancel()
  stop.addEventListener('abort', cancel)
  try {
    const answer = await sending.answer.catch(async (error: unknown) => {
      // The job may run already: another attempt would run it twice.
      if (!isLostAnswer(error) || !sending.isSent()) throw error
      working(0, STRINGS.results.reconnecting)
      if (await isOnServer(id, over.signal)) return { async: true }
      throw stop.aborted ? aborted() : error
    })
    if (answer.async !== true) return answer
    isAccepted = true
    return await followed
  } finally {
    stop.removeEventListener('abort', cancel)
    over.abort()
  }
}
