import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryPath } from '../helpers/av.ts'
import { until } from '../helpers/pool.ts'
import { readZip } from '../helpers/raw-zip.ts'
import {
  call,
  FIRST_PASSWORD,
  makeUser,
  PASSWORD,
  send,
  signIn,
  startServer,
  type TestServer,
} from '../helpers/server.ts'
import { resize, smallPicture } from '../helpers/server-jobs.ts'

const METRICS_TOKEN = 'metrics-token-of-this-test'

let server: TestServer
let admin: string
let user: string

const get = (path: string, token?: string) => call(server, 'GET', path, token === undefined ? {} : { token })
const entries = async (query: string) => (await get(`/api/v1/audit-log${query}`, admin)).json.entries

beforeAll(async () => {
  server = await startServer({ environment: { METRICS_TOKEN, LOG_LEVEL: 'trace' } })
  admin = await signIn(server)
  user = await makeUser(server, admin, 'quin')
})

describe('the audit log', () => {
  test('records who did what to whom, from where, and no secret', async () => {
    await call(server, 'POST', '/api/auth/login', { body: { username: 'nobody', password: 'Secret-Passw0rd' } })
    const { id } = (await call(server, 'POST', '/api/v1/api-keys', { token: user, body: {} })).json
    await call(server, 'DELETE', `/api/v1/api-keys/${id}`, { token: user })
    await call(server, 'PUT', '/api/v1/settings', { token: admin, body: { note: 'a private word' } })
    const upload = await send(server, '/api/v1/files/upload', [['file', await smallPicture()]], user)
    const ids = upload.json.files.map((file: { id: string }) => file.id)
    await call(server, 'DELETE', '/api/v1/files', { token: user, body: { ids } })
    const all = await entries('')
    const actions = all.map(({ action }: { action: string }) => action)
    for (const action of [
      ...['LOGIN_SUCCESS', 'LOGIN_FAILED', 'USER_CREATED', 'PASSWORD_CHANGED', 'API_KEY_CREATED', 'API_KEY_DELETED'],
      ...['SETTINGS_UPDATED', 'FILE_UPLOADED', 'FILE_DELETED'],
    ])
      expect(actions).toContain(action)
    expect(all[0]).toEqual({
      ...{ id: expect.anything(), actorId: expect.any(String), actorUsername: 'quin', action: 'FILE_DELETED' },
      ...{ targetType: null, targetId: null, details: { ids, deleted: 1 }, ipAddress: '127.0.0.1' },
      createdAt: expect.stringMatching(/Z$/),
    })
    const text = JSON.stringify(all)
    for (const secret of [PASSWORD, FIRST_PASSWORD, 'Secret-Passw0rd', 'a private word', admin, user])
      expect(text).not.toContain(secret)
    expect(actions).not.toContain('TOOL_EXECUTED')
  })

  test('is filtered and paged, and readable with audit:read', async () => {
    const { json } = await get('/api/v1/audit-log?action=LOGIN_FAILED&limit=1', admin)
    expect([json.page, json.limit, json.entries.length]).toEqual([1, 1, 1])
    expect(json.total).toBeGreaterThan(1)
    const [second] = await entries('?action=LOGIN_FAILED&limit=1&page=2')
    expect(second.id).not.toBe(json.entries[0].id)
    expect(await entries('?ip=192.0.2.1')).toEqual([])
    expect(await entries('?from=2999-01-01T00:00:00Z')).toEqual([])
    expect((await entries('?from=not-a-date&to=2999-01-01T00:00:00Z')).length).toBeGreaterThan(3)
    expect((await get('/api/v1/audit-log?limit=1000', admin)).json.limit).toBe(100)
    expect((await get('/api/v1/audit-log', user)).status).toBe(403)
  })

  test('includes runs of tools if the setting is enabled', async () => {
    await call(server, 'PUT', '/api/v1/settings', { token: admin, body: { auditToolOperations: true } })
    const { json } = await resize(server, user)
    const steps = JSON.stringify({ steps: [{ toolId: 'strip-metadata' }] })
    const parts = [['file', await smallPicture()] as const, ['pipeline', steps] as const]
    await send(server, '/api/v1/pipeline/execute', parts, user)
    expect(await entries('?action=TOOL_EXECUTED')).toMatchObject([
      { actorUsername: 'quin', targetType: 'pipeline', details: { files: 1, tools: ['image/strip-metadata'] } },
      { actorUsername: 'quin', targetType: 'tool', targetId: 'resize', details: { files: 1, jobId: json.jobId } },
    ])
  })
})

describe('metrics', () => {
  test('require system:health or the token, in the Prometheus format', async () => {
    await resize(server, user)
    for (const token of [admin, METRICS_TOKEN]) {
      const { status, headers, bytes } = await get('/api/v1/metrics', token)
      expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining('text/plain; version=0.0.4')])
      const text = bytes.toString()
      expect(text).toMatch(/^mediaproc_jobs_total\{tool="resize",status="completed"\} [1-9]\d*$/m)
      expect(text).toMatch(/^mediaproc_http_requests_total\{method="POST",status="2xx"\} [1-9]\d*$/m)
      expect(text).toMatch(/^mediaproc_queue_active 0$/m)
      expect(text).not.toContain('quin')
    }
    const refused = [
      await get('/api/v1/metrics'),
      await get('/api/v1/metrics', user),
      await get('/api/v1/metrics', 'x'),
    ]
    expect(refused.map(({ status }) => status)).toEqual([401, 403, 401])
    expect((await get('/api/v1/settings', METRICS_TOKEN)).status).toBe(401)
  })

  test('are not open to an empty token if none is set', async () => {
    const plain = await startServer()
    for (const authorization of ['Bearer', 'Bearer ', 'Bearer undefined'])
      expect((await call(plain, 'GET', '/api/v1/metrics', { headers: { authorization } })).status).toBe(401)
  })
})

describe('administration', () => {
  test('the state in detail, with engines', async () => {
    const { json } = await get('/api/v1/admin/health', admin)
    expect(json).toMatchObject({
      ...{ status: 'healthy', version: expect.any(String), uptime: expect.stringMatching(/^\d+s$/), database: 'ok' },
      ...{ queue: { active: 0, pending: 0 }, lastBackup: null, enterprise: { active: false } },
      ...{ storage: { mode: 'local', available: expect.any(Number) }, engines: { sharp: { available: true } } },
    })
    expect((await get('/api/v1/admin/health', user)).status).toBe(403)
  })

  test('reads and sets the log level', async () => {
    const post = (level: unknown) => call(server, 'POST', '/api/v1/admin/log-level', { token: admin, body: { level } })
    expect((await get('/api/v1/admin/log-level', admin)).json).toEqual({ level: 'trace' })
    for (const level of ['loud', 5, null]) expect((await post(level)).json.code).toBe('VALIDATION_ERROR')
    expect((await post('warn')).json).toEqual({ level: 'warn' })
    const headers = { 'x-request-id': 'not-logged' }
    await call(server, 'GET', '/api/v1/health', { headers })
    await post('trace')
    await call(server, 'GET', '/api/v1/health', { headers: { 'x-request-id': 'logged-again' } })
    await until(() => server.log().includes('logged-again'))
    expect(server.log()).not.toContain('not-logged')
    expect((await get('/api/v1/admin/log-level', user)).status).toBe(403)
  })

  test('usage counts jobs, tools, users and storage', async () => {
    const { json } = await get('/api/v1/admin/usage?days=1', admin)
    expect(json.days).toBe(1)
    const total = json.jobsPerDay.reduce((sum: number, day: { total: number }) => sum + day.total, 0)
    expect(total).toBeGreaterThan(1)
    expect(json.topTools[0]).toEqual({ toolId: 'resize', runs: expect.any(Number) })
    expect(json.perUser).toEqual([{ username: 'quin', runs: total, bytesIn: expect.any(Number) }])
    expect(json.durations.map(({ pool }: { pool: string }) => pool).sort()).toEqual(['pipeline', 'single'])
    expect(json.storage).toEqual({ libraryBytes: 0, libraryFiles: 0 })
    for (const days of ['0', '366', 'x'])
      expect((await get(`/api/v1/admin/usage?days=${days}`, admin)).json.code).toBe('VALIDATION_ERROR')
  })

  test('the support bundle has the configuration and no secret', async () => {
    const { status, headers, bytes } = await get('/api/v1/admin/support-bundle', admin)
    expect([status, headers.get('content-type')]).toEqual([200, 'application/zip'])
    const path = temporaryPath('support.zip')
    writeFileSync(path, bytes)
    const files = await readZip(path)
    expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(['health.json', 'configuration.json']))
    const text = files.map(({ data }) => data.toString()).join('\n')
    expect(text).toContain('"logLevel": "trace"')
    for (const secret of [METRICS_TOKEN, FIRST_PASSWORD, PASSWORD, admin, user, 'a private word', 'scrypt'])
      expect(text).not.toContain(secret)
    expect((await get('/api/v1/admin/support-bundle', user)).status).toBe(403)
  })
})

test('a bundle enables the tools that declare it', async () => {
  const { bundles } = (await get('/api/v1/features', user)).json
  const enabled = Object.fromEntries(
    bundles.map((one: { id: string; enablesTools: string[] }) => [one.id, one.enablesTools]),
  )
  expect(enabled['face-detection']).toContain('smart-crop')
  expect(enabled['upscale-enhance']).toContain('image-enhancement')
  expect(Object.values(enabled).flat()).not.toContain('resize')
  const install = (tool: string) =>
    call(server, 'POST', `/api/v1/admin/tools/${tool}/features/install`, { token: admin })
  // Its models are part of the package, and the runtime of the checkout.
  const { status, json } = await install('smart-crop')
  expect([status, json]).toEqual([202, { bundles: [{ bundleId: 'face-detection', queued: false, skipped: true }] }])
  expect((await install('resize')).status).toBe(404)
})

test('no log and no other file of the server contains a password, token or key', async () => {
  const { key } = (await call(server, 'POST', '/api/v1/api-keys', { token: user, body: {} })).json
  await get(`/api/v1/tools?token=${key}&password=${PASSWORD}`, key)
  await call(server, 'GET', '/api/v1/tools', { headers: { cookie: `mediaproc-session=${user}` } })
  await call(server, 'POST', '/api/auth/login', { body: { username: 'quin', password: 'Wrong-Secret-1' } })
  await call(server, 'POST', '/api/auth/login', { body: { username: 'quin', password: ['Wrong-Secret-2'] } })
  const parts = [['file', await smallPicture()] as const, ['settings', '{"password":"Setting-Secret-3"}'] as const]
  await send(server, '/api/v1/tools/image/resize', parts, user)
  await server.stop()
  const texts = readdirSync(server.data, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath ?? entry.path, entry.name)).toString('latin1'))
  expect(server.log()).toContain('"path":"/api/v1/tools"')
  for (const secret of [
    ...[key, user, admin, PASSWORD, FIRST_PASSWORD, METRICS_TOKEN],
    ...['Wrong-Secret-1', 'Wrong-Secret-2', 'Setting-Secret-3'],
  ])
    for (const text of [server.log(), ...texts]) expect(text).not.toContain(secret)
})
