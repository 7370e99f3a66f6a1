import { pause } from './pause.ts'

/** Interrupted attempts without progress, after which an upload fails. */
const MAX_FAILURES = 5
/** Delay after an interruption, in milliseconds; longer each time. */
const PAUSE_MS = 500

/** Version of the protocol, a header of each of its requests. */
export const TUS = { 'tus-resumable': '1.0.0' } as const
/** Type of the bytes of an upload. */
export const UPLOAD_BYTES = 'application/offset+octet-stream'

/** Base64 of UTF-8, as the header `Upload-Metadata` has it. */
const base64 = (text: string): string =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''))

/** The header `Upload-Metadata`. */
export const uploadMetadata = (metadata: Readonly<Record<string, string>>): string =>
  Object.entries(metadata)
    .map(([key, value]) => `${key} ${base64(value)}`)
    .join(',')

/** The requests of one upload. */
export interface UploadRequests {
  /** Sends bytes from the offset on. Returns the offset after them. */
  append(offset: number): Promise<number>
  /** How many bytes the server has. */
  offset(): Promise<number>
  /** Whether the upload may continue after this error of a request: that of bytes, or that for the offset. */
  isInterrupted(error: unknown, request: 'append' | 'offset'): boolean
  /** The error of an upload that the server has lost. */
  lost(): Error
  onProgress?: ((fraction: number) => void) | undefined
  signal?: AbortSignal | undefined
}

/**
 * Sends the bytes of an upload; after a lost connection, those that have not arrived.
 * @param from how many bytes the server has
 * @throws the reason of the signal; an error of the requests
 */
export async function sendBytes(
  { append, offset: arrived, isInterrupted, lost, onProgress, signal }: UploadRequests,
  bytes: number,
  from = 0,
): Promise<void> {
  let offset = from
  let isUnsure = false
  for (let failures = 0; offset < bytes; ) {
    const before = offset
    try {
      offset = isUnsure ? await arrived() : await append(offset)
    } catch (error) {
      signal?.throwIfAborted()
      failures += 1
      if (!isInterrupted(error, isUnsure ? 'offset' : 'append') || failures >= MAX_FAILURES) throw error
      isUnsure = true
      await pause(PAUSE_MS * failures, signal)
      continue
    }
    if (!Number.isSafeInteger(offset) || (offset <= before && !isUnsure)) throw lost()
    isUnsure = false
    if (offset <= before) continue
    failures = 0
    onProgress?.(offset / bytes)
  }
}
