import { createWriteStream } from 'node:fs'
import type { LookupFunction } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Agent, Dispatcher } from 'undici'
import { environmentNumber, environmentProxy, environmentText } from '../../environment.ts'
import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { counter, decoders, MEGABYTE, tooLarge } from './body.ts'
import { checkUrl, guardedLookup, MAX_REDIRECTS, REDIRECTS, shownUrl } from './guard.ts'
import { downloadName } from './name.ts'

/** Timeouts for the connection, for the first byte of the response, and between two chunks. In milliseconds. */
const TIMEOUTS = { connect: 10_000, headers: 30_000, body: 30_000 }

export { shownUrl } from './guard.ts'

export interface Download {
  path: string
  /** Display name, also used for output names, from the response or the URL. */
  name: string
  bytes: number
}

function requestHeaders(url: URL, first: URL, further: Readonly<Record<string, string>>): Record<string, string> {
  const usual = { 'user-agent': 'mediaproc', accept: '*/*', 'accept-encoding': 'identity' }
  const headers: Record<string, string> = { ...usual, ...further }
  // A password in the URL is sent only to its own host.
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
  headers: Readonly<Record<string, string>>,
): Promise<Dispatcher.ResponseData> {
  const { request: send } = await import('undici')
  const plain = new URL(url)
  plain.username = ''
  plain.password = ''
  return send(plain, { dispatcher, signal, headers: requestHeaders(url, first, headers) })
}

/** @throws MediaprocError OFFLINE */
export function checkOnline(): void {
  if (!['', '0'].includes(environmentText('MEDIAPROC_OFFLINE'))) throw new MediaprocError('OFFLINE')
}

/** Connections restricted by the guard. @param lookup of names; by default as for downloads */
async function guardedAgent(lookup = guardedLookup): Promise<Agent> {
  const { Agent } = await import('undici')
  return new Agent({
    connect: { lookup, timeout: TIMEOUTS.connect },
    headersTimeout: TIMEOUTS.headers,
    bodyTimeout: TIMEOUTS.body,
  })
}

/**
 * Connections to URLs from the manifests: through the proxy from the environment if there is one, which resolves names
 * itself; otherwise guarded like all others.
 */
export async function manifestAgent(): Promise<Dispatcher> {
  const [httpsProxy, httpProxy] = [environmentProxy('HTTPS_PROXY'), environmentProxy('HTTP_PROXY')]
  if (httpsProxy === '' && httpProxy === '') return guardedAgent()
  const { EnvHttpProxyAgent } = await import('undici')
  return new EnvHttpProxyAgent({
    ...{ httpsProxy, httpProxy, noProxy: environmentProxy('NO_PROXY') },
    ...{ headersTimeout: TIMEOUTS.headers, bodyTimeout: TIMEOUTS.body },
  })
}

/** Sends one request over a connection of its own, and closes that when the response was handled. */
export async function sendOnce<R>(
  url: URL,
  options: Pick<Dispatcher.RequestOptions, 'method' | 'headers' | 'body'> & { signal: AbortSignal },
  lookup: LookupFunction,
  handle: (answer: Dispatcher.ResponseData) => Promise<R>,
): Promise<R> {
  const { request } = await import('undici')
  const dispatcher = await guardedAgent(lookup)
  try {
    return await handle(await request(url, { ...options, dispatcher }))
  } finally {
    await dispatcher.destroy()
  }
}

/** Follows redirects, each checked like the first URL. */
export async function answerOf(
  text: string,
  dispatcher: Dispatcher,
  signal: AbortSignal | undefined,
  headers: Readonly<Record<string, string>> = {},
  accepted: readonly number[] = [],
): Promise<{ url: URL; answer: Dispatcher.ResponseData }> {
  const first = checkUrl(text)
  let url = first
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const answer = await request(url, first, dispatcher, signal, headers)
    const { location } = answer.headers
    if (!REDIRECTS.has(answer.statusCode) || typeof location !== 'string') {
      if ((answer.statusCode >= 200 && answer.statusCode < 300) || accepted.includes(answer.statusCode))
        return { url, answer }
      await answer.body.dump()
      throw new MediaprocError('DOWNLOAD_FAILED', `${shownUrl(url)} answered with the status ${answer.statusCode}`)
    }
    await answer.body.dump()
    url = checkUrl(location, url)
  }
  throw new MediaprocError('DOWNLOAD_FAILED', `${shownUrl(first)} has more than ${MAX_REDIRECTS} redirects`)
}

/** The error to report to the user: ours, however deeply the library has wrapped it. */
export function downloadError(error: unknown, text: string): MediaprocError {
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
 * Downloads an http or https URL to `folder`. Only public Internet hosts, unless MEDIAPROC_ALLOW_PRIVATE_HOSTS is 1;
 * every address that a name resolves to is checked, and the connection uses a checked one, also for each of at most 5
 * redirects. The size limit MAX_DOWNLOAD_SIZE_MB, or `maxBytes` if smaller, applies to the decompressed bytes, which
 * are streamed to disk.
 * @throws MediaprocError OFFLINE, URL_REFUSED, FILE_TOO_LARGE, DOWNLOAD_FAILED, CANCELED
 */
export async function download(
  text: string,
  folder: string,
  { signal, maxBytes }: { signal?: AbortSignal; maxBytes?: number } = {},
): Promise<Download> {
  checkOnline()
  const own = environmentNumber('MAX_DOWNLOAD_SIZE_MB') * MEGABYTE || Number.POSITIVE_INFINITY
  const limit = Math.min(own, maxBytes ?? own)
  const agent = await guardedAgent()
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

export interface GuardedRequest {
  method: string
  headers: Readonly<Record<string, string>>
  body?: Uint8Array | null
  signal: AbortSignal
  /** Maximum body size, in bytes. */
  maxBytes: number
}

export interface GuardedAnswer {
  status: number
  headers: Record<string, string>
  body: Buffer
}

/** Headers that belong to the connection, or describe a content encoding that is removed here. */
const OF_THE_CONNECTION = new Set([
  'content-encoding',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
])

/** Guarded connections for a browser that must not open its own. Close it at the end. */
export interface GuardedClient {
  /**
   * Sends one request unchanged; a redirect is returned like any other response.
   * @throws MediaprocError OFFLINE, URL_REFUSED, FILE_TOO_LARGE, DOWNLOAD_FAILED, CANCELED
   */
  send(url: string, request: GuardedRequest): Promise<GuardedAnswer>
  close(): Promise<void>
}

/** Connections only to public hosts: every address that a name resolves to is checked, and only these are used. */
export async function openGuardedClient(): Promise<GuardedClient> {
  const { request: transmit } = await import('undici')
  const agent = await guardedAgent()
  return {
    async send(text, { method, headers, body = null, signal, maxBytes }) {
      checkOnline()
      const url = checkUrl(text)
      try {
        const own = { ...headers, 'accept-encoding': 'identity' }
        const answer = await transmit(url, {
          method: method as Dispatcher.HttpMethod,
          headers: own,
          body,
          signal,
          dispatcher: agent,
        })
        const count = counter(url, maxBytes)
        const parts: Buffer[] = []
        count.on('data', (part: Buffer) => parts.push(part))
        await pipeline([answer.body, ...decoders(answer.headers), count], { signal })
        const kept = Object.entries(answer.headers).filter(([name]) => !OF_THE_CONNECTION.has(name))
        return {
          status: answer.statusCode,
          headers: Object.fromEntries(kept.map(([name, value]) => [name, [value].flat().join('\n')])),
          body: Buffer.concat(parts),
        }
      } catch (error) {
        throw downloadError(error, text)
      }
    },
    close: () => agent.destroy(),
  }
}

/** Connections to a server that the user names, which may be in a private network. A redirect is returned unchanged. */
export interface ServerClient {
  /** @throws Error of the connection; OFFLINE */
  send(url: URL, options: ServerRequest): Promise<Dispatcher.ResponseData>
  close(): Promise<void>
}

export interface ServerRequest {
  method: string
  headers: Readonly<Record<string, string>>
  body?: string | Buffer | Readable | FormData | null
  signal: AbortSignal
}

/** An empty form: the library sends only its own kind. */
export async function emptyForm(): Promise<FormData> {
  const { FormData } = await import('undici')
  return new FormData() as unknown as globalThis.FormData
}

/** Connections without time limit for the response: the caller waits for jobs, and aborts. */
export async function openServerClient(): Promise<ServerClient> {
  const { EnvHttpProxyAgent, request: transmit } = await import('undici')
  const [httpsProxy, httpProxy] = [environmentProxy('HTTPS_PROXY'), environmentProxy('HTTP_PROXY')]
  const own = environmentProxy('NO_PROXY')
  const noProxy = [own, 'localhost', '127.0.0.1', '::1'].filter((host) => host !== '').join(',')
  const agent = new EnvHttpProxyAgent({
    ...(httpsProxy && { httpsProxy }),
    ...(httpProxy && { httpProxy }),
    ...{ noProxy, headersTimeout: 0, bodyTimeout: 0, connect: { timeout: TIMEOUTS.connect } },
  })
  return {
    async send(url, { method, headers, body = null, signal }) {
      checkOnline()
      const usual = { 'user-agent': 'mediaproc', ...headers }
      const sent = body as Dispatcher.DispatchOptions['body']
      return transmit(url, {
        method: method as Dispatcher.HttpMethod,
        headers: usual,
        body: sent,
        signal,
        dispatcher: agent,
      })
    },
    close: () => agent.destroy(),
  }
}
