import type { JobRecord } from '../job-record.ts'
import type { JobUsage } from '../jobs.ts'
import type { Access } from './access.ts'
import { ownerOf } from './job-rows.ts'
import { GROWTH } from './migrations/days.ts'

const DAY_MS = 86_400_000
/** Up to this many jobs, percentiles are exact; above, they come from buckets, and are at most 1.8 % off. */
const EXACT = 20_000

/** Sums up the jobs since a time, in milliseconds since 1970; percentiles are by the nearest rank. */
export async function usageSince(access: Access, since: number): Promise<JobUsage> {
  const { sql, executor } = access
  const first = Math.ceil(since / DAY_MS)
  // Whole days are counted already; of the first one, only a part is wanted.
  const part = sql`jobs where type not in ('upload', 'install') and created >= ${since} and created < ${first * DAY_MS}`
  const counted = sql`(
    select day, status, tool_id, owner_key, jobs, input_bytes from job_days where day >= ${first}
    union all
    select created / ${DAY_MS}::bigint, status, coalesce(tool_id, ''), coalesce('u' || owner_id, 'n'), 1, input_bytes from ${part}
  ) as counted`
  const days = sql<{ day: string; total: string; completed: string; failed: string }>`
    select day, sum(jobs) as total, coalesce(sum(jobs) filter (where status = 'completed'), 0) as completed,
      coalesce(sum(jobs) filter (where status = 'failed'), 0) as failed
    from ${counted} group by 1 having sum(jobs) > 0 order by 1`
  const tools = sql<{ tool_id: string; runs: string }>`
    select tool_id, sum(jobs) as runs from ${counted} group by 1 having sum(jobs) > 0 order by 2 desc, 1`
  const owners = sql<{ owner_key: string; runs: string; bytes: string }>`
    select owner_key, sum(jobs) as runs, sum(input_bytes) as bytes from ${counted}
    group by 1 having sum(jobs) > 0 order by 2 desc, 1`
  const [perDay, perTool, perOwner, bucketed] = await Promise.all([
    days.execute(executor),
    tools.execute(executor),
    owners.execute(executor),
    // For many jobs this takes as long as the others together, so it does not wait for their number.
    bucketedDurations(access, first),
  ])
  const total = perDay.rows.reduce((sum, row) => sum + Number(row.total), 0)
  return {
    perDay: perDay.rows.map(({ day, total: all, completed, failed }) => ({
      day: new Date(Number(day) * DAY_MS).toISOString().slice(0, 10),
      ...{ total: Number(all), completed: Number(completed), failed: Number(failed) },
    })),
    perTool: perTool.rows.map(({ tool_id: toolId, runs }) => ({ toolId: toolId || null, runs: Number(runs) })),
    perOwner: perOwner.rows.map(({ owner_key: key, runs, bytes }) => ({
      ...{ ownerId: ownerOf(key), runs: Number(runs), bytesIn: Number(bytes) },
    })),
    durations: total <= EXACT ? await exactDurations(access, since) : bucketed,
  }
}

async function exactDurations({ sql, executor }: Access, since: number): Promise<JobUsage['durations']> {
  const { rows } = await sql<{ type: JobRecord['type']; p50: string | null; p95: string | null }>`
    select type,
      percentile_disc(0.5) within group (order by completed - started) as p50,
      percentile_disc(0.95) within group (order by completed - started) as p95
    from jobs where type not in ('upload', 'install') and created >= ${since} group by 1`.execute(executor)
  return rows.map(({ type, p50, p95 }) => ({ type, p50Ms: Number(p50 ?? 0), p95Ms: Number(p95 ?? 0) }))
}

/** @param first the first day; what began before it, on the same day, makes no difference among so many */
async function bucketedDurations({ sql, executor }: Access, first: number): Promise<JobUsage['durations']> {
  const { rows } = await sql<{ type: JobRecord['type']; bucket: number; jobs: string }>`
    select type, bucket, sum(jobs) as jobs from job_times where day >= ${first}
    group by 1, 2 having sum(jobs) > 0 order by 1, 2`.execute(executor)
  return [...new Set(rows.map(({ type }) => type))].map((type) => {
    const own = rows.filter((row) => row.type === type)
    const all = own.reduce((sum, { jobs }) => sum + Number(jobs), 0)
    const at = (part: number): number => {
      let left = Math.ceil(part * all)
      const found = own.find(({ jobs }) => {
        left -= Number(jobs)
        return left <= 0
      })
      return found ? Math.round(GROWTH ** found.bucket) : 0
    }
    return { type, p50Ms: at(0.5), p95Ms: at(0.95) }
  })
}
