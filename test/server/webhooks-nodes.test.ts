/** Webhooks with several servers: PostgreSQL, Redis and S3. */
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { startPostgres, type TestPostgres } from '../helpers/postgres.ts'
import { RECEIVER_ENVIRONMENT, type Receiver, startReceiver } from '../helpers/receiver.ts'
import { startRedis, type TestRedis } from '../helpers/redis.ts'
import { startS3, type TestS3 } from '../helpers/s3.ts'
import { call, makeUser, signIn } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'
import { resize } from '../helpers/server-jobs.ts'

let postgres: TestPostgres
let redis: TestRedis
let s3: TestS3
let receiver: Receiver
let environment: Record<string, string>
let servers: [ServerHere, ServerHere]
let user: string

const WEBHOOKS = '/api/v1/webhooks'

beforeAll(async () => {
  ;[postgres, redis, s3] = await Promise.all([startPostgres(), startRedis(), startS3()])
  receiver = await startReceiver()
  const { bucket, endpoint = '', accessKeyId = '', secretAccessKey = '' } = s3.options()
  environment = {
    ...{ DATABASE_URL: await postgres.database(), REDIS_URL: redis.url, S3_BUCKET: bucket, S3_ENDPOINT: endpoint },
    ...{ S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey },
    ...RECEIVER_ENVIRONMENT,
  }
  servers = [await serveHere({ environment }), await serveHere({ environment })]
  user = await makeUser(servers[0], await signIn(servers[0]), 'tess')
}, 120_000)
afterEach(() => void vi.useRealTimers())
afterAll(async () => {
  for (const server of servers) await server.stop()
  await Promise.all([postgres.stop(), redis.stop(), s3.stop()])
})

const make = async (path: string): Promise<{ id: string; secret: string }> =>
  (await call(servers[0], 'POST', WEBHOOKS, { token: user, body: { url: receiver.base + path } })).json
const deliveries = async (id: string) =>
  (await call(servers[1], 'GET', `${WEBHOOKS}/${id}/deliveries`, { token: user })).json
const poll = <T>(what: () => T | Promise<T>) => expect.poll(what, { timeout: 30_000 })

test('each message is sent by one server, signed, and either server has its log', async () => {
  const { id, secret } = await make('/hook')
  const jobs = await Promise.all(Array.from({ length: 8 }, (_, index) => resize(servers[index % 2 ? 1 : 0], user)))
  await poll(() => receiver.at('/hook').length).toBe(8)
  for (const { webhooks } of servers.map(({ context }) => context)) {
    webhooks.wake()
    await webhooks.idle()
  }
  const requests = receiver.at('/hook')
  const ids = requests.map(({ json }) => json.data.artifactJobId)
  expect(ids.sort()).toEqual(jobs.map(({ json }) => json.jobId).sort())
  for (const { body, headers } of requests) new Webhook(secret).verify(body, headers as Record<string, string>)
  expect((await deliveries(id)).deliveries.map(({ status }: { status: string }) => status)).toEqual(
    new Array(8).fill('delivered'),
  )
})

test('servers that look at the same time make one attempt', async () => {
  receiver.answers.set('/down', { status: 500 })
  const { id } = await make('/down')
  await resize(servers[0], user)
  await poll(async () => (await deliveries(id)).deliveries[0]?.attempts.length).toBe(1)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10_000 })
  for (let number = 0; number < 5; number++) for (const { context } of servers) context.webhooks.wake()
  await Promise.all(servers.map(({ context }) => context.webhooks.idle()))
  await poll(async () => (await deliveries(id)).deliveries[0].attempts.length).toBe(2)
  expect(receiver.at('/down').length).toBe(2)
})

test('a message that a stopped server was sending is sent by another one', async () => {
  receiver.answers.set('/hangs', { status: -1 })
  const { id } = await make('/hangs')
  const third = await serveHere({ environment })
  const { json } = await resize(third, user)
  await poll(() => receiver.at('/hangs').length).toBe(1)
  const before = (await deliveries(id)).deliveries[0]
  receiver.answers.delete('/hangs')
  await Promise.all([third.stop(), servers[0].stop()])
  await poll(async () => (await deliveries(id)).deliveries[0].status).toBe('delivered')
  const [first, second] = receiver.at('/hangs')
  expect([second?.headers['webhook-id'], second?.json.data.artifactJobId]).toEqual([
    ...[first?.headers['webhook-id'], json.jobId],
  ])
  expect([before.status, before.jobId]).toEqual(['pending', json.jobId])
  servers[0] = await serveHere({ environment })
})
