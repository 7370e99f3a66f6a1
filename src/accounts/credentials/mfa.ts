import { randomUUID } from 'node:crypto'
import { MediaprocError } from '../../errors.ts'
import type { FactorRecord, ProviderSession, SessionRecord, UserRecord } from '../../store/records.ts'
import type { Repositories } from '../../store/repositories.ts'
import { type Caller, requirePermission } from '../caller.ts'
import { type AccountsContext, timeText } from '../context.ts'
import { isDisabled } from '../directory/permissions.ts'
import { checkAuthority, userById } from '../directory/user-rules.ts'
import { sha256Hex } from '../sign-in/tokens.ts'
import { hashOfRecoveryCode, hashRecoveryCodes, isRecoveryCode, newRecoveryCodes } from './recovery-codes.ts'
import { newTotpSecret, totpStep, totpUri } from './totp.ts'

/** Time limit for the code after a correct password. */
const CHALLENGE_MS = 300_000
/** Code attempts per sign-in. */
const MAX_TRIES = 5
/** Pending sign-ins of one user that wait for a code; the oldest are dropped first. */
const MAX_CHALLENGES = 5

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
  { store, options }: Pick<AccountsContext, 'store' | 'options'>,
  { role }: Pick<UserRecord, 'role'>,
): Promise<boolean> {
  if (options.hasMfa === false) return false
  const policy = (await store.settings.get('mfaPolicy'))?.value
  return policy === 'required' || (policy === 'admins_only' && role === 'admin')
}

/** Whether a user has an active second factor. */
export async function hasMfa({ store }: Pick<AccountsContext, 'store'>, userId: string): Promise<boolean> {
  return (await store.factors.byId(userId))?.isOn === true
}

/**
 * Creates a new secret and recovery codes for a user; they become active after the first valid code. Replaces an
 * unfinished enrolment.
 *
 * @throws FEATURE_NOT_LICENSED, MFA_ALREADY_ENABLED, NOT_FOUND
 */
export async function enrollMfa(context: AccountsContext, userId: string): Promise<Enrolment> {
  const { store, options, vault, now } = context
  if (options.hasMfa === false) throw new MediaprocError('FEATURE_NOT_LICENSED')
  const { username, isService } = await userById(store, userId)
  if (isService) throw new MediaprocError('VALIDATION_ERROR', 'A service account has no second factor')
  if (await hasMfa(context, userId)) throw new MediaprocError('MFA_ALREADY_ENABLED')
  const secret = await newTotpSecret()
  const recoveryCodes = newRecoveryCodes()
  const recovery = await hashRecoveryCodes(recoveryCodes)
  await store.transaction(async (known) => {
    await userById(known, userId)
    if ((await known.factors.byId(userId))?.isOn) throw new MediaprocError('MFA_ALREADY_ENABLED')
    await known.factors.put({
      ...{ id: userId, secret: vault.seal(secret, about(userId)), recovery, isOn: false, lastStep: 0 },
      createdAt: timeText(now()),
    })
  })
  return { uri: await totpUri(secret, options.mfaIssuer ?? 'mediaproc', username), secret, recoveryCodes }
}

/** Serializes the code attempts of a user, and limits the wrong ones per quarter of an hour. */
function guarded(
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
  const pending = await store.factors.byId(userId)
  if (pending?.isOn) throw new MediaprocError('MFA_ALREADY_ENABLED')
  if (!pending) throw new MediaprocError('NO_PENDING_ENROLLMENT')
  const secret = vault.open(pending.secret, about(userId))
  const right = await guarded(context, userId, address, async () => (await totpStep(secret, code, now())) !== undefined)
  if (!right) throw wrongCode()
  await store.transaction(async ({ factors }) => {
    const present = await factors.byId(userId)
    // Another enrolment may have replaced this one.
    if (present?.secret !== pending.secret) throw new MediaprocError('NO_PENDING_ENROLLMENT')
    await factors.put({ ...present, isOn: true })
  })
  // A session that was valid only for the enrolment.
  if (via === 'enrolment' && sessionId !== undefined) await store.sessions.remove(sessionId)
}

/** Kind of code used in a sign-in. */
export type CodeKind = 'totp' | 'recovery'

/**
 * Checks a code against an active factor and consumes it: each time step counts once, and a recovery code is deleted.
 * Runs in one transaction, so that only one of two requests with the same code succeeds.
 */
async function takeCode(context: AccountsContext, factor: FactorRecord, code: string): Promise<CodeKind | undefined> {
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

/** Fingerprint of the account at the password check: a later change of the account ends the sign-in. */
const proofOf = ({ passwordHash, role }: UserRecord): string => sha256Hex(`${passwordHash} ${role}`)

/** Starts the second step of a sign-in; returns the id to send with the code. */
export async function challengeMfa(
  { store, now }: AccountsContext,
  user: UserRecord,
  loginMethod: SessionRecord['loginMethod'],
  session: ProviderSession = {},
): Promise<string> {
  const id = randomUUID()
  await store.transaction(async ({ tickets }) => {
    await tickets.removeDead(timeText(now()))
    const own = await tickets.ofUser(user.id)
    for (const ticket of own.slice(0, Math.max(0, own.length - MAX_CHALLENGES + 1))) await tickets.remove(ticket.id)
    await tickets.put({
      ...{ id: sha256Hex(id), kind: 'mfa', userId: user.id, tries: 0, expiresAt: timeText(now() + CHALLENGE_MS) },
      ...{
        loginMethod,
        proof: proofOf(user),
        ...session,
      },
    })
  })
  return id
}

/** Counts an attempt before the code is checked, so that concurrent attempts count as well. */
async function takeTry(context: AccountsContext, id: string) {
  return context.store.transaction(async ({ tickets }) => {
    const ticket = await tickets.byId(id)
    if (ticket?.kind !== 'mfa' || ticket.expiresAt <= timeText(context.now()) || ticket.tries >= MAX_TRIES)
      throw new MediaprocError('MFA_EXPIRED')
    const tried = { ...ticket, tries: ticket.tries + 1 }
    await tickets.put(tried)
    return tried
  })
}

export interface CompletedMfa {
  user: UserRecord
  loginMethod: SessionRecord['loginMethod']
  kind: CodeKind
  session: ProviderSession
}

/**
 * Second step of a sign-in: a one-time code or a recovery code. Returns the user to create a session for.
 * @throws MFA_EXPIRED, MFA_NOT_CONFIGURED, INVALID_CODE (with the field `userId`), RATE_LIMITED
 */
export async function completeMfa(
  context: AccountsContext,
  token: string,
  code: string,
  address = '',
): Promise<CompletedMfa> {
  const { store } = context
  const { id, userId, loginMethod = 'local', proof, ...ticket } = await takeTry(context, sha256Hex(token))
  const user = userId === null ? undefined : await store.users.byId(userId)
  const factor = user && (await store.factors.byId(user.id))
  if (!user || isDisabled(user.role) || proofOf(user) !== proof) throw new MediaprocError('MFA_EXPIRED')
  if (!factor?.isOn) throw new MediaprocError('MFA_NOT_CONFIGURED')
  let kind: CodeKind | undefined
  await guarded(context, user.id, address, async () => {
    kind = await takeCode(context, factor, code)
    return kind !== undefined
  })
  if (!kind) throw new WrongCode(user)
  await store.tickets.remove(id)
  const { logoutHint, providerSession, endsAt } = ticket
  return {
    user,
    loginMethod,
    kind,
    session: {
      ...(logoutHint !== undefined && { logoutHint }),
      ...(providerSession !== undefined && { providerSession }),
      ...(endsAt !== undefined && { endsAt }),
    },
  }
}

/** A wrong code of a user with a correct password, for the audit log. */
export class WrongCode extends MediaprocError {
  readonly user: Pick<UserRecord, 'id' | 'username'>

  constructor(user: UserRecord) {
    super('INVALID_CODE')
    this.user = user
  }
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
 * Disables the caller's own second factor.
 * @throws MFA_NOT_ENABLED, FORBIDDEN when the policy requires it, INVALID_CODE, RATE_LIMITED
 */
export async function disableMfa(
  context: AccountsContext,
  { userId }: Pick<Caller, 'userId'>,
  code: string,
  address = '',
): Promise<void> {
  const { store, vault, now } = context
  const factor = await store.factors.byId(userId)
  if (!factor?.isOn) throw new MediaprocError('MFA_NOT_ENABLED')
  if (await demandsMfa(context, await userById(store, userId)))
    throw new MediaprocError('FORBIDDEN', 'This instance demands a second factor of you', { hint: '' })
  const right = await guarded(context, userId, address, async () => {
    if (isRecoveryCode(code)) return factor.recovery.hashes.includes(await hashOfRecoveryCode(code, factor.recovery))
    return (await totpStep(vault.open(factor.secret, about(userId)), code, now())) !== undefined
  })
  if (!right) throw wrongCode()
  await store.factors.remove(userId)
}

/** Removes the second factor of a user who lost it. @throws FORBIDDEN, NOT_FOUND, MFA_NOT_ENABLED, ESCALATION_DENIED */
export async function resetMfa({ store }: AccountsContext, caller: Caller, userId: string): Promise<void> {
  requirePermission(caller, 'users:manage')
  await store.transaction(async (known) => {
    const { role } = await userById(known, userId)
    await checkAuthority(known, caller, role)
    const factor = await known.factors.byId(userId)
    if (!factor?.isOn) throw new MediaprocError('MFA_NOT_ENABLED')
    await removeFactor(known, userId)
  })
}

async function removeFactor({ factors, tickets }: Repositories, userId: string): Promise<void> {
  await factors.remove(userId)
  for (const { id } of await tickets.ofUser(userId)) await tickets.remove(id)
}
