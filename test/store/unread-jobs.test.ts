/** A workspace that came without the index of its jobs, and one that was left in peace. */
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { FileJobs } from '../../src/store/file/jobs/jobs.ts'
import { SLOT } from '../../src/store/file/jobs/slots.ts'
import { afterEveryTest } from '../helpers/clean-up.ts'
import { builtModule, numbersOf, startScript } from '../helpers/node-script.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const parent = temporaryFolder()
const opened: FileJobs[] = []
let folder: string
let index: string

beforeEach(() => {
  folder = mkdtempSync(join(parent, 'workspace-'))
  index = `${folder}.index`
})

afterEveryTest(async () => {
  for (const jobs of opened.splice(0)) await jobs.close()
})

const recordOf = (id: string, clientJobId: string | null = null, status = 'completed') => ({
  ...{ id, clientJobId, ownerId: 'ada', type: 'single', toolId: 'resize', status, percent: 100, stage: null },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', startedAt: null, completedAt: '2026-01-01T00:00:01.000Z', attempts: 1 },
  ...{ inputBytes: 1, outputs: [], result: null, error: null, expiresAt: null },
})

/** Jobs that no index knows; the ids. */
function foreign(count: number, status?: string): string[] {
  return Array.from({ length: count }, (_, number) => {
    const id = randomUUID()
    mkdirSync(join(folder, id))
    writeFileSync(join(folder, id, 'job.json'), JSON.stringify(recordOf(id, `client-${number}`, status)))
    return id
  })
}

/** Opened when all that was done before is long past. */
async function open(): Promise<FileJobs> {
  const jobs = await FileJobs.open(folder, { index, now: () => Date.now() + 10_000 })
  opened.push(jobs)
  return jobs
}

async function closeAll(): Promise<void> {
  for (const jobs of opened.splice(0)) await jobs.close()
}

const totalOf = async (jobs: FileJobs) => (await jobs.ofOwner({ ownerId: 'ada', limit: 0, offset: 0 })).total

test('answers before its records are read, and finds each that is asked for', async () => {
  const ids = foreign(60)
  const jobs = await open()
  expect([jobs.isComplete, await totalOf(jobs)]).toEqual([false, 0])
  expect(await jobs.get(ids.at(-1)!)).toMatchObject({ clientJobId: 'client-59' })
  expect(jobs.isComplete).toBe(false)
  // What a client named may be the last that is read.
  expect((await jobs.named('client-58')).map(({ id }) => id)).toEqual([ids[58]])
  expect([jobs.isComplete, await totalOf(jobs), jobs.damaged]).toEqual([true, 60, []])
})

test('a job that is asked for, changed and removed while records are read is one job', async () => {
  const ids = foreign(30)
  const jobs = await open()
  const [changed, removed] = [ids.at(-1)!, ids.at(-2)!]
  await Promise.all([
    jobs.get(changed),
    jobs.update(changed, { stage: 'changed' }),
    jobs.remove(removed),
    jobs.settle(changed, 7),
  ])
  await jobs.complete()
  expect([await totalOf(jobs), (await jobs.get(changed))!.stage, await jobs.get(removed)]).toEqual([
    ...[29, 'changed', undefined],
  ])
  expect(existsSync(join(folder, removed))).toBe(false)
})

test('uploads that come in meanwhile stay, and those of a former run go', async () => {
  foreign(30)
  const left = randomUUID()
  mkdirSync(join(folder, left))
  const jobs = await open()
  const { folder: own } = await jobs.workspace.begin('ada')
  await jobs.complete()
  expect([existsSync(own), existsSync(join(folder, left))]).toEqual([true, false])
})

test('what was read before a kill -9 is not read again', async () => {
  const ids = foreign(400)
  const script = `
    import { FileJobs } from ${builtModule('src/store/file/jobs/jobs.js')}
    const jobs = await FileJobs.open(${JSON.stringify(folder)}, { index: ${JSON.stringify(index)} })
    process.stdout.write('1\\n')
    await jobs.complete()
    setInterval(() => {}, 1000)`
  const child = startScript(script, [])
  const enough = 100 * SLOT
  const watching = setInterval(() => existsSync(index) && statSync(index).size > enough && child.kill('SIGKILL'), 1)
  await numbersOf(child, () => {})
  clearInterval(watching)
  expect(child.signalCode).toBe('SIGKILL')
  const known = Math.floor(statSync(index).size / SLOT) - 1
  const read = vi.spyOn(JSON, 'parse')
  const jobs = await open()
  await jobs.complete()
  const count = read.mock.results.filter(({ value }) => value?.createdAt !== undefined).length
  read.mockRestore()
  expect(known).toBeGreaterThanOrEqual(100)
  expect([count <= ids.length - known, await totalOf(jobs), jobs.damaged]).toEqual([true, 400, []])
})

/** As many jobs as are in the index, and a note that the folder was left as it is. */
async function leftInPeace(): Promise<string[]> {
  const ids = foreign(3)
  await (await open()).complete()
  await closeAll()
  expect(existsSync(`${index}.rest`)).toBe(true)
  return ids
}

test('a folder that was left in peace is not looked through, and the note of it goes with the start', async () => {
  const ids = await leftInPeace()
  const jobs = await open()
  expect([jobs.isComplete, await totalOf(jobs), existsSync(`${index}.rest`)]).toEqual([true, 3, false])
  for (const id of ids) expect(await jobs.get(id)).toMatchObject({ id })
})

test.each([
  ['is gone', (id: string) => rmSync(join(folder, id), { recursive: true }), 2],
  ['came', () => foreign(1), 4],
])('a job that %s behind the back of a stopped server is noticed', async (_, change, total) => {
  const [id] = await leftInPeace()
  const before = statSync(folder, { bigint: true }).ctimeNs
  change(id!)
  // The clock of the file system goes by steps of some milliseconds.
  while (statSync(folder, { bigint: true }).ctimeNs === before) {
    mkdirSync(join(folder, 'other'))
    rmSync(join(folder, 'other'), { recursive: true })
  }
  const jobs = await open()
  await jobs.complete()
  expect(await totalOf(jobs)).toBe(total)
})

test('an index that was spoiled is made again, though the folder was left in peace', async () => {
  await leftInPeace()
  writeFileSync(index, 'x')
  const jobs = await open()
  await jobs.complete()
  expect(await totalOf(jobs)).toBe(3)
})

test('a job that is not over, and a folder that has just changed, leave no note', async () => {
  foreign(1, 'queued')
  await (await open()).complete()
  await closeAll()
  expect(existsSync(`${index}.rest`)).toBe(false)
  const other = mkdtempSync(join(parent, 'workspace-'))
  await (await FileJobs.open(other, { index: `${other}.index` })).close()
  expect(existsSync(`${other}.index.rest`)).toBe(false)
})
