import { MediaprocError } from '../../errors.ts'
import type { Repositories } from '../../store/repositories.ts'
import { type Caller, requirePermission } from '../caller.ts'
import type { AccountsContext } from '../context.ts'
import { isFirstUser, removeInitialPassword } from '../directory/first-start.ts'
import { checkAuthority, userById } from '../directory/user-rules.ts'
import { checkNewPassword } from './password-policy.ts'
import { hashPassword, verifyPassword } from './passwords.ts'

/**
 * Ends all sessions of a user except one, and all API keys.
 *
 * @returns the ids of the keys, for `verifiedKeys`
 */
export async function dropAccess(
  { sessions, apiKeys }: Pick<Repositories, 'sessions' | 'apiKeys'>,
  userId: string,
  keptSession?: string,
): Promise<ReadonlySet<string>> {
  await sessions.removeOfUser(userId, keptSession)
  return new Set(await apiKeys.removeOfUser(userId))
}

function requireLocalPassword(passwordHash: string | null): string {
  if (passwordHash !== null) return passwordHash
  throw new MediaprocError('OIDC_NO_PASSWORD')
}

/**
 * Changes the caller's own password. The same write ends all other sessions and all keys of the user.
 *
 * @throws SESSION_REQUIRED, VALIDATION_ERROR (with `rule` for the new password), INVALID_PASSWORD, RATE_LIMITED
 */
export async function changePassword(
  context: AccountsContext,
  caller: Caller,
  currentPassword: string,
  newPassword: string,
  address = '',
): Promise<void> {
  const { store, attempts } = context
  if (caller.via === 'nothing') throw new MediaprocError('AUTH_DISABLED')
  if (caller.via === 'key') throw new MediaprocError('SESSION_REQUIRED', 'An API key cannot change a password')
  await checkNewPassword(store, newPassword, currentPassword)
  const { passwordHash: old } = await userById(store, caller.userId)
  const oldHash = requireLocalPassword(old)
  const right = await attempts.check(caller.username.toLowerCase(), address, () =>
    verifyPassword(currentPassword, oldHash),
  )
  if (!right) throw new MediaprocError('INVALID_PASSWORD')
  const passwordHash = await hashPassword(newPassword)
  const { keys, isFirst } = await store.transaction(async (known) => {
    const { id, passwordHash: present } = await userById(known, caller.userId)
    // A concurrent change or reset may have ended this session or replaced the password.
    if (!(await known.sessions.find(caller.sessionId!))) throw new MediaprocError('SESSION_INVALID')
    if (present !== oldHash) throw new MediaprocError('INVALID_PASSWORD')
    await known.users.update(id, { passwordHash, mustChangePassword: false })
    return { keys: await dropAccess(known, id, caller.sessionId), isFirst: await isFirstUser(known, id) }
  })
  context.verifiedKeys.drop(keys)
  if (isFirst) await removeInitialPassword(context)
}

/**
 * Sets another user's password, which must be changed at the next sign-in. Ends all sessions and keys of that user.
 *
 * @throws FORBIDDEN, VALIDATION_ERROR (with `rule` for the new password), NOT_FOUND, ESCALATION_DENIED
 */
export async function resetPassword(
  context: AccountsContext,
  caller: Caller,
  id: string,
  newPassword: string,
): Promise<void> {
  const { store, options } = context
  requirePermission(caller, 'users:manage')
  await checkNewPassword(store, newPassword)
  const check = async (known: Repositories): Promise<void> => {
    const { role, passwordHash, isService } = await userById(known, id)
    if (isService) throw new MediaprocError('VALIDATION_ERROR', 'A service account has no password')
    requireLocalPassword(passwordHash)
    await checkAuthority(known, caller, role)
  }
  // Checked before the costly hash, and again in the transaction.
  await check(store)
  const passwordHash = await hashPassword(newPassword)
  const { keys, isFirst } = await store.transaction(async (known) => {
    await check(known)
    await known.users.update(id, { passwordHash, mustChangePassword: !options.skipMustChangePassword })
    return { keys: await dropAccess(known, id), isFirst: await isFirstUser(known, id) }
  })
  context.verifiedKeys.drop(keys)
  if (isFirst) await removeInitialPassword(context)
}
