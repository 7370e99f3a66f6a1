import { availableParallelism } from 'node:os'
import { expect, test } from 'vitest'
import { mapConcurrently, shareCores, threadsPerJob } from '../src/concurrency.ts'
import { runBatch } from '../src/job/batch.ts'

/** Work that ends on request, so that nothing depends on the clock. */
function gates(count: number) {
  const started: number[] = []
  const open: (() => void)[] = []
  const waits = Array.from({ length: count }, (_, index) => new Promise<void>((resolve) => (open[index] = resolve)))
  const work = async (item: string, index: number): Promise<string> => {
    started.push(index)
    await waits[index]
    return item.toUpperCase()
  }
  return { started, open, work }
}

/** Lets all pending work run. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('starts no more than the limit, in order, and returns the results in order', async () => {
  const { started, open, work } = gates(4)
  const all = mapConcurrently(['a', 'b', 'c', 'd'], 2, work)
  await turn()
  expect(started).toEqual([0, 1])
  open[1]!()
  await turn()
  expect(started).toEqual([0, 1, 2])
  for (const one of [2, 3, 0]) open[one]!()
  expect(await all).toEqual(['A', 'B', 'C', 'D'])
})

test('starts no more tasks after it is stopped, and leaves their results undefined', async () => {
  let done = 0
  const results = await mapConcurrently(
    [1, 2, 3, 4],
    1,
    async (item) => {
      done += 1
      return item * 10
    },
    () => done < 2,
  )
  expect(results).toEqual([10, 20, undefined, undefined])
  expect(results).toHaveLength(4)
})

test('throws the first failure and starts no more tasks', async () => {
  const started: number[] = []
  const failing = async (item: number): Promise<void> => {
    started.push(item)
    if (item === 1) throw new Error('bad one')
    await turn()
  }
  await expect(mapConcurrently([0, 1, 2, 3, 4], 2, failing)).rejects.toThrow('bad one')
  await turn()
  await turn()
  expect(started).toEqual([0, 1])
})

test('accepts an empty list', async () => {
  expect(await mapConcurrently([], 3, () => Promise.reject(new Error('never asked')))).toEqual([])
})

test('concurrent jobs share the cores; a single one gets all of them', async () => {
  const cores = availableParallelism()
  const seen = await runBatch(['a', 'b', 'c'], 2, async () => threadsPerJob())
  expect(seen).toEqual(Array(3).fill(Math.ceil(cores / 2)))
  expect(await runBatch(['a'], 8, async () => threadsPerJob())).toEqual([undefined])
  const ends = [shareCores(cores), shareCores(1)]
  expect(threadsPerJob()).toBe(1)
  for (const end of [...ends, ...ends]) end()
  expect(threadsPerJob()).toBeUndefined()
})
