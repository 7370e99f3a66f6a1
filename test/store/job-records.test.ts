import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FileJobs } from '../../src/store/file/jobs/jobs.ts'
import type { JobRecord } from '../../src/store/job-record.ts'
import { filesBelow } from '../helpers/machine.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const root = temporaryFolder()
let workspaces = 0
const workspace = (): string => join(root, `workspace-${workspaces++}`)

/** The jobs of a folder, all read. */
async function open(folder: string): Promise<FileJobs> {
  const jobs = await FileJobs.open(folder)
  await jobs.complete()
  return jobs
}

const file = (name: string) => ({ file: name, name, bytes: 1, mime: '' })

const record = (id: string, more: Partial<JobRecord> = {}): JobRecord => ({
  ...{
    id,
    clientJobId: null,
    ownerId: 'o',
    type: 'single',
    toolId: 'resize',
    status: 'queued',
    percent: 0,
    stage: null,
  },
  ...{ createdAt: new Date().toISOString(), startedAt: null, completedAt: null, attempts: 0, inputBytes: 1 },
  ...{ outputs: [], result: null, error: null, expiresAt: null, ...more },
})

/** All records as returned in results. */
async function everything(jobs: FileJobs): Promise<JobRecord[]> {
  const { jobs: listed } = await jobs.ofOwner({ ownerId: undefined, limit: 1000, offset: 0 })
  return [...listed, ...(await jobs.unfinished())]
}

const task = (...inputs: string[]): Partial<JobRecord> => ({
  task: {
    ...{ kind: 'tool', target: 'image/resize', settings: {}, secondary: {}, timeoutS: 1, heavy: false },
    inputs: inputs.map(file),
  },
})

/** Creates files in a new job's folder, and optionally its record. */
async function job(records: FileJobs, names: readonly string[], more?: Partial<JobRecord>): Promise<string> {
  const { id, folder } = await records.workspace.begin(null)
  for (const name of names) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), name)
  }
  if (more) await records.create(record(id, more))
  return id
}

describe('a deferred record', () => {
  const uncertain = async (folder: string) => {
    const records = await FileJobs.open(folder)
    const id = await job(records, ['in-0'])
    await records.create(record(id, task('in-0')), { mayBeLost: true })
    return { records, id, path: join(folder, id, 'job.json') }
  }

  test('is visible immediately, and not written before the job is over', async () => {
    const folder = workspace()
    const { records, id, path } = await uncertain(folder)
    expect([await records.get(id), await records.named(id)]).toMatchObject([{ id }, [{ id }]])
    expect(existsSync(path)).toBe(false)
    await records.update(id, { status: 'completed', outputs: [file('in-0')] })
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ id, status: 'completed' })
    await records.settle(id, 1)
    expect(await (await FileJobs.open(folder)).get(id)).toMatchObject({ status: 'completed' })
  })

  test('is lost with its folder in a crash', async () => {
    const folder = workspace()
    const { id } = await uncertain(folder)
    expect(await (await FileJobs.open(folder)).get(id)).toBeUndefined()
    expect(existsSync(join(folder, id))).toBe(false)
  })

  test('is durable once it was returned', async () => {
    const folder = workspace()
    const { records, id } = await uncertain(folder)
    expect(await everything(records)).toMatchObject([{ id }, { id }])
    expect(await (await FileJobs.open(folder)).get(id)).toMatchObject({ id, status: 'queued' })
  })
})

test('a finished job without a change is not written', async () => {
  const folder = workspace()
  const records = await FileJobs.open(folder)
  const id = await job(records, [], { status: 'completed' })
  const path = join(folder, id, 'job.json')
  const before = statSync(path, { bigint: true })
  expect(await records.update(id, {})).toMatchObject({ status: 'completed' })
  expect(statSync(path, { bigint: true })).toMatchObject({ ino: before.ino, ctimeNs: before.ctimeNs })
})

describe('leftovers of a killed server in the workspace', () => {
  test('an unfinished job keeps what it needs to run again', async () => {
    const folder = workspace()
    const records = await open(folder)
    const left = ['in-0', 'mask', 'out/half.png', 'out/.mediaproc-7-1/x', 'set.part', 'set.zip', 'job.json.part']
    const secondary = { mask: file('mask') }
    const id = await job(records, left, { task: { ...task('in-0').task!, secondary } })
    const again = await open(folder)
    expect(filesBelow(join(folder, id)).sort()).toEqual(['in-0', 'job.json', 'mask'])
    expect(await again.get(id)).toMatchObject({ status: 'queued' })
  })

  test('a batch keeps the outputs of finished members', async () => {
    const folder = workspace()
    const records = await open(folder)
    const members = [
      { index: 0, filename: 'a', state: 'done' as const, files: [file('out-0/a.png')] },
      { index: 1, filename: 'b', state: 'waiting' as const },
    ]
    const left = ['in-0', 'in-1', 'out-0/a.png', 'out-1/b.png', 'batch.part', 'batch.zip']
    const id = await job(records, left, { type: 'batch', members, ...task('in-0', 'in-1') })
    await open(folder)
    expect(filesBelow(join(folder, id)).sort()).toEqual(['in-0', 'in-1', 'job.json', 'out-0/a.png'])
  })

  test('a finished job keeps only its outputs', async () => {
    const folder = workspace()
    const records = await open(folder)
    const id = await job(records, ['in-0', 'out/a.png'], { status: 'completed', outputs: [file('out/a.png')] })
    const again = await open(folder)
    expect(filesBelow(join(folder, id)).sort()).toEqual(['job.json', 'out/a.png'])
    expect(again.workspace.totalBytes).toBe(readFileSync(join(folder, id, 'job.json')).length + 'out/a.png'.length)
  })

  test('removes uploads without a job, and temporary outputs', async () => {
    const folder = workspace()
    const records = await open(folder)
    await job(records, ['in-0'])
    mkdirSync(join(folder, '.once-aB3xYz'))
    await open(folder)
    expect(readdirSync(folder)).toEqual([])
  })

  test('never changes files of others', async () => {
    const folder = workspace()
    mkdirSync(join(folder, 'photos', 'holiday'), { recursive: true })
    writeFileSync(join(folder, 'photos', 'holiday', 'a.jpg'), 'a')
    writeFileSync(join(folder, 'notes.txt'), 'n')
    mkdirSync(join(folder, '.git'))
    const name = randomUUID()
    writeFileSync(join(folder, name), 'of the name of a job')
    await open(folder)
    expect(filesBelow(folder).sort()).toEqual(['.git/', name, 'notes.txt', 'photos/holiday/a.jpg'].sort())
  })

  test.each([
    ['outputs', null],
    ['outputs', [{ file: 7 }]],
    ['task', { kind: 'tool', inputs: null }],
    ['members', [null]],
    ['result', 'x'],
    ['status', null],
    ['createdAt', 5],
    ['percent', '1'],
  ])('keeps and reports a record with %s %j', async (field, value) => {
    const folder = workspace()
    const records = await open(folder)
    const id = await job(records, ['in-0'], {})
    writeFileSync(join(folder, id, 'job.json'), JSON.stringify({ ...record(id), [field]: value }))
    const again = await open(folder)
    expect([again.damaged, await everything(again)]).toEqual([[id], []])
    expect(filesBelow(join(folder, id)).sort()).toEqual(['in-0', 'job.json'])
  })

  test('reports a record with one changed letter, and reads one without a checksum', async () => {
    const folder = workspace()
    const records = await open(folder)
    const [changed, older] = [await job(records, ['in-0'], {}), await job(records, ['in-0'], {})]
    const path = (id: string) => join(folder, id, 'job.json')
    const text = readFileSync(path(changed), 'utf8')
    writeFileSync(path(changed), text.replace('"percent":0', '"percent":7'))
    const { checksum, ...record } = JSON.parse(readFileSync(path(older), 'utf8'))
    expect([text.includes('"percent":0'), checksum]).toEqual([true, expect.stringMatching(/^[0-9a-f]{16}$/)])
    writeFileSync(path(older), JSON.stringify(record))
    const again = await open(folder)
    expect([again.damaged, new Set((await everything(again)).map(({ id }) => id))]).toEqual([
      [changed],
      new Set([older]),
    ])
  })

  test.each(['', '{"id":"other"}', 'null', '{"id'])('keeps and reports an unreadable record: %j', async (text) => {
    const folder = workspace()
    const records = await open(folder)
    const id = await job(records, ['in-0', 'job.json'])
    writeFileSync(join(folder, id, 'job.json'), text)
    const again = await open(folder)
    expect(again.damaged).toEqual([id])
    expect(await everything(again)).toEqual([])
    expect(filesBelow(join(folder, id)).sort()).toEqual(['in-0', 'job.json'])
  })
})

test('a failed write keeps the previous record, complete', async () => {
  const folder = workspace()
  const records = await open(folder)
  const id = await job(records, [], {})
  mkdirSync(join(folder, id, 'job.json.part'))
  await expect(records.update(id, { percent: 50 })).rejects.toMatchObject({ code: 'INTERNAL' })
  const saved = JSON.parse(readFileSync(join(folder, id, 'job.json'), 'utf8'))
  expect(saved.percent).toBe(0)
  await records.remove(id)
  expect(existsSync(join(folder, id))).toBe(false)
})
