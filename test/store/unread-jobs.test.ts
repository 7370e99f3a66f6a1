/** A workspace without its job index, and one that changed while no server ran. */
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { FileJobs } from '../../src/store/file/jobs/jobs.ts'
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

/** Jobs without an index; their ids. */
function foreign(count: number, status?: string): string[] {
  return Array.from({ length: count }, (_, number) => {
    const id = randomUUID()
    mkdirSync(join(folder, id))
    writeFileSync(join(folder, id, 'job.json'), JSON.stringify(recordOf(id, `client-${number}`, status)))
    return id
  })
}

async function open(): Promise<FileJobs> {
  const jobs = await FileJobs.open(folder, { index })
  opened.push(jobs)
  return jobs
}

async function closeAll(): Promise<void> {
  for (const jobs of opened.splice(0)) await jobs.close()
}

const totalOf = async (jobs: FileJobs) => (await jobs.ofOwner({ ownerId: 'ada', limit: 0, offset: 0 })).total

test('responds before its records are read, and finds each requested one', async () => {
  const ids = foreign(60)
  const jobs = await open()
  expect([jobs.isComplete, await totalOf(jobs)]).toEqual([false, 0])
  expect(await jobs.get(ids.at(-1)!)).toMatchObject({ clientJobId: 'client-59' })
  expect(jobs.isComplete).toBe(false)
  // The job with a client's id may be the last one read.
  expect((await jobs.named('client-58')).map(({ id }) => id)).toEqual([ids[58]])
  expect([jobs.isComplete, await totalOf(jobs), jobs.damaged]).toEqual([true, 60, []])
})

test('a job that is requested, changed and removed while records are read is one job', async () => {
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

test('keeps uploads that arrive meanwhile, and removes those of an earlier run', async () => {
  foreign(30)
  const left = randomUUID()
  mkdirSync(join(folder, left))
  const jobs = await open()
  const { folder: own } = await jobs.workspace.begin('ada')
  await jobs.complete()
  expect([existsSync(own), existsSync(join(folder, left))]).toEqual([true, false])
})

test('records read before a kill -9 are not read again', async () => {
  const ids = foreign(400)
  const script = `
    import { FileJobs } from ${builtModule('src/store/file/jobs/jobs.js')}
    const jobs = await FileJobs.open(${JSON.stringify(folder)}, { index: ${JSON.stringify(index)} })
    process.stdout.write('1\\n')
    await jobs.complete()
    setInterval(() => {}, 1000)`
  const child = startScript(script, [])
  const linesOf = (): number => (existsSync(index) ? readFileSync(index, 'latin1').split('\n').length - 1 : 0)
  const watching = setInterval(() => linesOf() >= 100 && child.kill('SIGKILL'), 1)
  await numbersOf(child, () => {})
  clearInterval(watching)
  expect(child.signalCode).toBe('SIGKILL')
  const known = linesOf()
  const read = vi.spyOn(JSON, 'parse')
  const jobs = await open()
  await jobs.complete()
  const count = read.mock.results.filter(({ value }) => value?.createdAt !== undefined).length
  read.mockRestore()
  expect(known).toBeGreaterThanOrEqual(100)
  expect([count <= ids.length - known, await totalOf(jobs), jobs.damaged]).toEqual([true, 400, []])
})

/** Jobs in the index of a server that has ended. */
async function stopped(): Promise<string[]> {
  const ids = foreign(3)
  await (await open()).complete()
  await closeAll()
  return ids
}

test.each([
  ['is gone', (id: string) => rmSync(join(folder, id), { recursive: true }), 2],
  ['came', () => foreign(1), 4],
])('detects a job that %s while no server ran', async (_, change, total) => {
  const [id] = await stopped()
  change(id!)
  const jobs = await open()
  await jobs.complete()
  expect(await totalOf(jobs)).toBe(total)
})
