/** One trace and one request id across an API process, PostgreSQL, Redis, a worker and its child process. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../helpers/pool.ts'
import { startPostgres, type TestPostgres } from '../helpers/postgres.ts'
import { startRedis, type TestRedis } from '../helpers/redis.ts'
import { send, signIn, startServer } from '../helpers/server.ts'
import { smallPicture, statusOf } from '../helpers/server-jobs.ts'
import { temporaryFolder } from '../helpers/tool.ts'
import { startCollector, type TraceCollector } from '../helpers/trace-collector.ts'

const shared = temporaryFolder()
let postgres: TestPostgres
let redis: TestRedis
let collector: TraceCollector
beforeAll(async () => {
  ;[postgres, redis, collector] = await Promise.all([startPostgres(), startRedis(), startCollector()])
})
afterAll(() => Promise.all([postgres.stop(), redis.stop(), collector.close()]))

test('a job that a worker runs is part of the trace of its request', async () => {
  const environment = {
    ...{ DATABASE_URL: await postgres.database(), REDIS_URL: redis.url, SHARED_DIR: shared },
    SYNC_WAIT_MS: '60000',
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
  }
  const withName = (name: string) => ({ ...environment, OTEL_SERVICE_NAME: name })
  const api = await startServer({ environment: withName('api'), role: 'api' })
  const worker = await startServer({ environment: withName('worker'), role: 'worker' })
  const admin = await signIn(api)
  const parts = [['file', await smallPicture()] as const, ['settings', JSON.stringify({ width: 32 })] as const]
  const path = '/api/v1/tools/image/resize'
  const { status, json } = await send(api, path, parts, admin, { 'x-request-id': 'Across-1' })
  expect(status).toBe(200)
  expect((await statusOf(api, admin, json.jobId)).requestId).toBe('Across-1')
  const line = new RegExp(`"jobId":"${json.jobId}","requestId":"Across-1","toolId":"resize","status":"completed"`)
  await until(() => line.test(worker.log()), 30_000)
  expect(api.log()).not.toMatch(line)
  // The last spans are sent at the end.
  expect([await worker.stop(), await api.stop()]).toEqual([0, 0])
  const request = collector.spans().find(({ name }) => name === `POST ${path}`)
  const job = collector.spans().find(({ name }) => name === 'job resize')
  const ofTrace = collector.spans().filter(({ traceId }) => traceId === request?.traceId)
  const shown = ofTrace.map(({ name, parentSpanId, resource }) => [resource['service.name'], name, parentSpanId])
  expect(shown).toHaveLength(4)
  expect(shown).toEqual(
    expect.arrayContaining([
      ['api', `POST ${path}`, request?.parentSpanId],
      ['worker', 'queue', request?.spanId],
      ['worker', 'job resize', request?.spanId],
      ['worker', 'image/resize', job?.spanId],
    ]),
  )
})
