import { readFileSync } from 'node:fs'
import type { RedisOptions as ClientOptions } from 'ioredis'
import { MediaprocError } from '../../errors.ts'

export interface RedisOptions {
  /**
   * `redis://user:password@host:port/database`, or `rediss://` for TLS; then the parameters `cacert`, `cert` and `key` may
   * name PEM files, as for redis-cli.
   */
  url: string
}

/** How long to wait for a connection, in milliseconds. */
const CONNECT_MS = 5000
/** How long to wait for the answer to a command, in milliseconds: no command of ours takes longer. */
const ANSWER_MS = 1000
/** The first pause before another attempt to connect, and the longest, in milliseconds. */
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 2000

const FILES = { cacert: 'ca', cert: 'cert', key: 'key' } as const

const refused = (message: string, cause?: unknown): MediaprocError =>
  new MediaprocError('INVALID_CONFIG', message, {
    hint: {
      shell:
        'It is redis://user:password@host:port/number; with rediss://, ?cacert=FILE&cert=FILE&key=FILE name PEM files.',
    },
    cause,
  })

/** The PEM files of a `rediss://` address, by the names of Node's TLS options. */
function tlsOf(url: URL): Record<string, string> {
  const files: Record<string, string> = {}
  for (const [name, path] of url.searchParams) {
    const option = Object.hasOwn(FILES, name) ? FILES[name as keyof typeof FILES] : undefined
    if (!option) throw refused(`Expected cacert, cert or key as a parameter of REDIS_URL, got ${name}`)
    if (url.protocol !== 'rediss:') throw refused(`The parameter ${name} of REDIS_URL needs rediss://`)
    try {
      files[option] = readFileSync(path, 'utf8')
    } catch (error) {
      throw refused(`The file that ${name} of REDIS_URL names cannot be read`, error)
    }
  }
  return files
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch (error) {
    throw refused('The user or password of REDIS_URL has a percent sign that is not written as %25', error)
  }
}

/** The number of the database in an address. */
export function databaseOf(url: URL): number {
  const number = url.pathname.replace(/^\//, '')
  if (/^\d*$/.test(number)) return Number(number)
  // It may be a part of a password with a slash.
  throw refused('Expected the number of a database at the end of REDIS_URL')
}

/**
 * Options of a connection that never queues: what cannot be sent at once fails, and its caller does without.
 * @throws MediaprocError INVALID_CONFIG
 */
export function clientOptions({ url: text }: RedisOptions): ClientOptions {
  const url = new URL(text)
  const tls = tlsOf(url)
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || 6379),
    db: databaseOf(url),
    ...(url.username && { username: decoded(url.username) }),
    ...(url.password && { password: decoded(url.password) }),
    ...(url.protocol === 'rediss:' && { tls }),
    ...{ connectionName: 'mediaproc', protocol: 2, lazyConnect: true },
    ...{ connectTimeout: CONNECT_MS, commandTimeout: ANSWER_MS },
    ...{
      enableReadyCheck: false,
      enableOfflineQueue: false,
      autoResubscribe: false,
      autoResendUnfulfilledCommands: false,
    },
    maxRetriesPerRequest: 0,
    retryStrategy: (tries) => Math.min(FIRST_PAUSE_MS * 2 ** Math.min(tries - 1, 10), LONGEST_PAUSE_MS),
  }
}
