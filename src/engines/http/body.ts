import type { IncomingHttpHeaders } from 'node:http'
import { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { MediaprocError } from '../../errors.ts'
import { limitExceeded } from '../../limit-exceeded.ts'
import { shownUrl } from './guard.ts'

export const MEGABYTE = 1_000_000

/** Servers can compress although the request forbids it. */
export function decoders(headers: IncomingHttpHeaders): Transform[] {
  switch (String(headers['content-encoding'] ?? 'identity').toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return [createGunzip()]
    case 'deflate':
      return [createInflate()]
    case 'br':
      return [createBrotliDecompress()]
    default:
      return []
  }
}

/** The error of a response that is larger than a limit in bytes. */
export function tooLarge(url: URL, limit: number): MediaprocError {
  const sentence = `${shownUrl(url)} is larger than the limit of ${limit / MEGABYTE} MB`
  return limitExceeded(sentence, { variable: 'MAX_DOWNLOAD_SIZE_MB' }, 'FILE_TOO_LARGE')
}

/** Passes bytes through up to a limit, and counts them. */
export function counter(url: URL, limit: number): Transform & { total: number } {
  const stream = Object.assign(
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        stream.total += chunk.length
        done(stream.total > limit ? tooLarge(url, limit) : null, chunk)
      },
    }),
    { total: 0 },
  )
  return stream
}
