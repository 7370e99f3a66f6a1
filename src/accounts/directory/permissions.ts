import type { RoleRecord, ToolPermissions } from '../../store/records.ts'
import type { Repositories } from '../../store/repositories.ts'

/** Everything that can be allowed (HTTP contract, section 10). */
export const PERMISSIONS = [
  'tools:use',
  'files:own',
  'files:all',
  'apikeys:own',
  'apikeys:all',
  'pipelines:own',
  'pipelines:all',
  'settings:read',
  'settings:write',
  'users:manage',
  'teams:manage',
  'branding:manage',
  'features:manage',
  'system:health',
  'audit:read',
  'compliance:manage',
  'webhooks:manage',
  'security:manage',
] as const

export type Permission = (typeof PERMISSIONS)[number]

/** The roles that are always there, with what they hold. */
export const BUILT_IN_ROLES: Readonly<Record<'admin' | 'editor' | 'user', readonly Permission[]>> = {
  admin: PERMISSIONS,
  editor: ['tools:use', 'files:own', 'files:all', 'apikeys:own', 'pipelines:own', 'pipelines:all', 'settings:read'],
  user: ['tools:use', 'files:own', 'apikeys:own', 'pipelines:own', 'settings:read'],
}

/** What belongs to administrators alone: no other role may hold it. */
export const NOT_FOR_CUSTOM_ROLES: readonly Permission[] = ['compliance:manage', 'webhooks:manage', 'security:manage']

/** Roles beside the built-in ones, at least those that are asked about. */
type Roles = readonly RoleRecord[]

const DISABLED = 'disabled:'

export function isBuiltIn(role: string): role is keyof typeof BUILT_IN_ROLES {
  return Object.hasOwn(BUILT_IN_ROLES, role)
}

export function isPermission(text: string): text is Permission {
  return (PERMISSIONS as readonly string[]).includes(text)
}

export function isDisabled(role: string): boolean {
  return role.startsWith(DISABLED)
}

/** The role that a disabled account would have again when it is enabled; any other role as it is. */
export function baseRole(role: string): string {
  return isDisabled(role) ? role.slice(DISABLED.length) : role
}

export function disabledRole(role: string): string {
  return DISABLED + baseRole(role)
}

/** Another role for an account, which stays disabled where it is. */
export function renamedRole(role: string, name: string): string {
  return isDisabled(role) ? disabledRole(name) : name
}

/** What a role holds, without regard to whether the account is disabled; nothing for a role that is not there any more. */
export function permissionsOf(role: string, roles: Roles): readonly Permission[] {
  const base = baseRole(role)
  if (isBuiltIn(base)) return BUILT_IN_ROLES[base]
  return roles.find(({ name }) => name === base)?.permissions.filter(isPermission) ?? []
}

/** The tools that a role includes; null: all. */
export function toolsOf(role: string, roles: Roles): ToolPermissions | null {
  return roles.find(({ name }) => name === baseRole(role))?.toolPermissions ?? null
}

/** What somebody may do now: nothing when disabled; with a key, what both the role and the key's scope hold. */
export function effectivePermissions(
  role: string,
  roles: Roles,
  scope: readonly string[] | null = null,
): ReadonlySet<Permission> {
  if (isDisabled(role)) return new Set()
  const held = permissionsOf(role, roles)
  return new Set(scope === null ? held : held.filter((permission) => scope.includes(permission)))
}

/** Order of the built-in roles; undefined for others, which are compared by their permissions alone. */
export function rankOf(role: string): number | undefined {
  const base = baseRole(role)
  return isBuiltIn(base) ? ['user', 'editor', 'admin'].indexOf(base) : undefined
}

/**
 * A role as it is stored, from what a client wrote in any case; undefined for an unknown one.
 *
 * @param present the role of the user now, for which `disabled` alone is short
 */
export function parseRole(text: string, roles: Roles, present?: string): string | undefined {
  const role = text.trim().toLowerCase()
  if (role === 'disabled' && present !== undefined) return disabledRole(present)
  const base = baseRole(role)
  return isBuiltIn(base) || roles.some(({ name }) => name === base) ? role : undefined
}

/** Of the roles that the store holds, those that go by these names; built-in ones are not looked up. */
export async function storedRoles({ roles }: Pick<Repositories, 'roles'>, ...names: string[]): Promise<RoleRecord[]> {
  const wanted = [...new Set(names.map(baseRole))].filter((name) => !isBuiltIn(name))
  const found = await Promise.all(wanted.map((name) => roles.byName(name)))
  return found.filter((role) => role !== undefined)
}
