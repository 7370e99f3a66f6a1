import type { JobRecord } from '../../store/job-record.ts'
import type { Store } from '../../store/store.ts'
import type { ServerConfig } from '../config.ts'
import type { InstanceSettings } from '../instance/settings.ts'

const HOUR = 3_600_000

/**
 * How long an owner's results are kept, in milliseconds: the server's setting, else the operator's default, limited by
 * the owner's team; 0 = without expiry.
 */
export async function resultAge(
  { config, settings, store }: { config: ServerConfig; settings: InstanceSettings; store: Store },
  ownerId: string | null,
): Promise<number> {
  const hours = await settings.number('tempFileMaxAgeHours', -1)
  const age = hours >= 0 ? hours * HOUR : config.resultAgeMs
  const user = ownerId === null ? undefined : await store.users.byId(ownerId)
  const team = user && (await store.teams.byId(user.teamId))
  const ofTeam = (team?.retentionHours ?? 0) * HOUR
  return age > 0 && ofTeam > 0 ? Math.min(age, ofTeam) : age || ofTeam
}

/** Whether results have expired and are no longer served; the next sweep removes the files. */
export const isPast = ({ expiresAt }: Pick<JobRecord, 'expiresAt'>): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= Date.now()

/** When data with a lifetime of `age` milliseconds expires, counted from `now`, ISO 8601; null for never. */
export const expiryOf = (age: number, now = Date.now()): string | null =>
  age > 0 ? new Date(now + age).toISOString() : null
