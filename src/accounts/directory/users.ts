import { randomUUID } from 'node:crypto'
import { MediaprocError } from '../../errors.ts'
import type { UserRecord } from '../../store/records.ts'
import type { Repositories } from '../../store/repositories.ts'
import { type Caller, mustChange, requirePermission } from '../caller.ts'
import { type AccountsContext, timeText, type Updated } from '../context.ts'
import { dropAccess } from '../credentials/change-password.ts'
import { checkNewPassword } from '../credentials/password-policy.ts'
import { hashPassword } from '../credentials/passwords.ts'
import { isFirstUser, removeInitialPassword } from './first-start.ts'
import { disabledRole } from './permissions.ts'
import {
  checkAuthority,
  checkedEmail,
  checkNameIsFree,
  checkNotLastAdmin,
  checkRoom,
  checkUsername,
  roleOf,
  teamIdOf,
  userById,
} from './user-rules.ts'

export interface Registration {
  username: string
  password: string
  /** An unknown role counts as `user`. */
  role?: string
  /** Name or id. */
  team?: string
  /** Used by single sign-on to find the account. */
  email?: string | null
}

/** A user as administrators see it (HTTP contract, section 5). */
export interface ListedUser {
  id: string
  username: string
  role: string
  team: string
  authProvider: UserRecord['authProvider']
  email: string | null
  hasLocalPassword: boolean
  hasOidcLink: boolean
  createdAt: string
  mustChangePassword: boolean
  mfaEnabled: boolean
  /** Only for the accounts of programs. */
  isService?: true
}

export async function listUsers(context: AccountsContext): Promise<ListedUser[]> {
  const { users, teams, factors, passkeys, identities } = context.store
  const withMfa = new Set([
    ...(await factors.list()).filter(({ isOn }) => isOn).map(({ id }) => id),
    ...(await passkeys.list()).map(({ userId }) => userId),
  ])
  const linked = new Set(
    (await identities.list()).flatMap(({ provider, userId }) => (provider === 'oidc' ? userId : [])),
  )
  const names = new Map((await teams.list()).map(({ id, name }) => [id, name]))
  return (await users.list()).map((user) => ({
    id: user.id,
    username: user.username,
    role: user.role,
    team: names.get(user.teamId) ?? 'Default',
    authProvider: user.authProvider,
    email: user.email,
    hasLocalPassword: user.passwordHash !== null,
    hasOidcLink: linked.has(user.id),
    createdAt: user.createdAt,
    mustChangePassword: mustChange(context, user),
    mfaEnabled: withMfa.has(user.id),
    ...(user.isService && { isService: true as const }),
  }))
}

/**
 * @throws FORBIDDEN, VALIDATION_ERROR, ESCALATION_DENIED, CONFLICT, USER_LIMIT_REACHED; the first that applies, in this
 *   order
 */
export async function register(context: AccountsContext, caller: Caller, wanted: Registration): Promise<UserRecord> {
  const { store, options, now } = context
  requirePermission(caller, 'users:manage')
  const { username, password } = wanted
  checkUsername(username)
  checkedEmail(wanted.email)
  await checkNewPassword(store, password)
  const place = async (known: Repositories): Promise<Pick<UserRecord, 'role' | 'teamId'>> => {
    const role = (await roleOf(known, wanted.role ?? 'user')) ?? 'user'
    await checkAuthority(known, caller, role)
    const teamId = await teamIdOf(known, wanted.team)
    await checkNameIsFree(known, username)
    await checkRoom(known, options)
    return { role, teamId }
  }
  // Checked before the costly hash, and again in the transaction.
  await place(store)
  const passwordHash = await hashPassword(password)
  return store.transaction(async (known) => {
    const user: UserRecord = {
      id: randomUUID(),
      username,
      ...(await place(known)),
      passwordHash,
      mustChangePassword: !options.skipMustChangePassword,
      authProvider: 'local',
      email: checkedEmail(wanted.email),
      createdAt: timeText(now()),
    }
    await known.users.add(user)
    return user
  })
}

export interface WantedChange {
  role?: string
  /** Name or id. */
  team?: string
  email?: string | null
}

/**
 * Changes a user's role or team. A new role ends the user's sessions.
 *
 * @param change fields to change, or a function that derives them from the user as stored
 * @throws FORBIDDEN, NOT_FOUND, VALIDATION_ERROR, SELF_DEMOTE, LAST_ADMIN, ESCALATION_DENIED
 */
export async function updateUser(
  { store }: AccountsContext,
  caller: Caller,
  id: string,
  change: WantedChange | ((present: UserRecord) => WantedChange),
): Promise<Updated<UserRecord>> {
  requirePermission(caller, 'users:manage')
  return store.transaction(async (known) => {
    const user = await userById(known, id)
    const wanted = typeof change === 'function' ? change(user) : change
    // Single sign-on finds accounts by it.
    if (user.isService && wanted.email) throw new MediaprocError('VALIDATION_ERROR', 'A service account has no address')
    const role = wanted.role === undefined ? user.role : await roleOf(known, wanted.role, user.role)
    if (role === undefined) throw new MediaprocError('VALIDATION_ERROR', 'There is no such role')
    const teamId = wanted.team === undefined ? user.teamId : await teamIdOf(known, wanted.team)
    if (role !== user.role) {
      if (id === caller.userId && user.role === 'admin') throw new MediaprocError('SELF_DEMOTE')
      await checkNotLastAdmin(known, user)
    }
    await checkAuthority(known, caller, user.role)
    await checkAuthority(known, caller, role)
    if (role !== user.role) await known.sessions.removeOfUser(id)
    const after = await known.users.update(id, {
      role,
      teamId,
      ...(wanted.email !== undefined && { email: checkedEmail(wanted.email) }),
    })
    return { before: user, after }
  })
}

/**
 * Deletes a user and all their data; `withdraw` removes data outside the accounts. The account is disabled first: after
 * a crash it is still listed, and deleting it again completes the removal.
 *
 * @throws FORBIDDEN, SELF_DELETE, NOT_FOUND, ESCALATION_DENIED, LAST_ADMIN
 */
export async function deleteUser(
  context: AccountsContext,
  caller: Caller,
  id: string,
  withdraw = async (): Promise<void> => undefined,
): Promise<void> {
  const { store } = context
  requirePermission(caller, 'users:manage')
  if (id === caller.userId) throw new MediaprocError('SELF_DELETE')
  const keys = await store.transaction(async (known) => {
    const user = await userById(known, id)
    await checkAuthority(known, caller, user.role)
    await checkNotLastAdmin(known, user)
    await known.users.update(id, { role: disabledRole(user.role) })
    return dropAccess(known, id)
  })
  context.verifiedKeys.drop(keys)
  const removeFiles = async (): Promise<void> => {
    await withdraw()
    await store.library.deleteOwner(id)
  }
  await removeFiles()
  const isFirst = await store.transaction(async (known) => {
    const isFirst = await isFirstUser(known, id)
    await known.pipelines.removeOfOwner(id)
    await known.preferences.remove(id)
    await known.factors.remove(id)
    await known.passkeys.removeOfUser(id)
    await known.identities.removeOfUser(id)
    await known.idempotencyKeys.removeOfUser(id)
    await known.webhooks.removeOfUser(id)
    await known.deliveries.removeOfUser(id)
    for (const ticket of await known.tickets.ofUser(id)) await known.tickets.remove(ticket.id)
    await known.users.remove(id)
    return isFirst
  })
  // A request that was running may have written data since.
  await removeFiles()
  if (isFirst) await removeInitialPassword(context)
}
