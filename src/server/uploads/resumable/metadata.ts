import { safeFileName } from '../../../media/safe-file-name.ts'

/** Longest Upload-Metadata header, in characters: a name of 1 KB in Base64, and what clients add. */
export const MAX_METADATA = 4096

const SHA256 = /^[0-9a-f]{64}$/
const MIME = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/

/** What the header says of a file. */
export interface UploadMetadata {
  /** Sanitized. */
  name: string
  mime: string
  /** The SHA-256 of the file in hex, if the client announces it. */
  sha256?: string
}

/** Whether a header is a list of `key base64` pairs; the value is optional. */
export const isMetadata = (header: string): boolean =>
  header.length <= MAX_METADATA && /^(?:[^\s,]+(?: +[A-Za-z0-9+/]*={0,2})?(?:, *|$))*$/.test(header)

/** Reads the name and the type that clients send: `filename` and `filetype`, or `name` and `type`. */
export function metadataOf(header: string): UploadMetadata {
  const pairs = header.split(',').map((pair) => pair.trim().split(/ +/, 2))
  const values = new Map(
    pairs.map(([key = '', value = '']) => [key.toLowerCase(), Buffer.from(value, 'base64').toString()]),
  )
  const sha256 = values.get('sha256') ?? ''
  const mime = values.get('filetype') ?? values.get('type') ?? ''
  return {
    name: safeFileName(values.get('filename') ?? values.get('name')),
    mime: MIME.test(mime) ? mime : 'application/octet-stream',
    ...(SHA256.test(sha256) && { sha256 }),
  }
}
