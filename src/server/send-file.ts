import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { MediaprocError } from '../errors.ts'
import { extensionOf } from '../media/file.ts'
import { mimeOf } from '../media/type.ts'
import { notFound } from './answer.ts'

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

interface ByteRange {
  start: number
  /** The last byte, included. */
  end: number
}

/**
 * One range of RFC 9110: `bytes=a-b`, `bytes=a-` or `bytes=-n`. undefined when none is asked for; several ranges are
 * answered with the whole, as the RFC allows.
 */
function rangeOf(header: string | undefined, size: number): ByteRange | 'bad' | undefined {
  if (header === undefined || header.includes(',')) return undefined
  const match = /^bytes=(\d*)-(\d*)$/.exec(header.trim())
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

export interface SentFile {
  path: string
  name: string
  mime?: string
  cache?: string
}

/**
 * Sends a file as a download, whole or in part.
 * @throws MediaprocError NOT_FOUND when it is gone, RANGE_NOT_SATISFIABLE
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { path, name, mime = contentType(name), cache = 'private, no-store' }: SentFile,
): Promise<FastifyReply> {
  const about = await stat(path).catch(() => undefined)
  if (!about?.isFile()) throw notFound()
  const { size } = about
  reply.headers({
    'content-type': mime,
    'content-disposition': attachment(name),
    'accept-ranges': 'bytes',
    'cache-control': cache,
    'x-accel-buffering': 'no',
  })
  // RFC 9110, section 14.2: a range means something for GET only.
  const range = request.method === 'GET' ? rangeOf(request.headers.range, size) : undefined
  if (range === 'bad') {
    reply.removeHeader('content-disposition')
    reply.headers({ 'content-range': `bytes */${size}`, 'content-type': 'application/json; charset=utf-8' })
    throw new MediaprocError('RANGE_NOT_SATISFIABLE', `The file has ${size} bytes`)
  }
  if (!range) {
    reply.header('content-length', size)
    // For HEAD a stream: of text the framework would count the bytes, and say that the file has none.
    return reply.send(request.method === 'HEAD' ? Readable.from([]) : createReadStream(path))
  }
  reply.code(206).headers({
    'content-range': `bytes ${range.start}-${range.end}/${size}`,
    'content-length': range.end - range.start + 1,
  })
  return reply.send(createReadStream(path, range))
}
