import { MediaprocError } from '../../errors.ts'
import type { Caller } from '../caller.ts'
import { type AccountsContext, timeText } from '../context.ts'
import { takeOwnCode } from '../credentials/mfa.ts'
import { verifyPassword } from '../credentials/passwords.ts'
import { userById } from '../directory/user-rules.ts'
import { passkeysOf, type RequestOptions, requestOptions, takeAssertion } from '../passkeys/assert.ts'
import type { Purpose } from '../passkeys/challenges.ts'
import type { Assertion, RelyingParty } from '../passkeys/webauthn.ts'

/** Proof of a user's identity: one of the three. */
export interface Proof {
  password?: string
  code?: string
  passkey?: Assertion
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

/** What the checks of a proof need of the request. */
export interface ProofChecks {
  address: string
  /** Finds the relying party; called only for a passkey. */
  party: () => RelyingParty
  /** Checks the password of a user of the directory, with its own limit of attempts. */
  provesInDirectory: (password: string) => Promise<boolean>
}

/** The challenge is valid only in this session. */
const confirmationOf = (sessionId: string): Purpose => ({ action: 'confirm', subject: sessionId })

/** Options for a confirmation with a passkey. @throws SESSION_REQUIRED, MFA_NOT_CONFIGURED */
export async function confirmationOptions(
  context: AccountsContext,
  { userId, sessionId }: Caller,
  party: RelyingParty,
): Promise<RequestOptions> {
  if (sessionId === undefined) throw new MediaprocError('SESSION_REQUIRED')
  return requestOptions(context, confirmationOf(sessionId), party, await passkeysOf(context, userId))
}

/**
 * Confirms the identity of a session's user by the password, a code of the second factor or a passkey.
 * @throws SESSION_REQUIRED, INVALID_PASSWORD, INVALID_CODE, MFA_NOT_ENABLED, OIDC_NO_PASSWORD, VALIDATION_ERROR,
 *   RATE_LIMITED, PASSKEY_REFUSED
 */
export async function confirmCaller(
  context: AccountsContext,
  { userId, username, sessionId }: Caller,
  { password, code, passkey }: Proof,
  { address, party, provesInDirectory }: ProofChecks,
): Promise<void> {
  if (sessionId === undefined) throw new MediaprocError('SESSION_REQUIRED')
  if ([password, code, passkey].filter((one) => one !== undefined).length !== 1)
    throw new MediaprocError('VALIDATION_ERROR', 'Expected one of password, code and passkey')
  if (passkey !== undefined)
    await takeAssertion(context, confirmationOf(sessionId), party(), passkey, { id: userId, username })
  else if (code !== undefined) await takeOwnCode(context, userId, code, address)
  else if (password !== undefined) {
    const { passwordHash } = await userById(context.store, userId)
    const { loginMethod } = (await context.store.sessions.find(sessionId)) ?? {}
    if (passwordHash === null && loginMethod !== 'ldap') throw new MediaprocError('OIDC_NO_PASSWORD')
    const right =
      passwordHash === null
        ? await provesInDirectory(password)
        : await context.attempts.check(username.toLowerCase(), address, () => verifyPassword(password, passwordHash))
    if (!right) throw new MediaprocError('INVALID_PASSWORD')
  }
  await context.store.sessions.confirm(sessionId, timeText(context.now()))
}
