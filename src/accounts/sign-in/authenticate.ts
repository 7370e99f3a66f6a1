import { MediaprocError } from '../../errors.ts'
import type { UserRecord } from '../../store/records.ts'
import type { Repositories } from '../../store/repositories.ts'
import { anonymousCaller, type Caller, callerOf } from '../caller.ts'
import { type AccountsContext, timeText } from '../context.ts'
import { verifyPassword } from '../credentials/passwords.ts'
import { isDisabled } from '../directory/permissions.ts'
import { settingNumber } from '../settings.ts'
import { isApiKey, keyPrefix, sha256Hex } from './tokens.ts'

/** Minimum interval between updates of the time of last use. */
const MINUTE_MS = 60_000

const invalid = (): MediaprocError => new MediaprocError('SESSION_INVALID')

/** Idle timeout of a session, in milliseconds; Infinity when the setting is off. */
export async function idleLimitMs(store: Pick<Repositories, 'settings'>): Promise<number> {
  return (await settingNumber(store, 'sessionIdleTimeoutMinutes', 0)) * MINUTE_MS || Number.POSITIVE_INFINITY
}

/**
 * Returns the caller that a session token or API key belongs to.
 *
 * @throws SESSION_INVALID for an unknown or expired one, IDLE_TIMEOUT, USER_DISABLED
 */
export async function authenticate(context: AccountsContext, credential: string): Promise<Caller> {
  if (!context.options.authEnabled) return anonymousCaller()
  return isApiKey(credential) ? byKey(context, credential) : bySession(context, credential)
}

async function enabledUser({ store }: AccountsContext, userId: string): Promise<UserRecord> {
  const user = await store.users.byId(userId)
  if (!user) throw invalid()
  if (isDisabled(user.role)) throw new MediaprocError('USER_DISABLED')
  return user
}

async function bySession(context: AccountsContext, token: string): Promise<Caller> {
  // Valid tokens have 43 characters: a much longer one is not worth a hash.
  if (token === '' || token.length > 128) throw invalid()
  const session = await context.store.sessions.find(sha256Hex(token))
  if (!session || Date.parse(session.expiresAt) <= context.now()) throw invalid()
  const idle = context.now() - Date.parse(session.lastSeenAt)
  const limit = await idleLimitMs(context.store)
  if (idle >= limit) throw new MediaprocError('IDLE_TIMEOUT')
  const user = await enabledUser(context, session.userId)
  // With a short timeout, an update per minute would end sessions that are in use.
  if (idle >= Math.min(MINUTE_MS, limit / 4)) await context.store.sessions.touch(session.id, timeText(context.now()))
  return callerOf(context, user, { session })
}

async function byKey(context: AccountsContext, key: string): Promise<Caller> {
  const id = await verifiedKeyId(context, sha256Hex(key), key)
  // Looked up after the hash check, because the key may have been deleted during it.
  const record = id === undefined ? undefined : await context.store.apiKeys.byId(id)
  const expired = record?.expiresAt != null && Date.parse(record.expiresAt) <= context.now()
  if (!record || expired) {
    if (id !== undefined) context.verifiedKeys.drop(new Set([id]))
    throw invalid()
  }
  const user = await enabledUser(context, record.userId)
  if (context.now() - Date.parse(record.lastUsedAt ?? timeText(0)) >= MINUTE_MS)
    await context.store.apiKeys.touch(record.id, timeText(context.now()))
  return callerOf(context, user, { key: record })
}

async function verifiedKeyId(
  { store, verifiedKeys }: AccountsContext,
  digest: string,
  key: string,
): Promise<string | undefined> {
  const known = verifiedKeys.get(digest)
  if (known !== undefined) return known
  for (const { id, hash } of await store.apiKeys.byPrefix(keyPrefix(digest)))
    if (await verifiedKeys.check(digest, id, () => verifyPassword(key, hash))) return id
  return undefined
}
