import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { BlobFacts } from '../../store/blobs.ts'

/** Validators of a resource: entity tag and modification date (RFC 9110, section 8.8). */
export interface Version {
  etag: string
  /** In whole seconds, as HTTP writes it. */
  lastModified: string
}

/** Bytes under a key never change in place, so time and size identify them. The key may be an internal path. */
export function versionOf(key: string, { size, modifiedMs }: BlobFacts): Version {
  const hash = createHash('sha256').update(`${key} ${size} ${modifiedMs}`).digest('base64url').slice(0, 22)
  return { etag: `"${hash}"`, lastModified: new Date(modifiedMs).toUTCString() }
}

/** Whether a client has a copy, which may be current. */
export const isConditional = ({ headers }: FastifyRequest): boolean =>
  headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined

const seconds = (date: string | undefined): number => Math.floor(Date.parse(date ?? '') / 1000)

/** Whether the client's copy is current: If-None-Match takes precedence over If-Modified-Since. */
export function isKnown(
  { headers, method }: FastifyRequest,
  { etag, lastModified }: Pick<Version, 'etag'> & Partial<Version>,
): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  const known = headers['if-none-match']
  if (known !== undefined) {
    const tags = known.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
    return tags.includes('*') || tags.includes(etag)
  }
  return lastModified !== undefined && seconds(lastModified) <= seconds(headers['if-modified-since'])
}

/** Whether a range may be sent: not if the client's part is from other content (If-Range). */
export function mayGoOn({ headers }: FastifyRequest, { etag, lastModified }: Version): boolean {
  const known = headers['if-range']
  if (known === undefined) return true
  // A weak tag does not guarantee identical bytes, so it never matches here.
  return typeof known === 'string' && (known.trim() === etag || known.trim() === lastModified)
}
