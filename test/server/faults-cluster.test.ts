/** Several servers with PostgreSQL, Redis and S3: whatever is killed, nothing that was acknowledged is lost or done twice. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAll, loadUntilGone, makeSample, nothing } from '../helpers/load.ts'
import { startPostgres, type TestPostgres } from '../helpers/postgres.ts'
import { seededRandom } from '../helpers/random.ts'
import { startRedis, type TestRedis } from '../helpers/redis.ts'
import { startS3, type TestS3 } from '../helpers/s3.ts'
import { call, type StartOptions, signIn, startServer, type TestServer } from '../helpers/server.ts'
import { resize } from '../helpers/server-jobs.ts'
import { sharedEnvironment } from '../helpers/shared-environment.ts'

/** Kills of each part. */
const ROUNDS = Number(process.env.MEDIAPROC_TEST_ROUNDS ?? 1)
/** Latest time of a kill after the load started, and longest time without a part, in milliseconds. */
const LATEST_MS = 2000
/** A worker is taken for dead after 15 s; its jobs run twice at most. */
const LEFT_MS = 60_000

let postgres: TestPostgres
let redis: TestRedis
let s3: TestS3
beforeAll(async () => {
  ;[postgres, redis, s3] = await Promise.all([startPostgres(), startRedis(), startS3()])
})
afterAll(() => Promise.all([postgres.stop(), redis.stop(), s3.stop()]))

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const sharedBy = (): Promise<Record<string, string>> => sharedEnvironment(postgres, redis, s3)

const readiness = async (server: TestServer) => {
  const { json } = await call(server, 'GET', '/api/v1/readyz')
  const { postgres: database, redis: events, s3: storage } = json
  return { database, events, storage }
}
const READY = { database: true, events: true, storage: true }

const isReady = (server: TestServer): Promise<void> =>
  expect.poll(() => readiness(server), { timeout: 30_000, interval: 100 }).toEqual(READY)

test(`each part is killed ${ROUNDS} times under load: everything acknowledged exists, and every job ends once`, {
  timeout: 120_000 + ROUNDS * 5 * 120_000,
}, async () => {
  const random = seededRandom()
  const environment = await sharedBy()
  const started = (options: StartOptions): Promise<TestServer> => startServer({ environment, ...options })
  let api = await started({ role: 'api' })
  const { data } = api
  const workers = [await started({ role: 'worker' }), await started({ role: 'worker' })]
  const sample = await makeSample(api, await signIn(api))
  const parts = {
    async worker() {
      const index = random.between(0, 1)
      const { data: own } = workers[index]!
      await workers[index]!.stop('SIGKILL')
      workers[index] = await started({ role: 'worker', data: own })
    },
    async api() {},
    async postgres() {
      await postgres.kill()
      await pause(random.between(0, LATEST_MS))
      await postgres.start()
    },
    async redis() {
      if (random.between(0, 1) === 0) redis.command('flushall')
      await redis.kill()
      await pause(random.between(0, LATEST_MS))
      await redis.start()
    },
    async s3() {
      await s3.kill()
      await pause(random.between(0, LATEST_MS))
      await s3.start()
    },
  }
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, kill] of Object.entries(parts)) {
      const done = nothing()
      const load = loadUntilGone(api, await signIn(api), sample, done)
      await pause(random.between(100, LATEST_MS))
      await kill()
      if (name !== 'api') await isReady(api)
      await pause(random.between(0, LATEST_MS))
      await api.stop('SIGKILL')
      await load
      api = await started({ role: 'api', data })
      await expectAll(api, done, random, LEFT_MS).catch((error: unknown) => {
        throw new Error(`after ${name} was killed in round ${round}`, { cause: error })
      })
    }
  for (const server of [api, ...workers]) expect(await server.stop()).toBe(0)
})

test('while a part is away, readyz names it, and writes that need it are refused with the time to try again', async () => {
  const environment = await sharedBy()
  const server = await startServer({ environment })
  const token = await signIn(server)
  const { json: made } = await resize(server, token)
  const download = async (): Promise<number> => (await call(server, 'GET', made.downloadUrl, { token })).status
  const refusal = async (): Promise<unknown[]> => {
    const { status, json, headers } = await resize(server, token)
    return [status, json.code, headers.has('retry-after')]
  }
  await redis.kill()
  await expect.poll(() => readiness(server)).toEqual({ ...READY, events: false })
  expect([(await resize(server, token)).status, await download()]).toEqual([200, 200])
  await redis.start()
  await s3.kill()
  await expect.poll(() => readiness(server), { timeout: 20_000 }).toEqual({ ...READY, storage: false })
  expect(await refusal()).toEqual([503, 'STORE_UNAVAILABLE', true])
  expect((await call(server, 'GET', '/api/v1/jobs', { token })).status).toBe(200)
  expect(await download()).toBe(503)
  await s3.start()
  await postgres.kill()
  await expect.poll(() => readiness(server), { timeout: 20_000 }).toEqual({ ...READY, database: false })
  expect(await refusal()).toEqual([503, 'STORE_UNAVAILABLE', true])
  await postgres.start()
  await isReady(server)
  expect([(await resize(server, token)).status, await download()]).toEqual([200, 200])
  expect(await server.stop()).toBe(0)
})

test.each([
  ['S3_BUCKET', { S3_BUCKET: 'none', S3_SECRET_ACCESS_KEY: 'Geheim-77' }],
  ['REDIS_URL', { REDIS_URL: 'redis://somebody:Geheim-77@127.0.0.1:1' }],
  ['DATABASE_URL', { DATABASE_URL: 'postgres://somebody:Geheim-77@127.0.0.1:1/none' }],
])('secrets are not in the message about %s', async (name, wrong) => {
  const failure = await startServer({ environment: { ...(await sharedBy()), ...wrong } }).then(
    () => 'it started',
    String,
  )
  expect(failure).toContain(name)
  expect(failure).not.toContain('Geheim')
})
