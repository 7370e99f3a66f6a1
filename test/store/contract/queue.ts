import { expect, test } from 'vitest'
import { MediaprocError } from '../../../src/errors.ts'
import { isOver, type JobFile, type JobRecord, type StoredTask } from '../../../src/store/job-record.ts'
import type { QueueLimits } from '../../../src/store/queue.ts'
import type { Store } from '../../../src/store/store.ts'

type Parts = Pick<Store, 'jobs' | 'workspace' | 'queue'>

const limits = (places: number, own: number): QueueLimits => ({ places, most: own })
const WIDE = limits(9, 9)

const canceled = (why: string): MediaprocError => new MediaprocError('CANCELED', why)

export const taskOf = (inputs: readonly JobFile[], target = 'image/resize'): StoredTask => ({
  ...{ kind: 'tool', target, settings: {}, inputs, secondary: {}, timeoutS: 9, heavy: false },
})

/** Submits a job of an owner, and returns its id. */
export async function submit(
  { queue, workspace }: Parts,
  ownerId = 'o',
  all: QueueLimits = WIDE,
  more: Partial<JobRecord> = {},
  mayBeLost = false,
): Promise<string> {
  const { id = (await workspace.begin(ownerId)).id } = more
  const record: JobRecord = {
    ...{ clientJobId: null, ownerId, type: 'single', toolId: 'resize', status: 'queued', percent: 0, stage: null },
    ...{ createdAt: new Date().toISOString(), startedAt: null, completedAt: null, attempts: 0, inputBytes: 0 },
    ...{ outputs: [], result: null, error: null, expiresAt: null, task: taskOf([]), ...more },
    id,
  }
  await queue.submit(record, { limits: all, mayBeLost })
  queue.publish(record)
  return id
}

/** Work that lasts until it is ended or stopped, and then writes its end, as the runner does. */
export function work({ queue, jobs }: Parts, tools = ['image/resize'], loaded: string[] = []) {
  const begun: string[] = []
  const failed: unknown[] = []
  const stopped: string[] = []
  const enders = new Map<string, () => void>()
  queue.work({
    async run(id, signal) {
      begun.push(id)
      await new Promise<void>((resolve) => {
        const stop = (): void => {
          stopped.push(`${id} ${(signal.reason as Error).message}`)
          resolve()
        }
        enders.set(id, resolve)
        if (signal.aborted) stop()
        else signal.addEventListener('abort', stop)
      })
      try {
        const record = await jobs.update(id, { status: 'completed', completedAt: new Date().toISOString() })
        queue.publish(record)
        await jobs.settle(id, 0)
      } catch (error) {
        failed.push(error)
      }
    },
    giveUp: async ({ id }) => {
      await jobs.update(id, { status: 'failed', completedAt: new Date().toISOString() })
      await jobs.settle(id, 0)
    },
    tools,
    needsOf: ({ target }) => ({ tools: [target], bundles: [] }),
    loadedBundles: () => loaded,
  })
  const end = async (id: string): Promise<void> => {
    await expect.poll(() => enders.has(id)).toBe(true)
    enders.get(id)?.()
    await queue.ended(id)
  }
  return { begun, stopped, failed, end }
}

/** Requirements for every queue. @param open opens a store with a new, empty one that runs jobs */
export function queueContract(open: () => Promise<Parts>): void {
  const outcome = (submitted: Promise<string>): Promise<string> =>
    submitted.then(
      () => 'in',
      ({ code }) => code,
    )

  test('runs jobs, and counts unfinished ones', async () => {
    const parts = await open()
    const { begun, end } = work(parts)
    await parts.queue.takeUp()
    const ids = [await submit(parts), await submit(parts)]
    await expect.poll(() => begun).toEqual(ids)
    expect(await parts.queue.size()).toBe(2)
    await end(ids[0]!)
    await parts.queue.ended('no-such-job')
    await expect.poll(() => parts.queue.size()).toBe(1)
    await end(ids[1]!)
  })

  test('assigns no more slots than available, in total and per owner, with concurrent requests', async () => {
    const parts = await open()
    const { end } = work(parts)
    await parts.queue.takeUp()
    const own = ['a', 'b', 'c'].map(() => submit(parts, 'o', limits(9, 2)))
    expect((await Promise.all(own.map(outcome))).sort()).toEqual(['CONCURRENCY_LIMIT', 'in', 'in'])
    expect(await outcome(submit(parts, 'o', limits(9, 2)))).toBe('CONCURRENCY_LIMIT')
    expect(await outcome(submit(parts, 'p', limits(2, 2)))).toBe('QUEUE_UNAVAILABLE')
    // An owner without a job may have one.
    expect(await outcome(submit(parts, 'p', limits(9, 0)))).toBe('in')
    const running = (await Promise.allSettled(own)).flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    await end(running[0]!)
    expect(await outcome(submit(parts, 'o', limits(9, 2)))).toBe('in')
  })

  test('the share of an owner depends on the jobs of others', async () => {
    const parts = await open()
    work(parts)
    const half = (owner: string) => submit(parts, owner, { places: 12, share: 0.5 })
    for (const owner of ['p', 'p', 'p', 'o', 'o', 'o', 'o']) await half(owner)
    // Half of the nine places that p leaves, rounded down.
    await expect(half('o')).rejects.toMatchObject({ code: 'CONCURRENCY_LIMIT' })
    // Half of the eight that o leaves.
    expect(await outcome(half('p'))).toBe('in')
    await expect(half('p')).rejects.toMatchObject({ code: 'CONCURRENCY_LIMIT' })
    // Everyone may have one.
    for (const owner of ['q', 'r', 's', 't']) expect(await outcome(half(owner))).toBe('in')
    await expect(half('u')).rejects.toMatchObject({ code: 'QUEUE_UNAVAILABLE' })
  })

  test('stops a job and waits for its end; does not stop a finished one', async () => {
    const parts = await open()
    const { begun, stopped, end } = work(parts)
    await parts.queue.takeUp()
    const [first, second] = [await submit(parts), await submit(parts)]
    await expect.poll(() => begun.length).toBe(2)
    expect([await parts.queue.cancel(first, canceled('why')), stopped]).toEqual([true, [`${first} why`]])
    await end(second)
    const late = [parts.queue.cancel(second, canceled('x')), parts.queue.cancel('c', canceled('x'))]
    expect(await Promise.all(late)).toEqual([false, false])
  })

  test('notifies subscribers until they stop or the job has ended', async () => {
    const parts = await open()
    const { jobs, queue } = parts
    const { begun, end } = work(parts)
    await queue.takeUp()
    const id = await submit(parts)
    await expect.poll(() => begun).toEqual([id])
    const [first, second]: [number[], number[]] = [[], []]
    queue.listen(id, ({ percent, ...record }) => first.push(isOver(record) ? 100 : percent))
    const stop = queue.listen(id, ({ percent }) => second.push(percent))
    const progress = async (percent: number): Promise<void> => {
      const record = await jobs.note(id, () => ({ percent }))
      if (record) queue.publish(record)
    }
    await progress(1)
    await expect.poll(() => second.at(-1)).toBe(1)
    stop()
    const known = second.length
    await progress(2)
    await expect.poll(() => first.at(-1)).toBe(2)
    await end(id)
    await expect.poll(() => first.at(-1)).toBe(100)
    expect(second.length).toBe(known)
  })

  test('notifies subscribers of a job that is not sent yet', async () => {
    const parts = await open()
    work(parts)
    const received: string[] = []
    const stop = parts.queue.expect('mine', ({ id }) => received.push(id))
    await submit(parts, 'o', WIDE, { clientJobId: 'other' })
    const id = await submit(parts, 'o', WIDE, { clientJobId: 'mine' })
    await expect.poll(() => received).toEqual([id])
    stop()
    await submit(parts, 'o', WIDE, { clientJobId: 'mine' })
    expect(received).toEqual([id])
  })

  test('closes: jobs may end in time, the rest is stopped after a notification', async () => {
    const parts = await open()
    const { begun, stopped, end } = work(parts)
    await parts.queue.takeUp()
    const [first, second] = [await submit(parts), await submit(parts)]
    await expect.poll(() => begun.length).toBe(2)
    await end(first)
    const states: string[] = []
    let isLate = false
    parts.queue.listen(second, ({ status }) => states.push(`${isLate} ${status}`))
    await parts.queue.close(0, () => {
      isLate = true
      expect(stopped).toEqual([])
    })
    // The notification shows the job before it is stopped.
    expect(states.find((state) => state.startsWith('true'))).toBe('true queued')
    expect(stopped.map((text) => text.split(' ')[0])).toEqual([second])
  })
}
