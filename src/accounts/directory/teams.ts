import { randomUUID } from 'node:crypto'
import { MediaprocError } from '../../errors.ts'
import { DEFAULT_TEAM_ID, type TeamRecord } from '../../store/records.ts'
import { type Caller, requirePermission } from '../caller.ts'
import { type AccountsContext, timeText, type Updated } from '../context.ts'

const MAX_NAME = 50
/** Most teams: users are listed with their team's name, and all teams are in one file. */
export const MAX_TEAMS = 1000

export interface WantedTeam {
  name?: string
  /** Total size of all members' libraries in bytes; null: no team quota. */
  storageQuota?: number | null
  /** Hours that members' results are kept, if fewer than the server's setting; null: the server's setting. */
  retentionHours?: number | null
}

export type ListedTeam = Omit<TeamRecord, 'scim'> & { memberCount: number }

const refused = (message: string): MediaprocError => new MediaprocError('VALIDATION_ERROR', message)

export async function listTeams({ store }: AccountsContext, caller: Caller): Promise<ListedTeam[]> {
  requirePermission(caller, 'teams:manage')
  const counts = new Map<string, number>()
  for (const { teamId } of await store.users.list()) counts.set(teamId, (counts.get(teamId) ?? 0) + 1)
  return (await store.teams.list()).map(({ scim: _own, ...team }) => ({
    ...team,
    memberCount: counts.get(team.id) ?? 0,
  }))
}

/** Normalizes the name of a team. @throws VALIDATION_ERROR */
export function checkedTeamName(text: string): string {
  const name = text.trim()
  if (name === '' || name.length > MAX_NAME || /[\p{Cc}\p{Cs}]/u.test(name))
    throw refused(`The name of a team has 1 to ${MAX_NAME} characters`)
  return name
}

/** @throws FORBIDDEN, VALIDATION_ERROR, CONFLICT */
export async function createTeam(
  { store, now }: AccountsContext,
  caller: Caller,
  { name = '', storageQuota = null, retentionHours = null }: WantedTeam,
): Promise<TeamRecord> {
  requirePermission(caller, 'teams:manage')
  const limits = { storageQuota, retentionHours }
  const team: TeamRecord = { id: randomUUID(), name: checkedTeamName(name), ...limits, createdAt: timeText(now()) }
  await store.transaction(async ({ teams }) => {
    if ((await teams.list()).length >= MAX_TEAMS) throw refused(`There are ${MAX_TEAMS} teams: delete one`)
    await teams.add(team)
  })
  return team
}

/** @throws FORBIDDEN, NOT_FOUND, VALIDATION_ERROR, CONFLICT */
export async function updateTeam(
  { store }: AccountsContext,
  caller: Caller,
  id: string,
  { name, storageQuota, retentionHours }: WantedTeam,
): Promise<Updated<TeamRecord>> {
  requirePermission(caller, 'teams:manage')
  return store.transaction(async ({ teams }) => {
    const before = await teams.byId(id)
    if (!before) throw new MediaprocError('NOT_FOUND', 'There is no such team')
    const after = await teams.update(id, {
      ...(name !== undefined && { name: checkedTeamName(name) }),
      ...(storageQuota !== undefined && { storageQuota }),
      ...(retentionHours !== undefined && { retentionHours }),
    })
    return { before, after }
  })
}

/** @throws FORBIDDEN, NOT_FOUND, VALIDATION_ERROR for the team Default and for teams with members */
export async function deleteTeam({ store }: AccountsContext, caller: Caller, id: string): Promise<void> {
  requirePermission(caller, 'teams:manage')
  if (id === DEFAULT_TEAM_ID) throw refused('The team Default stays: it is that of everybody who is in no other')
  await store.transaction(async ({ teams, users }) => {
    if (!(await teams.byId(id))) throw new MediaprocError('NOT_FOUND', 'There is no such team')
    if ((await users.ofTeam(id)).length > 0) throw refused('The team has members: give them another one first')
    await teams.remove(id)
  })
}
