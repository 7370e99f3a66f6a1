import type { JobRecord } from '../job-record.ts'
import type { JobUsage } from '../jobs.ts'
import type { Access } from './access.ts'
import { ownerOf } from './job-rows.ts'
import { GROWTH } from './migrations/days.ts'

const DAY_MS = 86_400_000
/** Up to this many jobs, percentiles are exact; above, they come from buckets, and are at most 1.8 % off. */
const EXACT = 20_000

/**
 * The sum for one day, one tool or one owner; the others are null. Sums of `bigint` would be `numeric`, which takes twice the
 * time; those of `float8` are exact up to 2^53, as JavaScript's numbers are.
 */
interface Sum {
  day: string | null
  tool_id: string | null
  owner_key: string | null
  jobs: number
  bytes: number
  completed: number
  failed: number
}

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
  const sums = sql<Sum>`
    select day, tool_id, owner_key, sum(jobs::float8) as jobs, sum(input_bytes::float8) as bytes,
      coalesce(sum(jobs::float8) filter (where status = 'completed'), 0) as completed,
      coalesce(sum(jobs::float8) filter (where status = 'failed'), 0) as failed
    from ${counted} group by grouping sets ((day), (tool_id), (owner_key)) having sum(jobs::float8) > 0
    order by day, sum(jobs::float8) desc, tool_id, owner_key`
  // For many jobs the durations take as long as the sums, so they do not wait for the number of jobs.
  const [{ rows }, bucketed] = await Promise.all([sums.execute(executor), bucketedDurations(access, first)])
  const perDay = rows.flatMap((row) => (row.day === null ? [] : [{ ...row, day: Number(row.day) }]))
  const total = perDay.reduce((sum, { jobs }) => sum + jobs, 0)
  return {
    perDay: perDay.map(({ day, jobs, completed, failed }) => ({
      day: new Date(day * DAY_MS).toISOString().slice(0, 10),
      ...{ total: jobs, completed, failed },
    })),
    perTool: rows.flatMap(({ tool_id: id, jobs }) => (id === null ? [] : [{ toolId: id || null, runs: jobs }])),
    perOwner: rows.flatMap(({ owner_key: key, jobs, bytes }) =>
      key === null ? [] : [{ ownerId: ownerOf(key), runs: jobs, bytesIn: bytes }],
    ),
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
  const { rows } = await sql<{ type: JobRecord['type']; bucket: number; jobs: number }>`
    select type, bucket, sum(jobs::float8) as jobs from job_times where day >= ${first}
    group by 1, 2 having sum(jobs::float8) > 0 order by 1, 2`.execute(executor)
  return [...new Set(rows.map(({ type }) => type))].map((type) => {
    const own = rows.filter((row) => row.type === type)
    const all = own.reduce((sum, { jobs }) => sum + jobs, 0)
    const at = (part: number): number => {
      let left = Math.ceil(part * all)
      const found = own.find(({ jobs }) => {
        left -= jobs
        return left <= 0
      })
      return found ? Math.round(GROWTH ** found.bucket) : 0
    }
    return { type, p50Ms: at(0.5), p95Ms: at(0.95) }
  })
}
