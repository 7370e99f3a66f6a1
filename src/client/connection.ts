import { ApiError, apiError, isObject, unreachable } from './failure.ts'

export interface ConnectionOptions {
  /** Address of the server, with the prefix if it has one: `https://media.example.com`. */
  url: string
  /** API key or session token. It is sent to this server only. */
  key?: string
  /** Replaces the global `fetch`, for proxies and tests. */
  fetch?: (request: Request) => Promise<Response>
}

/** Sends requests with the key, and throws what is not a success. */
export class Connection {
  /** The address without a final slash. */
  readonly address: string
  readonly #key: string | undefined
  readonly #fetch: (request: Request) => Promise<Response>

  /** @throws TypeError if the address is not of http or https */
  constructor({ url, key, fetch = (request) => globalThis.fetch(request) }: ConnectionOptions) {
    const { protocol, href } = new URL(url)
    if (protocol !== 'https:' && protocol !== 'http:') throw new TypeError('Expected an http or https address as url')
    this.address = href.replace(/\/+$/, '')
    this.#key = key
    this.#fetch = fetch
  }

  /** @throws ApiError; the reason of the request's signal if it was aborted */
  async send(request: Request): Promise<Response> {
    if (this.#key !== undefined) request.headers.set('authorization', `Bearer ${this.#key}`)
    const response = await this.#fetch(request).catch((error: unknown) => {
      request.signal.throwIfAborted()
      throw error instanceof ApiError ? error : unreachable(this.address, error)
    })
    if (response.ok) return response
    const text = await response.text().catch(() => '')
    throw apiError(jsonIn(text), response.status)
  }

  /**
   * @param path below the address; other addresses must not get the key
   * @throws TypeError if the path has no slash at its start; ApiError; the reason of the signal
   */
  async request(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    if (!path.startsWith('/')) throw new TypeError('Expected a path of the server that starts with a slash')
    return this.send(new Request(`${this.address}${path}`, { ...init, method }))
  }

  /** The JSON object of a response. @throws ApiError */
  async json(method: string, path: string, init?: RequestInit): Promise<Record<string, unknown>> {
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
