import { MediaprocError } from '../../errors.ts'
import type { UserRecord } from '../../store/records.ts'
import { DEFAULT_TEAM_ID } from '../../store/records.ts'
import type { Repositories } from '../../store/repositories.ts'
import { ANONYMOUS, type Caller } from '../caller.ts'
import type { AccountsOptions } from '../context.ts'
import { parseRole, permissionsOf, rankOf, storedRoles, toolsOf } from './permissions.ts'
import { isWithin } from './tool-permissions.ts'

const USERNAME = /^[A-Za-z0-9_.-]{3,50}$/

/** @throws NOT_FOUND */
export async function userById({ users }: Pick<Repositories, 'users'>, id: string): Promise<UserRecord> {
  const user = await users.byId(id)
  if (!user) throw new MediaprocError('NOT_FOUND', 'There is no such user')
  return user
}

export function isUsername(text: string): boolean {
  return USERNAME.test(text)
}

/** @throws VALIDATION_ERROR */
export function checkUsername(username: string): void {
  if (isUsername(username)) return
  throw new MediaprocError('VALIDATION_ERROR', 'The user name is not valid', {
    hint: 'Use 3 to 50 letters A to Z, digits, _, . and -.',
  })
}

/** Normalizes an e-mail address; null for none. @throws VALIDATION_ERROR */
export function checkedEmail(email: string | null | undefined): string | null {
  if (email == null || email === '') return null
  if (email.length <= 254 && /^[^\s@<>]+@[^\s@<>]+$/.test(email)) return email
  throw new MediaprocError('VALIDATION_ERROR', 'The e-mail address is not valid')
}

/** @throws CONFLICT */
export async function checkNameIsFree({ users }: Pick<Repositories, 'users'>, username: string): Promise<void> {
  if (username.toLowerCase() === ANONYMOUS || (await users.byName(username)))
    throw new MediaprocError('CONFLICT', 'The user name is taken')
}

/** @throws USER_LIMIT_REACHED */
export async function checkRoom(
  { users }: Pick<Repositories, 'users'>,
  { maxUsers }: Pick<AccountsOptions, 'maxUsers'>,
): Promise<void> {
  if (maxUsers > 0 && (await users.count()) >= maxUsers)
    throw new MediaprocError('USER_LIMIT_REACHED', `The instance has no room for more than ${maxUsers} users`)
}

/** Parses a role name in any case into its stored form; undefined for an unknown one. */
export async function roleOf(
  known: Pick<Repositories, 'roles'>,
  text: string,
  present?: string,
): Promise<string | undefined> {
  return parseRole(text, await storedRoles(known, text.trim().toLowerCase()), present)
}

/** Id of a team, given its name in any case or its id; the team Default if omitted. @throws VALIDATION_ERROR */
export async function teamIdOf({ teams }: Pick<Repositories, 'teams'>, team: string | undefined): Promise<string> {
  if (team === undefined) return DEFAULT_TEAM_ID
  const found = (await teams.byId(team)) ?? (await teams.byName(team.trim()))
  if (!found) throw new MediaprocError('VALIDATION_ERROR', 'There is no such team')
  return found.id
}

/**
 * Prevents privilege escalation: the caller must have every permission and tool of the role that is set or changed, and
 * must not rank below it if both are built-in. A disabled account counts with the role that it would get back.
 *
 * @throws ESCALATION_DENIED
 */
export async function checkAuthority(
  repositories: Pick<Repositories, 'roles'>,
  caller: Caller,
  role: string,
): Promise<void> {
  const roles = await storedRoles(repositories, role)
  const held =
    permissionsOf(role, roles).every((permission) => caller.permissions.has(permission)) &&
    isWithin(toolsOf(role, roles), caller.toolPermissions)
  const [mine, theirs] = [rankOf(caller.role), rankOf(role)]
  if (!held || (mine !== undefined && theirs !== undefined && mine < theirs))
    throw new MediaprocError('ESCALATION_DENIED')
}

/** The server must always have an administrator. @throws LAST_ADMIN when `user` is the last one who can sign in */
export async function checkNotLastAdmin({ users }: Pick<Repositories, 'users'>, user: UserRecord): Promise<void> {
  if (user.role === 'admin' && !user.isService && (await users.countOfRole('admin')) === 1)
    throw new MediaprocError('LAST_ADMIN')
}
