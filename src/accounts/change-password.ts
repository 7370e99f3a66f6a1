import { MediaprocError } from '../errors.ts'
import type { AccountsData } from '../store/records.ts'
import { type Caller, requirePermission } from './caller.ts'
import type { AccountsContext } from './context.ts'
import { isFirstUser, removeInitialPassword } from './first-start.ts'
import { checkNewPassword } from './password-policy.ts'
import { hashPassword, verifyPassword } from './passwords.ts'
import { checkAuthority, userById } from './user-rules.ts'

/**
 * Ends the sessions of a user, but for one, and all API keys.
 *
 * @returns the ids of the keys, for `verifiedKeys`
 */
export function dropAccess(draft: AccountsData, userId: string, keptSession?: string): ReadonlySet<string> {
  const keys = draft.apiKeys.flatMap((key) => (key.userId === userId ? key.id : []))
  draft.sessions = draft.sessions.filter((session) => session.userId !== userId || session.id === keptSession)
  draft.apiKeys = draft.apiKeys.filter((key) => key.userId !== userId)
  return new Set(keys)
}

function requireLocalPassword(passwordHash: string | null): string {
  if (passwordHash !== null) return passwordHash
  throw new MediaprocError('VALIDATION_ERROR', 'This account has no local password', {
    hint: 'The password is changed where the user signs in.',
  })
}

/**
 * Changes the caller's own password. All other sessions and all keys of the user end in the same write.
 *
 * @throws SESSION_REQUIRED, VALIDATION_ERROR (with `rule` when it is the new password), INVALID_PASSWORD, RATE_LIMITED
 */
export async function changePassword(
  context: AccountsContext,
  caller: Caller,
  currentPassword: string,
  newPassword: string,
  address: string,
): Promise<void> {
  const { store, attempts } = context
  if (caller.via === 'nothing') throw new MediaprocError('AUTH_DISABLED')
  if (caller.via === 'key') throw new MediaprocError('SESSION_REQUIRED', 'An API key cannot change a password')
  checkNewPassword(store, newPassword, currentPassword)
  const { passwordHash: old } = userById(store.accounts.data.users, caller.userId)
  const oldHash = requireLocalPassword(old)
  const right = await attempts.check(caller.username.toLowerCase(), address, () =>
    verifyPassword(currentPassword, oldHash),
  )
  if (!right) throw new MediaprocError('INVALID_PASSWORD')
  const passwordHash = await hashPassword(newPassword)
  const { keys, isFirst } = await store.accounts.change((draft) => {
    const user = userById(draft.users, caller.userId)
    // Another change or a reset may have come first: then this session is over, or the password was another one.
    if (!draft.sessions.some(({ id }) => id === caller.sessionId)) throw new MediaprocError('SESSION_INVALID')
    if (user.passwordHash !== oldHash) throw new MediaprocError('INVALID_PASSWORD')
    Object.assign(user, { passwordHash, mustChangePassword: false })
    return { keys: dropAccess(draft, user.id, caller.sessionId), isFirst: isFirstUser(draft, user.id) }
  })
  context.verifiedKeys.drop(keys)
  if (isFirst) await removeInitialPassword(context)
}

/**
 * Gives somebody a new password, which they must change at the next sign-in. Ends all their sessions and keys.
 *
 * @throws FORBIDDEN, VALIDATION_ERROR (with `rule` when it is the new password), NOT_FOUND, ESCALATION_DENIED
 */
export async function resetPassword(
  context: AccountsContext,
  caller: Caller,
  id: string,
  newPassword: string,
): Promise<void> {
  const { store, options } = context
  requirePermission(caller, 'users:manage')
  checkNewPassword(store, newPassword)
  const check = (data: typeof store.accounts.data): void => {
    const { role, passwordHash } = userById(data.users, id)
    requireLocalPassword(passwordHash)
    checkAuthority(data, caller, role)
  }
  // Once before the costly hash, and once when it counts.
  check(store.accounts.data)
  const passwordHash = await hashPassword(newPassword)
  const { keys, isFirst } = await store.accounts.change((draft) => {
    check(draft)
    Object.assign(userById(draft.users, id), { passwordHash, mustChangePassword: !options.skipMustChangePassword })
    return { keys: dropAccess(draft, id), isFirst: isFirstUser(draft, id) }
  })
  context.verifiedKeys.drop(keys)
  if (isFirst) await removeInitialPassword(context)
}
