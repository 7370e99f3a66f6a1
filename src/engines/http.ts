import { lookup as resolveName } from 'node:dns'
import { createWriteStream } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { isIP, type LookupFunction } from 'node:net'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { environmentNumber, environmentText } from '../environment.ts'
import { MediaprocError, toMediaprocError } from '../errors.ts'
import { downloadName } from './http-name.ts'
import { isPublicAddress } from './private-network.ts'

const MAX_REDIRECTS = 5
/** Waiting for the connection, for the first byte of the answer, and between two pieces of it. In milliseconds. */
const TIMEOUTS = { connect: 10_000, headers: 30_000, body: 30_000 }
const REDIRECTS = new Set([301, 302, 303, 307, 308])
const MEGABYTE = 1_000_000

export interface Download {
  path: string
  /** Its name for people and for naming outputs, from the answer or the address. */
  name: string
  bytes: number
}

/** An address as it may be shown: without a password, query or fragment, where secrets are often kept. */
export function shownUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`
}

const privateAllowed = (): boolean => environmentText('MEDIAPROC_ALLOW_PRIVATE_HOSTS') === '1'

function refuse(host: string): MediaprocError {
  return new MediaprocError('URL_REFUSED', `${host} is not a host of the public Internet`, {
    hint: 'MEDIAPROC_ALLOW_PRIVATE_HOSTS=1 allows addresses of private networks.',
  })
}

/** Resolves for a connection: every address must be allowed, and exactly these are connected to. */
const guardedLookup: LookupFunction = (host, options, done) => {
  resolveName(host, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, '', 4)
    if (!privateAllowed() && !addresses.every(({ address }) => isPublicAddress(address)))
      return done(refuse(host), '', 4)
    if (options.all) return done(null, addresses)
    done(null, addresses[0]!.address, addresses[0]!.family)
  })
}

/** Checks what can be seen of an address before a connection. @throws MediaprocError URL_REFUSED */
function checkUrl(text: string, base?: URL): URL {
  const url = URL.canParse(text, base?.href) ? new URL(text, base) : undefined
  if (!url) throw new MediaprocError('URL_REFUSED', 'This is not a valid address')
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new MediaprocError('URL_REFUSED', `${shownUrl(url)} is not an http or https address`)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // A host that is an address is connected to without any lookup.
  if (isIP(host) !== 0 && !privateAllowed() && !isPublicAddress(host)) throw refuse(host)
  return url
}

function requestHeaders(url: URL, first: URL): Record<string, string> {
  const headers: Record<string, string> = { 'user-agent': 'mediaproc', accept: '*/*', 'accept-encoding': 'identity' }
  // A password in the address goes to the host that it was meant for and to no other.
  if (first.username !== '' && url.origin === first.origin) {
    const pair = `${decodeURIComponent(first.username)}:${decodeURIComponent(first.password)}`
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`
  }
  return headers
}

async function request(
  url: URL,
  first: URL,
  dispatcher: Dispatcher,
  signal: AbortSignal | undefined,
): Promise<Dispatcher.ResponseData> {
  const { request: send } = await import('undici')
  const plain = new URL(url)
  plain.username = ''
  plain.password = ''
  return send(plain, { dispatcher, signal, headers: requestHeaders(url, first) })
}

/** Follows redirects, each of which is checked like the first address. */
async function answerOf(
  text: string,
  dispatcher: Dispatcher,
  signal: AbortSignal | undefined,
): Promise<{ url: URL; answer: Dispatcher.ResponseData }> {
  const first = checkUrl(text)
  let url = first
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const answer = await request(url, first, dispatcher, signal)
    const { location } = answer.headers
    if (!REDIRECTS.has(answer.statusCode) || typeof location !== 'string') {
      if (answer.statusCode >= 200 && answer.statusCode < 300) return { url, answer }
      await answer.body.dump()
      throw new MediaprocError('DOWNLOAD_FAILED', `${shownUrl(url)} answered with the status ${answer.statusCode}`)
    }
    await answer.body.dump()
    url = checkUrl(location, url)
  }
  throw new MediaprocError('DOWNLOAD_FAILED', `${shownUrl(first)} leads to more than ${MAX_REDIRECTS} redirects`)
}

/** Servers may compress although they are asked not to. */
function decoders(headers: IncomingHttpHeaders): Transform[] {
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

function tooLarge(url: URL, limit: number): MediaprocError {
  return new MediaprocError('FILE_TOO_LARGE', `${shownUrl(url)} is larger than the limit of ${limit / MEGABYTE} MB`, {
    hint: 'Raise the limit with MAX_DOWNLOAD_SIZE_MB.',
  })
}

function counter(url: URL, limit: number): Transform & { total: number } {
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

/** The error that a person should see: ours, however deep the library has wrapped it. */
function downloadError(error: unknown, text: string): MediaprocError {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof MediaprocError) return cause
    if (cause.name === 'AbortError' || cause.name === 'TimeoutError') return toMediaprocError(cause)
    if ((cause as NodeJS.ErrnoException).code === 'ENOSPC') return toMediaprocError(cause)
  }
  return new MediaprocError('DOWNLOAD_FAILED', `${shownUrl(new URL(text))} could not be fetched`, {
    detail: error instanceof Error ? error.message : String(error),
    cause: error,
  })
}

/**
 * Fetches an http or https address into `folder`. Only hosts of the public Internet, unless MEDIAPROC_ALLOW_PRIVATE_HOSTS
 * is 1; every address that a name resolves to is checked, the connection goes to a checked one, and so for each of at
 * most 5 redirects. The size limit MAX_DOWNLOAD_SIZE_MB, or `maxBytes` where that is less, holds for the decompressed
 * bytes; they go straight to disk.
 * @throws MediaprocError OFFLINE, URL_REFUSED, FILE_TOO_LARGE, DOWNLOAD_FAILED, CANCELED
 */
export async function download(
  text: string,
  folder: string,
  { signal, maxBytes }: { signal?: AbortSignal; maxBytes?: number } = {},
): Promise<Download> {
  if (!['', '0'].includes(environmentText('MEDIAPROC_OFFLINE'))) throw new MediaprocError('OFFLINE')
  const own = environmentNumber('MAX_DOWNLOAD_SIZE_MB') * MEGABYTE || Number.POSITIVE_INFINITY
  const limit = Math.min(own, maxBytes ?? own)
  const { Agent } = await import('undici')
  const agent = new Agent({
    connect: { lookup: guardedLookup, timeout: TIMEOUTS.connect },
    headersTimeout: TIMEOUTS.headers,
    bodyTimeout: TIMEOUTS.body,
  })
  try {
    const { url, answer } = await answerOf(text, agent, signal)
    if (Number(answer.headers['content-length']) > limit) throw tooLarge(url, limit)
    const name = downloadName(url, answer.headers['content-disposition'])
    const path = join(folder, name)
    const count = counter(url, limit)
    await pipeline([answer.body, ...decoders(answer.headers), count, createWriteStream(path, { flags: 'wx' })], {
      signal,
    })
    return { path, name, bytes: count.total }
  } catch (error) {
    throw downloadError(error, text)
  } finally {
    await agent.destroy()
  }
}
