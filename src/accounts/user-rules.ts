import { MediaprocError } from '../errors.ts'
import type { AccountsData, DeepReadonly, UserRecord } from '../store/records.ts'
import { DEFAULT_TEAM_ID } from '../store/records.ts'
import { ANONYMOUS, type Caller } from './caller.ts'
import { permissionsOf, rankOf } from './permissions.ts'

const USERNAME = /^[A-Za-z0-9_.-]{3,50}$/

type Data = DeepReadonly<AccountsData>

/** User names are the same without regard to case. */
export function findByName(data: Data, username: string): UserRecord | undefined {
  const wanted = username.toLowerCase()
  return data.users.find((user) => user.username.toLowerCase() === wanted)
}

/** The user in a draft, to be changed; or in the data, to be read. @throws NOT_FOUND */
export function userById<User extends UserRecord>(users: readonly User[], id: string): User {
  const user = users.find((known) => known.id === id)
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

/** @throws CONFLICT */
export function checkNameIsFree(data: Data, username: string): void {
  if (username.toLowerCase() === ANONYMOUS || findByName(data, username))
    throw new MediaprocError('CONFLICT', 'The user name is taken')
}

/** The id of a team from its name in any case, or its id; of the team Default when nothing is said. @throws VALIDATION_ERROR */
export function teamIdOf(data: Data, team: string | undefined): string {
  if (team === undefined) return DEFAULT_TEAM_ID
  const wanted = team.trim().toLowerCase()
  const found = data.teams.find(({ id }) => id === team) ?? data.teams.find(({ name }) => name.toLowerCase() === wanted)
  if (!found) throw new MediaprocError('VALIDATION_ERROR', 'There is no such team')
  return found.id
}

/**
 * Nobody changes or makes somebody mightier than themselves: every permission of the role must be the caller's, and
 * between built-in roles the caller's must not be the lower one. A disabled account counts as what it would be again.
 *
 * @throws ESCALATION_DENIED
 */
export function checkAuthority(data: Data, caller: Caller, role: string): void {
  const held = permissionsOf(role, data.roles).every((permission) => caller.permissions.has(permission))
  const [mine, theirs] = [rankOf(caller.role), rankOf(role)]
  if (!held || (mine !== undefined && theirs !== undefined && mine < theirs))
    throw new MediaprocError('ESCALATION_DENIED')
}

/** There is always somebody who can manage the instance. @throws LAST_ADMIN when `user` is the last one */
export function checkNotLastAdmin(data: Data, user: UserRecord): void {
  const another = data.users.some(({ id, role }) => id !== user.id && role === 'admin')
  if (user.role === 'admin' && !another) throw new MediaprocError('LAST_ADMIN')
}
