/** What of a request has to be sent with its form: large files go before it, in uploads that can continue. */
import { ApiError } from '../api/call.ts'
import { noteOnServer, onServer } from '../files/on-server.ts'
import { aborted, type Part, type Upload } from './upload.ts'

/** Files from this size on are uploaded before the form, in bytes. */
const LARGE_BYTES = 8_000_000

export interface Prepared {
  parts: readonly Part[]
  /** Bytes that have been sent for it, and all bytes of the request. */
  sentBytes: number
  allBytes: number
}

export type OnUpload = (percent: number, isWaiting: boolean) => void

/** Uploads in progress: two runs with the same file share one. */
const running = new Map<File, Promise<string>>()

/** No room for another upload: the form takes the bytes itself. */
const isFull = (error: unknown): boolean => error instanceof ApiError && error.code === 'TOO_MANY_UPLOADS'

async function uploaded(
  file: File,
  onSent: (bytes: number, isWaiting: boolean) => void,
  stop: AbortSignal,
): Promise<string> {
  const other = running.get(file)
  if (other) {
    // It may end with a cancel of the other run; this one then does it itself.
    await other.catch(() => undefined)
    const place = onServer(file)
    if (place && 'uploadId' in place) return place.uploadId
    if (stop.aborted) throw aborted()
    return uploaded(file, onSent, stop)
  }
  const work = import('./large-upload.ts').then(({ uploadLarge }) => uploadLarge(file, onSent, stop))
  running.set(file, work)
  try {
    const uploadId = await work
    noteOnServer(file, { uploadId })
    return uploadId
  } finally {
    running.delete(file)
  }
}

/**
 * Uploads the large files of a request that the server does not have.
 * @param leastBytes files from this size on are uploaded before the form
 * @throws ApiError, OfflineError, an AbortError after a stop
 */
export async function prepare(
  upload: Pick<Upload, 'files'>,
  onUpload: OnUpload,
  stop: AbortSignal,
  leastBytes = LARGE_BYTES,
): Promise<Prepared> {
  const parts: Part[] = []
  const isNew = upload.files.filter(({ file }) => !onServer(file))
  const allBytes = isNew.reduce((sum, { file }) => sum + file.size, 0)
  let sentBytes = 0
  for (const [at, { field, file }] of upload.files.entries()) {
    const place = onServer(file)
    if (place) parts.push({ field, at, ...place })
    else if (file.size < leastBytes) parts.push({ field, file })
    else {
      const onSent = (bytes: number, isWaiting: boolean): void =>
        onUpload(((sentBytes + bytes) / allBytes) * 100, isWaiting)
      try {
        parts.push({ field, at, uploadId: await uploaded(file, onSent, stop) })
        sentBytes += file.size
      } catch (error) {
        if (!isFull(error)) throw error
        parts.push({ field, file })
      }
    }
  }
  return { parts, sentBytes, allBytes }
}
