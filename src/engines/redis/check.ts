import { randomUUID } from 'node:crypto'
import type { Redis as Client } from 'ioredis'
import { MediaprocError } from '../../errors.ts'
import { isTlsFailure } from '../tls-failure.ts'
import { COUNT, TAKE } from './scripts.ts'

/** The oldest server that is supported; Valkey reports a version of Redis that is newer. */
const OLDEST = [6, 2] as const

/** Keys of the check are removed after this time, in milliseconds. */
const CHECK_MS = 1000

/** Responses of the server; the errors of the system have host names in their messages. */
const NO_USER = /^(?:WRONGPASS|NOAUTH)\b|^ERR .*(?:invalid (?:username|password)|without any password|\bAUTH\b)/i
/** Responses to a command that the user may not use, also within a script, or that the server does not have. */
const NO_RIGHT = /^NOPERM\b|NOPERM this user|user executing the script|^ERR unknown command/i

/** Rights of the user, as in docs/redis-and-s3.md. */
const RIGHTS =
  'PUBLISH, SUBSCRIBE, UNSUBSCRIBE, EVAL, INCR, PEXPIRE, PTTL, TIME, ZADD, ZCARD, ZREMRANGEBYSCORE, SELECT, PING and INFO, on keys and channels that begin with mediaproc:'

/** Whether the server answered with an error: then the connection is in order. */
export const isReply = (error: unknown): boolean => error instanceof Error && error.name === 'ReplyError'

/** Why the first connection failed: what does not change by itself is INVALID_CONFIG. */
export function connectFailure(error: unknown): MediaprocError {
  if (error instanceof MediaprocError) return error
  const { code = '', message = '' } = error as { code?: string; message?: string }
  const parts = { detail: message, cause: error }
  if (NO_USER.test(message))
    return new MediaprocError('INVALID_CONFIG', 'Redis refuses the user or password of REDIS_URL', {
      hint: { shell: 'Check both; the user may be missing: redis://:password@host.' },
      ...parts,
    })
  if (NO_RIGHT.test(message))
    return new MediaprocError('INVALID_CONFIG', 'The user of REDIS_URL may not use the commands that are needed', {
      hint: { shell: `It needs ${RIGHTS}.` },
      ...parts,
    })
  if (isTlsFailure(code))
    return new MediaprocError('INVALID_CONFIG', 'No TLS connection to the Redis server of REDIS_URL is possible', {
      hint: {
        shell: 'rediss:// is for servers with TLS; the parameter cacert names the certificate of their authority.',
      },
      ...parts,
    })
  if (/DB index|invalid DB/i.test(message))
    return new MediaprocError('INVALID_CONFIG', 'The Redis server does not have the database of REDIS_URL', {
      hint: { shell: 'Its number is the last part of the address, 0 by default.' },
      ...parts,
    })
  return new MediaprocError('STORE_UNAVAILABLE', 'The Redis server of REDIS_URL does not answer', {
    hint: { shell: 'Check that it runs, and the host and port in REDIS_URL.', http: 'Try again in a moment.' },
    ...parts,
  })
}

/** A field of the text that INFO returns; undefined if it is absent. */
const field = (info: string, name: string): string | undefined => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1]

/**
 * Checks the version, the mode and the eviction policy.
 * @param onWarning receives what could not be checked
 * @throws INVALID_CONFIG
 */
export async function checkServer(client: Client, onWarning: (message: string) => void): Promise<void> {
  const info = await client.info().catch((error: unknown) => {
    if (!/NOPERM|unknown command/i.test(String(error))) throw error
    return ''
  })
  const version = field(info, 'redis_version')
  if (version === undefined) onWarning('The version of Redis cannot be read: 6.2 or later is needed')
  else {
    const [major = 0, minor = 0] = version.split('.').map(Number)
    if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]))
      throw new MediaprocError('INVALID_CONFIG', `The Redis server of REDIS_URL has version ${version}`, {
        hint: { shell: `Redis ${OLDEST.join('.')} or later is needed, or Valkey.` },
      })
  }
  if (field(info, 'redis_mode') === 'cluster')
    throw new MediaprocError('INVALID_CONFIG', 'The Redis server of REDIS_URL is part of a Redis Cluster', {
      hint: { shell: 'Name a single server, or one with replicas: cluster-enabled must be no.' },
    })
  const policy = field(info, 'maxmemory_policy')
  if (policy === undefined)
    onWarning('The eviction policy of Redis cannot be read: maxmemory-policy must be noeviction')
  else if (policy !== 'noeviction')
    throw new MediaprocError(
      'INVALID_CONFIG',
      `The Redis server of REDIS_URL removes keys when its memory is full (${policy})`,
      {
        hint: { shell: 'Set maxmemory-policy to noeviction, so that limits on requests are kept.' },
      },
    )
}

/**
 * Uses each command once, below the prefix of a process: without a right, a connection would fail later and without a reason.
 * @param clients for commands, and for subscriptions
 * @throws what `connectFailure` reports
 */
export async function checkRights([commands, subscriber]: readonly [Client, Client], prefix: string): Promise<void> {
  const name = `${prefix}check:${randomUUID()}`
  const uses = [
    () => subscriber.ping(),
    () => subscriber.subscribe(name),
    () => subscriber.unsubscribe(name),
    () => commands.publish(name, ''),
    () => commands.eval(COUNT, 1, `${name}:count`, CHECK_MS),
    () => commands.eval(TAKE, 1, `${name}:take`, CHECK_MS, 1, 0),
  ]
  for (const use of uses)
    await use().catch((error: unknown) => {
      // A full memory or a busy server may pass; until then, servers do without Redis.
      if (!isReply(error) || NO_RIGHT.test((error as Error).message)) throw error
    })
}
