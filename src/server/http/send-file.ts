import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { MediaprocError } from '../../errors.ts'
import { extensionOf } from '../../media/file.ts'
import { mimeOf } from '../../media/type.ts'
import type { BlobFacts, BlobPlace, Blobs, ByteRange } from '../../store/blobs.ts'
import { notFound } from './answers.ts'
import { isKnown, mayGoOn, versionOf } from './conditional.ts'

/** Percent-encoding of RFC 8187 for header values. */
const encoded = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

/** Always a download, never shown by a browser under our address. */
export function attachment(name: string): string {
  return `attachment; filename="${encoded(name)}"; filename*=UTF-8''${encoded(name)}`
}

/** The type by the name; text says that it is UTF-8. */
export function contentType(name: string): string {
  const mime = mimeOf(extensionOf(name)) || 'application/octet-stream'
  return mime.startsWith('text/') ? `${mime}; charset=utf-8` : mime
}

/**
 * One range of RFC 9110: `bytes=a-b`, `bytes=a-` or `bytes=-n`. undefined when none is asked for; several ranges are
 * answered with the whole, as the RFC allows.
 */
function rangeOf(header: string | undefined, size: number): ByteRange | 'bad' | undefined {
  // Of units that are not known the RFC says the same.
  if (header === undefined || header.includes(',') || !/^\s*bytes\s*=/i.test(header)) return undefined
  const match = /^bytes=(\d*)-(\d*)$/i.exec(header.trim())
  if (!match || (match[1] === '' && match[2] === '')) return 'bad'
  const [, first, last] = match as unknown as [string, string, string]
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'bad' : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  return start >= size || start > end ? 'bad' : { start, end }
}

/** How a download is named and kept by caches. */
export interface Sent {
  name: string
  mime?: string
  cache?: string
}

/** What is no larger is sent from memory. */
const SMALL_BYTES = 256 * 1024

/** Bytes that are sent: how many there are now, and a part of them. */
interface Source {
  /** What tells it from other sources, for caches. */
  key: string
  stat(): Promise<BlobFacts | undefined>
  /** All of them, where they are few. */
  small?(): ReturnType<Blobs['small']>
  open(range?: ByteRange): Promise<Readable>
}

/**
 * Sends what the store keeps as a download, whole or in part.
 * @throws MediaprocError NOT_FOUND when it is gone, RANGE_NOT_SATISFIABLE
 */
export function sendBlob(
  request: FastifyRequest,
  reply: FastifyReply,
  { blobs, key }: BlobPlace,
  sent: Sent,
): Promise<FastifyReply> {
  const source = {
    key,
    stat: () => blobs.stat(key),
    small: () => blobs.small(key, SMALL_BYTES),
    open: (range?: ByteRange) => blobs.open(key, range),
  }
  return sendSource(request, reply, source, sent)
}

/**
 * Sends a file of this machine that is not the store's: one of the package, or one that was made for this answer.
 * @throws MediaprocError as `sendBlob`
 */
export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { path, ...sent }: Sent & { path: string },
): Promise<FastifyReply> {
  const about = async (): Promise<BlobFacts | undefined> => {
    const found = await stat(path).catch(() => undefined)
    return found?.isFile() ? { size: found.size, modifiedMs: found.mtimeMs } : undefined
  }
  return sendSource(
    request,
    reply,
    { key: path, stat: about, open: async (range) => createReadStream(path, range) },
    sent,
  )
}

async function sendSource(
  request: FastifyRequest,
  reply: FastifyReply,
  source: Source,
  { name, mime = contentType(name), cache = 'private, no-store' }: Sent,
): Promise<FastifyReply> {
  const isWhole = request.method === 'GET' && request.headers.range === undefined
  const small = isWhole ? await source.small?.() : undefined
  const about = small ? { size: small.bytes.length, modifiedMs: small.modifiedMs } : await source.stat()
  if (about === undefined) throw notFound()
  const { size } = about
  const version = versionOf(source.key, about)
  reply.headers({ etag: version.etag, 'last-modified': version.lastModified, 'cache-control': cache })
  if (isKnown(request, version)) return reply.code(304).send()
  reply.headers({
    'content-type': mime,
    'content-disposition': attachment(name),
    'accept-ranges': 'bytes',
    'x-accel-buffering': 'no',
  })
  if (small) return reply.send(small.bytes)
  // RFC 9110, section 14.2: a range means something for GET only.
  const wantsPart = request.method === 'GET' && mayGoOn(request, version)
  const range = wantsPart ? rangeOf(request.headers.range, size) : undefined
  if (range === 'bad') {
    reply.removeHeader('content-disposition')
    reply.headers({ 'content-range': `bytes */${size}`, 'content-type': 'application/json; charset=utf-8' })
    throw new MediaprocError('RANGE_NOT_SATISFIABLE', `The file has ${size} bytes`)
  }
  if (!range) {
    reply.header('content-length', size)
    // For HEAD a stream: of text the framework would count the bytes, and say that the file has none.
    return reply.send(request.method === 'HEAD' ? Readable.from([]) : await source.open())
  }
  reply.code(206).headers({
    'content-range': `bytes ${range.start}-${range.end}/${size}`,
    'content-length': range.end - range.start + 1,
  })
  return reply.send(await source.open(range))
}
