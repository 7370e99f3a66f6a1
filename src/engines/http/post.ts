import { type MediaprocError, toMediaprocError } from '../../errors.ts'
import { checkUrl, lookupWith, type PrivateHosts } from './guard.ts'
import { checkOnline, downloadError, sendOnce } from './http.ts'

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
  try {
    return await sendOnce(url, { method: 'POST', headers, body, signal }, lookupWith(hosts), async (answer) => {
      // The status is known: a body that is cut off does not change it.
      await answer.body.dump({ limit: MOST_READ, signal }).catch(() => {})
      return { status: answer.statusCode, retryAfter: answer.headers['retry-after']?.toString() }
    })
  } catch (error) {
    throw postError(error, text, signal)
  }
}

/** The reason of the signal takes precedence: the library reports an abort in several ways. */
const postError = (error: unknown, text: string, { aborted, reason }: AbortSignal): MediaprocError =>
  aborted ? toMediaprocError(reason, 'CANCELED') : downloadError(error, text)
