import { DEFAULT_TEAM_ID } from './records.ts'
import type { Repositories } from './repositories.ts'

/** The default team always exists. */
export async function addDefaultTeam({ teams }: Repositories): Promise<void> {
  if (await teams.byId(DEFAULT_TEAM_ID)) return
  const about = { storageQuota: null, retentionHours: null, createdAt: new Date().toISOString() }
  await teams.add({ id: DEFAULT_TEAM_ID, name: 'Default', ...about })
}
