import { randomUUID } from 'node:crypto'
import { MediaprocError } from '../../errors.ts'
import type { UserRecord } from '../../store/records.ts'
import type { Repositories } from '../../store/repositories.ts'
import { type Caller, requirePermission } from '../caller.ts'
import { type AccountsContext, timeText, type Updated } from '../context.ts'
import { addKey, type ListedKey, listedKey, type NewKey, type WantedKey } from '../credentials/keys.ts'
import { baseRole, disabledRole, isDisabled, permissionsOf, storedRoles } from './permissions.ts'
import { checkAuthority, checkNameIsFree, checkRoom, checkUsername, roleOf, teamIdOf } from './user-rules.ts'
import { deleteUser, updateUser } from './users.ts'

export interface WantedServiceAccount {
  name: string
  /** `user` when absent. */
  role?: string
  /** Name or id. */
  team?: string
}

/** A service account as administrators see it. */
export interface ListedServiceAccount {
  id: string
  name: string
  role: string
  team: string
  enabled: boolean
  keyCount: number
  createdAt: string
}

const refused = (message: string): MediaprocError => new MediaprocError('VALIDATION_ERROR', message)

/** @throws NOT_FOUND also for the account of a person */
async function serviceById({ users }: Pick<Repositories, 'users'>, id: string): Promise<UserRecord> {
  const user = await users.byId(id)
  if (!user?.isService) throw new MediaprocError('NOT_FOUND', 'There is no such service account')
  return user
}

async function listed(known: Repositories, user: UserRecord): Promise<ListedServiceAccount> {
  return {
    id: user.id,
    name: user.username,
    role: baseRole(user.role),
    team: (await known.teams.byId(user.teamId))?.name ?? 'Default',
    enabled: !isDisabled(user.role),
    keyCount: (await known.apiKeys.ofUser(user.id)).length,
    createdAt: user.createdAt,
  }
}

/** @throws FORBIDDEN */
export async function listServiceAccounts({ store }: AccountsContext, caller: Caller): Promise<ListedServiceAccount[]> {
  requirePermission(caller, 'users:manage')
  const services = (await store.users.list()).filter(({ isService }) => isService)
  return Promise.all(services.map((user) => listed(store, user)))
}

/**
 * Creates the account of a program. It has no password, and cannot sign in by any way: it has only API keys.
 *
 * @throws FORBIDDEN, VALIDATION_ERROR, ESCALATION_DENIED, CONFLICT, USER_LIMIT_REACHED
 */
export async function createServiceAccount(
  { store, options, now }: AccountsContext,
  caller: Caller,
  wanted: WantedServiceAccount,
): Promise<ListedServiceAccount> {
  requirePermission(caller, 'users:manage')
  checkUsername(wanted.name)
  return store.transaction(async (known) => {
    const role = await roleOf(known, wanted.role ?? 'user')
    if (role === undefined || isDisabled(role)) throw refused('There is no such role')
    await checkAuthority(known, caller, role)
    const teamId = await teamIdOf(known, wanted.team)
    await checkNameIsFree(known, wanted.name)
    await checkRoom(known, options)
    const user: UserRecord = {
      ...{ id: randomUUID(), username: wanted.name, role, teamId },
      ...{ passwordHash: null, mustChangePassword: false, authProvider: 'local', email: null },
      ...{ createdAt: timeText(now()), isService: true },
    }
    await known.users.add(user)
    return listed(known, user)
  })
}

/**
 * Changes a service account. While it is disabled its keys are refused; they work again when it is enabled.
 *
 * @throws FORBIDDEN, NOT_FOUND, VALIDATION_ERROR, ESCALATION_DENIED
 */
export async function updateServiceAccount(
  context: AccountsContext,
  caller: Caller,
  id: string,
  { role, team, enabled }: { role?: string; team?: string; enabled?: boolean },
): Promise<Updated<UserRecord>> {
  requirePermission(caller, 'users:manage')
  await serviceById(context.store, id)
  return updateUser(context, caller, id, (present) => {
    const base = role ?? baseRole(present.role)
    const isOn = enabled ?? !isDisabled(present.role)
    return {
      ...((role !== undefined || enabled !== undefined) && { role: isOn ? base : disabledRole(base) }),
      ...(team !== undefined && { team }),
    }
  })
}

/** As `deleteUser`. @throws FORBIDDEN, NOT_FOUND, ESCALATION_DENIED, SELF_DELETE */
export async function deleteServiceAccount(
  context: AccountsContext,
  caller: Caller,
  id: string,
  withdraw: () => Promise<void>,
): Promise<void> {
  requirePermission(caller, 'users:manage')
  await serviceById(context.store, id)
  await deleteUser(context, caller, id, withdraw)
}

/** @throws FORBIDDEN, NOT_FOUND */
export async function listServiceKeys({ store }: AccountsContext, caller: Caller, id: string): Promise<ListedKey[]> {
  requirePermission(caller, 'users:manage')
  await serviceById(store, id)
  return (await store.apiKeys.ofUser(id)).map(listedKey)
}

/**
 * Creates a key of a service account. Nobody makes a key that has more than they have themselves.
 *
 * @throws FORBIDDEN, NOT_FOUND, VALIDATION_ERROR, ESCALATION_DENIED
 */
export async function createServiceKey(
  context: AccountsContext,
  caller: Caller,
  id: string,
  wanted: WantedKey,
): Promise<NewKey> {
  requirePermission(caller, 'users:manage')
  const check = async (known: Repositories): Promise<void> => {
    const { role } = await serviceById(known, id)
    await checkAuthority(known, caller, role)
    const held: readonly string[] = permissionsOf(role, await storedRoles(known, role))
    const lacking = wanted.permissions?.find((permission) => !held.includes(permission))
    if (lacking !== undefined)
      throw refused(`The role of the account does not have the permission ${lacking.slice(0, 50)}`)
  }
  // Checked before the costly hash, and again in the transaction.
  await check(context.store)
  return addKey(context, caller, id, wanted, check)
}

/** @throws FORBIDDEN, NOT_FOUND, ESCALATION_DENIED */
export async function deleteServiceKey(
  { store, verifiedKeys }: AccountsContext,
  caller: Caller,
  id: string,
  keyId: string,
): Promise<void> {
  requirePermission(caller, 'users:manage')
  await store.transaction(async (known) => {
    const { role } = await serviceById(known, id)
    await checkAuthority(known, caller, role)
    if ((await known.apiKeys.byId(keyId))?.userId !== id) throw new MediaprocError('NOT_FOUND', 'There is no such key')
    await known.apiKeys.remove(keyId)
  })
  verifiedKeys.drop(new Set([keyId]))
}
