/** Records of ended jobs that a server of a cluster keeps for a moment. */
import { afterEach, expect, test } from 'vitest'
import type { Claims } from '../../src/store/cluster/claims.ts'
import { ClusterJobs } from '../../src/store/cluster/jobs.ts'
import type { JobRecord } from '../../src/store/job-record.ts'
import type { JobTable } from '../../src/store/postgres/job-table.ts'
import { MemoryBlobs } from '../helpers/memory-store/blobs.ts'

const ENDED = { id: 'a', status: 'completed', outputs: [], members: [] } as unknown as JobRecord

let jobs: ClusterJobs | undefined
afterEach(() => jobs?.close())

/** A table with one ended job, whose answers come when they are released. */
function slowTable() {
  const waiting: (() => void)[] = []
  const state = { record: ENDED as JobRecord | undefined, reads: 0 }
  const table = {
    async get() {
      state.reads++
      const { record } = state
      await new Promise<void>((resolve) => waiting.push(resolve))
      return record
    },
    async remove() {
      state.record = undefined
    },
  }
  const release = (index: number): void => waiting[index]?.()
  return { state, release, table: table as unknown as JobTable }
}

const open = (table: JobTable): ClusterJobs => {
  const results = new MemoryBlobs()
  const inputs = { remove: async () => {} } as never
  jobs = new ClusterJobs(table, {} as Claims, { results, inputs })
  return jobs
}

test('an ended job is not read again', async () => {
  const { state, release, table } = slowTable()
  const own = open(table)
  const looked = own.look('a')
  release(0)
  expect([await looked, await own.get('a'), state.reads]).toEqual([ENDED, ENDED, 1])
})

test('a job that was removed while it was read does not come back', async () => {
  const { state, release, table } = slowTable()
  const own = open(table)
  const looked = own.look('a')
  const removed = own.remove('a')
  // The removal reads the record as well; the answer to the first question comes after it.
  await expect.poll(() => state.reads).toBe(2)
  release(1)
  await removed
  release(0)
  await looked
  const again = own.get('a')
  await expect.poll(() => state.reads).toBe(3)
  release(2)
  expect(await again).toBeUndefined()
})

test('the end of a job in an event is not read from the database', async () => {
  const { state, table } = slowTable()
  const own = open(table)
  own.learn(ENDED)
  expect([await own.get('a'), state.reads]).toEqual([ENDED, 0])
})

test('a job that was removed does not come back by an event of its end', async () => {
  const { state, release, table } = slowTable()
  const own = open(table)
  own.learn(ENDED)
  await own.remove('a')
  own.learn(ENDED)
  const again = own.get('a')
  await expect.poll(() => state.reads).toBe(1)
  release(0)
  expect(await again).toBeUndefined()
})
