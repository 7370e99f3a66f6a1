import { expect, test } from 'vitest'
import type { JobRecord } from '../../../src/store/job-record.ts'
import type { JobQueue, QueueLimits } from '../../../src/store/queue.ts'

const record = (id: string, more: Partial<JobRecord> = {}): JobRecord => ({
  ...{
    id,
    clientJobId: null,
    ownerId: 'o',
    type: 'single',
    toolId: null,
    status: 'processing',
    percent: 0,
    stage: null,
  },
  ...{ createdAt: '', startedAt: null, completedAt: null, attempts: 0, inputBytes: 0, outputs: [], result: null },
  ...{ error: null, expiresAt: null, ...more },
})

const limits = (places: number, own: number): QueueLimits => ({ places, share: () => own })

/** Work that lasts until it is ended or stopped. */
function work(queue: JobQueue) {
  const begun: string[] = []
  const ended: string[] = []
  const enders = new Map<string, () => void>()
  queue.work(async (id, signal) => {
    begun.push(id)
    await new Promise<void>((resolve) => {
      enders.set(id, resolve)
      signal.addEventListener('abort', () => {
        ended.push(`${id} ${(signal.reason as Error).message}`)
        resolve()
      })
    })
  })
  return { begun, ended, end: (id: string) => enders.get(id)!() }
}

/** Requirements for every queue. @param open creates a new, empty one */
export function queueContract(open: () => JobQueue): void {
  test('runs jobs, and counts unfinished ones', async () => {
    const queue = open()
    const { begun, end } = work(queue)
    for (const id of ['a', 'b']) {
      await queue.admit({ id, ownerId: 'o' }, limits(9, 9))
      await queue.enqueue({ id, ownerId: 'o' })
    }
    await expect.poll(() => begun).toEqual(['a', 'b'])
    expect([queue.size, queue.running()]).toEqual([2, ['a', 'b']])
    end('a')
    await queue.ended('a')
    await queue.ended('no-such-job')
    expect([queue.size, queue.running()]).toEqual([1, ['b']])
  })

  test('assigns no more slots than available, in total and per owner, with concurrent requests', async () => {
    const queue = open()
    work(queue)
    const admit = (id: string, ownerId: string, all: QueueLimits): Promise<string> =>
      queue.admit({ id, ownerId }, all).then(
        () => 'in',
        ({ code }) => code,
      )
    const own = ['a', 'b', 'c'].map((id) => admit(id, 'o', limits(9, 2)))
    expect(await Promise.all(own)).toEqual(['in', 'in', 'CONCURRENCY_LIMIT'])
    await queue.enqueue({ id: 'a', ownerId: 'o' })
    expect(await admit('c', 'o', limits(9, 2))).toBe('CONCURRENCY_LIMIT')
    expect(await admit('d', 'p', limits(2, 2))).toBe('QUEUE_UNAVAILABLE')
    // An owner without a job may have one.
    expect(await admit('d', 'p', limits(9, 0))).toBe('in')
    await queue.leave('b')
    expect([await admit('c', 'o', limits(9, 2)), queue.size]).toEqual(['in', 3])
    // A finished one has no owner any more, even while it is removed.
    queue.publish(record('a', { status: 'completed' }))
    expect(await admit('e', 'o', limits(9, 2))).toBe('in')
  })

  test('the share of an owner depends on the jobs of others', async () => {
    const queue = open()
    const seen: number[] = []
    const share = (others: number): number => {
      seen.push(others)
      return 9
    }
    for (const [id, ownerId] of [
      ['a', 'o'],
      ['b', 'p'],
      ['c', 'o'],
    ] as const)
      await queue.admit({ id, ownerId }, { places: 9, share })
    expect(seen).toEqual([0, 1, 1])
  })

  test('stops a job and waits for its end; does not stop a finished one', async () => {
    const queue = open()
    const { ended } = work(queue)
    for (const id of ['a', 'b']) await queue.enqueue({ id, ownerId: 'o' })
    expect([await queue.cancel('a', new Error('why')), ended, queue.running()]).toEqual([true, ['a why'], ['b']])
    queue.publish(record('b', { status: 'failed' }))
    expect([await queue.cancel('b', new Error('x')), await queue.cancel('c', new Error('x'))]).toEqual([false, false])
  })

  test('notifies subscribers until they stop or the job has ended', async () => {
    const queue = open()
    const { end } = work(queue)
    await queue.enqueue({ id: 'a', ownerId: 'o' })
    const [first, second]: [number[], number[]] = [[], []]
    queue.listen('a', ({ percent }) => first.push(percent))
    const stop = queue.listen('a', ({ percent }) => second.push(percent))
    queue.publish(record('a', { percent: 1 }))
    stop()
    queue.publish(record('a', { percent: 2 }))
    queue.publish(record('b', { percent: 3 }))
    end('a')
    await queue.ended('a')
    queue.publish(record('a', { percent: 4 }))
    expect([first, second]).toEqual([[1, 2], [1]])
  })

  test('notifies subscribers of a job that is not sent yet', async () => {
    const queue = open()
    const received: string[] = []
    const stop = queue.expect('mine', ({ id }) => received.push(id))
    queue.publish(record('a', { clientJobId: 'other', status: 'queued' }))
    queue.publish(record('b', { clientJobId: 'mine', status: 'queued' }))
    stop()
    queue.publish(record('c', { clientJobId: 'mine', status: 'queued' }))
    expect(received).toEqual(['b'])
  })

  test('closes: jobs may end in time, the rest is stopped after a notification', async () => {
    const queue = open()
    const { ended, end } = work(queue)
    for (const id of ['a', 'b']) await queue.enqueue({ id, ownerId: 'o' })
    end('a')
    const late: string[][] = []
    await queue.close(0, async () => void late.push(queue.running(), [...ended]))
    expect([late.at(-1), ended.map((text) => text[0]), queue.size]).toEqual([[], ['b'], 0])
  })
}
