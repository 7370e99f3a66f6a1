import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { failureAnswer } from '../../src/server/jobs/failure.ts'
import { until } from '../helpers/pool.ts'
import { call, type Served, send, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'
import { recordOnDisk, smallPicture, statusOf } from '../helpers/server-jobs.ts'

let server: Served
let admin: string

/** The lines of the log about a request. */
const linesOf = (id: string): Record<string, unknown>[] =>
  readFileSync(join(server.data, 'logs', 'mediaproc.log'), 'utf8')
    .split('\n')
    .filter((line) => line.includes(`"requestId":"${id}"`))
    .map((line) => JSON.parse(line) as Record<string, unknown>)

async function run(tool: string, settings: object, requestId: string) {
  const parts = [['file', await smallPicture()] as const, ['settings', JSON.stringify(settings)] as const]
  return send(server, `/api/v1/tools/image/${tool}`, parts, admin, { 'x-request-id': requestId })
}

beforeAll(async () => {
  server = await serveHere({ environment: { LOG_LEVEL: 'info', SYNC_WAIT_MS: '60000' } })
  admin = await signIn(server)
})

test('a job, its record and the log name the request that submitted it', async () => {
  const { json, headers } = await run('resize', { width: 32 }, 'Order-7.a')
  expect(headers.get('x-request-id')).toBe('Order-7.a')
  expect((await statusOf(server, admin, json.jobId)).requestId).toBe('Order-7.a')
  expect(recordOnDisk(server, json.jobId).requestId).toBe('Order-7.a')
  await until(() => linesOf('Order-7.a').length === 2)
  const job = { msg: 'job', jobId: json.jobId, toolId: 'resize', status: 'completed', ms: expect.any(Number) }
  const request = { msg: 'request', method: 'POST', path: '/api/v1/tools/image/resize', status: 200 }
  expect(linesOf('Order-7.a')).toEqual(
    expect.arrayContaining([job, request].map((facts) => expect.objectContaining(facts))),
  )
})

test('a failed job is logged with its code', async () => {
  const { status } = await run('crop', { left: 500, top: 0, width: 1, height: 1 }, 'Order-8')
  expect(status).toBeGreaterThanOrEqual(400)
  await until(() => linesOf('Order-8').length === 2)
  expect(linesOf('Order-8')).toContainEqual(
    expect.objectContaining({ msg: 'job', status: 'failed', code: expect.stringMatching(/^[A-Z_]+$/) }),
  )
})

test('an error that concerns the operator names the request, others do not', async () => {
  const missing = await run('remove-background', {}, 'Order-9')
  expect([missing.status, missing.json]).toEqual([501, expect.objectContaining({ requestId: 'Order-9' })])
  const unknown = await call(server, 'GET', '/api/v1/jobs/none', { token: admin })
  expect(unknown.json).toEqual({ error: 'Not found', code: 'NOT_FOUND' })
})

test('the failure of a job as well', () => {
  const fault = { message: 'Internal server error', code: 'INTERNAL', status: 500 }
  expect(failureAnswer(fault, 'Order-10')).toEqual({ error: fault.message, code: 'INTERNAL', requestId: 'Order-10' })
  const failure = { message: 'Processing failed', code: 'PROCESSING_FAILED', status: 422 }
  expect(failureAnswer(failure, 'Order-11')).toEqual({ error: failure.message, code: failure.code })
})
