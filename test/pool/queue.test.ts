import { beforeAll, describe, expect, test } from 'vitest'
import type { Pool } from '../../src/pool/pool.ts'
import { fromSamples, photo, put } from '../helpers/picture.ts'
import { testPool, toolTask } from '../helpers/pool.ts'
import { buildProgram } from '../helpers/program.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const folder = temporaryFolder()
let picture: string

beforeAll(async () => {
  buildProgram()
  picture = await put(folder, 'photo.png', fromSamples(photo(40, 30)).png())
})

interface Kind {
  ownerKey?: string
  heavy?: boolean
  signal?: AbortSignal
}

/** Runs a small job and records its start; returns its error's code, or `done`. */
function job(pool: Pool, started: string[], name: string, { signal, ...more }: Kind = {}): Promise<string> {
  const task = toolTask(folder, 'image/resize', [picture], { width: 16 }, more)
  return pool.run(task, { onStart: () => started.push(name), ...(signal && { signal }) }).then(
    () => 'done',
    (error) => error.code,
  )
}

test('a full queue refuses immediately', async () => {
  const pool = testPool({ queueLimit: 2 })
  const started: string[] = []
  const jobs = ['a', 'b', 'c'].map((name) => job(pool, started, name))
  expect([pool.active, pool.pending]).toEqual([1, 2])
  expect(await job(pool, started, 'd')).toBe('QUEUE_UNAVAILABLE')
  expect([pool.active, pool.pending]).toEqual([1, 2])
  expect(await Promise.all(jobs)).toEqual(['done', 'done', 'done'])
  expect(started).toEqual(['a', 'b', 'c'])
  expect([pool.active, pool.pending]).toEqual([0, 0])
})

test('without a queue a free slot is enough', async () => {
  const pool = testPool({ queueLimit: 0 })
  const first = job(pool, [], 'a')
  expect(await job(pool, [], 'b')).toBe('QUEUE_UNAVAILABLE')
  expect(await first).toBe('done')
  expect(await job(pool, [], 'c')).toBe('done')
})

test('owners take turns', async () => {
  const pool = testPool()
  const started: string[] = []
  const of = (ownerKey: string) => (name: string) => job(pool, started, name, { ownerKey })
  await Promise.all([...['a1', 'a2', 'a3', 'a4'].map(of('a')), ...['b1', 'b2'].map(of('b')), of('c')('c1')])
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
})

test('heavy jobs leave one slot to light ones', async () => {
  const pool = testPool({ size: 2 })
  const started: string[] = []
  const heavy = ['h1', 'h2', 'h3'].map((name) => job(pool, started, name, { heavy: true }))
  expect([pool.active, pool.pending]).toEqual([1, 2])
  const light = job(pool, started, 'l1')
  expect([pool.active, pool.pending]).toEqual([2, 2])
  expect(await Promise.all([...heavy, light])).toEqual(['done', 'done', 'done', 'done'])
  expect(started).toHaveLength(4)
})

test('no owner gets all slots for heavy jobs', async () => {
  const pool = testPool({ size: 4 })
  const started: string[] = []
  const heavy = (ownerKey: string) => (name: string) => job(pool, started, name, { heavy: true, ownerKey })
  const mine = ['a1', 'a2', 'a3'].map(heavy('a'))
  expect([pool.active, pool.pending]).toEqual([2, 1])
  const theirs = ['b1', 'b2'].map(heavy('b'))
  expect([pool.active, pool.pending]).toEqual([3, 2])
  const light = job(pool, started, 'l1', { ownerKey: 'a' })
  expect([pool.active, pool.pending]).toEqual([4, 2])
  await Promise.all([...mine, ...theirs, light])
  expect(started).toHaveLength(6)
  // Without accounts no slot is reserved.
  const alone = testPool({ size: 4 })
  const all = ['1', '2', '3', '4'].map((name) => job(alone, started, name, { heavy: true }))
  expect([alone.active, alone.pending]).toEqual([3, 1])
  await Promise.all(all)
})

test('on one slot heavy jobs run, too', async () => {
  expect(await job(testPool(), [], 'a', { heavy: true })).toBe('done')
})

test('a canceled job leaves the queue', async () => {
  const pool = testPool()
  const started: string[] = []
  const stop = new AbortController()
  const first = job(pool, started, 'a')
  const second = job(pool, started, 'b', { signal: stop.signal })
  stop.abort()
  expect(pool.pending).toBe(0)
  expect(await second).toBe('CANCELED')
  expect(await first).toBe('done')
  expect(await job(pool, started, 'c', { signal: stop.signal })).toBe('CANCELED')
  expect(started).toEqual(['a'])
})

test('one signal stops a whole batch', async () => {
  const pool = testPool({ size: 2, queueLimit: 30 })
  const warnings: string[] = []
  const warned = ({ message }: Error): void => void warnings.push(message)
  process.on('warning', warned)
  const stop = new AbortController()
  const started: string[] = []
  const jobs = Array.from({ length: 30 }, (_, index) => job(pool, started, String(index), { signal: stop.signal }))
  // The first job's process may take longer to start than the other needs for many.
  expect(await Promise.race(jobs)).toBe('done')
  stop.abort()
  const ends = await Promise.all(jobs)
  expect(new Set(ends)).toEqual(new Set(['done', 'CANCELED']))
  // Running ones may have completed by then; the others never started.
  expect(ends.filter((end) => end === 'done').length).toBeLessThanOrEqual(started.length)
  expect(started.length).toBeLessThan(30)
  expect([pool.pending, warnings]).toEqual([0, []])
  process.off('warning', warned)
})

test('a job canceled before its process is ready never starts', async () => {
  const pool = testPool()
  const started: string[] = []
  const stop = new AbortController()
  const first = job(pool, started, 'a', { signal: stop.signal })
  expect(pool.active).toBe(1)
  stop.abort()
  expect(await first).toBe('CANCELED')
  expect(await job(pool, started, 'b')).toBe('done')
  expect(started).toEqual(['b'])
  expect(pool.stats()).toMatchObject({ crashed: 0 })
})

describe('shutdown', () => {
  test('draining lets running jobs end and refuses the others', async () => {
    const pool = testPool()
    const started: string[] = []
    const running = job(pool, started, 'a')
    const waiting = job(pool, started, 'b')
    const drained = pool.drain(20_000)
    expect(await waiting).toBe('SHUTTING_DOWN')
    expect(await job(pool, started, 'c')).toBe('SHUTTING_DOWN')
    expect(await drained).toBe(true)
    expect(await running).toBe('done')
    expect(started).toEqual(['a'])
  })

  test('draining ends at its time limit', async () => {
    const pool = testPool()
    const running = job(pool, [], 'a')
    expect(await pool.drain(0)).toBe(false)
    expect(await running).toBe('done')
  })

  test('closing ends running jobs and all processes', async () => {
    const pool = testPool()
    const running = job(pool, [], 'a')
    const processId = pool.stats().processes[0]!.processId!
    await pool.close()
    expect(await running).toBe('INTERRUPTED')
    expect(pool.stats().processes).toEqual([])
    expect(() => process.kill(processId, 0)).toThrow('ESRCH')
  })
})
