import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { MediaprocError } from '../../errors.ts'
import { extensionOf } from '../../media/file.ts'
import { mimeOf } from '../../media/type.ts'
import type { BlobFacts, BlobPlace, Blobs, ByteRange } from '../../store/blobs.ts'
import { notFound } from './answers.ts'
import { isConditional, isKnown, mayGoOn, versionOf } from './conditional.ts'

/** Percent-encodes a header value (RFC 8187). */
const encoded = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

/** Always a download: a browser must not render it under this server's origin. */
export function attachment(name: string): string {
  return `attachment; filename="${encoded(name)}"; filename*=UTF-8''${encoded(name)}`
}

/** Content type by file name; text types include UTF-8. */
export function contentType(name: string): string {
  const mime = mimeOf(extensionOf(name)) || 'application/octet-stream'
  return mime.startsWith('text/') ? `${mime}; charset=utf-8` : mime
}

/**
 * Parses a single range (RFC 9110): `bytes=a-b`, `bytes=a-` or `bytes=-n`. Returns undefined without a range, and for
 * several ranges: the whole file is sent then, as the RFC allows.
 */
function rangeOf(header: string | undefined, size: number): ByteRange | 'bad' | undefined {
  // The RFC treats unknown units the same way.
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

/** Name and cache options of a download. */
export interface Sent {
  name: string
  mime?: string
  cache?: string
}

/** Largest file that is sent from memory, in bytes. */
const SMALL_BYTES = 256 * 1024

/** A download must begin within this time; it may last longer. */
const PRESIGNED = { seconds: 60 }

/** A source of bytes: its current size, and a way to read a range. */
interface Source {
  /** Identifies the source, for caches. */
  key: string
  stat(): Promise<BlobFacts | undefined>
  /** The whole content with its metadata, at less cost. */
  whole?(): ReturnType<Blobs['whole']>
  open(range?: ByteRange): Promise<Readable>
}

/**
 * Sends a stored file as a download, whole or in part.
 * @throws MediaprocError NOT_FOUND when it no longer exists, RANGE_NOT_SATISFIABLE
 */
export function sendBlob(
  request: FastifyRequest,
  reply: FastifyReply,
  { blobs, key }: BlobPlace,
  sent: Sent,
): Promise<FastifyReply> {
  // The answers of the storage cannot be cached: their addresses expire.
  if (blobs.presigned && request.method === 'GET' && sent.cache === undefined)
    return redirect(reply, { blobs, key }, sent)
  const source = {
    key,
    stat: () => blobs.stat(key),
    whole: () => blobs.whole(key, SMALL_BYTES),
    open: (range?: ByteRange) => blobs.open(key, range),
  }
  return sendSource(request, reply, source, sent)
}

/** Sends the client to the storage, which has the bytes; it also answers for ranges. */
async function redirect(
  reply: FastifyReply,
  { blobs, key }: BlobPlace,
  { name, mime = contentType(name) }: Sent,
): Promise<FastifyReply> {
  const address =
    (await blobs.stat(key)) && (await blobs.presigned?.(key, { ...PRESIGNED, mime, disposition: attachment(name) }))
  if (!address) throw notFound()
  return reply.header('cache-control', 'private, no-store').redirect(address, 302)
}

/**
 * Sends a local file from outside the store: one of the package, or one created for this response.
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
  const isWhole = request.method === 'GET' && request.headers.range === undefined && !isConditional(request)
  const whole = isWhole ? await source.whole?.() : undefined
  const about = whole ?? (await source.stat())
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
  if (whole) return reply.header('content-length', size).send(whole.content)
  // RFC 9110, section 14.2: Range applies to GET only.
  const wantsPart = request.method === 'GET' && mayGoOn(request, version)
  const range = wantsPart ? rangeOf(request.headers.range, size) : undefined
  if (range === 'bad') {
    reply.removeHeader('content-disposition')
    reply.headers({ 'content-range': `bytes */${size}`, 'content-type': 'application/json; charset=utf-8' })
    throw new MediaprocError('RANGE_NOT_SATISFIABLE', `The file has ${size} bytes`)
  }
  if (!range) {
    reply.header('content-length', size)
    // HEAD gets a stream: for text, Fastify would count the bytes and report a length of 0.
    return reply.send(request.method === 'HEAD' ? Readable.from([]) : await source.open())
  }
  reply.code(206).headers({
    'content-range': `bytes ${range.start}-${range.end}/${size}`,
    'content-length': range.end - range.start + 1,
  })
  return reply.send(await source.open(range))
}
