/** `store migrate` between data folders: everything arrives, and what differs is found. */
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { configOf, migrateStore, parseVariables } from '../../src/server/instance/migrate.ts'
import { openStore } from '../../src/store/file/open.ts'
import type { Store } from '../../src/store/store.ts'
import { afterEveryTest } from '../helpers/clean-up.ts'
import { temporaryFolder } from '../helpers/tool.ts'
import { everythingOf, fillStore, finishedJob } from '../helpers/whole-store.ts'

const parent = temporaryFolder()
const source = join(parent, 'source')
const opened: Store[] = []
let before: Record<string, unknown>

const open = async (folder: string): Promise<Store> => {
  const store = await openStore(folder, { auditRetentionDays: 0 })
  opened.push(store)
  return store
}
const closeAll = async (): Promise<void> => {
  for (const store of opened.splice(0)) await store.close()
}
afterEveryTest(closeAll)

const target = (): string => join(mkdtempSync(join(parent, 'to-')), 'data')

const run = (from: string, to: string, more: Partial<Parameters<typeof migrateStore>[2]> = {}) =>
  migrateStore(configOf(from), configOf(to), {
    ...{ signal: new AbortController().signal, isDryRun: false, onWarning() {}, onProgress() {}, ...more },
  })

/** A copy of the source that a test may change. */
function ownSource(): string {
  const folder = join(mkdtempSync(join(parent, 'from-')), 'data')
  cpSync(source, folder, { recursive: true })
  return folder
}

/** Ends a migration after the first bytes. */
async function begin(from: string, to: string): Promise<void> {
  const controller = new AbortController()
  let calls = 0
  const onProgress = (): void => {
    if (++calls > 4) controller.abort(new Error('stopped'))
  }
  await expect(run(from, to, { signal: controller.signal, onProgress })).rejects.toThrow('stopped')
}

beforeAll(async () => {
  await fillStore(source)
  before = await everythingOf(await open(source))
  await closeAll()
})

test('everything is in the copy, in its order', async () => {
  const to = target()
  const result = await run(source, to)
  expect(result.counts.find(({ kind }) => kind === 'users')).toMatchObject({ records: 230 })
  expect(result.counts.find(({ kind }) => kind === 'library')).toMatchObject({ records: 15, files: 15 })
  expect(result.counts.find(({ kind }) => kind === 'jobs')).toMatchObject({ records: 214, files: 4 })
  expect(result.audit).toEqual({ entries: 450, head: expect.stringMatching(/^[0-9a-f]{64}$/) })
  expect(result.warnings).toEqual([])
  expect(await everythingOf(await open(to))).toEqual(before)
  expect(await everythingOf(await open(source))).toEqual(before)
})

test('a dry run counts, and makes nothing', async () => {
  const to = target()
  const result = await run(source, to, { isDryRun: true })
  expect(result.counts.find(({ kind }) => kind === 'jobs')).toMatchObject({ records: 214, files: 4, bytes: 2_000_007 })
  expect(existsSync(to)).toBe(false)
})

describe('an unfinished copy', () => {
  test('is refused by servers, and continued by the next run', async () => {
    const to = target()
    await begin(source, to)
    await expect(open(to)).rejects.toMatchObject({ code: 'INVALID_CONFIG', message: /unfinished copy of/ as never })
    await expect(run(to, target())).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
    expect(await run(source, to)).toMatchObject({ isResumed: true })
    expect(await everythingOf(await open(to))).toEqual(before)
  })

  test('of another store is refused', async () => {
    const to = target()
    await begin(source, to)
    await expect(run(ownSource(), to)).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  test('follows a source that was used meanwhile', async () => {
    const [from, to] = [ownSource(), target()]
    await begin(from, to)
    const store = await open(from)
    const { items } = await store.library.list({ ownerId: undefined, limit: 2, offset: 0 })
    await store.library.deleteChains(
      items.map(({ id }) => id),
      () => true,
    )
    await store.users.remove('u3')
    await store.audit.append({
      action: 'X',
      actorId: null,
      actorUsername: null,
      targetType: null,
      targetId: null,
      details: null,
      ipAddress: null,
    })
    const [job] = (await store.jobs.ofOwner({ ownerId: undefined, limit: 1, offset: 0 })).jobs
    await store.jobs.remove(job?.id ?? '')
    const now = await everythingOf(store)
    await closeAll()
    await run(from, to)
    expect(await everythingOf(await open(to))).toEqual(now)
  })
})

describe('refused are', () => {
  test('stores that a server uses, and targets with data', async () => {
    const store = await open(source)
    await expect(run(source, target())).rejects.toMatchObject({ code: 'CONFLICT' })
    await store.close()
    const used = target()
    await (await openStore(used, { auditRetentionDays: 0 })).close()
    await expect(run(source, used)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/not empty/),
    })
    await expect(run(source, source)).rejects.toMatchObject({ code: 'USAGE' })
    await expect(run(join(parent, 'TYPO'), used)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
    expect(existsSync(join(parent, 'TYPO'))).toBe(false)
  })

  test('unfinished jobs', async () => {
    const from = ownSource()
    const store = await open(from)
    const { id } = await store.workspace.begin('u1')
    await store.jobs.create(finishedJob(1, { id, status: 'queued' }))
    await closeAll()
    const to = target()
    await expect(run(from, to)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/1 job .* has not ended/),
    })
    expect(existsSync(to)).toBe(false)
  })

  test.each(['files', 'workspace', 'audit'])('a source whose %s are elsewhere', async (name) => {
    const from = ownSource()
    rmSync(join(from, name), { recursive: true })
    const to = target()
    await expect(run(from, to)).rejects.toMatchObject({
      ...{ code: 'INVALID_CONFIG', message: `The source has no folder ${join(from, name)}` },
    })
    expect([existsSync(join(from, name)), existsSync(to)]).toEqual([false, false])
  })

  test('the files of a server that moved to a database', async () => {
    const from = ownSource()
    writeFileSync(join(from, 'files/database.id'), 'x')
    await expect(run(from, target())).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringMatching(/uses a database now/),
    })
  })

  test('damaged records', async () => {
    const from = ownSource()
    const [id = ''] = readdirSync(join(from, 'files'))
    writeFileSync(join(from, 'files', id, 'item.json'), '{')
    await expect(run(from, target())).rejects.toMatchObject({
      code: 'INVALID_FILE',
      message: expect.stringContaining(id),
    })
  })
})

test('a result that is gone is a warning', async () => {
  const from = ownSource()
  const workspace = join(from, 'workspace')
  const id = readdirSync(workspace).find((name) => existsSync(join(workspace, name, 'in-0'))) ?? ''
  rmSync(join(workspace, id, 'in-0'))
  const { warnings } = await run(from, target())
  expect(warnings).toEqual([expect.stringContaining(`${id}/in-0`)])
})

test('a content of the library that is gone is a warning', async () => {
  const from = ownSource()
  const [id = ''] = readdirSync(join(from, 'files'))
  const content = readdirSync(join(from, 'files', id)).find((name) => name.startsWith('content')) ?? ''
  rmSync(join(from, 'files', id, content))
  const to = target()
  const { warnings, counts } = await run(from, to)
  expect(warnings).toEqual([expect.stringContaining(`${id}/${content}`)])
  expect(counts.find(({ kind }) => kind === 'library')).toMatchObject({ records: 15, files: 14 })
  expect(existsSync(join(to, 'files', id, 'item.json'))).toBe(true)
})

test('a file that was cut short is a warning', async () => {
  const from = ownSource()
  const workspace = join(from, 'workspace')
  const id = readdirSync(workspace).find((name) => existsSync(join(workspace, name, 'in-0'))) ?? ''
  truncateSync(join(workspace, id, 'in-0'), 1)
  const { warnings } = await run(from, target())
  expect(warnings).toEqual([`1 file of the source had fewer bytes than the records say: ${id}/in-0`])
})

test('a target that cannot be written ends the migration', async () => {
  const to = target()
  // A folder cannot be created, as on a full disk; its file is too large for buffers.
  const files = join(source, 'files')
  const isBig = (id: string): boolean =>
    readdirSync(join(files, id)).some((name) => statSync(join(files, id, name)).size > 1e6)
  const blocked = join(to, 'files', readdirSync(files).find(isBig) ?? '')
  const onProgress = (): void => {
    if (existsSync(join(to, 'files')) && !existsSync(blocked)) writeFileSync(blocked, '')
  }
  await expect(run(source, to, { onProgress })).rejects.toMatchObject({ code: 'OUTPUT_EXISTS' })
})

test('a blob that changes in the copy is found, and copied again by the next run', async () => {
  const to = target()
  let isChanged = false
  const change = (_done: number, _total: number, phase: string): void => {
    if (isChanged || !phase.startsWith('comparing the library')) return
    isChanged = true
    const [id = ''] = readdirSync(join(to, 'files'))
    const path = join(to, 'files', id, 'content')
    const bytes = readFileSync(path)
    bytes[0] = (bytes[0] ?? 0) ^ 1
    writeFileSync(path, bytes)
  }
  await expect(run(source, to, { onProgress: change })).rejects.toMatchObject({
    ...{ code: 'INVALID_FILE', message: expect.stringMatching(/differs .*1 record of the library/) },
  })
  await expect(open(to)).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
  await run(source, to)
  expect(await everythingOf(await open(to))).toEqual(before)
})

describe('files of variables', () => {
  test('are read as Docker does', () => {
    const text = '# DATA_DIR=/no\n\nDATA_DIR=/data#1\r\nexport A="b c"\nEMPTY=\nS3_BUCKET = \'x\'\n'
    expect(parseVariables(text, 'f')).toEqual({ DATA_DIR: '/data#1', A: 'b c', EMPTY: '', S3_BUCKET: 'x' })
    expect(() => parseVariables('A=1\nsecret', 'f')).toThrow('Expected NAME=value in line 2 of f')
  })

  test('name the places of a store, whatever this process has', () => {
    const path = join(parent, 'server.env')
    process.env.SHARED_DIR = '/other'
    process.env.AUTH_ENABLED = 'nonsense'
    try {
      writeFileSync(path, `DATA_DIR=${parent}/d\nFILES_STORAGE_PATH=/library\nOIDC_ENABLED=nonsense\n`)
      expect(configOf(path)).toMatchObject({ dataFolder: `${parent}/d`, libraryFolder: '/library', cluster: undefined })
      expect([process.env.SHARED_DIR, process.env.AUTH_ENABLED]).toEqual(['/other', 'nonsense'])
    } finally {
      delete process.env.SHARED_DIR
      delete process.env.AUTH_ENABLED
    }
    writeFileSync(path, 'DATABASE_URL=postgres://localhost/x\n')
    expect(() => configOf(path)).toThrow('does not set DATA_DIR')
    expect(() => configOf(join(parent, 'typo.env'))).toThrow('There is no file')
  })
})
