import type { JobRecord } from '../store/job-record.ts'
import type { ServerConfig } from './config.ts'
import type { InstanceSettings } from './settings.ts'

const HOUR = 3_600_000

/** How long results are kept, in milliseconds: the instance's setting, else the operator's; 0 for ever. */
export async function resultAge(config: ServerConfig, settings: InstanceSettings): Promise<number> {
  const hours = await settings.number('tempFileMaxAgeHours', -1)
  return hours >= 0 ? hours * HOUR : config.resultAgeMs
}

/** Whether results are not given out any more; the files go with the next sweep. */
export const isPast = ({ expiresAt }: Pick<JobRecord, 'expiresAt'>): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= Date.now()

/** When what is kept `age` milliseconds from `now` goes, ISO 8601; null for never. */
export const expiryOf = (age: number, now = Date.now()): string | null =>
  age > 0 ? new Date(now + age).toISOString() : null
