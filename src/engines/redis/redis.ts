import type { Redis as Client, RedisOptions as ClientOptions } from 'ioredis'
import { MediaprocError } from '../../errors.ts'
import { installCommand } from '../engine.ts'
import { importPackage, libraryEngine, packageFolder } from '../library.ts'
import { checkRights, checkServer, connectFailure, isReply } from './check.ts'
import { clientOptions, type RedisOptions } from './options.ts'
import { COUNT, TAKE } from './scripts.ts'
import { Subscriber } from './subscriber.ts'

export type { RedisOptions } from './options.ts'

/** Time between checks of the connections, in milliseconds: a network that cuts silently is noticed by them. */
const BEAT_MS = 2000
/** Events that may wait for their way to a server that does not read; more are dropped. */
const MOST_UNSENT = 10_000

export const redisEngine = libraryEngine({
  id: 'redis',
  purpose: 'events and rate limits of several servers in Redis (REDIS_URL)',
  licence: 'MIT',
  package: 'ioredis',
  pack: 'redis',
})

/** A connection to Redis for events and counters. Nothing here waits for a server that is away, or fails because of it. */
export interface Redis {
  /** Whether the server answered last. */
  readonly isAvailable: boolean
  /** Sends an event to the subscribers of all processes. It is dropped while the server is away. */
  publish(channel: string, text: string): void
  /** @returns a function that ends the subscription */
  subscribe(channel: string, listener: (text: string) => void): Promise<() => void>
  /** Calls `follower` whenever events may have been lost, because the connection was. @returns a function that stops it */
  onReconnect(follower: () => void): () => void
  /** Counts a use of `key` in a window of `windowMs`. Undefined while the server is away. */
  count(key: string, windowMs: number): Promise<{ count: number; leftMs: number } | undefined>
  /** Takes one of `most` uses of `key` within the last `windowMs`; false when none is left. Undefined while the server is away. */
  take(key: string, most: number, windowMs: number): Promise<boolean | undefined>
  /** Whether the server answers now. */
  ping(): Promise<boolean>
  close(): Promise<void>
}

/** @throws ENGINE_UNAVAILABLE without the package */
async function loadClient(): Promise<new (options: ClientOptions) => Client> {
  if (packageFolder('ioredis') === undefined)
    throw new MediaprocError('ENGINE_UNAVAILABLE', 'REDIS_URL needs an engine pack that is not installed', {
      hint: { shell: `Install it: ${installCommand('redis')}` },
      fields: { engine: 'redis', pack: 'redis' },
    })
  return (await importPackage<{ Redis: new (options: ClientOptions) => Client }>('ioredis')).Redis
}

/** A client whose connections cannot end the process: ioredis listens to their first error only, and TLS may have two. */
function guarded(client: Client): Client {
  const { connector } = client as unknown as {
    connector: { connect(...given: unknown[]): Promise<NodeJS.EventEmitter> }
  }
  const connect = connector.connect.bind(connector)
  connector.connect = async (...given) => (await connect(...given)).on('error', () => {})
  return client
}

/**
 * Connects to a Redis or Valkey server. Lost connections come back by themselves.
 * @param space a name that all processes have which share keys and channels, and no others
 * @param onWarning receives what could not be checked at the server
 * @throws INVALID_CONFIG for a wrong address, password or user, an old server, one that evicts keys, or one of a Redis Cluster;
 *   STORE_UNAVAILABLE; ENGINE_UNAVAILABLE
 */
export async function openRedis(
  options: RedisOptions,
  space: string,
  onWarning: (message: string) => void = () => {},
): Promise<Redis> {
  const RedisClient = await loadClient()
  const settings = clientOptions(options)
  const clients = [guarded(new RedisClient(settings)), guarded(new RedisClient(settings))] as const
  const errors: unknown[] = []
  for (const client of clients) client.on('error', (error: unknown) => errors.length < 2 && errors.push(error))
  const subscriber = new Subscriber(clients[1])
  const prefix = `mediaproc:${space}:`
  try {
    await Promise.all(clients.map((client) => client.connect()))
    // ioredis does the same, but continues in another database if it fails.
    await clients[0].select(settings.db ?? 0)
    await checkServer(clients[0], onWarning)
    await checkRights(clients, prefix)
  } catch (error) {
    for (const client of clients) client.disconnect()
    // `connect` rejects with the end of the connection, and the reason is an event.
    throw connectFailure(error instanceof MediaprocError || isReply(error) ? error : (errors[0] ?? error))
  }
  return new OpenRedis(clients, subscriber, prefix)
}

class OpenRedis implements Redis {
  readonly #commands: Client
  readonly #clients: readonly Client[]
  readonly #subscriber: Subscriber
  readonly #prefix: string
  readonly #timer: NodeJS.Timeout
  #isAvailable = true
  #unsent = 0
  #taken = Math.floor(Math.random() * 2 ** 40)

  constructor(clients: readonly [Client, Client], subscriber: Subscriber, prefix: string) {
    this.#clients = clients
    this.#commands = clients[0]
    this.#subscriber = subscriber
    this.#prefix = prefix
    this.#timer = setInterval(() => void this.#beat(), BEAT_MS).unref()
  }

  get isAvailable(): boolean {
    return this.#isAvailable && this.#clients.every(({ status }) => status === 'ready')
  }

  async #beat(): Promise<void> {
    const answers = await Promise.all(
      this.#clients.map((client) => {
        if (client.status !== 'ready') return false
        return client.ping().then(
          () => true,
          () => {
            // A connection that does not answer is replaced; one that was cut has been already.
            if (client.status === 'ready') client.disconnect(true)
            return false
          },
        )
      }),
    )
    this.#isAvailable = answers.every(Boolean)
  }

  publish(channel: string, text: string): void {
    if (this.#commands.status !== 'ready' || this.#unsent >= MOST_UNSENT) return
    this.#unsent++
    this.#commands
      .publish(this.#prefix + channel, text)
      .catch(() => {})
      .finally(() => this.#unsent--)
  }

  subscribe(channel: string, listener: (text: string) => void): Promise<() => void> {
    return this.#subscriber.subscribe(this.#prefix + channel, listener)
  }

  onReconnect(follower: () => void): () => void {
    return this.#subscriber.onReconnect(follower)
  }

  /** The answer of a script; undefined without one, and then nothing is asked until the server answers again. */
  async #ask(script: string, key: string, ...given: number[]): Promise<unknown> {
    if (!this.isAvailable) return undefined
    try {
      return await this.#commands.eval(script, 1, this.#prefix + key, ...given)
    } catch {
      this.#isAvailable = false
      return undefined
    }
  }

  async count(key: string, windowMs: number): Promise<{ count: number; leftMs: number } | undefined> {
    const answer = (await this.#ask(COUNT, key, windowMs)) as [number, number] | undefined
    return answer && { count: answer[0], leftMs: answer[1] }
  }

  async take(key: string, most: number, windowMs: number): Promise<boolean | undefined> {
    // Two uses in the same microsecond are two members of the set.
    const answer = await this.#ask(TAKE, key, windowMs, most, this.#taken++)
    return answer === undefined ? undefined : answer === 1
  }

  ping(): Promise<boolean> {
    if (this.#clients.some(({ status }) => status !== 'ready')) return Promise.resolve(false)
    return this.#commands.ping().then(
      () => true,
      () => false,
    )
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    for (const client of this.#clients) client.disconnect()
  }
}
