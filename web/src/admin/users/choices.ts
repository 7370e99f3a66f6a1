/** The roles and teams that an administrator can give. */
import { call } from '../../api/call.ts'
import { may } from '../../api/session.ts'
import type { GetRoles, GetTeams, ListedUser } from '../../api/types.ts'

export interface Choices {
  roles: readonly string[]
  teams: readonly string[]
}

const BUILT_IN = ['admin', 'editor', 'user']
const DISABLED = 'disabled:'

export const isLocked = (role: string): boolean => role.startsWith(DISABLED)

/** The role of a locked account is kept behind a mark. */
export const roleOf = (role: string): string => (isLocked(role) ? role.slice(DISABLED.length) : role)

export const lockedRole = (role: string): string => DISABLED + role

const unique = (names: readonly string[]): string[] => [...new Set(names)]

/** Without the permission to list them, those that the users have. */
export async function loadChoices(users: readonly ListedUser[]): Promise<Choices> {
  const [roles, teams] = await Promise.all([
    may('audit:read') ? call<GetRoles>('api/v1/roles').then((answer) => answer.roles.map(({ name }) => name)) : [],
    may('teams:manage') ? call<GetTeams>('api/v1/teams').then((answer) => answer.teams.map(({ name }) => name)) : [],
  ])
  return {
    roles: unique([...BUILT_IN, ...roles, ...users.map(({ role }) => roleOf(role))]),
    teams: unique([...teams, 'Default', ...users.map(({ team }) => team)]),
  }
}
