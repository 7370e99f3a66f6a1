/** An Idempotency-Key with several servers: PostgreSQL has the keys of all of them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPostgres, type TestPostgres } from '../helpers/postgres.ts'
import { startRedis, type TestRedis } from '../helpers/redis.ts'
import { startS3, type TestS3 } from '../helpers/s3.ts'
import { type Answer, call, makeUser, send, signIn } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'
import { smallPicture } from '../helpers/server-jobs.ts'

let postgres: TestPostgres
let redis: TestRedis
let s3: TestS3
let servers: [ServerHere, ServerHere]
let user: string

beforeAll(async () => {
  ;[postgres, redis, s3] = await Promise.all([startPostgres(), startRedis(), startS3()])
  const { bucket, endpoint = '', accessKeyId = '', secretAccessKey = '' } = s3.options()
  const environment = {
    ...{ DATABASE_URL: await postgres.database(), REDIS_URL: redis.url, S3_BUCKET: bucket, S3_ENDPOINT: endpoint },
    ...{ S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey },
  }
  servers = [await serveHere({ environment }), await serveHere({ environment })]
  user = await makeUser(servers[0], await signIn(servers[0]), 'tess')
}, 120_000)
afterAll(async () => {
  for (const server of servers) await server.stop()
  await Promise.all([postgres.stop(), redis.stop(), s3.stop()])
})

const isReplay = ({ headers }: Answer): boolean => headers.get('idempotency-replayed') === 'true'

/** The same request to both servers in turns, all at the same time. */
const raced = (count: number, post: (server: ServerHere) => Promise<Answer>): Promise<Answer[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => post(servers[index % 2 === 0 ? 0 : 1])))

/** One of the answers is that of the request that ran; the others repeat it, or say that it runs. */
function expectOnce(answers: readonly Answer[], status: number): void {
  expect(answers.filter((one) => one.status === status && !isReplay(one)).length).toBe(1)
  for (const one of answers.filter((other) => other.status !== status))
    expect([one.status, one.json.code]).toEqual([409, 'REQUEST_IN_PROGRESS'])
}

test('requests that race at two servers create one pipeline', async () => {
  const headers = { 'idempotency-key': 'race' }
  const body = { name: 'raced', steps: [{ toolId: 'resize', settings: { width: 32 } }] }
  const post = (server: ServerHere) => call(server, 'POST', '/api/v1/pipeline/save', { token: user, body, headers })
  expectOnce(await raced(10, post), 201)
  const { json } = await call(servers[1], 'GET', '/api/v1/pipeline/list', { token: user })
  expect(json.pipelines.length).toBe(1)
  expect((await Promise.all(servers.map(post))).map(isReplay)).toEqual([true, true])
  const other = await call(servers[1], 'POST', '/api/v1/pipeline/save', {
    ...{ token: user, headers },
    body: { ...body, name: 'other' },
  })
  expect([other.status, other.json.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
})

test('forms that race at two servers create one job, and either server has its answer', async () => {
  const picture = await smallPicture()
  const parts = [
    ['file', picture],
    ['settings', '{"width":32}'],
  ] as const
  const post = (server: ServerHere) =>
    send(server, '/api/v1/tools/image/resize', parts, user, { 'idempotency-key': 'form' })
  expectOnce(await raced(6, post), 200)
  const [one, two] = await Promise.all(servers.map(post))
  expect([one && isReplay(one), two && isReplay(two), one?.json]).toEqual([true, true, two?.json])
  const { json } = await call(servers[0], 'GET', '/api/v1/jobs', { token: user })
  expect(json.jobs.length).toBe(1)
  expect((await call(servers[1], 'GET', one?.json.downloadUrl, { token: user })).status).toBe(200)
})
