/** A million finished jobs in PostgreSQL: lists and sweeps use indexes. */
import { beforeAll, expect, test } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import { nodes } from '../helpers/nodes.ts'
import { submit, work } from './contract/queue.ts'

const COUNT = 1_000_000
/** Rows of one statement, which has a time limit. */
const PART = 50_000
/** A hundred owners with 10,000 jobs each, one a minute, of which the oldest have expired. */
const rows = (from: number): string => `
  insert into jobs (id, owner_id, client_job_id, type, status, tool_id, created, started, completed, expires, has_outputs,
    input_bytes, bytes, record)
  select gen_random_uuid(), 'o' || n % 100, 'c' || n, 'single', case n % 10 when 0 then 'failed' else 'completed' end,
    't' || n % 150, at, at, at + n % 5000, at + 86400000, true, 1000, 500,
    json_build_object('id', n, 'type', 'single', 'status', 'completed', 'outputs', json_build_array())
  from (select n, 1700000000000 + n::bigint * 60000 as at from generate_series(${from + 1}, ${from + PART}) as n)
  as numbers`
const SUMS = [
  "insert into job_sums select 'u' || owner_id, false, status, count(*), sum(bytes) from jobs group by 1, 3",
  `insert into job_days select created / 86400000, type, status, tool_id, 'u' || owner_id, count(*), sum(input_bytes)
    from jobs group by 1, 2, 3, 4, 5`,
  `insert into job_times select created / 86400000, type, job_bucket(completed - started), count(*) from jobs group by 1, 2, 3`,
]

const cluster = nodes()
let url: string

beforeAll(async () => {
  url = await cluster.database()
  await (await cluster.open(url)).close()
  // The trigger would count every row by itself.
  await cluster.execute(url, 'alter table jobs disable trigger all')
  for (let from = 0; from < COUNT; from += PART) await cluster.execute(url, rows(from))
  for (const sums of SUMS) await cluster.execute(url, sums)
  await cluster.execute(url, 'alter table jobs enable trigger all')
  await cluster.execute(url, 'analyze')
}, 300_000)

const scans = async (): Promise<number> => {
  const [row] = (await cluster.rows(
    url,
    "select seq_scan as scans from pg_stat_user_tables where relname = 'jobs'",
  )) as { scans: string }[]
  return Number(row?.scans)
}

/** Everything that requests, the queue and sweeps ask of the table. */
async function ask(store: Store, at: (minutes: number) => string): Promise<void> {
  const { jobs, queue, workspace } = store
  const page = { limit: 50, offset: 0 }
  for (const ownerId of ['o7', undefined])
    for (const status of ['failed', 'processing', undefined] as const) {
      const { total } = await jobs.ofOwner({ ...page, ownerId, ...(status && { status }) })
      const share = status === 'processing' ? 0 : status === 'failed' ? 0.1 : 1
      // Owners have either only failed jobs or none.
      if (ownerId === undefined) expect(total).toBe(COUNT * share)
    }
  await jobs.named('c77')
  await jobs.unfinished()
  expect((await jobs.idsOf('o7')).length).toBe(COUNT / 100)
  expect((await jobs.expired(at(-1000))).length).toBe(0)
  expect((await jobs.endedBefore(at(100), at(2000))).length).toBeGreaterThan(10)
  expect((await jobs.surplus(COUNT, 'o7')).length).toBe(0)
  const usage = await jobs.usage(at(0.5))
  expect(usage.perDay.reduce((sum, { total }) => sum + total, 0)).toBe(COUNT)
  expect(usage.perOwner).toHaveLength(100)
  expect(usage.perOwner[0]).toMatchObject({ runs: COUNT / 100, bytesIn: (COUNT / 100) * 1000 })
  expect(usage.perTool).toHaveLength(150)
  // Durations are spread evenly over 0 to 4999 ms, and known to 2 %.
  const [{ type, p50Ms, p95Ms } = { type: '', p50Ms: 0, p95Ms: 0 }] = usage.durations
  expect([type, Math.abs(p50Ms / 2500 - 1) < 0.02, Math.abs(p95Ms / 4750 - 1) < 0.02]).toEqual(['single', true, true])
  await workspace.refresh('o7')
  expect(workspace.bytesOf('o7')).toBe((COUNT / 100) * 500)
  const id = await submit(store, 'o7', { places: 10 })
  expect(await queue.size()).toBe(1)
  await jobs.remove(id)
}

test('lists, sums, the queue and sweeps read no more than they need', async () => {
  const store = await cluster.open(url)
  work(store)
  const before = await scans()
  await ask(store, (minutes) => new Date(1_700_000_000_000 + minutes * 60_000).toISOString())
  await store.close()
  // Statistics of a connection are written when it ends, or a second later.
  await new Promise((resolve) => setTimeout(resolve, 2000))
  expect((await scans()) - before).toBe(0)
})
