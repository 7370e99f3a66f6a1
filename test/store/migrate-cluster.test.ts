/** `store migrate` between data folders, databases and clusters; with kills in the middle. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBucket } from '../../src/engines/s3/s3.ts'
import { MediaprocError } from '../../src/errors.ts'
import { configOf, migrateStore } from '../../src/server/instance/migrate.ts'
import { storeParts } from '../../src/server/store-parts.ts'
import { openConfiguredStore } from '../../src/store/open.ts'
import { lockOf } from '../../src/store/postgres/access.ts'
import { S3Blobs } from '../../src/store/s3/blobs.ts'
import type { Store } from '../../src/store/store.ts'
import { afterEveryTest } from '../helpers/clean-up.ts'
import { nodes } from '../helpers/nodes.ts'
import { buildProgram, PROGRAM } from '../helpers/program.ts'
import { seededRandom } from '../helpers/random.ts'
import { startS3, type TestS3 } from '../helpers/s3.ts'
import { temporaryFolder } from '../helpers/tool.ts'
import { everythingOf, fillStore } from '../helpers/whole-store.ts'

const cluster = nodes()
const parent = temporaryFolder()
const source = join(parent, 'source')
const opened: Store[] = []
let s3: TestS3
let before: Record<string, unknown>

const fresh = (): string => mkdtempSync(join(parent, 'x-'))

/** A file with the variables of a new store. */
function variables(given: Readonly<Record<string, string>>): string {
  const path = join(fresh(), 'server.env')
  const lines = Object.entries({ DATA_DIR: join(fresh(), 'data'), ...given }).map(
    ([name, value]) => `${name}=${value}\n`,
  )
  writeFileSync(path, lines.join(''), { mode: 0o600 })
  return path
}

const database = async (): Promise<string> => variables({ DATABASE_URL: await cluster.database() })
const withRedis = async (): Promise<Record<string, string>> => ({
  ...{ DATABASE_URL: await cluster.database(), REDIS_URL: cluster.redis.url },
})
const folderCluster = async (): Promise<string> => variables({ ...(await withRedis()), SHARED_DIR: fresh() })
async function bucketCluster(): Promise<string> {
  const { bucket, endpoint = '', accessKeyId = '', secretAccessKey = '' } = s3.options()
  return variables({
    ...(await withRedis()),
    ...{
      S3_BUCKET: bucket,
      S3_ENDPOINT: endpoint,
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
    },
    S3_PREFIX: `p${Math.round(performance.now())}`,
  })
}

async function open(place: string): Promise<Store> {
  const config = configOf(place)
  const store = await openConfiguredStore(config.dataFolder, {
    ...{ ...storeParts(config, () => {}), auditRetentionDays: 0 },
  })
  opened.push(store)
  return store
}
async function closeAll(): Promise<void> {
  for (const store of opened.splice(0)) await store.close()
}
afterEveryTest(closeAll)

async function everythingIn(place: string): Promise<Record<string, unknown>> {
  const everything = await everythingOf(await open(place))
  await closeAll()
  return everything
}

const run = (from: string, to: string, onProgress: (phase: string) => void = () => {}) =>
  migrateStore(configOf(from), configOf(to), {
    ...{ signal: new AbortController().signal, isDryRun: false, onWarning() {} },
    onProgress: (_done, _total, phase) => onProgress(phase),
  })

beforeAll(async () => {
  buildProgram()
  s3 = await startS3()
  await fillStore(source)
  before = await everythingIn(source)
})
afterAll(() => s3.stop())

test('files → database → folder of a cluster → bucket of a cluster → files', async () => {
  const places = [source, await database(), await folderCluster(), await bucketCluster(), join(fresh(), 'data')]
  for (const [index, to] of places.slice(1).entries()) {
    const from = places[index] ?? ''
    expect(await run(from, to)).toMatchObject({ isResumed: false, warnings: [] })
    expect(await everythingIn(to)).toEqual(before)
  }
  // No source was changed.
  for (const place of places) expect(await everythingIn(place)).toEqual(before)
})

test('a database may take over the data folder of its source', async () => {
  const folder = join(fresh(), 'data')
  await run(source, folder)
  const to = variables({ DATABASE_URL: await cluster.database(), DATA_DIR: folder })
  const stop = (phase: string): void => {
    if (phase === 'copying the results of jobs') throw new Error('stopped')
  }
  await expect(run(folder, to, stop)).rejects.toThrow('stopped')
  expect(await run(folder, to)).toMatchObject({ isResumed: true })
  expect(await everythingIn(to)).toEqual(before)
  expect(await everythingIn(folder)).toEqual(before)
})

describe('refused are', () => {
  test('stores that servers use', async () => {
    const [one, other] = [await database(), await folderCluster()]
    await run(source, one)
    for (const place of [one, other]) {
      await open(place)
      await expect(run(one, other)).rejects.toMatchObject({
        code: 'CONFLICT',
        message: expect.stringMatching(/in use/),
      })
      await closeAll()
    }
    // One server of a cluster is enough, also with another data folder.
    const { DATABASE_URL, REDIS_URL, SHARED_DIR } = Object.fromEntries(
      (await import('node:fs'))
        .readFileSync(other, 'utf8')
        .split('\n')
        .map((line) => line.split(/=(.*)/s).slice(0, 2)),
    )
    await open(variables({ DATABASE_URL, REDIS_URL, SHARED_DIR }))
    await expect(run(one, other)).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  test('targets with data, and both stores in one database', async () => {
    const to = await database()
    await run(source, to)
    await expect(run(source, to)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/not empty/),
    })
    const url = await cluster.database()
    await expect(run(variables({ DATABASE_URL: url }), variables({ DATABASE_URL: url }))).rejects.toMatchObject({
      ...{ code: 'USAGE', message: 'Both stores have the same database' },
    })
    // A bucket without records of the database: another one may own it.
    const bucket = await bucketCluster()
    const { cluster: shared, dataFolder } = configOf(bucket)
    if (shared?.contents.kind !== 's3') throw new Error('expected a bucket')
    await new S3Blobs(await openBucket(shared.contents.s3), 'library', dataFolder).put('a/b', Readable.from(['x']))
    await expect(run(source, bucket)).rejects.toMatchObject({
      ...{ code: 'INVALID_CONFIG', message: expect.stringMatching(/files of another database/) },
    })
  })

  test('a source that another release has written, which stays as it is', async () => {
    const from = await database()
    await run(source, from)
    const url = configOf(from).database?.url ?? ''
    const applied = 'select name from kysely_migration order by 1'
    const [newest] = (await cluster.rows(url, 'select max(name) as name from kysely_migration')) as { name: string }[]
    await cluster.execute(url, `delete from kysely_migration where name = '${newest?.name}'`)
    const known = await cluster.rows(url, applied)
    await expect(run(from, join(fresh(), 'data'))).rejects.toMatchObject({
      ...{ code: 'INVALID_CONFIG', message: 'The database of the source was written by an older release' },
    })
    expect(await cluster.rows(url, applied)).toEqual(known)
    await cluster.execute(url, `insert into kysely_migration values ('${newest?.name}', ''), ('9999-new', '')`)
    await expect(run(from, join(fresh(), 'data'))).rejects.toMatchObject({ message: /newer release/ as never })
    // No server has used this one.
    const empty = await database()
    await expect(run(empty, join(fresh(), 'data'))).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
    expect(
      await cluster.rows(configOf(empty).database?.url ?? '', "select * from pg_tables where schemaname = 'public'"),
    ).toEqual([])
  })

  test('a database with the data folder of another server', async () => {
    const url = await cluster.database()
    await run(source, variables({ DATABASE_URL: url }))
    const wrong = variables({ DATABASE_URL: url })
    await expect(run(wrong, join(fresh(), 'data'))).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
  })
})

test('texts that PostgreSQL cannot store are a warning', async () => {
  const from = join(fresh(), 'data')
  await run(source, from)
  const store = await open(from)
  await store.settings.set('odd', { value: 'a\0b\ud800', updatedAt: '2026-01-01T00:00:00.000Z' })
  await store.audit.append({
    ...{ action: 'X\0', actorId: null, actorUsername: 'a\0\ud800', targetType: null, targetId: null, details: null },
    ipAddress: '\0',
  })
  const { head } = await store.audit.check()
  await closeAll()
  const to = await database()
  const result = await run(from, to)
  expect(result.warnings).toEqual([expect.stringMatching(/^1 record had NUL/)])
  expect(result.audit.head).toBe(head)
  expect((await (await open(to)).audit.check()).head).toBe(head)
})

test('a blob that changes in the copy is found', async () => {
  const shared = fresh()
  const to = variables({ ...(await withRedis()), SHARED_DIR: shared })
  let isChanged = false
  const change = (phase: string): void => {
    if (isChanged || !phase.startsWith('comparing the library')) return
    isChanged = true
    const folder = join(shared, 'contents', 'library')
    const paths = readdirSync(folder).map((id) => join(folder, id, 'content'))
    const [big = ''] = paths.sort((one, other) => statSync(other).size - statSync(one).size)
    const bytes = Buffer.alloc(statSync(big).size)
    writeFileSync(big, bytes)
  }
  await expect(run(source, to, change)).rejects.toMatchObject({ code: 'INVALID_FILE' })
  await expect(open(to)).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
  await run(source, to)
  expect(await everythingIn(to)).toEqual(before)
})

test.each(['source', 'target'])('a %s whose lock is lost ends the migration', async (what) => {
  const stores = { source: await database(), target: await database() }
  await run(source, stores.source)
  const url = configOf(stores[what as 'source' | 'target']).database?.url ?? ''
  const cut = `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted and objsubid = 1
    and database = (select oid from pg_database where datname = current_database())
    and (classid::bigint << 32 | objid::bigint) = ${lockOf('server')}`
  let isCut: Promise<void> | undefined
  const onProgress = (phase: string): void => {
    if (phase.startsWith('copying the library')) isCut ??= cluster.execute(url, cut)
  }
  await expect(run(stores.source, stores.target, onProgress)).rejects.toMatchObject({
    ...{ code: 'CONFLICT', message: `The connection that locks the database of the ${what} was lost` },
  })
  await isCut
  await expect(open(stores.target)).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
  await run(stores.source, stores.target)
  expect(await everythingIn(stores.target)).toEqual(before)
})

/** Runs the program, and kills it after some time; returns whether it was killed. */
async function killed(from: string, to: string, ms: number): Promise<boolean> {
  const child = spawn(process.execPath, [PROGRAM, 'store', 'migrate', from, to, '-q'], { stdio: 'ignore' })
  const timer = setTimeout(() => child.kill('SIGKILL'), ms)
  const code = await new Promise((resolve) => child.once('exit', resolve))
  clearTimeout(timer)
  return code === null
}

/** PostgreSQL notices the end of a killed process a little later. */
async function runAfterKill(from: string, to: string): Promise<unknown> {
  for (;;)
    try {
      return await run(from, to)
    } catch (error) {
      if (!(error instanceof MediaprocError) || !/in use/.test(error.message)) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
}

describe('a migration that is killed at any time is continued', () => {
  test.each([
    ['to a database', database],
    ['to a cluster with a bucket', bucketCluster],
    ['to files', async () => join(fresh(), 'data')],
  ])(
    '%s',
    async (_name, place) => {
      const random = seededRandom()
      const started = performance.now()
      expect(await killed(source, await place(), 1e6)).toBe(false)
      let duration = performance.now() - started
      let to = ''
      let kills = 0
      // A run that was faster than its kill is done, and the next one would be refused: then again, with earlier kills.
      for (; kills === 0; duration *= 0.8) {
        to = await place()
        while (kills < 3 && (await killed(source, to, duration * (0.3 + 0.6 * random.next())))) kills++
      }
      await runAfterKill(source, to).catch((error: unknown) => {
        // The last run was killed after its end.
        if (!(error instanceof MediaprocError) || !/not empty/.test(error.message)) throw error
      })
      expect(await everythingIn(to)).toEqual(before)
    },
    120_000,
  )
})
