import { type MediaprocError, toMediaprocError } from '../../errors.ts'
import { checkUrl, lookupWith, type PrivateHosts } from './guard.ts'
import { checkOnline, downloadError } from './http.ts'

/** More of a response is not read, in bytes. */
const MOST_READ = 1024

export interface Post {
  headers: Readonly<Record<string, string>>
  body: string
  /** Ends the connection, whatever its state. */
  signal: AbortSignal
  hosts: PrivateHosts
}

export interface PostAnswer {
  status: number
  /** The header, if the response has one. */
  retryAfter: string | undefined
}

/**
 * Sends one request without following redirects, and ignores the body of the response. Every address that the name
 * resolves to is checked, and the connection uses a checked one.
 * @throws MediaprocError OFFLINE, URL_REFUSED, DOWNLOAD_FAILED, CANCELED, TIMEOUT
 */
export async function post(text: string, { headers, body, signal, hosts }: Post): Promise<PostAnswer> {
  checkOnline()
  const url = checkUrl(text, undefined, hosts)
  const { Agent, request } = await import('undici')
  const dispatcher = new Agent({ connect: { lookup: lookupWith(hosts) }, maxHeaderSize: 16 * MOST_READ })
  try {
    const answer = await request(url, { method: 'POST', headers, body, signal, dispatcher })
    // The status is known: a body that is cut off does not change it.
    await answer.body.dump({ limit: MOST_READ, signal }).catch(() => {})
    const { 'retry-after': retryAfter } = answer.headers
    return { status: answer.statusCode, retryAfter: retryAfter?.toString() }
  } catch (error) {
    throw postError(error, text, signal)
  } finally {
    await dispatcher.destroy()
  }
}

/** The reason of the signal takes precedence: the library reports an abort in several ways. */
const postError = (error: unknown, text: string, { aborted, reason }: AbortSignal): MediaprocError =>
  aborted ? toMediaprocError(reason, 'CANCELED') : downloadError(error, text)
