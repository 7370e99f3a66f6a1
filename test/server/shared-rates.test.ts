import type { FastifyInstance } from 'fastify'
import { afterAll, expect, test } from 'vitest'
import { openRedis, type Redis } from '../../src/engines/redis/redis.ts'
import { buildApp } from '../../src/server/http/app.ts'
import { Metrics } from '../../src/server/instance/metrics.ts'
import { startRedis } from '../helpers/redis.ts'
import { FIRST_PASSWORD, PASSWORD } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'

const redisServer = await startRedis()
const opened: Redis[] = []
const apps: FastifyInstance[] = []
afterAll(async () => {
  for (const app of apps) await app.close()
  for (const redis of opened) await redis.close()
  await redisServer.stop()
})

/** Two servers with one store and one Redis, by their addresses. */
async function twoServers(environment: Record<string, string>): Promise<[string, string]> {
  const { context } = await serveHere({ environment })
  const pair = await Promise.all(
    [0, 1].map(async () => {
      const redis = await openRedis({ url: redisServer.url }, 'test')
      opened.push(redis)
      const app = await buildApp({ ...context, store: { ...context.store, redis }, metrics: new Metrics() })
      apps.push(app)
      return app.listen({ host: '127.0.0.1', port: 0 })
    }),
  )
  return pair as [string, string]
}

const until = async (isTrue: () => boolean): Promise<void> => {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 10))
}

test('limits by address count once for all servers; without Redis each counts its own', async () => {
  const [one, two] = await twoServers({ RATE_LIMIT_PER_MIN: '10', TRUST_PROXY: 'true' })
  const ask = (base: string, address: string): Promise<Response> =>
    fetch(`${base}/api/v1/config/auth`, { headers: { 'x-forwarded-for': address } })
  const statuses = async (address: string, times: number): Promise<number[]> => {
    const answers = await Promise.all(Array.from({ length: times }, (_, index) => ask(index % 2 ? one : two, address)))
    return answers.map(({ status }) => status).sort()
  }
  expect(await statuses('10.0.0.1', 16)).toEqual([...Array(10).fill(200), ...Array(6).fill(429)])
  const refused = await ask(one, '10.0.0.1')
  const { code } = (await refused.json()) as { code: string }
  expect([code, Number(refused.headers.get('retry-after')) > 50]).toEqual(['RATE_LIMITED', true])
  // Another address has its own count.
  expect((await ask(two, '10.0.0.2')).headers.get('x-ratelimit-remaining')).toBe('9')
  await redisServer.kill()
  expect(await statuses('10.0.0.3', 30)).toEqual([...Array(20).fill(200), ...Array(10).fill(429)])
  await redisServer.start()
  await until(() => opened.every(({ isAvailable }) => isAvailable))
  expect(await statuses('10.0.0.4', 16)).toEqual([...Array(10).fill(200), ...Array(6).fill(429)])
})

test('limits of a user count once for all servers; without Redis each counts its own', async () => {
  const [one, two] = await twoServers({})
  const send = (method: string, path: string, body: object, token?: string): Promise<Response> =>
    fetch(one + path, {
      method,
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    })
  const login = async (password: string): Promise<string> => {
    const answer = await send('POST', '/api/auth/login', { username: 'admin', password })
    return ((await answer.json()) as { token: string }).token
  }
  const change = { currentPassword: FIRST_PASSWORD, newPassword: PASSWORD }
  await send('POST', '/api/auth/change-password', change, await login(FIRST_PASSWORD))
  const token = await login(PASSWORD)
  const ask = (base: string): Promise<Response> =>
    fetch(`${base}/api/auth/session`, { headers: { authorization: `Bearer ${token}` } })
  const statuses = async (times: number): Promise<number[]> => {
    const answers = await Promise.all(Array.from({ length: times }, (_, index) => ask(index % 2 ? one : two)))
    return answers.map(({ status }) => status).sort()
  }
  expect((await send('PUT', '/api/v1/settings', { rateLimitPerUser: 8 }, token)).status).toBe(200)
  expect(await statuses(14)).toEqual([...Array(8).fill(200), ...Array(6).fill(429)])
  // Both servers have allowed some of the eight; FLUSHALL forgets them.
  redisServer.command('flushall')
  expect(await statuses(14)).toEqual([...Array(8).fill(200), ...Array(6).fill(429)])
  await redisServer.kill()
  expect((await ask(one)).status).toBe(429)
  await redisServer.start()
})
