import { ApiError, apiError, isObject, unreachable } from './failure.ts'
import { pause, retryDelayMs, withJitter } from './pause.ts'

/** Answers of a server that is busy: they pass. */
const BUSY: ReadonlySet<number> = new Set([429, 503])
/** Failures with such a status that do not pass by themselves. */
const FINAL: ReadonlySet<string> = new Set(['TOO_MANY_UPLOADS'])
/** Methods that may be repeated. Others need an `Idempotency-Key`, or a protection of their own. */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE'])
/** Delay before the first repetition, and the longest one that a server may ask for, in milliseconds. */
const PAUSE_MS = { first: 500, most: 60_000 }

export interface ConnectionOptions {
  /** Address of the server, with the prefix if it has one: `https://media.example.com`. */
  url: string
  /** API key or session token. It is sent to this server only. */
  key?: string
  /**
   * How often a request is repeated that the server refused because it is busy (429 or 503), after the time that it asks
   * for; 3 by default. Requests that must not run twice are not repeated, unless they have an `Idempotency-Key`.
   */
  retries?: number
  /** Replaces the global `fetch`, for proxies and tests. */
  fetch?: (request: Request) => Promise<Response>
}

/**
 * When a request may be repeated. `refused`: if the server itself has refused it; the answer of a proxy does not say
 * whether the request arrived.
 */
type Repeat = 'always' | 'refused' | 'never'

export interface RequestOptions extends RequestInit {
  /** By default, `always` for idempotent methods, and `never` for others. */
  repeat?: Repeat
}

const repeatOf = (method: string): Repeat => (IDEMPOTENT.has(method) ? 'always' : 'never')

/** Sends requests with the key, and throws what is not a success. */
export class Connection {
  /** The address without a final slash. */
  readonly address: string
  readonly #key: string | undefined
  readonly #retries: number
  readonly #fetch: (request: Request) => Promise<Response>

  /** @throws TypeError if the address is not of http or https */
  constructor({ url, key, retries = 3, fetch = (request) => globalThis.fetch(request) }: ConnectionOptions) {
    const { protocol, href } = new URL(url)
    if (protocol !== 'https:' && protocol !== 'http:') throw new TypeError('Expected an http or https address as url')
    this.address = href.replace(/\/+$/, '')
    this.#key = key
    this.#retries = retries
    this.#fetch = fetch
  }

  /** @throws ApiError; the reason of the request's signal if it was aborted */
  send(request: Request): Promise<Response> {
    const repeat = request.headers.has('idempotency-key') ? 'always' : repeatOf(request.method)
    return this.#send(repeat === 'never' ? () => request : () => request.clone(), repeat)
  }

  /**
   * @param path below the address; other addresses must not get the key
   * @throws TypeError if the path has no slash at its start; ApiError; the reason of the signal
   */
  async request(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
    if (!path.startsWith('/')) throw new TypeError('Expected a path of the server that starts with a slash')
    const { repeat = repeatOf(method), ...init } = options
    return this.#send(() => new Request(`${this.address}${path}`, { ...init, method }), repeat)
  }

  async #send(make: () => Request, repeat: Repeat): Promise<Response> {
    for (let attempt = 0; ; attempt += 1) {
      const request = make()
      const response = await this.#attempt(request)
      if (response.ok) return response
      const text = await response.text().catch(() => '')
      const error = apiError(jsonIn(text), response.status)
      const isBusy = BUSY.has(response.status) && !FINAL.has(error.code)
      const mayRepeat = repeat === 'always' || (repeat === 'refused' && error.code !== 'SERVER_UNREACHABLE')
      if (!mayRepeat || !isBusy || attempt >= this.#retries) throw error
      const ms = retryDelayMs(response.headers.get('retry-after'), attempt, PAUSE_MS.first)
      if (ms > PAUSE_MS.most) throw error
      await pause(withJitter(ms), request.signal)
    }
  }

  async #attempt(request: Request): Promise<Response> {
    if (this.#key !== undefined) request.headers.set('authorization', `Bearer ${this.#key}`)
    try {
      return await this.#fetch(request)
    } catch (error) {
      request.signal.throwIfAborted()
      throw error instanceof ApiError ? error : unreachable(this.address, error)
    }
  }

  /** The JSON object of a response. @throws ApiError */
  async json(method: string, path: string, init?: RequestOptions): Promise<Record<string, unknown>> {
    return this.objectOf(await this.request(method, path, init))
  }

  /** @throws ApiError if the body is not a JSON object, or does not arrive whole */
  async objectOf(response: Response): Promise<Record<string, unknown>> {
    const text = await response.text().catch((error: unknown) => {
      throw unreachable(this.address, error)
    })
    const value = jsonIn(text)
    if (!isObject(value)) throw apiError(value, response.status)
    return value
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
