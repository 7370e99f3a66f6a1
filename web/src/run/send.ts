/** The upload of a run, with its progress. */
import { ApiError, addressOf, OfflineError, repeatable } from '../api/call.ts'
import type { Accepted, Result } from '../api/types.ts'
import { STRINGS } from '../strings.ts'
import { aborted, appendParts, type Part, type Upload } from './upload.ts'

interface Sending {
  answer: Promise<Result | Accepted>
  /** Whether all bytes have left: the server may then have the job, whatever happens to the answer. */
  isSent(): boolean
  /** Ends the upload; the answer fails with an AbortError. */
  abort(): void
}

/** An answer that has the id of its job; the page of a proxy, for example, has none. */
const isAnswer = (body: unknown): body is Result | Accepted =>
  typeof body === 'object' && body !== null && typeof (body as Partial<Result>).jobId === 'string'

/** Sends a form with progress, which fetch cannot report. @param onSent percent of the form */
export function send(
  upload: Omit<Upload, 'files'>,
  parts: readonly Part[],
  id: string,
  onSent: (percent: number) => void,
): Sending {
  const request = new XMLHttpRequest()
  let isSent = false
  const answer = new Promise<Result | Accepted>((done, failed) => {
    request.open('POST', addressOf(upload.path))
    request.responseType = 'json'
    request.setRequestHeader('accept', 'application/json')
    for (const [name, value] of Object.entries(repeatable('POST'))) request.setRequestHeader(name, value)
    request.upload.addEventListener('progress', ({ loaded, total }) => onSent(total > 0 ? (loaded / total) * 100 : 0))
    request.upload.addEventListener('load', () => {
      isSent = true
    })
    request.addEventListener('load', () => {
      const body: unknown = request.response
      if (request.status >= 300) failed(new ApiError(request.status, (body ?? {}) as Record<string, unknown>))
      else if (isAnswer(body)) done(body)
      else failed(new ApiError(request.status, { error: STRINGS.results.noAnswer }))
    })
    request.addEventListener('error', () => failed(new OfflineError(STRINGS.results.connectionBroke)))
    request.addEventListener('abort', () => failed(aborted()))
    if (upload.isJson) {
      request.setRequestHeader('content-type', 'application/json')
      request.send(JSON.stringify({ ...upload.settings, clientJobId: id }))
      return
    }
    const form = new FormData()
    form.append(upload.part ?? 'settings', JSON.stringify(upload.settings))
    form.append('clientJobId', id)
    appendParts(form, parts)
    request.send(form)
  })
  return { answer, isSent: () => isSent, abort: () => request.abort() }
}
