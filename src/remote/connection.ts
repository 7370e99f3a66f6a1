import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { retryDelayMs, withJitter } from '../client/pause.ts'
import type { ServerClient, ServerRequest } from '../engines/http/http.ts'
import { MediaprocError, toMediaprocError } from '../errors.ts'
import { serverFailure } from './failure.ts'

/** A server that is away, or busy, is tried again for this long, in milliseconds. */
const PATIENCE_MS = { away: 15_000, unwell: 60_000, busy: 600_000 }
/** Delay before the first repetition, and the longest one, in milliseconds. */
const PAUSE_MS = { first: 250, most: 30_000 }
/** Most bytes of a JSON response that are read: reports of tools are far smaller. */
const MAX_JSON_BYTES = 256 * 1024 * 1024

/** Answers of a server, or of a proxy before it, that will pass. */
const BUSY: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** Failures with such a status that do not pass by themselves. */
const FINAL: ReadonlySet<string> = new Set(['TOO_MANY_UPLOADS'])

export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Readable
}

/** Whether the connection was lost, and the request may be repeated: other answers have no cause. */
export const isLost = (error: unknown): boolean =>
  error instanceof MediaprocError && error.code === 'SERVER_UNREACHABLE' && error.cause !== undefined

/** One request; what can be sent only once is a function that creates it. */
export interface Call {
  headers?: Readonly<Record<string, string>>
  body?: () => ServerRequest['body'] | Promise<ServerRequest['body']>
  signal: AbortSignal
  /** It must not be repeated after it may have arrived: a lost connection is an error then. */
  isOnce?: boolean
  /** Further statuses that are answers and not failures. */
  accepted?: readonly number[]
}

async function bytesOf(body: Readable): Promise<Buffer> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of body as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > MAX_JSON_BYTES) throw new MediaprocError('SERVER_UNREACHABLE', 'The answer of the server is too long')
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** The JSON of an answer; undefined if it has none. */
export async function jsonOf({ body }: Answer): Promise<Record<string, unknown> | undefined> {
  const text = (await bytesOf(body)).toString('utf8')
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** How long to wait before a repetition, in milliseconds: as the server asks, or longer each time. */
function pauseMs(attempt: number, headers: Answer['headers'] = {}): number {
  const ms = retryDelayMs([headers['retry-after']].flat()[0], attempt, PAUSE_MS.first)
  return Math.min(PAUSE_MS.most, withJitter(ms))
}

/** A server with the caller's key. The key is sent to this address only: redirects are not followed. */
export class Connection {
  readonly address: string
  readonly #key: string | undefined
  #client: Promise<ServerClient> | undefined
  readonly #last: Promise<unknown>[] = []

  /** @param address from `serverAddress` */
  constructor(address: string, key: string | undefined) {
    this.address = address
    this.#key = key
  }

  /**
   * Sends a request, and repeats it while the server is away or busy.
   * @param path below the address, with a slash
   * @throws MediaprocError of the server's answer; SERVER_UNREACHABLE, OFFLINE, CANCELED
   */
  async send(method: string, path: string, call: Call): Promise<Answer> {
    const begun = performance.now()
    for (let attempt = 0; ; attempt += 1) {
      const elapsed = performance.now() - begun
      const answer = await this.#attempt(method, path, call).catch((error: unknown) => {
        const failure = this.#lost(error, call.signal)
        if (!isLost(failure) || call.isOnce || elapsed > PATIENCE_MS.away) throw failure
        return undefined
      })
      if (answer && !BUSY.has(answer.status)) return this.#checked(answer, call)
      if (answer) {
        const failure = serverFailure(await jsonOf(answer), answer.status, this.address)
        if (FINAL.has(failure.code) || elapsed > (answer.status === 429 ? PATIENCE_MS.busy : PATIENCE_MS.unwell))
          throw failure
      }
      const ms = pauseMs(attempt, answer?.headers)
      await wait(ms, undefined, { signal: call.signal }).catch(() => {
        throw toMediaprocError(call.signal.reason, 'CANCELED')
      })
    }
  }

  /** A result. A server whose storage has the file redirects to it; the key is not sent there. */
  async download(path: string, call: Call): Promise<Answer> {
    const answer = await this.send('GET', path, { ...call, accepted: [302, 307] })
    const { status, headers } = answer
    if (status < 300) return answer
    answer.body.resume()
    const client = await this.#open()
    const { statusCode, ...found } = await client.send(new URL(String(headers.location)), {
      method: 'GET',
      headers: call.headers ?? {},
      signal: call.signal,
    })
    return this.#checked({ status: statusCode, headers: found.headers, body: found.body }, call)
  }

  /** The JSON that a request answers. */
  async json(method: string, path: string, call: Call & { data?: unknown }): Promise<Record<string, unknown>> {
    const { data, ...rest } = call
    const headers = { accept: 'application/json', ...(data !== undefined && { 'content-type': 'application/json' }) }
    const answer = await this.send(method, path, {
      ...rest,
      headers: { ...headers, ...rest.headers },
      ...(data !== undefined && { body: () => JSON.stringify(data) }),
    })
    const value = await jsonOf(answer)
    if (!value) throw serverFailure(undefined, answer.status, this.address)
    return value
  }

  /** Work that ends by itself, such as the cancellation of a job: the connections stay open for it. */
  beforeClose(work: Promise<unknown>): void {
    this.#last.push(work)
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#last)
    await (await this.#client)?.close()
  }

  #open(): Promise<ServerClient> {
    this.#client ??= import('../engines/http/http.ts').then(({ openServerClient }) => openServerClient())
    return this.#client
  }

  async #attempt(method: string, path: string, { headers, body, signal }: Call): Promise<Answer> {
    const client = await this.#open()
    const { statusCode, ...answer } = await client.send(new URL(`${this.address}${path}`), {
      method,
      headers: { ...(this.#key !== undefined && { authorization: `Bearer ${this.#key}` }), ...headers },
      body: (await body?.()) ?? null,
      signal,
    })
    return { status: statusCode, headers: answer.headers, body: answer.body }
  }

  async #checked(answer: Answer, { accepted = [] }: Call): Promise<Answer> {
    const { status } = answer
    if ((status >= 200 && status < 300) || accepted.includes(status)) return answer
    if (status >= 300 && status < 400) {
      await bytesOf(answer.body).catch(() => undefined)
      throw new MediaprocError(
        'SERVER_UNREACHABLE',
        `${this.address} redirects to another address, which is not followed`,
        {
          hint: 'Name the final address of the server.',
        },
      )
    }
    throw serverFailure(await jsonOf(answer), status, this.address)
  }

  #lost(error: unknown, signal: AbortSignal): MediaprocError {
    if (signal.aborted) return toMediaprocError(signal.reason, 'CANCELED')
    if (error instanceof MediaprocError) return error
    // The input changed, or cannot be read.
    const { syscall } = (error ?? {}) as { syscall?: string }
    if (syscall === 'open' || syscall === 'read') return toMediaprocError(error)
    return new MediaprocError('SERVER_UNREACHABLE', `${this.address} does not answer`, {
      detail: error instanceof Error ? error.message : String(error),
      cause: error,
    })
  }
}
