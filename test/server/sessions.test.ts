import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { until } from '../helpers/pool.ts'
import { call, FIRST_PASSWORD, makeUser, PASSWORD, type Served, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/mediaproc.js', import.meta.url))

let server: Served
let admin: string

const login = (username: string, password: string, at = server) =>
  call(at, 'POST', '/api/auth/login', { body: { username, password } })
const session = (token: string, at = server) => call(at, 'GET', '/api/auth/session', { token })

beforeAll(async () => {
  server = await serveHere()
  admin = await signIn(server)
})

describe('signing in', () => {
  test('returns a token, the user and a cookie with the same expiry', async () => {
    const { status, json, headers } = await login('admin', PASSWORD)
    expect(status).toBe(200)
    expect(json).toEqual({
      token: expect.stringMatching(/^[\w-]{43}$/),
      user: {
        ...{ id: expect.any(String), username: 'admin', role: 'admin', mustChangePassword: false },
        ...{ permissions: expect.arrayContaining(['users:manage', 'tools:use']), teamName: 'Default' },
      },
      expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    const days = (Date.parse(json.expiresAt) - Date.now()) / 86_400_000
    expect(days).toBeCloseTo(7, 2)
    const cookie = headers.getSetCookie()[0]!.split('; ')
    expect(cookie[0]).toBe(`mediaproc-session=${json.token}`)
    expect(new Set(cookie.slice(1))).toEqual(new Set(['Max-Age=604800', 'Path=/', 'HttpOnly', 'SameSite=Strict']))
  })

  test('the cookie is Secure if the server has an https address', async () => {
    const secure = await serveHere({ environment: { EXTERNAL_URL: 'https://media.example' } })
    const { headers } = await login('admin', FIRST_PASSWORD, secure)
    expect(headers.getSetCookie()[0]).toContain('; Secure')
  })

  test('never reveals the reason: unknown user, wrong password, NUL', async () => {
    const bodies = []
    for (const [username, password] of [
      ['admin', 'Wrong-Passw0rd'],
      ['nobody', PASSWORD],
      ['admin\0', PASSWORD],
    ]) {
      const { status, json, headers } = await login(username!, password!)
      expect([status, headers.getSetCookie()]).toEqual([401, []])
      bodies.push(json)
    }
    expect(bodies[0].code).toBe('INVALID_CREDENTIALS')
    expect(bodies).toEqual([bodies[0], bodies[0], bodies[0]])
  })

  test.each([
    ['an empty name', { username: '', password: 'x' }],
    ['no password', { username: 'admin' }],
    ['a long name', { username: 'a'.repeat(256), password: 'x' }],
    ['a long password', { username: 'admin', password: 'x'.repeat(1025) }],
    ['no text', { username: 1, password: true }],
  ])('is refused with %s', async (_what, body) => {
    const { status, json } = await call(server, 'POST', '/api/auth/login', { body })
    expect([status, json.code]).toEqual([400, 'VALIDATION_ERROR'])
  })

  test('returns 404 for sign-in methods that this version lacks, without a credential', async () => {
    for (const path of ['oidc/login', 'oidc/callback?code=1&state=2', 'saml/metadata', 'saml/login'])
      expect((await call(server, 'GET', `/api/auth/${path}`)).json).toEqual({ error: 'Not found', code: 'NOT_FOUND' })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const form = await fetch(`${server.base}/api/auth/saml/callback`, {
      method: 'POST',
      headers,
      body: 'SAMLResponse=x',
    })
    expect(form.status).toBe(404)
  })
})

describe('a session', () => {
  test('is described to its token and to its cookie; not to an API key', async () => {
    const { status, json } = await session(admin)
    expect(status).toBe(200)
    expect(json.user).toMatchObject({
      ...{ username: 'admin', role: 'admin', authProvider: 'local', loginMethod: 'local', email: null },
      ...{ hasLocalPassword: true, hasOidcLink: false, teamName: 'Default', mustChangePassword: false },
    })
    const byCookie = await call(server, 'GET', '/api/auth/session', {
      headers: { cookie: `mediaproc-session=${admin}` },
    })
    expect(byCookie.json).toEqual(json)
    const { key } = (await call(server, 'POST', '/api/v1/api-keys', { token: admin, body: {} })).json
    expect((await session(key)).json.code).toBe('SESSION_INVALID')
    expect((await call(server, 'GET', '/api/auth/session')).json.code).toBe('AUTH_REQUIRED')
  })

  test('the header overrides the cookie', async () => {
    const carol = await makeUser(server, admin, 'carol')
    const headers = { cookie: `mediaproc-session=${carol}` }
    const { json } = await call(server, 'GET', '/api/auth/session', { token: admin, headers })
    expect(json.user.username).toBe('admin')
    const wrong = await call(server, 'GET', '/api/auth/session', { token: 'wrong', headers })
    expect(wrong.json.code).toBe('SESSION_INVALID')
  })

  test('with a cookie, pages of other origins cannot change anything', async () => {
    const cookie = `mediaproc-session=${admin}`
    const put = (headers: Record<string, string>) =>
      call(server, 'PUT', '/api/v1/preferences', { body: { theme: 'dark' }, headers })
    for (const origin of ['https://evil.example', 'null', `${server.base}.evil.example`]) {
      const { status, json } = await put({ cookie, origin })
      expect([status, json.code]).toEqual([403, 'FORBIDDEN'])
    }
    expect((await put({ cookie, origin: server.base })).status).toBe(200)
    expect((await put({ cookie })).status).toBe(200)
    expect((await put({ authorization: `Bearer ${admin}`, origin: 'https://evil.example' })).status).toBe(200)
    const read = { headers: { cookie, origin: 'https://evil.example' } }
    expect((await call(server, 'GET', '/api/v1/preferences', read)).status).toBe(200)
  })

  test('ends with its sign-out and removes the cookie; a key remains', async () => {
    const { token } = (await login('admin', PASSWORD)).json
    const { json, headers } = await call(server, 'POST', '/api/auth/logout', { token })
    expect(json).toEqual({ ok: true })
    expect(headers.getSetCookie()[0]).toMatch(/^mediaproc-session=; .*Expires=Thu, 01 Jan 1970/)
    expect((await session(token)).json.code).toBe('SESSION_INVALID')
    expect((await call(server, 'POST', '/api/auth/logout')).status).toBe(401)
    const { key } = (await call(server, 'POST', '/api/v1/api-keys', { token: admin, body: {} })).json
    expect((await call(server, 'POST', '/api/auth/logout', { token: key })).json).toEqual({ ok: true })
    expect((await call(server, 'GET', '/api/v1/tools', { token: key })).status).toBe(200)
  })

  test('is replaced by newer ones if the setting says so', async () => {
    const setting = (maxSessionsPerUser: string) =>
      call(server, 'PUT', '/api/v1/settings', { token: admin, body: { maxSessionsPerUser } })
    await makeUser(server, admin, 'dora')
    await setting('2')
    const tokens: string[] = []
    for (let count = 0; count < 3; count += 1) tokens.push((await login('dora', PASSWORD)).json.token)
    expect(await Promise.all(tokens.map(async (token) => (await session(token)).status))).toEqual([401, 200, 200])
    await setting('0')
  })
})

test('a session lives as long as SESSION_DURATION_HOURS, and idles as long as the setting', async () => {
  const first = await serveHere({ environment: { SESSION_DURATION_HOURS: '0.001' } })
  const short = (await login('admin', FIRST_PASSWORD, first)).json
  await until(() => Date.parse(short.expiresAt) < Date.now())
  expect((await session(short.token, first)).json.code).toBe('SESSION_INVALID')
  await first.stop()

  const second = await serveHere({ data: first.data })
  const token = await signIn(second)
  // The sweep at the start would remove the sessions completely.
  const settings = { sessionIdleTimeoutMinutes: 5, startupCleanup: false }
  expect((await call(second, 'PUT', '/api/v1/settings', { token, body: settings })).status).toBe(200)
  await second.stop()
  // Instead of waiting five minutes, the test changes the last use of the sessions.
  const path = join(second.data, 'accounts.json')
  const before = new Date(Date.now() - 5 * 60_000).toISOString()
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/("lastSeenAt": ?)"[^"]+"/g, `$1"${before}"`))
  // Edited records are read as documented.
  writeFileSync(join(second.data, 'format.json'), '{"format":3}')
  const third = await serveHere({ data: first.data })
  const { status, json } = await session(token, third)
  expect([status, json.code]).toEqual([401, 'IDLE_TIMEOUT'])
})

test('AUTH_ENABLED=false: every caller is the administrator, and the server only listens on this machine', async () => {
  const data = mkdtempSync(join(tmpdir(), 'mediaproc-open-'))
  const environment = { ...process.env, AUTH_ENABLED: 'false', HOST: '' }
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--port', '0', '--data', data], { env: environment })
  let log = ''
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString()
  })
  try {
    const [chunk] = (await once(child.stdout, 'data')) as [Buffer]
    const base = chunk.toString().trim()
    expect(base).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    const open = { ...server, base }
    const { json } = await call(open, 'GET', '/api/auth/session')
    expect(json).toMatchObject({ user: { username: 'anonymous', role: 'admin' }, expiresAt: null })
    expect((await login('admin', FIRST_PASSWORD, open)).json.code).toBe('AUTH_DISABLED')
    expect((await call(open, 'GET', '/api/v1/config/auth')).json).toEqual({ authEnabled: false })
    expect((await call(open, 'GET', '/api/v1/settings', { token: 'anything' })).status).toBe(200)
    expect(log).toContain('authentication is off')
  } finally {
    child.kill('SIGKILL')
    rmSync(data, { recursive: true, force: true })
  }
})
