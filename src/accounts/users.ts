import { randomUUID } from 'node:crypto'
import { MediaprocError } from '../errors.ts'
import type { AccountsData, DeepReadonly, UserRecord } from '../store/records.ts'
import { type Caller, mustChange, requirePermission, teamName } from './caller.ts'
import { dropAccess } from './change-password.ts'
import { type AccountsContext, timeText } from './context.ts'
import { isFirstUser, removeInitialPassword } from './first-start.ts'
import { checkNewPassword } from './password-policy.ts'
import { hashPassword } from './passwords.ts'
import { disabledRole, parseRole } from './permissions.ts'
import { checkAuthority, checkNameIsFree, checkNotLastAdmin, checkUsername, teamIdOf, userById } from './user-rules.ts'

export interface Registration {
  username: string
  password: string
  /** An unknown one counts as `user`. */
  role?: string
  /** Name or id. */
  team?: string
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
}

export function listUsers(context: AccountsContext): ListedUser[] {
  const { data } = context.store.accounts
  return data.users.map((user) => ({
    id: user.id,
    username: user.username,
    role: user.role,
    team: teamName(data, user.teamId),
    authProvider: user.authProvider,
    email: user.email,
    hasLocalPassword: user.passwordHash !== null,
    hasOidcLink: user.authProvider === 'oidc',
    createdAt: user.createdAt,
    mustChangePassword: mustChange(context, user),
  }))
}

/** @throws FORBIDDEN, VALIDATION_ERROR, ESCALATION_DENIED, CONFLICT, USER_LIMIT_REACHED; the first that applies, in this order */
export async function register(context: AccountsContext, caller: Caller, wanted: Registration): Promise<UserRecord> {
  const { store, options, now } = context
  requirePermission(caller, 'users:manage')
  const { username, password } = wanted
  checkUsername(username)
  checkNewPassword(store, password)
  const place = (data: DeepReadonly<AccountsData>): Pick<UserRecord, 'role' | 'teamId'> => {
    const role = parseRole(wanted.role ?? 'user', data.roles) ?? 'user'
    checkAuthority(data, caller, role)
    const teamId = teamIdOf(data, wanted.team)
    checkNameIsFree(data, username)
    if (options.maxUsers > 0 && data.users.length >= options.maxUsers)
      throw new MediaprocError('USER_LIMIT_REACHED', `The instance has no room for more than ${options.maxUsers} users`)
    return { role, teamId }
  }
  // Once before the costly hash, and once when it counts.
  place(store.accounts.data)
  const passwordHash = await hashPassword(password)
  return store.accounts.change((draft) => {
    const user: UserRecord = {
      id: randomUUID(),
      username,
      ...place(draft),
      passwordHash,
      mustChangePassword: !options.skipMustChangePassword,
      authProvider: 'local',
      email: null,
      createdAt: timeText(now()),
    }
    draft.users.push(user)
    return { ...user }
  })
}

/**
 * Gives a user another role or team. A change of the role ends the user's sessions.
 *
 * @throws FORBIDDEN, NOT_FOUND, VALIDATION_ERROR, SELF_DEMOTE, LAST_ADMIN, ESCALATION_DENIED
 */
export async function updateUser(
  { store }: AccountsContext,
  caller: Caller,
  id: string,
  wanted: { role?: string; team?: string },
): Promise<UserRecord> {
  requirePermission(caller, 'users:manage')
  return store.accounts.change((draft) => {
    const user = userById(draft.users, id)
    const role = wanted.role === undefined ? user.role : parseRole(wanted.role, draft.roles, user.role)
    if (role === undefined) throw new MediaprocError('VALIDATION_ERROR', 'There is no such role')
    const teamId = wanted.team === undefined ? user.teamId : teamIdOf(draft, wanted.team)
    if (role !== user.role) {
      if (id === caller.userId && user.role === 'admin') throw new MediaprocError('SELF_DEMOTE')
      checkNotLastAdmin(draft, user)
    }
    checkAuthority(draft, caller, user.role)
    checkAuthority(draft, caller, role)
    if (role !== user.role) draft.sessions = draft.sessions.filter(({ userId }) => userId !== id)
    Object.assign(user, { role, teamId })
    return { ...user }
  })
}

/**
 * Deletes a user with everything that is theirs; `withdraw` takes away what others keep. The account is disabled first and goes last: after a crash in between it
 * is still listed, and deleting it again finishes the work.
 *
 * @throws FORBIDDEN, SELF_DELETE, NOT_FOUND, ESCALATION_DENIED, LAST_ADMIN
 */
export async function deleteUser(
  context: AccountsContext,
  caller: Caller,
  id: string,
  withdraw: () => Promise<void>,
): Promise<void> {
  const { store } = context
  requirePermission(caller, 'users:manage')
  if (id === caller.userId) throw new MediaprocError('SELF_DELETE')
  const keys = await store.accounts.change((draft) => {
    const user = userById(draft.users, id)
    checkAuthority(draft, caller, user.role)
    checkNotLastAdmin(draft, user)
    user.role = disabledRole(user.role)
    return dropAccess(draft, id)
  })
  context.verifiedKeys.drop(keys)
  await withdraw()
  await store.library.deleteOwner(id)
  await store.pipelines.change((draft) => {
    draft.pipelines = draft.pipelines.filter(({ userId }) => userId !== id)
  })
  await store.settings.change(({ preferences }) => {
    delete preferences[id]
  })
  const isFirst = await store.accounts.change((draft) => {
    const isFirst = isFirstUser(draft, id)
    draft.users = draft.users.filter((user) => user.id !== id)
    return isFirst
  })
  if (isFirst) await removeInitialPassword(context)
}
