import { expect, test } from 'vitest'
import { usage } from '../../src/server/instance/usage.ts'
import { type CountedJob, usageOf } from '../../src/store/job-usage.ts'

/** A store with report data: a number of jobs, half of them failed, of three users. */
function storeOf(count: number): Parameters<typeof usage>[0] {
  const at = Date.now() - 1000
  const jobs = Array.from(
    { length: count },
    (_, index): CountedJob => ({
      type: 'single',
      status: index % 2 === 0 ? 'completed' : 'failed',
      toolId: index % 4 === 3 ? null : 'resize',
      ownerId: `u${index % 3}`,
      inputBytes: 10,
      created: at,
      started: at,
      completed: at + index,
    }),
  )
  return {
    jobs: { usage: (since: string) => usageOf(jobs, Date.parse(since)) },
    users: { list: async () => [{ id: 'u0', username: 'ada' }] },
    library: { totals: async () => ({ items: 2, bytes: 5 }) },
  } as unknown as Parameters<typeof usage>[0]
}

/** Number of iterated list items, in loops and copies, while a function runs. */
async function itemsGiven(work: () => Promise<unknown>): Promise<number> {
  const original = Array.prototype[Symbol.iterator]
  let given = 0
  Array.prototype[Symbol.iterator] = function (this: unknown[]) {
    given += this.length
    return original.call(this)
  } as typeof original
  try {
    await work()
  } finally {
    Array.prototype[Symbol.iterator] = original
  }
  return given
}

test('the report adds up', async () => {
  const report = await usage(storeOf(12), 30)
  expect(report).toMatchObject({
    jobsPerDay: [{ total: 12, completed: 6, failed: 6 }],
    topTools: [
      { toolId: 'resize', runs: 9 },
      { toolId: 'pipeline', runs: 3 },
    ],
    perUser: [
      { username: 'ada', runs: 4, bytesIn: 40 },
      { username: 'u1', runs: 4, bytesIn: 40 },
      { username: 'u2', runs: 4, bytesIn: 40 },
    ],
    durations: [{ pool: 'single', p50Ms: 5, p95Ms: 11 }],
    storage: { libraryBytes: 5, libraryFiles: 2 },
  })
})

test('copies no list per job: twice the jobs take twice the time', async () => {
  const [small, large] = [storeOf(1000), storeOf(2000)]
  const once = await itemsGiven(() => usage(small, 30))
  const twice = await itemsGiven(() => usage(large, 30))
  expect(once).toBeGreaterThanOrEqual(1000)
  expect(twice).toBeLessThan(2.1 * once)
})
