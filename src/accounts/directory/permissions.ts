import type { RoleRecord, ToolPermissions } from '../../store/records.ts'
import type { Repositories } from '../../store/repositories.ts'

/** All permissions (HTTP contract, section 10). */
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

/** The built-in roles with their permissions. */
export const BUILT_IN_ROLES: Readonly<Record<'admin' | 'editor' | 'user', readonly Permission[]>> = {
  admin: PERMISSIONS,
  editor: ['tools:use', 'files:own', 'files:all', 'apikeys:own', 'pipelines:own', 'pipelines:all', 'settings:read'],
  user: ['tools:use', 'files:own', 'apikeys:own', 'pipelines:own', 'settings:read'],
}

/** Permissions that only administrators can have. */
export const NOT_FOR_CUSTOM_ROLES: readonly Permission[] = ['compliance:manage', 'webhooks:manage', 'security:manage']

/** Custom roles, at least those in question. */
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

/** The role that a disabled account gets back when it is enabled; any other role unchanged. */
export function baseRole(role: string): string {
  return isDisabled(role) ? role.slice(DISABLED.length) : role
}

export function disabledRole(role: string): string {
  return DISABLED + baseRole(role)
}

/** Changes the role of an account; a disabled account stays disabled. */
export function renamedRole(role: string, name: string): string {
  return isDisabled(role) ? disabledRole(name) : name
}

/** Permissions of a role, even if the account is disabled; none for a role that no longer exists. */
export function permissionsOf(role: string, roles: Roles): readonly Permission[] {
  const base = baseRole(role)
  if (isBuiltIn(base)) return BUILT_IN_ROLES[base]
  return roles.find(({ name }) => name === base)?.permissions.filter(isPermission) ?? []
}

/** The tools that a role includes; null for all. */
export function toolsOf(role: string, roles: Roles): ToolPermissions | null {
  return roles.find(({ name }) => name === baseRole(role))?.toolPermissions ?? null
}

/** Effective permissions: none when disabled; with a key, those in both the role and the key's scope. */
export function effectivePermissions(
  role: string,
  roles: Roles,
  scope: readonly string[] | null = null,
): ReadonlySet<Permission> {
  if (isDisabled(role)) return new Set()
  const held = permissionsOf(role, roles)
  return new Set(scope === null ? held : held.filter((permission) => scope.includes(permission)))
}

/** Rank of a built-in role; undefined for others, which are compared only by their permissions. */
export function rankOf(role: string): number | undefined {
  const base = baseRole(role)
  return isBuiltIn(base) ? ['user', 'editor', 'admin'].indexOf(base) : undefined
}

/**
 * Parses a role name in any case into its stored form; undefined for an unknown one.
 *
 * @param present the user's current role, which `disabled` alone refers to
 */
export function parseRole(text: string, roles: Roles, present?: string): string | undefined {
  const role = text.trim().toLowerCase()
  if (role === 'disabled' && present !== undefined) return disabledRole(present)
  const base = baseRole(role)
  return isBuiltIn(base) || roles.some(({ name }) => name === base) ? role : undefined
}

/** Reads the custom roles with these names from the store; built-in ones are not looked up. */
export async function storedRoles({ roles }: Pick<Repositories, 'roles'>, ...names: string[]): Promise<RoleRecord[]> {
  const wanted = [...new Set(names.map(baseRole))].filter((name) => !isBuiltIn(name))
  const found = await Promise.all(wanted.map((name) => roles.byName(name)))
  return found.filter((role) => role !== undefined)
}
