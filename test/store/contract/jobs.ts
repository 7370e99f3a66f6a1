import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JobRecord } from '../../../src/store/job-record.ts'
import type { Store } from '../../../src/store/store.ts'

type Parts = Pick<Store, 'jobs' | 'workspace'>

const DAY = 24 * 3_600_000
const at = (ms: number): string => new Date(Date.parse('2026-01-10T12:00:00.000Z') + ms).toISOString()
const file = (name: string) => ({ file: name, name, bytes: 1, mime: '' })
const ids = (records: readonly { id: string }[]): string[] => records.map(({ id }) => id)
const everything = { ownerId: undefined, limit: 100, offset: 0 }

let made = 0

/** A new job, a second younger than the previous one. */
async function begin({ jobs, workspace }: Parts, more: Partial<JobRecord> = {}): Promise<JobRecord> {
  const { ownerId = 'o' } = more
  const { id } = await workspace.begin(ownerId)
  const record: JobRecord = {
    ...{ id, clientJobId: null, ownerId, type: 'single', toolId: 'resize', status: 'queued', percent: 0, stage: null },
    ...{ createdAt: at(1000 * made++), startedAt: null, completedAt: null, attempts: 0, inputBytes: 10 },
    ...{ outputs: [], result: null, error: null, expiresAt: null, ...more },
  }
  await jobs.create(record)
  return record
}

/** A finished job with a number of bytes. */
async function finish(parts: Parts, more: Partial<JobRecord> = {}, bytes = 5): Promise<JobRecord> {
  const { id } = await begin(parts, more)
  const record = await parts.jobs.update(id, {
    status: 'completed',
    percent: 100,
    completedAt: at(1000 * made),
    ...more,
  })
  await parts.jobs.settle(id, bytes)
  return record
}

/** Requirements for job records of every store. @param open creates a new, empty store */
export function jobsContract(open: () => Promise<Parts>): void {
  describe('records of jobs', () => {
    test('are returned unchanged, during and after the job', async () => {
      const parts = await open()
      const { jobs } = parts
      const queued = await begin(parts)
      expect([await jobs.get(queued.id), await jobs.get(randomUUID()), await jobs.get('../x')]).toEqual([
        ...[queued, undefined, undefined],
      ])
      const patch = { status: 'completed', result: { width: 7 }, outputs: [file('a.png')], task: undefined } as const
      const ended = await jobs.update(queued.id, patch)
      expect(ended).toEqual({ ...queued, ...patch })
      expect(queued.status).toBe('queued')
      expect(await jobs.get(queued.id)).toEqual(ended)
      await jobs.settle(queued.id, 1)
      expect(await jobs.get(queued.id)).toEqual({ ...queued, ...patch })
      await expect(jobs.update(randomUUID(), {})).rejects.toMatchObject({ code: 'NOT_FOUND' })
    })

    test('notes are visible immediately, and stored with the next change; finished jobs have none', async () => {
      const parts = await open()
      const { jobs } = parts
      const { id } = await begin(parts)
      expect(await jobs.note(id, ({ percent }) => ({ percent: percent + 40, stage: 'x' }))).toMatchObject({
        percent: 40,
      })
      expect(await jobs.get(id)).toMatchObject({ percent: 40, stage: 'x' })
      expect(await jobs.update(id, { attempts: 1 })).toMatchObject({ percent: 40, stage: 'x', attempts: 1 })
      await jobs.update(id, { status: 'failed' })
      expect(await jobs.note(id, () => ({ percent: 50 }))).toBeUndefined()
      await jobs.settle(id, 0)
      expect(await jobs.note(id, () => ({ percent: 50 }))).toBeUndefined()
      expect(await jobs.get(id)).toMatchObject({ percent: 40, status: 'failed' })
    })

    test('keeps all concurrent changes', async () => {
      const parts = await open()
      const { id } = await begin(parts)
      const patches: Partial<JobRecord>[] = [{ percent: 7 }, { stage: 'y' }, { attempts: 3 }, { result: {} }]
      await Promise.all(patches.map((patch) => parts.jobs.update(id, patch)))
      expect(await parts.jobs.get(id)).toMatchObject(Object.assign({}, ...patches))
    })

    test("are found by the client's id, the newest first, and by their own", async () => {
      const parts = await open()
      const { jobs } = parts
      const one = await finish(parts, { clientJobId: 'mine' })
      const two = await finish(parts, { clientJobId: 'mine', ownerId: 'p' })
      const three = await begin(parts, { clientJobId: 'mine' })
      await begin(parts, { clientJobId: 'other' })
      expect(ids(await jobs.named('mine'))).toEqual([three.id, two.id, one.id])
      expect([ids(await jobs.named(one.id)), await jobs.named('nothing')]).toEqual([[one.id], []])
    })

    test('of concurrent jobs with one client id, one gets it; ids are per owner', async () => {
      const parts = await open()
      const before = await finish(parts, { clientJobId: 'old' })
      const create = async (clientJobId: string, ownerId = 'o'): Promise<void> => {
        const { id } = await parts.workspace.begin(ownerId)
        await parts.jobs.create({ ...before, id, status: 'queued', clientJobId, ownerId }, { isUnique: true })
      }
      const wanted = [create('new'), create('new'), create('new', 'p'), create('old'), create('old', 'p')]
      const results = await Promise.allSettled(wanted)
      const ends = results.map((one) => (one.status === 'rejected' ? one.reason.code : 'kept'))
      expect([ends.slice(0, 2).sort(), ends.slice(2)]).toEqual([
        ['CONFLICT', 'kept'],
        ['kept', 'CONFLICT', 'kept'],
      ])
    })

    test('are listed in pages, the newest first, by owner and status, without uploads', async () => {
      const parts = await open()
      const { jobs } = parts
      const first = await finish(parts)
      const foreign = await finish(parts, { ownerId: 'p' })
      const failed = await finish(parts, { status: 'failed' })
      await finish(parts, { type: 'upload' })
      const running = await begin(parts)
      const list = async (query: Partial<Parameters<typeof jobs.ofOwner>[0]>) => {
        const { jobs: page, total } = await jobs.ofOwner({ ...everything, ...query })
        return [ids(page), total]
      }
      expect(await list({})).toEqual([[running.id, failed.id, foreign.id, first.id], 4])
      expect(await list({ ownerId: 'o' })).toEqual([[running.id, failed.id, first.id], 3])
      expect(await list({ ownerId: 'o', limit: 1, offset: 1 })).toEqual([[failed.id], 3])
      expect(await list({ ownerId: 'o', offset: 3 })).toEqual([[], 3])
      expect(await list({ status: 'failed' })).toEqual([[failed.id], 1])
      expect(await list({ status: 'queued' })).toEqual([[running.id], 1])
      expect(await list({ ownerId: 'nobody' })).toEqual([[], 0])
      expect(ids(await jobs.unfinished())).toEqual([running.id])
    })

    test('finds those of an owner, expired ones, and the oldest of too many', async () => {
      const parts = await open()
      const { jobs } = parts
      const expired = await finish(parts, { outputs: [file('a')], completedAt: at(0), expiresAt: at(DAY) })
      const fresh = await finish(parts, { outputs: [file('a')], completedAt: at(DAY), expiresAt: at(9 * DAY) })
      const empty = await finish(parts, { ownerId: 'p', completedAt: at(0), expiresAt: at(DAY) })
      const running = await begin(parts)
      expect((await jobs.idsOf('o')).sort()).toEqual(ids([expired, fresh, running]).sort())
      expect([await jobs.expired(at(DAY)), await jobs.expired(at(DAY - 1))]).toEqual([[expired.id], []])
      expect((await jobs.endedBefore(at(2 * DAY), at(2 * DAY))).sort()).toEqual(ids([expired, empty]).sort())
      expect(await jobs.endedBefore(at(0), at(0))).toEqual([empty.id])
      expect([await jobs.surplus(1), await jobs.surplus(1, 'p'), await jobs.surplus(2)]).toEqual([[expired.id], [], []])
      await jobs.update(expired.id, { outputs: [] })
      await jobs.settle(expired.id, 0)
      expect(await jobs.expired(at(DAY))).toEqual([])
    })

    test('are removed with their folders', async () => {
      const parts = await open()
      const { jobs, workspace } = parts
      const records = [await finish(parts, { clientJobId: 'c' }), await begin(parts)]
      for (const { id } of records) await jobs.remove(id)
      await jobs.remove(randomUUID())
      for (const { id } of records) expect(await jobs.get(id)).toBeUndefined()
      expect([await jobs.ofOwner(everything), await jobs.named('c')]).toEqual([{ jobs: [], total: 0 }, []])
      expect([workspace.totalBytes, workspace.bytesOf('o'), await jobs.surplus(0)]).toEqual([0, 0, []])
    })

    test('are summarised in a report, with the most used tools', async () => {
      const parts = await open()
      const { jobs } = parts
      const day = { createdAt: at(0), startedAt: at(10), completedAt: at(110) }
      await finish(parts, { ...day, createdAt: at(-3 * DAY) })
      await finish(parts, day)
      await finish(parts, { ...day, completedAt: at(310), status: 'failed', ownerId: 'p' })
      await finish(parts, { ...day, createdAt: at(DAY), toolId: null, type: 'pipeline', ownerId: null })
      await finish(parts, { ...day, type: 'upload' })
      await begin(parts, { createdAt: at(DAY), toolId: 'crop' })
      expect(await jobs.usage(at(-DAY))).toEqual({
        perDay: [
          { day: '2026-01-10', total: 2, completed: 1, failed: 1 },
          { day: '2026-01-11', total: 2, completed: 1, failed: 0 },
        ],
        perTool: expect.arrayContaining([
          { toolId: 'resize', runs: 2 },
          { toolId: null, runs: 1 },
          { toolId: 'crop', runs: 1 },
        ]),
        perOwner: expect.arrayContaining([
          { ownerId: 'o', runs: 2, bytesIn: 20 },
          { ownerId: 'p', runs: 1, bytesIn: 10 },
          { ownerId: null, runs: 1, bytesIn: 10 },
        ]),
        durations: expect.arrayContaining([
          { type: 'single', p50Ms: 100, p95Ms: 300 },
          { type: 'pipeline', p50Ms: 100, p95Ms: 100 },
        ]),
      })
      expect(await jobs.popularTools()).toEqual([{ toolId: 'resize', runs: 3 }])
      expect((await jobs.usage(at(3 * DAY))).perDay).toEqual([])
    })
  })
}

/** Requirements for the folders of a server that keeps results in them. */
export function workspaceContract(open: () => Promise<Parts>): void {
  test('counts the bytes of folders by owner, from the first upload to the removal', async () => {
    const parts = await open()
    const { jobs, workspace } = parts
    const { id, folder } = await workspace.begin('o')
    workspace.count(id, 100)
    writeFileSync(join(folder, 'in-0'), 'x'.repeat(30))
    expect([await workspace.held({ id, outputs: [] }), workspace.bytesOf('o'), workspace.totalBytes]).toEqual([
      30, 30, 30,
    ])
    const other = await finish(parts, { ownerId: 'p' }, 7)
    expect([workspace.bytesOf('o'), workspace.bytesOf('p'), workspace.totalBytes]).toEqual([30, 7, 37])
    await jobs.settle(other.id, 3)
    await workspace.discard(id)
    expect([workspace.bytesOf('o'), workspace.bytesOf('p'), workspace.totalBytes]).toEqual([0, 3, 3])
  })
}
