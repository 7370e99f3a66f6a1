/** Sign-in with a code on several servers: PostgreSQL has the codes of all of them. */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startPostgres, type TestPostgres } from '../helpers/postgres.ts'
import { startRedis, type TestRedis } from '../helpers/redis.ts'
import { type Answer, call, makeUser, signIn } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const PATH = '/api/v1/auth/device'

let postgres: TestPostgres
let redis: TestRedis
let servers: [ServerHere, ServerHere]
let user: string

beforeAll(async () => {
  ;[postgres, redis] = await Promise.all([startPostgres(), startRedis()])
  const environment = {
    ...{ DATABASE_URL: await postgres.database(), REDIS_URL: redis.url },
    ...{ SHARED_DIR: mkdtempSync(join(temporaryFolder(), 'shared-')), LOGIN_ATTEMPT_LIMIT: '0' },
  }
  servers = [await serveHere({ environment }), await serveHere({ environment })]
  user = await makeUser(servers[0], await signIn(servers[0]), 'tess')
}, 120_000)
afterAll(async () => {
  for (const server of servers) await server.stop()
  await Promise.all([postgres.stop(), redis.stop()])
})

/** The same request to both servers in turns, all at the same time. */
const raced = (count: number, post: (server: ServerHere) => Promise<Answer>): Promise<Answer[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => post(servers[index % 2 === 0 ? 0 : 1])))
const codesOf = (answers: readonly Answer[]) => answers.map(({ status, json }) => json.code ?? status).sort()
const begin = () => call(servers[0], 'POST', PATH, { body: { client_name: 'raced' } })
const ask = (server: ServerHere, code: string) => call(server, 'POST', `${PATH}/token`, { body: { device_code: code } })

test('a code is approved once, whichever server is asked, and its key is given once', async () => {
  const { json } = await begin()
  const body = { userCode: json.user_code }
  const approvals = await raced(6, (server) => call(server, 'POST', `${PATH}/approve`, { token: user, body }))
  expect(codesOf(approvals)).toEqual([200, ...new Array(5).fill('INVALID_USER_CODE')])
  const asked = await raced(6, (server) => ask(server, json.device_code))
  const given = asked.filter(({ status }) => status === 200)
  expect(given.length).toBe(1)
  for (const { json: other } of asked.filter(({ status }) => status !== 200))
    expect(['SLOW_DOWN', 'EXPIRED_TOKEN']).toContain(other.code)
  const key = given[0]?.json.access_token
  for (const server of servers)
    expect((await call(server, 'GET', '/api/v1/api-keys', { token: key })).json.apiKeys.length).toBe(1)
})

test('approved and refused at the same time: one of both counts', async () => {
  const { json } = await begin()
  const body = { userCode: json.user_code }
  const [approved, refused] = await Promise.all([
    call(servers[0], 'POST', `${PATH}/approve`, { token: user, body }),
    call(servers[1], 'POST', `${PATH}/refuse`, { token: user, body }),
  ])
  expect(codesOf([approved, refused])).toEqual([200, 'INVALID_USER_CODE'])
  const asked = await ask(servers[1], json.device_code)
  expect(asked.json.code ?? asked.status).toBe(approved.status === 200 ? 200 : 'ACCESS_DENIED')
})

test('questions that come too soon are noticed by the other server', async () => {
  const { json } = await begin()
  expect((await ask(servers[0], json.device_code)).json.code).toBe('AUTHORIZATION_PENDING')
  expect((await ask(servers[1], json.device_code)).json.code).toBe('SLOW_DOWN')
})

test('waiting programs of one network are counted together', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 700_000 })
  try {
    const begun = await raced(14, (server) => call(server, 'POST', PATH, { body: {} }))
    expect(begun.filter(({ status }) => status === 200).length).toBe(10)
  } finally {
    vi.useRealTimers()
  }
})
