import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { call, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const ready = { ok: true, postgres: true, redis: true, disk: true, s3: true }
const [FIRST, SLOW] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222']

const record = {
  ...{
    id: FIRST,
    clientJobId: null,
    ownerId: null,
    type: 'single',
    toolId: 'resize',
    status: 'completed',
    percent: 100,
  },
  ...{ stage: null, createdAt: '2026-01-01T00:00:00.000Z', startedAt: null, completedAt: '2026-01-01T00:00:01.000Z' },
  ...{ attempts: 1, inputBytes: 1, outputs: [], result: null, error: null, expiresAt: null },
}

test('a server that is still reading its jobs responds, and is not ready', async () => {
  const data = mkdtempSync(join(temporaryFolder(), 'data-'))
  for (const id of [FIRST, SLOW]) mkdirSync(join(data, 'workspace', id), { recursive: true })
  writeFileSync(join(data, 'workspace', FIRST, 'job.json'), JSON.stringify(record))
  // Opening blocks until there is a writer.
  const slow = join(data, 'workspace', SLOW, 'job.json')
  execFileSync('mkfifo', [slow])
  const server = await serveHere({ data })
  const token = await signIn(server)
  const readyz = () => call(server, 'GET', '/api/v1/readyz')
  expect(await readyz()).toMatchObject({ status: 503, json: { ...ready, ok: false, postgres: false } })
  expect((await call(server, 'GET', `/api/v1/jobs/${FIRST}`, { token })).json).toMatchObject({ status: 'completed' })
  writeFileSync(slow, 'damaged')
  // A request by a client's id waits until all are read.
  expect((await call(server, 'GET', '/api/v1/jobs/named-by-a-client', { token })).status).toBe(404)
  expect(await readyz()).toMatchObject({ status: 200, json: ready })
  expect((await call(server, 'GET', `/api/v1/jobs/${SLOW}`, { token })).status).toBe(404)
})
