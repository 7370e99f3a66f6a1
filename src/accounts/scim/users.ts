import { randomUUID } from 'node:crypto'
import { MediaprocError } from '../../errors.ts'
import { DEFAULT_TEAM_ID, type UserRecord } from '../../store/records.ts'
import type { Repositories } from '../../store/repositories.ts'
import { ANONYMOUS } from '../caller.ts'
import { type AccountsContext, timeText, type Updated } from '../context.ts'
import { dropAccess } from '../credentials/change-password.ts'
import { baseRole, disabledRole, isDisabled, permissionsOf, storedRoles } from '../directory/permissions.ts'
import { checkRoom } from '../directory/user-rules.ts'
import { freeUsername } from '../sso/external-users.ts'
import { type Comparison, fitsFilter } from './filter.ts'
import { attributeChanges, type ScimOperation } from './patch.ts'
import { scimRefusal } from './refusal.ts'
import { type ListOf, listResponse, type UserResource, userResource, type WantedPage } from './resources.ts'
import { attributesOf, changedUser, readUser, type UserAttributes } from './user-attributes.ts'

/** Whether the provider manages this user: only those that it created. */
export const isManaged = ({ authProvider, isService }: UserRecord): boolean => authProvider === 'scim' && !isService

/** A user that the provider manages. @throws NOT_FOUND also for all other users */
export async function managedUser({ users }: Pick<Repositories, 'users'>, id: string): Promise<UserRecord> {
  const user = await users.byId(id)
  if (!user || !isManaged(user)) throw new MediaprocError('NOT_FOUND', 'There is no such user')
  return user
}

/** The provider's token has no authority over those who manage users. @throws FORBIDDEN */
export async function checkNoManager(known: Pick<Repositories, 'roles'>, { role }: UserRecord): Promise<void> {
  if (!permissionsOf(role, await storedRoles(known, role)).includes('users:manage')) return
  throw scimRefusal('mutability', 'A user who manages others cannot be changed by the provider', 'FORBIDDEN')
}

/** @param base address of the SCIM API */
export async function listScimUsers(
  { store }: AccountsContext,
  { filter, base, ...page }: WantedPage & { filter?: Comparison | undefined; base: string },
): Promise<ListOf<UserResource>> {
  const teams = new Map((await store.teams.list()).map((team) => [team.id, team]))
  const users = (await store.users.list()).filter(
    (user) =>
      isManaged(user) && fitsFilter(filter, { userName: user.scim?.userName, externalId: user.scim?.externalId }),
  )
  return listResponse(users, page, (user) => userResource(user, teams.get(user.teamId), base))
}

/** A name that exists, or the address of a user, is taken: sign-ins find accounts by both. @throws CONFLICT */
async function checkUserNameIsFree({ users }: Repositories, userName: string, ownId?: string): Promise<void> {
  const name = userName.toLowerCase()
  const isTaken = (user: UserRecord) =>
    [user.scim?.userName, user.email, ...(isManaged(user) ? [] : [user.username])].some(
      (one) => one?.toLowerCase() === name,
    )
  if (name === ANONYMOUS || (await users.list()).some((user) => user.id !== ownId && isTaken(user)))
    throw scimRefusal('uniqueness', 'The userName is taken', 'CONFLICT')
}

const storedScim = (wanted: UserAttributes, updatedAt: string): NonNullable<UserRecord['scim']> => {
  const { userName, externalId, displayName, givenName, familyName } = wanted
  return {
    userName,
    ...(externalId !== undefined && { externalId }),
    ...(displayName !== undefined && { displayName }),
    ...(givenName !== undefined && { givenName }),
    ...(familyName !== undefined && { familyName }),
    updatedAt,
  }
}

/**
 * Creates a user with the role `user` in the team Default, who signs in only with the provider.
 *
 * @throws VALIDATION_ERROR, CONFLICT, USER_LIMIT_REACHED
 */
export async function createScimUser(
  { store, options, now }: AccountsContext,
  body: Record<string, unknown>,
): Promise<UserRecord> {
  const wanted = readUser(body, true)
  return store.transaction(async (known) => {
    await checkUserNameIsFree(known, wanted.userName)
    await checkRoom(known, options)
    const createdAt = timeText(now())
    const user: UserRecord = {
      id: randomUUID(),
      username: await freeUsername(known, [wanted.userName]),
      role: wanted.active ? 'user' : disabledRole('user'),
      teamId: DEFAULT_TEAM_ID,
      passwordHash: null,
      mustChangePassword: false,
      authProvider: 'scim',
      email: wanted.email,
      createdAt,
      scim: storedScim(wanted, createdAt),
    }
    await known.users.add(user)
    return user
  })
}

/** Changes a user; one who is not active any more loses sessions, keys and password. Writes nothing without a change. */
async function changeUser(
  context: AccountsContext,
  id: string,
  next: (present: UserAttributes) => UserAttributes,
): Promise<Updated<UserRecord>> {
  const { store, now, verifiedKeys } = context
  const { keys, ...updated } = await store.transaction(async (known) => {
    const before = await managedUser(known, id)
    const present = attributesOf(before)
    const wanted = next(present)
    const scim = storedScim(wanted, before.scim?.updatedAt ?? before.createdAt)
    const role = wanted.active ? baseRole(before.role) : disabledRole(before.role)
    const isSame =
      role === before.role &&
      wanted.email === before.email &&
      JSON.stringify(sorted(scim)) === JSON.stringify(sorted(before.scim))
    if (isSame) return { before, after: before, keys: new Set<string>() }
    await checkNoManager(known, before)
    const isRenamed = wanted.userName !== present.userName
    if (isRenamed) await checkUserNameIsFree(known, wanted.userName, id)
    const after = await known.users.update(id, {
      ...(isRenamed && { username: await freeUsername(known, [wanted.userName], id) }),
      ...(isDisabled(role) && { passwordHash: null, mustChangePassword: false }),
      ...{ role, email: wanted.email, scim: { ...scim, updatedAt: timeText(now()) } },
    })
    if (!isDisabled(role)) return { before, after, keys: new Set<string>() }
    for (const ticket of await known.tickets.ofUser(id)) await known.tickets.remove(ticket.id)
    return { before, after, keys: await dropAccess(known, id) }
  })
  verifiedKeys.drop(keys)
  return updated
}

const sorted = (attributes: object = {}) => Object.entries(attributes).sort(([one], [other]) => (one < other ? -1 : 1))

/** PUT: attributes that are missing are removed; without `active`, the state stays. @throws as `changeUser` */
export function replaceScimUser(
  context: AccountsContext,
  id: string,
  body: Record<string, unknown>,
): Promise<Updated<UserRecord>> {
  return changeUser(context, id, ({ active }) => readUser(body, active))
}

/** @throws VALIDATION_ERROR, NOT_FOUND, CONFLICT, FORBIDDEN for users who manage others */
export function patchScimUser(
  context: AccountsContext,
  id: string,
  operations: readonly ScimOperation[],
): Promise<Updated<UserRecord>> {
  const changes = attributeChanges(operations)
  return changeUser(context, id, (present) => changes.reduce(changedUser, present))
}

/** Disables a user; `active: true` enables it again. Files stay until an administrator deletes the user. */
export function deleteScimUser(context: AccountsContext, id: string): Promise<Updated<UserRecord>> {
  return changeUser(context, id, (present) => ({ ...present, active: false }))
}
