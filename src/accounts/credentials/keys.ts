import { randomUUID } from 'node:crypto'
import { MediaprocError } from '../../errors.ts'
import type { ApiKeyRecord, UserRecord } from '../../store/records.ts'
import type { Repositories } from '../../store/repositories.ts'
import { type Caller, requirePermission } from '../caller.ts'
import { type AccountsContext, timeText } from '../context.ts'
import { isDisabled, isPermission } from '../directory/permissions.ts'
import { checkAuthority } from '../directory/user-rules.ts'
import { keyPrefix, newApiKey, sha256Hex } from '../sign-in/tokens.ts'
import { hashPassword } from './passwords.ts'

const MAX_NAME_LENGTH = 100
/** Most keys of one user: all are in one file. */
const MAX_KEYS = 100
/** Of a service account: each job of a CI service may hold one for some minutes. */
const MAX_SERVICE_KEYS = 1000

export interface WantedKey {
  /** At most 100 characters; 'Default API Key' when absent or empty. */
  name?: string
  /** Absent or empty: all permissions of the caller's role or of the calling key. */
  permissions?: readonly string[]
  /** A future date in a format of Date.parse; absent: the key does not expire. */
  expiresAt?: string | null
}

export interface ListedKey {
  id: string
  name: string
  permissions: readonly string[] | null
  createdAt: string
  lastUsedAt: string | null
  expiresAt: string | null
  /** Only for callers who see the keys of all users. */
  userId?: string
  username?: string
}

/** A new key with its text. */
export type NewKey = Omit<ListedKey, 'lastUsedAt' | 'userId' | 'username'> & { key: string }

const refused = (message: string): MediaprocError => new MediaprocError('VALIDATION_ERROR', message)

/** Permissions of a new key: never more than those of the caller and of the calling key. */
function scopeOf(
  caller: Caller,
  parent: ApiKeyRecord | undefined,
  wanted: readonly string[],
): readonly string[] | null {
  if (wanted.length === 0) return parent?.permissions ?? null
  const lacking = wanted.find((permission) => !isPermission(permission) || !caller.permissions.has(permission))
  if (lacking !== undefined) throw refused(`You do not have the permission ${lacking.slice(0, 50)}`)
  return [...new Set(wanted)]
}

/** Expiry of a new key: never later than that of the calling key. */
function expiryOf(parent: ApiKeyRecord | undefined, wanted: string | null | undefined, now: number): string | null {
  const limit = parent?.expiresAt ?? null
  if (wanted == null) return limit
  const time = Date.parse(wanted)
  if (Number.isNaN(time)) throw refused('expiresAt is not a date')
  if (time <= now) throw refused('expiresAt is not in the future')
  if (limit !== null && time > Date.parse(limit)) throw refused('expiresAt is later than that of the key in use')
  return timeText(time)
}

/** @throws VALIDATION_ERROR when a user has as many keys as possible */
export function checkRoom(user: UserRecord | undefined, keys: number): void {
  const most = user?.isService ? MAX_SERVICE_KEYS : MAX_KEYS
  if (keys >= most) throw refused(`There are ${most} keys: delete one that is not used`)
}

/** Generates a key and its record. */
async function generated(
  facts: Pick<ApiKeyRecord, 'userId' | 'name' | 'permissions' | 'expiresAt'>,
  now: number,
): Promise<{ key: string; digest: string; record: ApiKeyRecord }> {
  const key = newApiKey()
  const digest = sha256Hex(key)
  const identity = { id: randomUUID(), prefix: keyPrefix(digest), hash: await hashPassword(key) }
  return { key, digest, record: { ...identity, ...facts, createdAt: timeText(now), lastUsedAt: null } }
}

/**
 * Creates a key of a service account that expires soon, in exchange for a token of a provider. Removes the expired keys of
 * the account.
 * @param name the name of the service account
 * @throws FORBIDDEN when there is no such service account or it is disabled, VALIDATION_ERROR when it has too many keys
 */
export async function addTemporaryKey(
  { store, now, verifiedKeys }: AccountsContext,
  { account, name, lifetimeMs }: { account: string; name: string; lifetimeMs: number },
): Promise<{ key: string; expiresAt: string; user: UserRecord }> {
  const user = await store.users.byName(account)
  if (!user?.isService || isDisabled(user.role))
    throw new MediaprocError('FORBIDDEN', `There is no enabled service account ${account.slice(0, 50)}`)
  const expiresAt = timeText(now() + lifetimeMs)
  const facts = { userId: user.id, name: name.slice(0, MAX_NAME_LENGTH), permissions: null, expiresAt }
  const { key, digest, record } = await generated(facts, now())
  await store.transaction(async ({ apiKeys, users }) => {
    const present = await users.byId(user.id)
    if (!present || isDisabled(present.role)) throw new MediaprocError('FORBIDDEN')
    const own = await apiKeys.ofUser(user.id)
    const expired = own.filter((one) => one.expiresAt !== null && Date.parse(one.expiresAt) <= now())
    for (const { id } of expired) await apiKeys.remove(id)
    checkRoom(present, own.length - expired.length)
    await apiKeys.add(record)
  })
  verifiedKeys.add(digest, record.id)
  return { key, expiresAt, user }
}

/**
 * Creates an API key for the caller. Only this response contains the key itself.
 *
 * @throws FORBIDDEN, VALIDATION_ERROR
 */
export async function createKey(context: AccountsContext, caller: Caller, wanted: WantedKey): Promise<NewKey> {
  requirePermission(caller, 'apikeys:own')
  return addKey(context, caller, caller.userId, wanted)
}

/**
 * Creates an API key for a user; it has no more than the caller may give.
 *
 * @param check whether the caller may do this, asked in the transaction that stores the key
 * @throws VALIDATION_ERROR, SESSION_INVALID when the caller's credential ended in the meantime
 */
export async function addKey(
  context: AccountsContext,
  caller: Caller,
  userId: string,
  wanted: WantedKey,
  check = async (_known: Repositories): Promise<void> => undefined,
): Promise<NewKey> {
  const { store, now } = context
  const name = wanted.name?.trim() || 'Default API Key'
  if (name.length > MAX_NAME_LENGTH) throw refused(`The name is longer than ${MAX_NAME_LENGTH} characters`)
  const parent = caller.keyId === undefined ? undefined : await store.apiKeys.byId(caller.keyId)
  const permissions = scopeOf(caller, parent, wanted.permissions ?? [])
  const expiresAt = expiryOf(parent, wanted.expiresAt, now())
  return issueKey(context, { userId, name, permissions, expiresAt }, async (known) => {
    const { sessions, apiKeys } = known
    // The caller's credential may have been revoked in the meantime, and all keys with it.
    const stillIn =
      caller.via === 'nothing' ||
      (await (caller.via === 'key' ? apiKeys.byId(caller.keyId!) : sessions.find(caller.sessionId!)))
    if (!stillIn) throw new MediaprocError('SESSION_INVALID')
    await check(known)
  })
}

/**
 * Generates a key and stores it.
 * @param check whether it may be, asked in the transaction that stores it
 * @throws VALIDATION_ERROR when the user has too many keys
 */
export async function issueKey(
  { store, now, verifiedKeys }: AccountsContext,
  facts: Pick<ApiKeyRecord, 'userId' | 'name' | 'permissions' | 'expiresAt'>,
  check: (known: Repositories) => Promise<void>,
): Promise<NewKey> {
  const { userId, name, permissions, expiresAt } = facts
  const { key, digest, record } = await generated(facts, now())
  await store.transaction(async (known) => {
    await check(known)
    checkRoom(await known.users.byId(userId), (await known.apiKeys.ofUser(userId)).length)
    await known.apiKeys.add(record)
  })
  verifiedKeys.add(digest, record.id)
  return { id: record.id, key, name, permissions, expiresAt, createdAt: record.createdAt }
}

/** The caller's keys; those of all users for callers with apikeys:all. */
export async function listKeys({ store }: AccountsContext, caller: Caller): Promise<ListedKey[]> {
  requirePermission(caller, 'apikeys:own')
  const all = caller.permissions.has('apikeys:all')
  const names = new Map(all ? (await store.users.list()).map(({ id, username }) => [id, username]) : [])
  const keys = all ? await store.apiKeys.list() : await store.apiKeys.ofUser(caller.userId)
  return keys.map((key) => ({
    ...listedKey(key),
    ...(all && { userId: key.userId, username: names.get(key.userId) ?? key.userId }),
  }))
}

/** A key without what it is checked with. */
export function listedKey({ id, name, permissions, createdAt, lastUsedAt, expiresAt }: ApiKeyRecord): ListedKey {
  return { id, name, permissions, createdAt, lastUsedAt, expiresAt }
}

/**
 * Deletes one of the caller's keys. With apikeys:all, also another user's, unless that user has permissions that the
 * caller lacks.
 * @throws FORBIDDEN, ESCALATION_DENIED, NOT_FOUND when the key does not exist or the caller may not delete it
 */
export async function deleteKey({ store, verifiedKeys }: AccountsContext, caller: Caller, id: string): Promise<void> {
  requirePermission(caller, 'apikeys:own')
  await store.transaction(async ({ apiKeys, users, roles }) => {
    const key = await apiKeys.byId(id)
    if (!key || (key.userId !== caller.userId && !caller.permissions.has('apikeys:all')))
      throw new MediaprocError('NOT_FOUND', 'There is no such key')
    const owner = key.userId === caller.userId ? undefined : await users.byId(key.userId)
    if (owner) await checkAuthority({ roles }, caller, owner.role)
    await apiKeys.remove(id)
  })
  verifiedKeys.drop(new Set([id]))
}
