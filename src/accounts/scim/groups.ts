import { randomUUID } from 'node:crypto'
import { MediaprocError } from '../../errors.ts'
import { DEFAULT_TEAM_ID, type TeamRecord, type UserRecord } from '../../store/records.ts'
import type { Repositories } from '../../store/repositories.ts'
import { type AccountsContext, timeText } from '../context.ts'
import { checkedTeamName, MAX_TEAMS } from '../directory/teams.ts'
import { type Comparison, fitsFilter } from './filter.ts'
import { changedGroup, type GroupAttributes, MAX_MEMBERS, readGroup } from './group-attributes.ts'
import { attributeChanges, type ScimOperation } from './patch.ts'
import { scimRefusal } from './refusal.ts'
import { type GroupResource, groupResource, type ListOf, listResponse, type WantedPage } from './resources.ts'
import { checkNoManager, isManaged, managedUser } from './users.ts'

/** A changed team, with the ids of the users who came and went. */
export interface ChangedGroup {
  before: TeamRecord
  after: TeamRecord
  added: readonly string[]
  removed: readonly string[]
}

/** All teams but Default, which is that of users in no other. @throws NOT_FOUND */
export async function groupById({ teams }: Pick<Repositories, 'teams'>, id: string): Promise<TeamRecord> {
  const team = id === DEFAULT_TEAM_ID ? undefined : await teams.byId(id)
  if (!team) throw new MediaprocError('NOT_FOUND', 'There is no such group')
  return team
}

/** Members that the provider manages; others are not shown to it. */
export async function membersOf({ users }: Pick<Repositories, 'users'>, teamId: string): Promise<UserRecord[]> {
  return (await users.ofTeam(teamId)).filter(isManaged)
}

/** @param base address of the SCIM API */
export async function listScimGroups(
  { store }: AccountsContext,
  { filter, base, ...page }: WantedPage & { filter?: Comparison | undefined; base: string },
): Promise<ListOf<GroupResource>> {
  const members = new Map<string, UserRecord[]>()
  for (const user of (await store.users.list()).filter(isManaged)) {
    const others = members.get(user.teamId)
    if (others) others.push(user)
    else members.set(user.teamId, [user])
  }
  const teams = (await store.teams.list()).filter(
    ({ id, name, scim }) =>
      id !== DEFAULT_TEAM_ID && fitsFilter(filter, { displayName: name, externalId: scim?.externalId }),
  )
  return listResponse(teams, page, (team) => groupResource(team, members.get(team.id) ?? [], base))
}

/** Moves users into a team, and those who leave it to Default. @throws VALIDATION_ERROR, FORBIDDEN */
async function setMembers(known: Repositories, teamId: string, wanted: ReadonlySet<string>) {
  const present = await membersOf(known, teamId)
  const presentIds = new Set(present.map(({ id }) => id))
  const removed = present.filter(({ id }) => !wanted.has(id))
  const added = [...wanted].filter((id) => !presentIds.has(id))
  if (added.length > MAX_MEMBERS) throw scimRefusal('tooMany', `A request adds at most ${MAX_MEMBERS} members`)
  for (const user of removed) {
    await checkNoManager(known, user)
    await known.users.update(user.id, { teamId: DEFAULT_TEAM_ID })
  }
  for (const id of added) {
    const user = await managedUser(known, id).catch(() => undefined)
    if (!user) throw scimRefusal('invalidValue', 'A member is no user that the provider created')
    await checkNoManager(known, user)
    await known.users.update(id, { teamId })
  }
  return { added, removed: removed.map(({ id }) => id) }
}

/** @throws VALIDATION_ERROR, CONFLICT */
export async function createScimGroup(
  { store, now }: AccountsContext,
  body: Record<string, unknown>,
): Promise<ChangedGroup> {
  const { displayName, externalId, members } = readGroup(body)
  const createdAt = timeText(now())
  const team: TeamRecord = {
    ...{ id: randomUUID(), name: checkedTeamName(displayName), storageQuota: null, retentionHours: null, createdAt },
    scim: { ...(externalId !== undefined && { externalId }), updatedAt: createdAt },
  }
  return store.transaction(async (known) => {
    if ((await known.teams.list()).length >= MAX_TEAMS)
      throw scimRefusal('tooMany', `There are ${MAX_TEAMS} teams: delete one`)
    await known.teams.add(team)
    return { before: team, after: team, ...(await setMembers(known, team.id, members)) }
  })
}

async function changeGroup(
  { store, now }: AccountsContext,
  id: string,
  next: (present: GroupAttributes) => GroupAttributes,
): Promise<ChangedGroup> {
  return store.transaction(async (known) => {
    const before = await groupById(known, id)
    const members = new Set((await membersOf(known, id)).map((user) => user.id))
    const wanted = next({ displayName: before.name, externalId: before.scim?.externalId, members })
    const name = checkedTeamName(wanted.displayName)
    const isRenamed = name !== before.name
    if (isRenamed && !before.scim)
      throw scimRefusal('mutability', 'The team was made on this server and keeps its name', 'FORBIDDEN')
    const moved = await setMembers(known, id, wanted.members)
    const isMoved = moved.added.length + moved.removed.length > 0
    if (!before.scim || (!isRenamed && !isMoved && wanted.externalId === before.scim.externalId))
      return { before, after: before, ...moved }
    const { externalId } = wanted
    const scim = { ...(externalId !== undefined && { externalId }), updatedAt: timeText(now()) }
    return { before, after: await known.teams.update(id, { name, scim }), ...moved }
  })
}

/** @throws VALIDATION_ERROR, NOT_FOUND, CONFLICT, FORBIDDEN */
export function replaceScimGroup(
  context: AccountsContext,
  id: string,
  body: Record<string, unknown>,
): Promise<ChangedGroup> {
  return changeGroup(context, id, () => readGroup(body))
}

/** @throws VALIDATION_ERROR, NOT_FOUND, CONFLICT, FORBIDDEN */
export function patchScimGroup(
  context: AccountsContext,
  id: string,
  operations: readonly ScimOperation[],
): Promise<ChangedGroup> {
  const changes = attributeChanges(operations)
  return changeGroup(context, id, (present) => {
    const copy = { ...present, members: new Set(present.members) }
    return changes.reduce(changedGroup, copy)
  })
}

/**
 * Deletes a team that the provider made; its members are in Default then.
 * @throws NOT_FOUND, FORBIDDEN for other teams, CONFLICT while it has members that the provider does not manage
 */
export async function deleteScimGroup({ store }: AccountsContext, id: string): Promise<TeamRecord> {
  return store.transaction(async (known) => {
    const team = await groupById(known, id)
    if (!team.scim) throw scimRefusal('mutability', 'The team was made on this server and stays', 'FORBIDDEN')
    await setMembers(known, id, new Set())
    if ((await known.users.ofTeam(id)).length > 0)
      throw scimRefusal(undefined, 'The team has members that the provider does not manage', 'CONFLICT')
    await known.teams.remove(id)
    return team
  })
}
