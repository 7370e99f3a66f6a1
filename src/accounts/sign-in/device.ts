import { timingSafeEqual } from 'node:crypto'
import { MediaprocError } from '../../errors.ts'
import type { DeviceRequest, TicketRecord, UserRecord } from '../../store/records.ts'
import type { Repositories } from '../../store/repositories.ts'
import { type Caller, requirePermission } from '../caller.ts'
import { type AccountsContext, timeText } from '../context.ts'
import { checkRoom, issueKey, type NewKey } from '../credentials/keys.ts'
import { proofOf } from '../credentials/second-step.ts'
import { effectivePermissions, isDisabled, storedRoles } from '../directory/permissions.ts'
import { networkOf } from './attempts.ts'
import { cookieSecret } from './cookie-secret.ts'
import { newSessionToken, sha256Hex } from './tokens.ts'
import { hashOfUserCode, newUserCode } from './user-code.ts'

/** Lifetime of a code, in milliseconds. */
export const DEVICE_MS = 600_000
/** Codes that wait for a person: in all, and those of one network. */
export const MAX_DEVICES = { inAll: 1000, ofNetwork: 10 }

/** Replaces the id of a user in tickets that no user has decided yet. Ids of users are UUIDs. */
const UNDECIDED = 'device'

/** A ticket that has a request. */
type DeviceTicket = TicketRecord & { device: DeviceRequest }

const unknownCode = (): MediaprocError => new MediaprocError('INVALID_USER_CODE')
const expired = (): MediaprocError => new MediaprocError('EXPIRED_TOKEN')

const tooManyDevices = (): MediaprocError =>
  new MediaprocError('RATE_LIMITED', 'Too many programs wait for a sign-in', { fields: { retryAfter: 60 } })

/** Characters that hide or reorder what a person reads. */
const printable = (name: string): string => name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '').trim()

/** What a program gets to begin with. */
export interface StartedDevice {
  deviceCode: string
  userCode: string
}

/**
 * Begins the sign-in of a program (RFC 8628). Only hashes of its codes are stored.
 * @param client name that the program gives itself, and that the key will have
 * @throws RATE_LIMITED when too many programs wait
 */
export async function startDevice(
  context: AccountsContext,
  { client, address }: Pick<DeviceRequest, 'client' | 'address'>,
): Promise<StartedDevice> {
  const { store, now } = context
  const [secret, token] = [await cookieSecret(context), newSessionToken()]
  return store.transaction(async ({ tickets }) => {
    await tickets.removeDead(timeText(now()))
    const waiting = await tickets.ofUser(UNDECIDED)
    const near = waiting.filter(({ device }) => networkOf(device?.address ?? '') === networkOf(address))
    if (waiting.length >= MAX_DEVICES.inAll || near.length >= MAX_DEVICES.ofNetwork) throw tooManyDevices()
    let userCode = newUserCode()
    while (await tickets.byId(hashOfUserCode(userCode, secret))) userCode = newUserCode()
    const id = hashOfUserCode(userCode, secret)
    await tickets.put({
      ...{ id, kind: 'device', userId: UNDECIDED, tries: 0, expiresAt: timeText(now() + DEVICE_MS) },
      device: {
        ...{ token: sha256Hex(token), client: printable(client) || 'a program', address },
        ...{ startedAt: timeText(now()), state: 'waiting' },
      },
    })
    return { deviceCode: `${id}.${token}`, userCode }
  })
}

/** The ticket of a program that waits; undefined if there is none, or it was decided. */
async function waitingTicket(
  { tickets }: Pick<Repositories, 'tickets'>,
  id: string,
  now: number,
): Promise<DeviceTicket | undefined> {
  const ticket = await tickets.byId(id)
  const isWaiting = ticket?.device?.state === 'waiting' && ticket.expiresAt > timeText(now)
  return isWaiting ? (ticket as DeviceTicket) : undefined
}

/**
 * Runs a step with the code that a person entered. Wrong codes count as failed sign-ins do.
 * @throws FORBIDDEN for users who may have no keys, INVALID_USER_CODE, RATE_LIMITED
 */
async function withUserCode(
  context: AccountsContext,
  caller: Caller,
  { userCode, address }: EnteredCode,
  step: (known: Pick<Repositories, 'tickets'>, ticket: DeviceTicket) => Promise<DeviceTicket>,
): Promise<DeviceTicket> {
  requirePermission(caller, 'apikeys:own')
  const id = hashOfUserCode(userCode, await cookieSecret(context))
  let found: DeviceTicket | undefined
  await context.deviceAttempts.check(caller.userId, address, async () => {
    found = await context.store.transaction(async (known) => {
      const ticket = await waitingTicket(known, id, context.now())
      if (!ticket) return undefined
      const { sessions } = known
      // The session may have been ended in the meantime.
      if (!(await sessions.find(caller.sessionId ?? ''))) throw new MediaprocError('SESSION_INVALID')
      checkRoom(await known.users.byId(caller.userId), (await known.apiKeys.ofUser(caller.userId)).length)
      return step(known, ticket)
    })
    return found !== undefined
  })
  if (!found) throw unknownCode()
  return found
}

/** A code with the address of the person who entered it. */
export interface EnteredCode {
  userCode: string
  address: string
}

/** What a person reads before a decision. @throws FORBIDDEN, INVALID_USER_CODE, RATE_LIMITED, VALIDATION_ERROR */
export async function describeDevice(context: AccountsContext, caller: Caller, entered: EnteredCode) {
  const { device, expiresAt } = await withUserCode(context, caller, entered, async (_known, ticket) => ticket)
  const { client, address, startedAt } = device
  return { client, address, startedAt, expiresAt }
}

/**
 * Approves or refuses a program, once.
 * @throws FORBIDDEN, INVALID_USER_CODE, RATE_LIMITED, SESSION_INVALID, VALIDATION_ERROR when the user has too many keys
 */
export async function decideDevice(
  context: AccountsContext,
  caller: Caller,
  entered: EnteredCode,
  state: 'approved' | 'refused',
): Promise<DeviceRequest> {
  const user = await context.store.users.byId(caller.userId)
  if (!user) throw new MediaprocError('SESSION_INVALID')
  const { device } = await withUserCode(context, caller, entered, async ({ tickets }, ticket) => {
    const decided = { ...ticket, userId: user.id, proof: proofOf(user), device: { ...ticket.device, state } }
    await tickets.put(decided)
    return decided
  })
  return device
}

/** The user who approved a program, if nothing has changed since. @throws ACCESS_DENIED */
async function approver({ store }: AccountsContext, { userId, proof }: TicketRecord): Promise<UserRecord> {
  const user = await store.users.byId(userId ?? '')
  if (!user || isDisabled(user.role) || proofOf(user) !== proof) throw new MediaprocError('ACCESS_DENIED')
  const permissions = effectivePermissions(user.role, await storedRoles(store, user.role), null)
  if (!permissions.has('apikeys:own')) throw new MediaprocError('ACCESS_DENIED')
  return user
}

/**
 * The key of an approved program, once. It has the permissions of its user.
 * @param mayAsk counts the question; false if it comes too soon after the last one
 * @throws AUTHORIZATION_PENDING, SLOW_DOWN, ACCESS_DENIED, EXPIRED_TOKEN (also after the key was given)
 */
export async function redeemDevice(
  context: AccountsContext,
  deviceCode: string,
  mayAsk: (id: string) => Promise<boolean>,
): Promise<{ key: NewKey; user: UserRecord }> {
  const [id = '', token = ''] = deviceCode.split('.')
  const ticket = await context.store.tickets.byId(id)
  if (!ticket?.device || ticket.expiresAt <= timeText(context.now())) throw expired()
  const { device } = ticket
  if (!isSame(device.token, sha256Hex(token))) throw expired()
  if (!(await mayAsk(id))) throw new MediaprocError('SLOW_DOWN')
  if (device.state === 'refused') throw new MediaprocError('ACCESS_DENIED')
  if (device.state === 'waiting') throw new MediaprocError('AUTHORIZATION_PENDING')
  const user = await approver(context, ticket)
  const facts = { userId: user.id, name: device.client, permissions: null, expiresAt: null }
  const key = await issueKey(context, facts, async ({ tickets, users }) => {
    // Another request may have taken the key.
    const present = await tickets.byId(id)
    if (present?.device?.state !== 'approved') throw expired()
    const owner = await users.byId(user.id)
    if (!owner || proofOf(owner) !== ticket.proof) throw new MediaprocError('ACCESS_DENIED')
    await tickets.remove(id)
  })
  return { key, user }
}

const isSame = (one: string, other: string): boolean => timingSafeEqual(Buffer.from(one), Buffer.from(other))
