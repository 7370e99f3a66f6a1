import { randomBytes, timingSafeEqual } from 'node:crypto'
import { MediaprocError } from '../../errors.ts'
import { type Caller, requirePermission } from '../caller.ts'
import { type AccountsContext, timeText } from '../context.ts'
import { checkAuthority } from '../directory/user-rules.ts'
import { sha256Hex } from '../sign-in/tokens.ts'

/** Holds the SHA-256 of the token in hex; clients can neither read nor write it. */
export const SCIM_TOKEN_SETTING = 'scim_token'

const TOKEN = /^scim_[\w-]{43}$/

/**
 * Creates the token that a provider manages users with. Replaces the existing one, which stops working.
 *
 * @throws FORBIDDEN, ESCALATION_DENIED for callers with fewer permissions than the users that the provider creates
 */
export async function createScimToken({ store, now }: AccountsContext, caller: Caller): Promise<string> {
  requirePermission(caller, 'users:manage')
  const token = `scim_${randomBytes(32).toString('base64url')}`
  await store.transaction(async (known) => {
    await checkAuthority(known, caller, 'user')
    await known.settings.set(SCIM_TOKEN_SETTING, { value: sha256Hex(token), updatedAt: timeText(now()) })
  })
  return token
}

/** Ends the token; returns whether there was one. @throws FORBIDDEN */
export async function revokeScimToken({ store }: AccountsContext, caller: Caller): Promise<boolean> {
  requirePermission(caller, 'users:manage')
  return store.transaction(async ({ settings }) => {
    const isThere = (await settings.get(SCIM_TOKEN_SETTING)) !== undefined
    if (isThere) await settings.remove(SCIM_TOKEN_SETTING)
    return isThere
  })
}

/** @throws SESSION_INVALID for anything but the present token */
export async function requireScimToken({ store }: AccountsContext, token: string): Promise<void> {
  const stored = (await store.settings.get(SCIM_TOKEN_SETTING))?.value
  const isRight =
    stored !== undefined && TOKEN.test(token) && timingSafeEqual(Buffer.from(sha256Hex(token)), Buffer.from(stored))
  if (!isRight)
    throw new MediaprocError('SESSION_INVALID', 'The SCIM token is not valid', {
      hint: 'An administrator creates one at POST /api/v1/enterprise/scim/token.',
    })
}
