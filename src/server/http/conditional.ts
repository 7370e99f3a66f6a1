import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { BlobFacts } from '../../store/blobs.ts'

/** What tells one content of an address from another (RFC 9110, section 8.8). */
export interface Version {
  etag: string
  /** To the second, as HTTP writes it. */
  lastModified: string
}

/** Bytes under a key are never changed in place: their time and size name them. The key itself may be a path of ours. */
export function versionOf(key: string, { size, modifiedMs }: BlobFacts): Version {
  const hash = createHash('sha256').update(`${key} ${size} ${modifiedMs}`).digest('base64url').slice(0, 22)
  return { etag: `"${hash}"`, lastModified: new Date(modifiedMs).toUTCString() }
}

const seconds = (date: string | undefined): number => Math.floor(Date.parse(date ?? '') / 1000)

/** Whether the client has this content: If-None-Match decides where it is sent, else If-Modified-Since. */
export function isKnown({ headers, method }: FastifyRequest, { etag, lastModified }: Version): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  const known = headers['if-none-match']
  if (known !== undefined) {
    const tags = known.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
    return tags.includes('*') || tags.includes(etag)
  }
  return seconds(lastModified) <= seconds(headers['if-modified-since'])
}

/** Whether a part may be sent to a client that has another part: not when that was of another content (If-Range). */
export function mayGoOn({ headers }: FastifyRequest, { etag, lastModified }: Version): boolean {
  const known = headers['if-range']
  if (known === undefined) return true
  // A weak tag does not promise the same bytes, and so matches nothing.
  return typeof known === 'string' && (known.trim() === etag || known.trim() === lastModified)
}
