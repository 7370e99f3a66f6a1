/** A server whose records are in PostgreSQL: what fails, is killed or restarted loses nothing that was acknowledged. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAll, loadUntilGone, makeSample, nothing } from '../helpers/load.ts'
import { startPostgres, type TestPostgres } from '../helpers/postgres.ts'
import { seededRandom } from '../helpers/random.ts'
import { call, signIn, startServer, type TestServer } from '../helpers/server.ts'
import { resize } from '../helpers/server-jobs.ts'

const ROUNDS = Number(process.env.MEDIAPROC_TEST_ROUNDS ?? 3)
/** Latest time of a kill after the load started, milliseconds. */
const LATEST_MS = 900

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const readiness = async (server: TestServer) => {
  const { status, json } = await call(server, 'GET', '/api/v1/readyz')
  return [status, json.postgres]
}

/** Waits until the server is ready; one that ended shows why. */
async function isReady(server: TestServer): Promise<void> {
  try {
    await expect.poll(() => readiness(server), { timeout: 30_000, interval: 100 }).toEqual([200, true])
  } catch (error) {
    const lines = server.log().split('\n')
    throw new Error(lines.filter((line) => !line.includes('"msg":"request"')).join('\n'), { cause: error })
  }
}

test(`a server that is killed ${ROUNDS} times, and its database as often, lose nothing`, {
  timeout: 60_000 + ROUNDS * 60_000,
}, async () => {
  const random = seededRandom()
  const environment = { DATABASE_URL: await postgres.database() }
  let server = await startServer({ environment })
  const { data } = server
  const sample = await makeSample(server, await signIn(server))
  for (let round = 0; round < 2 * ROUNDS; round++) {
    const isDatabase = round % 2 === 1
    const done = nothing()
    const load = loadUntilGone(server, await signIn(server), sample, done)
    await pause(random.between(100, LATEST_MS))
    if (isDatabase) {
      await postgres.kill()
      await pause(random.between(0, LATEST_MS))
      await postgres.start()
      await isReady(server)
    }
    await server.stop('SIGKILL')
    await load
    server = await startServer({ environment, data })
    await expectAll(server, done, random)
  }
  expect(await server.stop()).toBe(0)
})

test('while the database is down, the server says so; afterwards it works again, and keeps its database', async () => {
  const environment = { DATABASE_URL: await postgres.database() }
  const server = await startServer({ environment })
  const token = await signIn(server)
  const { json: made } = await resize(server, token)
  await postgres.kill()
  expect(await readiness(server)).toEqual([503, false])
  const refused = [
    await call(server, 'GET', '/api/v1/jobs', { token }),
    await call(server, 'PUT', '/api/v1/preferences', { token, body: { theme: 'dark' } }),
    await resize(server, token),
    await call(server, 'POST', '/api/auth/login', { body: { username: 'admin', password: 'x' } }),
  ]
  for (const { status, json, headers } of refused)
    expect([status, json.code, headers.has('retry-after')]).toEqual([503, 'STORE_UNAVAILABLE', true])
  await postgres.start()
  await isReady(server)
  expect((await resize(server, token)).status).toBe(200)
  const { status } = await call(server, 'GET', made.downloadUrl, { token })
  expect(status).toBe(200)
  // The lock of the database is held again.
  await expect
    .poll(() => startServer({ environment }).then((other) => other.stop(), String), { timeout: 20_000, interval: 500 })
    .toContain('in use by another server')
  expect(await server.stop()).toBe(0)
})

test('secrets of the address are not in messages or logs', async () => {
  const wrong = (await postgres.database()).replace('mediaproc@', 'mediaproc:Geheim-77@').replace(/\/[^/]*$/, '/none')
  const failure = await startServer({ environment: { DATABASE_URL: wrong } }).then(String, String)
  expect(failure).toContain('The database of DATABASE_URL cannot be opened')
  expect(failure).not.toContain('Geheim')
})
