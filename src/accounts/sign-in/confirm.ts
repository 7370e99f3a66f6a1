import { MediaprocError } from '../../errors.ts'
import type { Caller } from '../caller.ts'
import { type AccountsContext, timeText } from '../context.ts'
import { takeOwnCode } from '../credentials/mfa.ts'
import { verifyPassword } from '../credentials/passwords.ts'
import { userById } from '../directory/user-rules.ts'

/** Proof of a user's identity: either of the two. */
export interface Proof {
  password?: string
  code?: string
}

/**
 * Limits the damage of a stolen session: a change that outlives it (factors, keys, addresses, passwords of others)
 * requires a recent sign-in or confirmation. API keys are exempt: they have their own permissions and no password.
 * @throws CONFIRMATION_REQUIRED
 */
export function requireRecentProof({ options, now }: AccountsContext, { via, provedAt }: Caller): void {
  const { confirmWithinMs = 0 } = options
  if (confirmWithinMs === 0 || (via !== 'session' && via !== 'enrolment')) return
  if (provedAt === undefined || now() - Date.parse(provedAt) > confirmWithinMs)
    throw new MediaprocError('CONFIRMATION_REQUIRED')
}

/**
 * Confirms the identity of a session's user by the password or a code of the second factor.
 * @param provesElsewhere checks the password of a user of the directory, with its own limit of attempts
 * @throws SESSION_REQUIRED, INVALID_PASSWORD, INVALID_CODE, MFA_NOT_ENABLED, OIDC_NO_PASSWORD, VALIDATION_ERROR,
 *   RATE_LIMITED
 */
export async function confirmCaller(
  context: AccountsContext,
  { userId, username, sessionId }: Caller,
  { password, code }: Proof,
  address = '',
  provesElsewhere: (password: string) => Promise<boolean> = async () => false,
): Promise<void> {
  if (sessionId === undefined) throw new MediaprocError('SESSION_REQUIRED')
  if ((password === undefined) === (code === undefined))
    throw new MediaprocError('VALIDATION_ERROR', 'Expected one of password and code')
  if (code !== undefined) await takeOwnCode(context, userId, code, address)
  else {
    const { passwordHash } = await userById(context.store, userId)
    const { loginMethod } = (await context.store.sessions.find(sessionId)) ?? {}
    if (passwordHash === null && loginMethod !== 'ldap') throw new MediaprocError('OIDC_NO_PASSWORD')
    const right =
      passwordHash === null
        ? await provesElsewhere(password!)
        : await context.attempts.check(username.toLowerCase(), address, () => verifyPassword(password!, passwordHash))
    if (!right) throw new MediaprocError('INVALID_PASSWORD')
  }
  await context.store.sessions.confirm(sessionId, timeText(context.now()))
}
