import type { JobRecord } from '../store/job-record.ts'
import type { ServerContext } from './context.ts'

const DAY = 24 * 3_600_000

/** The value below which this part of the numbers lies, by the nearest rank; 0 of none. */
function percentile(sorted: readonly number[], part: number): number {
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0
}

function countBy<T>(records: readonly JobRecord[], key: (record: JobRecord) => T): [T, JobRecord[]][] {
  const groups = new Map<T, JobRecord[]>()
  for (const record of records) {
    const group = groups.get(key(record))
    if (group) group.push(record)
    else groups.set(key(record), [record])
  }
  return [...groups]
}

function durations(records: readonly JobRecord[]): { pool: string; p50Ms: number; p95Ms: number }[] {
  return countBy(records, ({ type }) => type).map(([pool, group]) => {
    const times = group
      .filter(({ startedAt, completedAt }) => startedAt && completedAt)
      .map(({ startedAt, completedAt }) => Date.parse(completedAt!) - Date.parse(startedAt!))
      .sort((a, b) => a - b)
    return { pool, p50Ms: percentile(times, 0.5), p95Ms: percentile(times, 0.95) }
  })
}

/** What the instance did in the last days, from the records of its jobs. */
export async function usage({ records, store }: ServerContext, days: number): Promise<Record<string, unknown>> {
  const since = Date.now() - days * DAY
  const recent = [...records.all()].filter(({ type, createdAt }) => type !== 'upload' && Date.parse(createdAt) >= since)
  const names = new Map((await store.users.list()).map(({ id, username }) => [id, username]))
  const { items, bytes } = store.library.totals()
  return {
    days,
    jobsPerDay: countBy(recent, ({ createdAt }) => createdAt.slice(0, 10)).map(([day, group]) => ({
      day,
      total: group.length,
      completed: group.filter(({ status }) => status === 'completed').length,
      failed: group.filter(({ status }) => status === 'failed').length,
    })),
    topTools: countBy(recent, ({ toolId }) => toolId ?? 'pipeline')
      .map(([toolId, group]) => ({ toolId, runs: group.length }))
      .sort((a, b) => b.runs - a.runs)
      .slice(0, 20),
    perUser: countBy(recent, ({ ownerId }) => ownerId).map(([id, group]) => ({
      username: names.get(id ?? '') ?? id,
      runs: group.length,
      bytesIn: group.reduce((sum, { inputBytes }) => sum + inputBytes, 0),
    })),
    durations: durations(recent),
    storage: { libraryBytes: bytes, libraryFiles: items },
  }
}
