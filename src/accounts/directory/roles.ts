import { randomUUID } from 'node:crypto'
import { MediaprocError } from '../../errors.ts'
import type { RoleRecord, ToolPermissions } from '../../store/records.ts'
import type { Repositories } from '../../store/repositories.ts'
import { type Caller, requirePermission } from '../caller.ts'
import { type AccountsContext, timeText, type Updated } from '../context.ts'
import {
  BUILT_IN_ROLES,
  baseRole,
  isBuiltIn,
  isDisabled,
  isPermission,
  NOT_FOR_CUSTOM_ROLES,
  type Permission,
  renamedRole,
} from './permissions.ts'
import { checkedToolPermissions, isWithin } from './tool-permissions.ts'
import { checkAuthority } from './user-rules.ts'

const NAME = /^[a-z0-9_-]{2,30}$/
/** Most custom roles; more would be hard to manage, and all are in one file. */
const MAX_ROLES = 200
const BUILT_IN_ID = 'builtin-'

export interface WantedRole {
  name?: string
  description?: string
  permissions?: readonly string[]
  toolPermissions?: ToolPermissions | null
}

/** A role as lists show it (HTTP contract, section 10). */
export interface ListedRole {
  id: string
  name: string
  description: string
  permissions: readonly string[]
  toolPermissions: ToolPermissions | null
  isBuiltin: boolean
  userCount: number
  createdAt: string | null
  updatedAt: string | null
}

const ABOUT_BUILT_IN: Readonly<Record<keyof typeof BUILT_IN_ROLES, string>> = {
  admin: 'Everything',
  editor: "Tools, and everybody's files and pipelines",
  user: 'Tools, and what is their own',
}

const refused = (message: string): MediaprocError => new MediaprocError('VALIDATION_ERROR', message)

/** All roles, the built-in ones first. Disabled users count towards their own role. */
export async function listRoles({ store }: AccountsContext): Promise<ListedRole[]> {
  const counts = new Map<string, number>()
  for (const { role } of await store.users.list()) counts.set(baseRole(role), (counts.get(baseRole(role)) ?? 0) + 1)
  const builtIn = Object.entries(BUILT_IN_ROLES).map(([name, permissions]) => ({
    ...{ id: BUILT_IN_ID + name, name, description: ABOUT_BUILT_IN[name as keyof typeof BUILT_IN_ROLES], permissions },
    ...{ toolPermissions: null, isBuiltin: true, createdAt: null, updatedAt: null },
  }))
  const own = (await store.roles.list()).map((role) => ({ ...role, isBuiltin: false }))
  return [...builtIn, ...own].map((role) => ({ ...role, userCount: counts.get(role.name) ?? 0 }))
}

/** Normalizes a role name. @throws VALIDATION_ERROR, CONFLICT for the name of a built-in role */
function checkedName(text: string): string {
  const name = text.trim().toLowerCase()
  if (!NAME.test(name)) throw refused('The name of a role has 2 to 30 letters a to z, digits, _ and -')
  if (isBuiltIn(name)) throw new MediaprocError('CONFLICT', 'There is a role of this name')
  // The name would look like the state of an account.
  if (name === 'disabled') throw refused('This name cannot be given to a role')
  return name
}

function checkedPermissions(caller: Caller, wanted: readonly string[]): Permission[] {
  const permissions = [...new Set(wanted)]
  if (permissions.length === 0) throw refused('A role holds at least one permission')
  const unknown = permissions.find((one) => !isPermission(one))
  if (unknown !== undefined) throw refused(`There is no permission ${unknown.slice(0, 50)}`)
  const reserved = permissions.find((one) => NOT_FOR_CUSTOM_ROLES.includes(one as Permission))
  if (reserved !== undefined) throw refused(`The permission ${reserved} belongs to administrators alone`)
  requireHeld(caller, permissions)
  return permissions as Permission[]
}

/** Callers cannot grant, change or revoke permissions that they lack. @throws ESCALATION_DENIED */
function requireHeld(caller: Caller, permissions: readonly string[]): void {
  if (!permissions.every((one) => caller.permissions.has(one as Permission)))
    throw new MediaprocError('ESCALATION_DENIED')
}

function checkedLimits(caller: Caller, wanted: ToolPermissions | null): ToolPermissions | null {
  const limits = checkedToolPermissions(wanted)
  if (!isWithin(limits, caller.toolPermissions)) throw new MediaprocError('ESCALATION_DENIED')
  return limits
}

/** @throws NOT_FOUND, VALIDATION_ERROR for a built-in role, ESCALATION_DENIED */
async function changeable({ roles }: Repositories, caller: Caller, id: string): Promise<RoleRecord> {
  if (id.startsWith(BUILT_IN_ID) && isBuiltIn(id.slice(BUILT_IN_ID.length)))
    throw refused('The built-in roles cannot be changed')
  const role = await roles.byId(id)
  if (!role) throw new MediaprocError('NOT_FOUND', 'There is no such role')
  requireHeld(caller, role.permissions)
  if (!isWithin(role.toolPermissions, caller.toolPermissions)) throw new MediaprocError('ESCALATION_DENIED')
  return role
}

/** @throws FORBIDDEN, VALIDATION_ERROR, ESCALATION_DENIED, CONFLICT */
export async function createRole(
  { store, now }: AccountsContext,
  caller: Caller,
  wanted: WantedRole,
): Promise<RoleRecord> {
  requirePermission(caller, 'security:manage')
  const at = timeText(now())
  const role: RoleRecord = {
    id: randomUUID(),
    name: checkedName(wanted.name ?? ''),
    description: wanted.description ?? '',
    permissions: checkedPermissions(caller, wanted.permissions ?? []),
    toolPermissions: checkedLimits(caller, wanted.toolPermissions ?? null),
    createdAt: at,
    updatedAt: at,
  }
  await store.transaction(async ({ roles }) => {
    if ((await roles.list()).length >= MAX_ROLES) throw refused(`There are ${MAX_ROLES} roles: delete one`)
    await roles.add(role)
  })
  return role
}

/** All users with a role, including disabled ones. */
async function membersOf({ users }: Repositories, name: string) {
  return (await users.list()).filter(({ role }) => baseRole(role) === name)
}

/**
 * Changes a role; its users are affected at once. A new name is also set in their records.
 *
 * @throws FORBIDDEN, NOT_FOUND, VALIDATION_ERROR, ESCALATION_DENIED, CONFLICT
 */
export async function updateRole(
  { store, now }: AccountsContext,
  caller: Caller,
  id: string,
  wanted: WantedRole,
): Promise<Updated<RoleRecord>> {
  requirePermission(caller, 'security:manage')
  return store.transaction(async (known) => {
    const before = await changeable(known, caller, id)
    const { name, description, permissions, toolPermissions } = wanted
    const role = await known.roles.update(id, {
      ...(name !== undefined && { name: checkedName(name) }),
      ...(description !== undefined && { description }),
      ...(permissions !== undefined && { permissions: checkedPermissions(caller, permissions) }),
      ...(toolPermissions !== undefined && { toolPermissions: checkedLimits(caller, toolPermissions) }),
      updatedAt: timeText(now()),
    })
    if (role.name !== before.name)
      for (const user of await membersOf(known, before.name))
        await known.users.update(user.id, { role: renamedRole(user.role, role.name) })
    return { before, after: role }
  })
}

/**
 * Deletes a role. Its users get the role `user`, which ends their sessions; disabled users stay disabled.
 *
 * @throws FORBIDDEN, NOT_FOUND, VALIDATION_ERROR, ESCALATION_DENIED
 */
export async function deleteRole({ store }: AccountsContext, caller: Caller, id: string): Promise<RoleRecord> {
  requirePermission(caller, 'security:manage')
  return store.transaction(async (known) => {
    const role = await changeable(known, caller, id)
    const members = await membersOf(known, role.name)
    // `user` may have permissions that the deleted role lacked.
    if (members.some((user) => !isDisabled(user.role))) await checkAuthority(known, caller, 'user')
    for (const user of members) {
      await known.users.update(user.id, { role: renamedRole(user.role, 'user') })
      await known.sessions.removeOfUser(user.id)
    }
    await known.roles.remove(id)
    return role
  })
}
