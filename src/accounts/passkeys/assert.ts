import { MediaprocError } from '../../errors.ts'
import type { PasskeyRecord, UserRecord } from '../../store/records.ts'
import { type AccountsContext, timeText } from '../context.ts'
import { isDisabled } from '../directory/permissions.ts'
import { CHALLENGE_MS, isValidChallenge, newChallenge, type Purpose, takeChallenge } from './challenges.ts'
import { PasskeyRefused } from './refusal.ts'
import { type Assertion, challengeIn, type RelyingParty, verifyAssertion } from './webauthn.ts'

/** `PublicKeyCredentialRequestOptionsJSON` of WebAuthn Level 3. */
export interface RequestOptions {
  challenge: string
  rpId: string
  timeout: number
  userVerification: 'required'
  /** Empty: the authenticator offers the accounts that it knows. */
  allowCredentials: { type: 'public-key'; id: string; transports: readonly string[] }[]
}

const SIGN_IN: Purpose = { action: 'sign-in', subject: '' }

/** Options for an assertion of one of the given passkeys. */
export async function requestOptions(
  context: AccountsContext,
  purpose: Purpose,
  { id: rpId }: RelyingParty,
  passkeys: readonly PasskeyRecord[] = [],
): Promise<RequestOptions> {
  return {
    challenge: await newChallenge(context, purpose),
    rpId,
    timeout: CHALLENGE_MS,
    userVerification: 'required',
    allowCredentials: passkeys.map(({ id, transports }) => ({ type: 'public-key', id, transports })),
  }
}

/**
 * Verifies an assertion of a user's passkey and consumes its challenge.
 *
 * @param owner only passkeys of this user are accepted; undefined for any user, whom the assertion must then name
 * @throws PasskeyRefused
 */
export async function takeAssertion(
  context: AccountsContext,
  purpose: Purpose,
  party: RelyingParty,
  assertion: Assertion,
  owner?: Pick<UserRecord, 'id' | 'username'>,
): Promise<UserRecord> {
  const { store } = context
  const challenge = challengeIn(assertion.response.clientDataJSON)
  if (challenge === undefined || !(await isValidChallenge(context, purpose, challenge)))
    throw new PasskeyRefused('challenge', owner)
  const passkey = await store.passkeys.byId(assertion.id)
  const user = passkey && (await store.users.byId(passkey.userId))
  if (!passkey || !user || (owner && owner.id !== user.id)) throw new PasskeyRefused('credential', owner)
  const { userHandle } = assertion.response
  const isNamed = userHandle != null && userHandle !== ''
  if (isNamed ? Buffer.from(userHandle, 'base64url').toString() !== user.id : !owner)
    throw new PasskeyRefused('credential', user)
  const { counter, isBackedUp } = await verifyAssertion(assertion, challenge, party, passkey).catch(
    (error: unknown) => {
      throw new PasskeyRefused('response', user, error)
    },
  )
  if (!(await takeChallenge(context, challenge))) throw new PasskeyRefused('challenge', user)
  await store.transaction(async ({ passkeys }) => {
    const present = await passkeys.byId(passkey.id)
    if (!present || present.userId !== user.id) throw new PasskeyRefused('credential', user)
    // A counter that does not increase is the sign of a copied key. Synchronized passkeys always send 0.
    if ((counter > 0 || present.counter > 0) && counter <= present.counter) throw new PasskeyRefused('counter', user)
    await passkeys.put({ ...present, counter, isBackedUp, lastUsedAt: timeText(context.now()) })
  })
  return user
}

/** Options for a sign-in without a user name. @throws FEATURE_NOT_LICENSED */
export function signInOptions(context: AccountsContext, party: RelyingParty): Promise<RequestOptions> {
  if (context.options.hasMfa === false) throw new MediaprocError('FEATURE_NOT_LICENSED')
  return requestOptions(context, SIGN_IN, party)
}

/**
 * Signs in with a passkey alone. Accounts without a local password sign in with their provider: a passkey must not
 * outlive the account there.
 *
 * @throws FEATURE_NOT_LICENSED, PASSKEY_REFUSED, USER_DISABLED, SSO_ENFORCED
 */
export async function signInWithPasskey(
  context: AccountsContext,
  party: RelyingParty,
  assertion: Assertion,
): Promise<UserRecord> {
  if (context.options.hasMfa === false) throw new MediaprocError('FEATURE_NOT_LICENSED')
  const user = await takeAssertion(context, SIGN_IN, party, assertion)
  if (isDisabled(user.role)) throw new MediaprocError('USER_DISABLED')
  if (user.passwordHash === null) throw new MediaprocError('SSO_ENFORCED')
  return user
}

/** The passkeys of a user for a second step or confirmation. @throws MFA_NOT_CONFIGURED */
export async function passkeysOf({ store }: AccountsContext, userId: string): Promise<PasskeyRecord[]> {
  const own = await store.passkeys.ofUser(userId)
  if (own.length === 0) throw new MediaprocError('MFA_NOT_CONFIGURED')
  return own
}
