/** A workspace without its job index, and one that changed while no server ran. */
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { FileJobs } from '../../src/store/file/jobs/jobs.ts'
import type { JobRecord } from '../../src/store/job-record.ts'
import { endedRecord, useJobWorkspace } from '../helpers/job-workspace.ts'
import { builtModule, numbersOf, startScript } from '../helpers/node-script.ts'

const workspace = useJobWorkspace()
const { open, close: closeAll } = workspace

/** Jobs without an index; their ids. */
function foreign(count: number, status?: JobRecord['status']): string[] {
  return Array.from({ length: count }, (_, number) => {
    const id = randomUUID()
    mkdirSync(join(workspace.folder, id))
    writeFileSync(
      join(workspace.folder, id, 'job.json'),
      JSON.stringify(endedRecord(id, 'ada', `client-${number}`, status)),
    )
    return id
  })
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
  expect(existsSync(join(workspace.folder, removed))).toBe(false)
})

test('keeps uploads that arrive meanwhile, and removes those of an earlier run', async () => {
  foreign(30)
  const left = randomUUID()
  mkdirSync(join(workspace.folder, left))
  const jobs = await open()
  const { folder: own } = await jobs.workspace.begin('ada')
  await jobs.complete()
  expect([existsSync(own), existsSync(join(workspace.folder, left))]).toEqual([true, false])
})

test('records read before a kill -9 are not read again', async () => {
  const ids = foreign(400)
  const script = `
    import { FileJobs } from ${builtModule('src/store/file/jobs/jobs.js')}
    const jobs = await FileJobs.open(${JSON.stringify(workspace.folder)}, { index: ${JSON.stringify(workspace.index)} })
    process.stdout.write('1\\n')
    await jobs.complete()
    setInterval(() => {}, 1000)`
  const child = startScript(script, [])
  const linesOf = (): number =>
    existsSync(workspace.index) ? readFileSync(workspace.index, 'latin1').split('\n').length - 1 : 0
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
  ['is gone', (id: string) => rmSync(join(workspace.folder, id), { recursive: true }), 2],
  ['came', () => foreign(1), 4],
])('detects a job that %s while no server ran', async (_, change, total) => {
  const [id] = await stopped()
  change(id!)
  const jobs = await open()
  await jobs.complete()
  expect(await totalOf(jobs)).toBe(total)
})
