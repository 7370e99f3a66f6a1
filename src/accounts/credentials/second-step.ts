import { randomUUID } from 'node:crypto'
import { MediaprocError } from '../../errors.ts'
import type { ProviderSession, SessionRecord, TicketRecord, UserRecord } from '../../store/records.ts'
import type { Repositories } from '../../store/repositories.ts'
import { type AccountsContext, timeText } from '../context.ts'
import { isDisabled } from '../directory/permissions.ts'
import { passkeysOf, type RequestOptions, requestOptions, takeAssertion } from '../passkeys/assert.ts'
import type { Purpose } from '../passkeys/challenges.ts'
import type { Assertion, RelyingParty } from '../passkeys/webauthn.ts'
import { sha256Hex } from '../sign-in/tokens.ts'
import { type CodeKind, guarded, takeCode } from './mfa.ts'

/** Time limit for the second step after a correct password. */
const CHALLENGE_MS = 300_000
/** Attempts per sign-in. */
const MAX_TRIES = 5
/** Pending sign-ins of one user; the oldest are dropped first. */
const MAX_CHALLENGES = 5

/** Fingerprint of the account at the password check: a later change of the account ends the sign-in. */
export const proofOf = ({ passwordHash, role }: UserRecord): string => sha256Hex(`${passwordHash} ${role}`)

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
    const own = (await tickets.ofUser(user.id)).filter(({ kind }) => kind === 'mfa')
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

/** @throws MFA_EXPIRED */
async function openTicket(
  { now }: AccountsContext,
  { tickets }: Pick<Repositories, 'tickets'>,
  id: string,
): Promise<TicketRecord> {
  const ticket = await tickets.byId(id)
  if (ticket?.kind !== 'mfa' || ticket.expiresAt <= timeText(now()) || ticket.tries >= MAX_TRIES)
    throw new MediaprocError('MFA_EXPIRED')
  return ticket
}

/** Counts an attempt before it is checked, so that concurrent attempts count as well. */
async function takeTry(context: AccountsContext, id: string): Promise<TicketRecord> {
  return context.store.transaction(async (known) => {
    const ticket = await openTicket(context, known, id)
    const tried = { ...ticket, tries: ticket.tries + 1 }
    await known.tickets.put(tried)
    return tried
  })
}

/** The user of a pending sign-in. @throws MFA_EXPIRED when the account has changed since the password */
async function pendingSignIn({ store }: AccountsContext, ticket: TicketRecord) {
  const user = ticket.userId === null ? undefined : await store.users.byId(ticket.userId)
  if (!user || isDisabled(user.role) || proofOf(user) !== ticket.proof) throw new MediaprocError('MFA_EXPIRED')
  return { ticket, user }
}

export interface CompletedMfa {
  user: UserRecord
  loginMethod: SessionRecord['loginMethod']
  kind: CodeKind | 'passkey'
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
  const { ticket, user } = await pendingSignIn(context, await takeTry(context, sha256Hex(token)))
  const factor = await store.factors.byId(user.id)
  if (!factor?.isOn) throw new MediaprocError('MFA_NOT_CONFIGURED')
  let kind: CodeKind | undefined
  await guarded(context, user.id, address, async () => {
    kind = await takeCode(context, factor, code)
    return kind !== undefined
  })
  if (!kind) throw new WrongCode(user)
  return completed(context, ticket, user, kind)
}

/** Options for the second step with a passkey. @throws MFA_EXPIRED, MFA_NOT_CONFIGURED */
export async function passkeyStepOptions(
  context: AccountsContext,
  token: string,
  party: RelyingParty,
): Promise<RequestOptions> {
  const { user } = await pendingSignIn(context, await openTicket(context, context.store, sha256Hex(token)))
  return requestOptions(context, stepOf(token), party, await passkeysOf(context, user.id))
}

/**
 * Second step of a sign-in with a passkey. Returns the user to create a session for.
 * @throws MFA_EXPIRED, MFA_NOT_CONFIGURED, PASSKEY_REFUSED
 */
export async function completeWithPasskey(
  context: AccountsContext,
  token: string,
  party: RelyingParty,
  assertion: Assertion,
): Promise<CompletedMfa> {
  const { ticket, user } = await pendingSignIn(context, await takeTry(context, sha256Hex(token)))
  await passkeysOf(context, user.id)
  await takeAssertion(context, stepOf(token), party, assertion, user)
  return completed(context, ticket, user, 'passkey')
}

/** The challenge is valid only for this pending sign-in. */
const stepOf = (token: string): Purpose => ({ action: 'second-step', subject: sha256Hex(token) })

/** Ends the pending sign-in. @throws MFA_EXPIRED when a concurrent request completed or ended it */
async function completed(
  { store }: AccountsContext,
  ticket: TicketRecord,
  user: UserRecord,
  kind: CompletedMfa['kind'],
): Promise<CompletedMfa> {
  await store.transaction(async ({ tickets }) => {
    if (!(await tickets.byId(ticket.id))) throw new MediaprocError('MFA_EXPIRED')
    await tickets.remove(ticket.id)
  })
  const { loginMethod = 'local', logoutHint, providerSession, endsAt } = ticket
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
