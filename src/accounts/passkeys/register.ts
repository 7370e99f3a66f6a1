import { MediaprocError } from '../../errors.ts'
import type { PasskeyRecord } from '../../store/records.ts'
import type { Repositories } from '../../store/repositories.ts'
import type { Caller } from '../caller.ts'
import { type AccountsContext, timeText } from '../context.ts'
import { userById } from '../directory/user-rules.ts'
import { CHALLENGE_MS, isValidChallenge, newChallenge, type Purpose, takeChallenge } from './challenges.ts'
import { hasFactor } from './factors.ts'
import { type ListedPasskey, listed } from './manage.ts'
import { refusal } from './refusal.ts'
import { ALGORITHMS, type Attestation, challengeIn, type RelyingParty, verifyAttestation } from './webauthn.ts'

/** Most passkeys of one user. */
export const MAX_PASSKEYS = 20
/** Most transports of one passkey; there are six. */
const MAX_TRANSPORTS = 10

type Enroller = Pick<Caller, 'userId' | 'via'> & Partial<Pick<Caller, 'sessionId'>>

/** `PublicKeyCredentialCreationOptionsJSON` of WebAuthn Level 3. */
export interface CreationOptions {
  challenge: string
  rp: { id: string; name: string }
  user: { id: string; name: string; displayName: string }
  pubKeyCredParams: { type: 'public-key'; alg: number }[]
  timeout: number
  excludeCredentials: { type: 'public-key'; id: string; transports: readonly string[] }[]
  authenticatorSelection: { residentKey: 'required'; requireResidentKey: true; userVerification: 'required' }
  attestation: 'none'
}

const purposeOf = (userId: string): Purpose => ({ action: 'register', subject: userId })

/** Checks the rules for one more passkey. */
async function checkRoom(known: Repositories, { userId, via }: Enroller): Promise<PasskeyRecord[]> {
  // An enrolment token needs only the password: it must not add a factor next to one that the user has.
  if (via === 'enrolment' && (await hasFactor(known, userId))) throw new MediaprocError('MFA_ALREADY_ENABLED')
  const own = await known.passkeys.ofUser(userId)
  if (own.length >= MAX_PASSKEYS)
    throw new MediaprocError('CONFLICT', `An account can have at most ${MAX_PASSKEYS} passkeys`, {
      hint: 'Remove one that is no longer used.',
    })
  return own
}

/**
 * Starts the registration of a passkey.
 * @throws FEATURE_NOT_LICENSED, NOT_FOUND, MFA_ALREADY_ENABLED for an enrolment token, CONFLICT above 20 passkeys
 */
export async function creationOptions(
  context: AccountsContext,
  caller: Enroller,
  { id, name }: RelyingParty,
): Promise<CreationOptions> {
  const { store, options } = context
  if (options.hasMfa === false) throw new MediaprocError('FEATURE_NOT_LICENSED')
  const { username } = await userById(store, caller.userId)
  const own = await checkRoom(store, caller)
  return {
    challenge: await newChallenge(context, purposeOf(caller.userId)),
    rp: { id, name },
    user: { id: Buffer.from(caller.userId).toString('base64url'), name: username, displayName: username },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: CHALLENGE_MS,
    excludeCredentials: own.map(({ id, transports }) => ({ type: 'public-key', id, transports })),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    attestation: 'none',
  }
}

/**
 * Completes the registration, and ends a session that was valid only for the enrolment.
 * @throws FEATURE_NOT_LICENSED, PASSKEY_REFUSED, MFA_ALREADY_ENABLED, NOT_FOUND, CONFLICT
 */
export async function registerPasskey(
  context: AccountsContext,
  caller: Enroller,
  party: RelyingParty,
  { attestation, name }: { attestation: Attestation; name: string },
): Promise<ListedPasskey> {
  const { store, options, now } = context
  const { userId } = caller
  if (options.hasMfa === false) throw new MediaprocError('FEATURE_NOT_LICENSED')
  await checkRoom(store, caller)
  const challenge = challengeIn(attestation.response.clientDataJSON)
  if (challenge === undefined || !(await isValidChallenge(context, purposeOf(userId), challenge)))
    throw refusal('challenge')
  const credential = await verifyAttestation(attestation, challenge, party).catch((error: unknown) => {
    throw refusal('response', error)
  })
  if (!(await takeChallenge(context, challenge))) throw refusal('challenge')
  const passkey: PasskeyRecord = {
    ...credential,
    userId,
    transports: [...new Set(attestation.response.transports)].slice(0, MAX_TRANSPORTS),
    name,
    createdAt: timeText(now()),
    lastUsedAt: null,
  }
  await store.transaction(async (known) => {
    await userById(known, userId)
    await checkRoom(known, caller)
    if (await known.passkeys.byId(passkey.id))
      throw new MediaprocError('CONFLICT', 'This passkey is already registered', { hint: '' })
    await known.passkeys.put(passkey)
    if (caller.via === 'enrolment' && caller.sessionId !== undefined) await known.sessions.remove(caller.sessionId)
  })
  return listed(passkey)
}
