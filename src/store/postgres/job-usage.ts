import type { JobRecord } from '../job-record.ts'
import type { JobUsage } from '../jobs.ts'
import type { Access } from './access.ts'

const DAY_MS = 86_400_000

/** Sums up the jobs since a time, in milliseconds since 1970; percentiles are by the nearest rank. */
export async function usageSince({ sql, executor }: Access, since: number): Promise<JobUsage> {
  const counted = sql`jobs where type not in ('upload', 'install') and created >= ${since}`
  const days = sql<{ day: string; total: string; completed: string; failed: string }>`
    select created / ${DAY_MS}::bigint as day, count(*) as total,
      count(*) filter (where status = 'completed') as completed, count(*) filter (where status = 'failed') as failed
    from ${counted} group by 1 order by 1`
  const tools = sql<{ tool_id: string | null; runs: string }>`
    select tool_id, count(*) as runs from ${counted} group by 1 order by 2 desc, 1`
  const owners = sql<{ owner_id: string | null; runs: string; bytes: string }>`
    select owner_id, count(*) as runs, sum(input_bytes) as bytes from ${counted} group by 1 order by 2 desc, 1`
  const times = sql<{ type: JobRecord['type']; p50: string | null; p95: string | null }>`
    select type,
      percentile_disc(0.5) within group (order by completed - started) as p50,
      percentile_disc(0.95) within group (order by completed - started) as p95
    from ${counted} group by 1`
  const [perDay, perTool, perOwner, durations] = await Promise.all([
    days.execute(executor),
    tools.execute(executor),
    owners.execute(executor),
    times.execute(executor),
  ])
  return {
    perDay: perDay.rows.map(({ day, total, completed, failed }) => ({
      day: new Date(Number(day) * DAY_MS).toISOString().slice(0, 10),
      ...{ total: Number(total), completed: Number(completed), failed: Number(failed) },
    })),
    perTool: perTool.rows.map(({ tool_id: toolId, runs }) => ({ toolId, runs: Number(runs) })),
    perOwner: perOwner.rows.map(({ owner_id: ownerId, runs, bytes }) => ({
      ...{ ownerId, runs: Number(runs), bytesIn: Number(bytes) },
    })),
    durations: durations.rows.map(({ type, p50, p95 }) => ({ type, p50Ms: Number(p50 ?? 0), p95Ms: Number(p95 ?? 0) })),
  }
}
