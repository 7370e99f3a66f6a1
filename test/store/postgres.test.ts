/** The store whose records are in PostgreSQL, with a server of Debian. */
import { mkdtempSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/engines/postgres/database.ts'
import { databaseFailure } from '../../src/engines/postgres/failure.ts'
import { checkAuditOf } from '../../src/server/instance/audit-check.ts'
import { openStore } from '../../src/store/file/open.ts'
import type { JobRecord } from '../../src/store/job-record.ts'
import { lockOf } from '../../src/store/postgres/access.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import type { Store } from '../../src/store/store.ts'
import { afterEveryTest } from '../helpers/clean-up.ts'
import { startPostgres, type TestPostgres } from '../helpers/postgres.ts'
import { startTcpProxy, type TcpProxy } from '../helpers/tcp-proxy.ts'
import { temporaryFolder } from '../helpers/tool.ts'
import { jobsContract, workspaceContract } from './contract/jobs.ts'
import { libraryContract } from './contract/library.ts'
import { repositoriesContract } from './contract/repositories.ts'

const parent = temporaryFolder()
const opened: Store[] = []
let postgres: TestPostgres

beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())
afterEveryTest(async () => {
  for (const store of opened.splice(0)) await store.close()
})

async function openAt(url: string, folder = mkdtempSync(join(parent, 'data-'))): Promise<Store> {
  const store = await openPostgresStore(folder, { auditRetentionDays: 0, database: { url, connections: 5 } })
  opened.push(store)
  return store
}

const open = async (): Promise<Store> => openAt(await postgres.database())

describe('the store in PostgreSQL', () => {
  repositoriesContract(open)
  jobsContract(open)
  workspaceContract(open)
  libraryContract(open)
})

test('a second server is refused while the first one runs', async () => {
  const url = await postgres.database()
  const first = await openAt(url)
  await expect(openAt(url)).rejects.toMatchObject({ code: 'CONFLICT' })
  await first.close()
  expect(await (await openAt(url)).users.count()).toBe(0)
})

describe('what belongs to another', () => {
  test('the folders of one database are refused with another one, and nothing in them is removed', async () => {
    const folder = mkdtempSync(join(parent, 'data-'))
    const [one, other] = [await postgres.database(), await postgres.database()]
    const first = await openAt(one, folder)
    const source = join(parent, 'source')
    writeFileSync(source, 'kept')
    const about = { ownerId: 'o', parentId: null, originalName: 'a', mimeType: '', width: null, height: null }
    const item = await first.library.add({ ...about, toolChain: [], version: 1 }, source)
    const { id } = await first.workspace.begin('o')
    await first.close()
    const files = readdirSync(join(folder, 'files', 'database'), { recursive: true }).map(String)
    for (const name of files) utimesSync(join(folder, 'files', 'database', name), 0, 0)
    await expect(openAt(other, folder)).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
    expect(readdirSync(join(folder, 'files', 'database'), { recursive: true }).map(String)).toEqual(files)
    expect(readdirSync(join(folder, 'workspace', 'database'))).toEqual([id])
    expect(await (await openAt(one, folder)).library.get(item.id)).toEqual(item)
  })

  test('a data folder is used by one server, whatever its database', async () => {
    const folder = mkdtempSync(join(parent, 'data-'))
    await openAt(await postgres.database(), folder)
    await expect(openAt(await postgres.database(), folder)).rejects.toMatchObject({ code: 'CONFLICT' })
    await expect(openStore(folder, { auditRetentionDays: 0 })).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  test('the tables of a database that is in use are not changed', async () => {
    const url = await postgres.database()
    const opened = await openDatabase<unknown>({ url, connections: 2 })
    const lock = opened.lock(lockOf('server'), () => {})
    expect(await lock.take()).toBe(true)
    await expect(openAt(url)).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(await opened.isMigrated()).toBe(false)
    await lock.release()
    await opened.close()
  })
})

describe('a network that fails', () => {
  let proxy: TcpProxy
  const through = async (): Promise<string> => {
    const url = new URL(await postgres.database())
    proxy = await startTcpProxy(Number(url.port))
    url.port = String(proxy.port)
    return url.href
  }
  afterEach(() => proxy.close())

  test('the lock is taken again from the own session that the server still has', { timeout: 90_000 }, async () => {
    const opened = await openDatabase<unknown>({ url: await through(), connections: 2 })
    let isTaken = false
    const lock = opened.lock(7, () => {
      isTaken = true
    })
    expect(await lock.take()).toBe(true)
    const holder = async () => {
      const { sql, db } = opened
      const { rows } = await sql<{ pid: number }>`select pid from pg_locks where locktype = 'advisory'`.execute(db)
      return rows.map(({ pid }) => pid)
    }
    const [first] = await holder()
    // Between the two sessions no one may hold it.
    const isHeldByOther = (pid: number | undefined) =>
      holder().then(
        ([now]) => now !== undefined && now !== pid,
        () => false,
      )
    proxy.cutClients()
    await expect.poll(() => isHeldByOther(first), { timeout: 20_000 }).toBe(true)
    expect([(await holder()).length, isTaken]).toEqual([1, false])
    // Silence is noticed as well.
    const [second] = await holder()
    proxy.freeze(true)
    await new Promise((resolve) => setTimeout(resolve, 12_000))
    proxy.freeze(false)
    await expect.poll(() => isHeldByOther(second), { timeout: 20_000 }).toBe(true)
    expect([(await holder()).length, isTaken]).toEqual([1, false])
    await lock.release()
    await expect.poll(holder, { timeout: 10_000 }).toEqual([])
    await opened.close()
  })

  test('a shared lock that was lost is not taken again from a single server that has the database by then', async () => {
    const url = await through()
    const direct = new URL(url)
    direct.port = String(proxy.target)
    const [node, other] = await Promise.all(
      [url, direct.href].map((one) => openDatabase<unknown>({ url: one, connections: 2 })),
    )
    let losses = 0
    const shared = node!.lock(7, () => losses++, { isShared: true })
    const beside = other!.lock(7, () => {}, { isShared: true })
    const single = other!.lock(7, () => {})
    expect([await shared.take(), await beside.take(), await single.take()]).toEqual([true, true, false])
    await beside.release()
    // The server does not reach the database, which ends its session.
    proxy.freeze(true)
    const { sql, db } = other!
    await sql`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and pid <> pg_backend_pid()`.execute(
      db,
    )
    await expect.poll(() => single.take()).toBe(true)
    proxy.freeze(false)
    await expect.poll(() => losses, { timeout: 20_000 }).toBe(1)
    for (const lock of [single, shared]) await lock.release()
    for (const one of [node!, other!]) await one.close()
  })

  test('a job whose record was written, but not acknowledged, does not stay', async () => {
    const store = await openAt(await through())
    const { id } = await store.workspace.begin('o')
    const record: JobRecord = {
      ...{ id, clientJobId: 'mine', ownerId: 'o', type: 'batch', toolId: 'resize', status: 'queued', percent: 0 },
      ...{ stage: null, createdAt: new Date().toISOString(), startedAt: null, completedAt: null, attempts: 0 },
      ...{ inputBytes: 1, outputs: [], result: null, error: null, expiresAt: null },
    }
    proxy.loseAnswerTo('insert into jobs')
    await expect(store.jobs.create(record)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    await expect.poll(() => store.jobs.named('mine'), { timeout: 10_000 }).toEqual([])
    await store.jobs.create(record, { isUnique: true })
    expect((await store.jobs.named('mine')).length).toBe(1)
  })
})

test('pages beyond all rows are empty', async () => {
  const { jobs, library, audit, users } = await open()
  for (const offset of [Number.MAX_SAFE_INTEGER, 1e20, 1e300]) {
    const page = { limit: 10, offset }
    expect(await jobs.ofOwner({ ownerId: undefined, ...page })).toEqual({ jobs: [], total: 0 })
    expect(await library.list({ ownerId: undefined, ...page })).toEqual({ items: [], total: 0 })
    expect(await audit.query({ page: offset, limit: 100 })).toEqual({ entries: [], total: 0 })
    expect(await users.list(page)).toEqual([])
  }
})

test('keys of records keep their order', async () => {
  const { pipelines } = await open()
  const settings = { zeta: 1, b: { y: 1, x: 2 }, aaa: 2 }
  const about = { userId: 'u', name: 'n', description: null, createdAt: '' }
  await pipelines.add({ id: 'p', ...about, steps: [{ toolId: 't', settings }] })
  expect(JSON.stringify((await pipelines.byId('p'))?.steps[0]?.settings)).toBe(JSON.stringify(settings))
})

test.each([
  ['ECONNREFUSED', 'STORE_UNAVAILABLE'],
  ['ENOENT', 'STORE_UNAVAILABLE'],
  ['57014', 'STORE_UNAVAILABLE'],
  ['25P03', 'STORE_UNAVAILABLE'],
  ['40P01', 'STORE_UNAVAILABLE'],
  ['53100', 'DISK_FULL'],
  ['42703', 'INTERNAL'],
  ['23505', 'INTERNAL'],
])('an error %s is %s', (code, expected) => {
  expect(databaseFailure(Object.assign(new Error('x'), { code })).code).toBe(expected)
})

test('an answer that does not come is STORE_UNAVAILABLE, and a mistake of the program INTERNAL', () => {
  expect(databaseFailure(new Error('Query read timeout')).code).toBe('STORE_UNAVAILABLE')
  expect(databaseFailure(new TypeError('x is not a function')).code).toBe('INTERNAL')
})

describe('the audit log', () => {
  const entry = { actorId: null, actorUsername: null, targetType: null, targetId: null, details: null, ipAddress: null }

  test('is checked while a server uses the database; a changed entry and a removed one are found', async () => {
    const url = await postgres.database()
    const options = { database: { url, connections: 2 }, dataFolder: '/nowhere' }
    await expect(checkAuditOf(options)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
    const { audit } = await openAt(url)
    for (const action of ['A', 'B', 'C', 'D', 'E']) await audit.append({ ...entry, action })
    const whole = await checkAuditOf(options)
    expect(whole).toMatchObject({ entries: 5, broken: 0, begins: true, unlinked: 0 })
    const { db, sql, close } = await openDatabase<unknown>(options.database)
    await sql`update audit set line = replace(line, '"B"', '"X"') where seq = 2`.execute(db)
    await sql`delete from audit where seq = 5`.execute(db)
    await close()
    expect(await checkAuditOf(options, whole.head)).toMatchObject({
      ...{ entries: 4, broken: 1, isHeadKnown: false },
      breaks: [{ file: 'audit', line: 3, reason: 'changed' }],
    })
  })
})
