import { MediaprocError } from '../../errors.ts'
import type { FactorRecord, UserRecord } from '../../store/records.ts'
import type { Repositories } from '../../store/repositories.ts'
import { type Caller, requirePermission } from '../caller.ts'
import { type AccountsContext, timeText } from '../context.ts'
import { checkAuthority, userById } from '../directory/user-rules.ts'
import { factorMethods, hasFactor } from '../passkeys/factors.ts'
import { hashOfRecoveryCode, hashRecoveryCodes, isRecoveryCode, newRecoveryCodes } from './recovery-codes.ts'
import { newTotpSecret, totpStep, totpUri } from './totp.ts'

export const MFA_POLICIES = ['optional', 'admins_only', 'required'] as const
export type MfaPolicy = (typeof MFA_POLICIES)[number]

/** Data of a new enrolment, shown once. */
export interface Enrolment {
  uri: string
  secret: string
  recoveryCodes: string[]
}

const wrongCode = (): MediaprocError => new MediaprocError('INVALID_CODE')
const about = (userId: string): string => `totp ${userId}`

/** Whether the server requires a second factor for a user. */
export async function demandsMfa(
  { store, options }: Pick<AccountsContext, 'options'> & { store: Pick<Repositories, 'settings'> },
  { role }: Pick<UserRecord, 'role'>,
): Promise<boolean> {
  if (options.hasMfa === false) return false
  const policy = (await store.settings.get('mfaPolicy'))?.value
  return policy === 'required' || (policy === 'admins_only' && role === 'admin')
}

/** Whether a user has an active second factor: an authenticator app or a passkey. */
export async function hasMfa({ store }: Pick<AccountsContext, 'store'>, userId: string): Promise<boolean> {
  return hasFactor(store, userId)
}

/**
 * Checks that codes can be set up. An enrolment token needs only the password: it must not add a factor next to one that
 * the user has.
 */
async function checkNoCodes(known: Pick<Repositories, 'factors' | 'passkeys'>, userId: string, via?: Caller['via']) {
  const methods = await factorMethods(known, userId)
  if (methods.includes('totp') || (via === 'enrolment' && methods.length > 0))
    throw new MediaprocError('MFA_ALREADY_ENABLED')
}

/**
 * Creates a new secret and recovery codes for a user; they become active after the first valid code. Replaces an
 * unfinished enrolment.
 *
 * @throws FEATURE_NOT_LICENSED, MFA_ALREADY_ENABLED, NOT_FOUND
 */
export async function enrollMfa(context: AccountsContext, userId: string, via?: Caller['via']): Promise<Enrolment> {
  const { store, options, vault, now } = context
  if (options.hasMfa === false) throw new MediaprocError('FEATURE_NOT_LICENSED')
  const { username, isService } = await userById(store, userId)
  if (isService) throw new MediaprocError('VALIDATION_ERROR', 'A service account has no second factor')
  await checkNoCodes(store, userId, via)
  const secret = await newTotpSecret()
  const recoveryCodes = newRecoveryCodes()
  const recovery = await hashRecoveryCodes(recoveryCodes)
  await store.transaction(async (known) => {
    await userById(known, userId)
    await checkNoCodes(known, userId, via)
    await known.factors.put({
      ...{ id: userId, secret: vault.seal(secret, about(userId)), recovery, isOn: false, lastStep: 0 },
      createdAt: timeText(now()),
    })
  })
  return { uri: await totpUri(secret, options.mfaIssuer ?? 'mediaproc', username), secret, recoveryCodes }
}

/** Serializes the code attempts of a user, and limits the wrong ones per quarter of an hour. */
export function guarded(
  { codeAttempts }: AccountsContext,
  userId: string,
  address: string,
  verify: () => Promise<boolean>,
): Promise<boolean> {
  return codeAttempts.check(userId, address, verify)
}

/**
 * Completes an enrolment with a code from the app, and ends a session that was valid only for the enrolment.
 * @throws NO_PENDING_ENROLLMENT, MFA_ALREADY_ENABLED, INVALID_CODE, RATE_LIMITED
 */
export async function verifyMfa(
  context: AccountsContext,
  { userId, via, sessionId }: Pick<Caller, 'userId'> & Partial<Pick<Caller, 'via' | 'sessionId'>>,
  code: string,
  address = '',
): Promise<void> {
  const { store, vault, now } = context
  await checkNoCodes(store, userId, via)
  const pending = await store.factors.byId(userId)
  if (!pending) throw new MediaprocError('NO_PENDING_ENROLLMENT')
  const secret = vault.open(pending.secret, about(userId))
  const right = await guarded(context, userId, address, async () => (await totpStep(secret, code, now())) !== undefined)
  if (!right) throw wrongCode()
  await store.transaction(async (known) => {
    const { factors } = known
    await checkNoCodes(known, userId, via)
    const present = await factors.byId(userId)
    // Another enrolment may have replaced this one.
    if (present?.secret !== pending.secret) throw new MediaprocError('NO_PENDING_ENROLLMENT')
    await factors.put({ ...present, isOn: true })
  })
  // A session that was valid only for the enrolment.
  if (via === 'enrolment' && sessionId !== undefined) await store.sessions.remove(sessionId)
}

/** Kind of code. */
export type CodeKind = 'totp' | 'recovery'

/**
 * Checks a code against an active factor and consumes it: each time step counts once, and a recovery code is deleted.
 * Runs in one transaction, so that only one of two requests with the same code succeeds.
 */
export async function takeCode(
  context: AccountsContext,
  factor: FactorRecord,
  code: string,
): Promise<CodeKind | undefined> {
  const { store, vault, now } = context
  if (isRecoveryCode(code)) {
    const hash = await hashOfRecoveryCode(code, factor.recovery)
    return store.transaction(async ({ factors }) => {
      const present = await factors.byId(factor.id)
      if (!present?.isOn || !present.recovery.hashes.includes(hash)) return undefined
      const hashes = present.recovery.hashes.filter((one) => one !== hash)
      await factors.put({ ...present, recovery: { ...present.recovery, hashes } })
      return 'recovery'
    })
  }
  const step = await totpStep(vault.open(factor.secret, about(factor.id)), code, now())
  if (step === undefined) return undefined
  return store.transaction(async ({ factors }) => {
    const present = await factors.byId(factor.id)
    if (!present?.isOn || present.secret !== factor.secret || step <= present.lastStep) return undefined
    await factors.put({ ...present, lastStep: step })
    return 'totp'
  })
}

/**
 * Consumes a code of the user's own factor, or one of the recovery codes.
 * @throws MFA_NOT_ENABLED, INVALID_CODE, RATE_LIMITED
 */
export async function takeOwnCode(context: AccountsContext, userId: string, code: string, address = ''): Promise<void> {
  const factor = await context.store.factors.byId(userId)
  if (!factor?.isOn) throw new MediaprocError('MFA_NOT_ENABLED')
  const right = await guarded(
    context,
    userId,
    address,
    async () => (await takeCode(context, factor, code)) !== undefined,
  )
  if (!right) throw wrongCode()
}

/**
 * Disables the codes of the caller's authenticator app.
 * @throws MFA_NOT_ENABLED, FORBIDDEN when the policy requires a second factor and the user has no passkey, INVALID_CODE, RATE_LIMITED
 */
export async function disableMfa(
  context: AccountsContext,
  { userId }: Pick<Caller, 'userId'>,
  code: string,
  address = '',
): Promise<void> {
  const { store, vault, now } = context
  const removable = async (known: Repositories): Promise<FactorRecord> => {
    const present = await known.factors.byId(userId)
    if (!present?.isOn) throw new MediaprocError('MFA_NOT_ENABLED')
    const hasPasskey = (await factorMethods(known, userId)).includes('passkey')
    if (!hasPasskey && (await demandsMfa({ ...context, store: known }, await userById(known, userId))))
      throw new MediaprocError('FORBIDDEN', 'This server requires a second factor', { hint: '' })
    return present
  }
  const factor = await removable(store)
  const right = await guarded(context, userId, address, async () => {
    if (isRecoveryCode(code)) return factor.recovery.hashes.includes(await hashOfRecoveryCode(code, factor.recovery))
    return (await totpStep(vault.open(factor.secret, about(userId)), code, now())) !== undefined
  })
  if (!right) throw wrongCode()
  await store.transaction(async (known) => {
    // The code belongs to this factor, and the user's last passkey may have been removed in the meantime.
    if ((await removable(known)).secret !== factor.secret) throw wrongCode()
    await known.factors.remove(userId)
  })
}

/** Removes all second factors of a user who lost them. @throws FORBIDDEN, NOT_FOUND, MFA_NOT_ENABLED, ESCALATION_DENIED */
export async function resetMfa({ store }: AccountsContext, caller: Caller, userId: string): Promise<void> {
  requirePermission(caller, 'users:manage')
  await store.transaction(async (known) => {
    const { role } = await userById(known, userId)
    await checkAuthority(known, caller, role)
    if (!(await hasFactor(known, userId))) throw new MediaprocError('MFA_NOT_ENABLED')
    await removeFactors(known, userId)
  })
}

async function removeFactors({ factors, passkeys, tickets }: Repositories, userId: string): Promise<void> {
  await factors.remove(userId)
  await passkeys.removeOfUser(userId)
  for (const { id } of await tickets.ofUser(userId)) await tickets.remove(id)
}
