import { randomUUID } from 'node:crypto'
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { JobIndex } from '../../src/store/file/jobs/index.ts'
import type { FileJobs } from '../../src/store/file/jobs/jobs.ts'
import { openStore } from '../../src/store/file/open.ts'
import { endedRecord, useJobWorkspace } from '../helpers/job-workspace.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const workspace = useJobWorkspace()

async function open(onDamaged?: (id: string) => void): Promise<FileJobs> {
  const jobs = await workspace.open(onDamaged)
  await jobs.complete()
  return jobs
}

async function finish(jobs: FileJobs, ownerId: string | null, clientJobId: string | null = null): Promise<string> {
  const { id } = await jobs.workspace.begin(ownerId)
  await jobs.create(endedRecord(id, ownerId, clientJobId))
  await jobs.settle(id, 3)
  return id
}

const total = async (jobs: FileJobs, ownerId?: string): Promise<number> =>
  (await jobs.ofOwner({ ownerId, limit: 0, offset: 0 })).total

/** Number of records that a start reads. */
async function readAtStart(): Promise<number> {
  const read = vi.spyOn(JSON, 'parse')
  try {
    await open()
    return read.mock.results.filter(({ value }) => value?.createdAt !== undefined).length
  } finally {
    read.mockRestore()
  }
}

/** The index of three jobs of two owners, closed, and their ids. */
async function three(): Promise<string[]> {
  const jobs = await open()
  const ids = [await finish(jobs, 'ada', 'one'), await finish(jobs, 'bob', 'two'), await finish(jobs, 'ada', 'three')]
  await jobs.close()
  workspace.opened.length = 0
  return ids
}

async function expectAll(jobs: FileJobs, ids: readonly string[]): Promise<void> {
  expect([await total(jobs), await total(jobs, 'ada'), await total(jobs, 'bob')]).toEqual([3, 2, 1])
  expect((await jobs.named('two')).map(({ id }) => id)).toEqual([ids[1]])
  expect(jobs.workspace.bytesOf('ada')).toBeGreaterThan(0)
}

test('a start reads no record of a finished job', async () => {
  const ids = await three()
  expect(await readAtStart()).toBe(0)
  await expectAll(workspace.opened[0]!, ids)
  expect(workspace.opened[0]!.workspace.totalBytes).toBe(9)
})

test('a job that was removed from disk is in no list, and an added one is', async () => {
  const [first] = await three()
  rmSync(join(workspace.folder, first!), { recursive: true })
  const id = randomUUID()
  mkdirSync(join(workspace.folder, id))
  writeFileSync(join(workspace.folder, id, 'job.json'), JSON.stringify(endedRecord(id, 'bob', null)))
  const jobs = await open()
  expect([await total(jobs, 'ada'), await total(jobs, 'bob')]).toEqual([1, 2])
})

test('a job that is removed from disk at run time is in no list after it was requested', async () => {
  const [first] = await three()
  const jobs = await open()
  rmSync(join(workspace.folder, first!), { recursive: true })
  expect(await jobs.get(first!)).toBeUndefined()
  expect([await total(jobs), await total(jobs, 'ada'), jobs.workspace.totalBytes]).toEqual([2, 1, 6])
})

test.each([
  ['is gone', (path: string) => rmSync(path)],
  ['is empty', (path: string) => writeFileSync(path, '')],
  ['is something else', (path: string) => writeFileSync(path, 'x'.repeat(5000))],
  ['was cut off', (path: string) => truncateSync(path, Math.floor(statSync(path).size * 0.8))],
  ['has a line too many', (path: string) => appendFileSync(path, '00000000 {"id":"x"}\n')],
])('rebuilds an index that %s from the records', async (_, spoil) => {
  const ids = await three()
  spoil(workspace.index)
  await expectAll(await open(), ids)
  for (const jobs of workspace.opened.splice(0)) await jobs.close()
  expect(await readAtStart()).toBe(0)
  await expectAll(workspace.opened[0]!, ids)
})

test('one wrong bit costs one record', async () => {
  const ids = await three()
  const bytes = readFileSync(workspace.index)
  // In the owner of the second job, where the line stays JSON.
  bytes[bytes.indexOf('"bob"') + 2]! ^= 1
  writeFileSync(workspace.index, bytes)
  expect(await readAtStart()).toBe(1)
  await expectAll(workspace.opened[0]!, ids)
})

test('reports a record that is damaged later, and omits it in all results', async () => {
  const [first] = await three()
  writeFileSync(join(workspace.folder, first!, 'job.json'), '{"id"')
  const damaged: string[] = []
  const jobs = await open((id) => damaged.push(id))
  expect([await jobs.get(first!), damaged]).toEqual([undefined, [first]])
  expect((await jobs.ofOwner({ ownerId: 'ada', limit: 10, offset: 0 })).jobs).toHaveLength(1)
})

test('many jobs are added and removed in any order', async () => {
  const path = `${workspace.index}-many`
  const many = await JobIndex.open(path)
  const kept = new Map<string, string>()
  for (let round = 0; round < 5000; round++) {
    const id = randomUUID()
    const owner = `owner-${round % 7}`
    many.put(endedRecord(id, owner, `client-${round}`), round)
    kept.set(id, owner)
    const [oldest] = kept.keys()
    if (round % 3 === 0) {
      many.remove(oldest!)
      kept.delete(oldest!)
    }
  }
  for (let round = 0; round < 2; round++) {
    const index = round === 0 ? many : await JobIndex.open(path)
    expect([index.size, new Map([...index.all()].map((job) => [job.id, job.ownerId]))]).toEqual([kept.size, kept])
    for (const [id, owner] of kept) expect(index.get(id)!.ownerId).toBe(owner)
    expect([
      index.has(randomUUID()),
      index.where(({ clientJobId }) => clientJobId === 'client-4999').map(({ id }) => id),
    ]).toEqual([false, [[...kept.keys()].at(-1)]])
    await index.close()
  }
})

test('the file size stays proportional to its jobs, and lists them unchanged', async () => {
  const path = `${workspace.index}-long`
  const long = await JobIndex.open(path)
  const ids = Array.from({ length: 3000 }, () => randomUUID())
  for (const id of ids) long.put(endedRecord(id, 'ada', null), 1)
  for (let round = 0; round < 3; round++) {
    for (const id of ids.slice(0, 2000)) long.put(endedRecord(id, 'bob', null), round)
    await new Promise((resolve) => setTimeout(resolve, 120))
  }
  for (const id of ids.slice(10)) long.remove(id)
  await long.close()
  const again = await JobIndex.open(path)
  expect([...again.all()].map((job) => [job.id, job.ownerId, job.bytes])).toEqual(
    ids.slice(0, 10).map((id) => [id, 'bob', 2]),
  )
  expect([again.countOf('bob'), again.countOf('ada'), again.owners]).toEqual([10, 0, ['bob']])
  await again.close()
  expect(readFileSync(path, 'utf8').split('\n').length).toBeLessThan(1100)
})

test('reads a folder of an older version from its records, and removes its index', async () => {
  const parent = temporaryFolder()
  for (const name of ['jobs.index', 'jobs.index.names', 'jobs.index.rest'])
    writeFileSync(join(workspace.parent, name), 'x')
  const id = randomUUID()
  mkdirSync(join(parent, 'workspace', id), { recursive: true })
  writeFileSync(join(parent, 'workspace', id, 'job.json'), JSON.stringify(endedRecord(id, 'bob', null)))
  const store = await openStore(parent, { auditRetentionDays: 0 })
  await store.jobs.complete()
  expect((await store.jobs.ofOwner({ ownerId: 'bob', limit: 5, offset: 0 })).jobs).toMatchObject([{ id }])
  await store.close()
  expect(readdirSync(parent).filter((name) => name.startsWith('jobs.'))).toEqual(['jobs.ndjson'])
})
