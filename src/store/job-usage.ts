import type { JobRecord } from './job-record.ts'
import type { JobUsage } from './jobs.ts'

const DAY_MS = 86_400_000
/** Number of jobs counted before other work gets its turn. */
const SLICE = 20_000

/** The percentile of sorted numbers by the nearest rank; 0 if there are none. */
function percentile(sorted: Float64Array, part: number): number {
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0
}

function entryOf<Key, Value>(map: Map<Key, Value>, key: Key, initial: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const value = initial()
  map.set(key, value)
  return value
}

/** The facts of a job that are counted. */
export interface CountedJob extends Pick<JobRecord, 'type' | 'status' | 'ownerId' | 'toolId' | 'inputBytes'> {
  /** Times in milliseconds since 1970. */
  created: number
  started: number | null
  completed: number | null
}

/** Sums up the jobs. @param since milliseconds since 1970 */
export async function usageOf(jobs: Iterable<CountedJob>, since: number): Promise<JobUsage> {
  const days = new Map<number, { total: number; completed: number; failed: number }>()
  const tools = new Map<string | null, number>()
  const owners = new Map<string | null, { runs: number; bytesIn: number }>()
  const times = new Map<JobRecord['type'], number[]>()
  let seen = 0
  for (const { type, status, created, started, completed, toolId, ownerId, inputBytes } of jobs) {
    if (++seen % SLICE === 0) await new Promise((resolve) => setImmediate(resolve))
    if (type === 'upload' || type === 'install' || created < since) continue
    const day = entryOf(days, Math.floor(created / DAY_MS), () => ({ total: 0, completed: 0, failed: 0 }))
    day.total++
    if (status === 'completed' || status === 'failed') day[status]++
    tools.set(toolId, (tools.get(toolId) ?? 0) + 1)
    const own = entryOf(owners, ownerId, () => ({ runs: 0, bytesIn: 0 }))
    own.runs++
    own.bytesIn += inputBytes
    const ofType = entryOf(times, type, () => [])
    if (started && completed) ofType.push(completed - started)
  }
  return {
    perDay: [...days]
      .sort(([one], [other]) => one - other)
      .map(([day, counts]) => ({ day: new Date(day * DAY_MS).toISOString().slice(0, 10), ...counts })),
    perTool: [...tools].sort(([, one], [, other]) => other - one).map(([toolId, runs]) => ({ toolId, runs })),
    perOwner: [...owners]
      .sort(([, one], [, other]) => other.runs - one.runs)
      .map(([ownerId, counts]) => ({ ownerId, ...counts })),
    durations: [...times].map(([type, list]) => {
      const sorted = Float64Array.from(list).sort()
      return { type, p50Ms: percentile(sorted, 0.5), p95Ms: percentile(sorted, 0.95) }
    }),
  }
}
