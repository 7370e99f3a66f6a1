/** Uploads that continue after a broken connection, a cancel, or a reload of the page. */
import { DetailedError, Upload } from 'tus-js-client'
import { ApiError, addressOf, OfflineError } from '../api/call.ts'
import { STRINGS } from '../strings.ts'
import { aborted } from './upload.ts'

/** Size of one request in bytes: proxies limit the length and the time of a request. */
const CHUNK_BYTES = 32 * 1024 * 1024
/** Pauses before further attempts, in milliseconds. They begin again after each success. */
const RETRIES_MS = [0, 1000, 2000, 3000, 5000, 5000, 10_000, 10_000, 20_000, 30_000, 30_000]
/** Notes of uploads are kept for two days: the server keeps theirs for one. */
const NOTES_MS = 2 * 24 * 3_600_000

/** Whether another attempt may succeed: the request broke, another one is still running, or the server is busy. */
function mayRetry(error: DetailedError): boolean {
  const status = error.originalResponse?.getStatus() ?? 0
  return status < 400 || status >= 500 || [408, 409, 423, 429].includes(status)
}

function failureOf(error: Error | DetailedError): Error {
  const response = error instanceof DetailedError ? error.originalResponse : null
  if (!response) return new OfflineError(STRINGS.results.connectionBroke)
  let fields: Record<string, unknown> = {}
  try {
    fields = JSON.parse(response.getBody()) as Record<string, unknown>
  } catch {
    // A proxy answered.
  }
  return new ApiError(response.getStatus(), fields)
}

/** Removes notes of uploads that the server does not have any more, and finds the one of this file. */
async function continueEarlier(upload: Upload): Promise<void> {
  const { urlStorage } = upload.options
  for (const { creationTime, urlStorageKey } of (await urlStorage?.findAllUploads()) ?? [])
    if (Date.parse(creationTime) < Date.now() - NOTES_MS) await urlStorage?.removeUpload(urlStorageKey)
  const found = await upload.findPreviousUploads()
  const earlier = found.sort((one, other) => Date.parse(one.creationTime) - Date.parse(other.creationTime)).at(-1)
  if (earlier) upload.resumeFromPreviousUpload(earlier)
}

/**
 * Uploads a file, or the rest of it. The browser reads it in pieces, so it is never in memory.
 * @param onSent bytes that the server has; `isWaiting` while it cannot be reached
 * @returns the id of the upload
 * @throws ApiError, OfflineError; an AbortError after a stop, and the next call continues
 */
export function uploadLarge(
  file: File,
  onSent: (bytes: number, isWaiting: boolean) => void,
  stop: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let sent = 0
    const upload: Upload = new Upload(file, {
      endpoint: addressOf('api/v1/uploads'),
      chunkSize: CHUNK_BYTES,
      retryDelays: RETRIES_MS,
      metadata: { filename: file.name, ...(file.type && { filetype: file.type }) },
      onProgress(bytes) {
        sent = bytes
        onSent(bytes, false)
      },
      onShouldRetry(error) {
        const isRetried = mayRetry(error)
        if (isRetried) onSent(sent, true)
        return isRetried
      },
      onError: (error) => reject(failureOf(error)),
      onSuccess: () => resolve(upload.url?.split('/').at(-1) ?? ''),
    })
    const cancel = (): void => {
      void upload.abort()
      reject(aborted())
    }
    if (stop.aborted) return cancel()
    stop.addEventListener('abort', cancel)
    continueEarlier(upload).then(() => stop.aborted || upload.start(), reject)
  })
}
