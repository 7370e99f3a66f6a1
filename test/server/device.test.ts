/** Sign-in of programs that show a code (RFC 8628). */
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { MAX_DEVICES } from '../../src/accounts/sign-in/device.ts'
import { call, makeUser, PASSWORD, signIn } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'

const PATH = '/api/v1/auth/device'

let server: ServerHere
let admin: string
let user: string

beforeAll(async () => {
  server = await serveHere({ environment: { TRUST_PROXY: 'true', RATE_LIMIT_PER_MIN: '0', LOGIN_ATTEMPT_LIMIT: '0' } })
  admin = await signIn(server)
  user = await makeUser(server, admin, 'dina')
})
afterEach(() => {
  vi.useRealTimers()
})

let networks = 0
/** Each program has an address of its own, unless a test names it. */
const begin = (from = `10.1.${networks++}.1`, client = 'mediaproc on laptop') =>
  call(server, 'POST', PATH, { body: { client_name: client }, headers: { 'x-forwarded-for': from } })
const ask = (code: string, from = '10.0.0.1') =>
  call(server, 'POST', `${PATH}/token`, { body: { device_code: code }, headers: { 'x-forwarded-for': from } })
const answer = (what: 'lookup' | 'approve' | 'refuse', userCode: string, token = user) =>
  call(server, 'POST', `${PATH}/${what}`, { body: { userCode }, token })
/** Programs ask every five seconds. */
const later = (ms: number): void => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })

test('a program gets a key of the person who approves its code, once', async () => {
  const { status, json, headers } = await begin('10.9.8.7')
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect(json).toMatchObject({ expires_in: 600, interval: 5, verification_uri: `${server.base}/device` })
  expect(json.user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
  expect(json.verification_uri_complete).toBe(`${server.base}/device#code=${json.user_code}`)
  const pending = await ask(json.device_code)
  expect([pending.status, pending.json.code]).toEqual([400, 'AUTHORIZATION_PENDING'])
  expect((await ask(json.device_code)).json.code).toBe('SLOW_DOWN')
  const shown = await answer('lookup', json.user_code.toLowerCase().replace('-', ' '))
  expect(shown.json).toMatchObject({ client: 'mediaproc on laptop', address: '10.9.8.7' })
  expect((await answer('approve', json.user_code)).json).toEqual({ ok: true })
  for (const what of ['lookup', 'approve', 'refuse'] as const)
    expect((await answer(what, json.user_code)).json.code).toBe('INVALID_USER_CODE')
  later(5000)
  const given = await ask(json.device_code)
  expect(given.json).toMatchObject({
    token_type: 'Bearer',
    username: 'dina',
    access_token: expect.stringMatching(/^si_/),
  })
  const { apiKeys } = (await call(server, 'GET', '/api/v1/api-keys', { token: given.json.access_token })).json
  expect(apiKeys).toMatchObject([{ id: given.json.key_id, name: 'mediaproc on laptop', permissions: null }])
  later(5000)
  expect((await ask(json.device_code)).json.code).toBe('EXPIRED_TOKEN')
  const { entries } = (await call(server, 'GET', '/api/v1/audit-log?limit=10', { token: admin })).json
  const actions = entries.map(({ action }: { action: string }) => action)
  expect(actions).toEqual(expect.arrayContaining(['DEVICE_APPROVED', 'API_KEY_CREATED', 'DEVICE_CODE_WRONG']))
})

test('codes are stored as hashes', async () => {
  const { json } = await begin()
  const [id, token] = json.device_code.split('.')
  const ticket = await server.context.store.tickets.byId(id)
  expect(ticket?.kind).toBe('device')
  const stored = JSON.stringify(ticket)
  expect(stored).not.toContain(token)
  expect(stored).not.toContain(json.user_code)
  // The id alone is no code of a program.
  for (const code of [id, `${id}.`, `${id}.${'A'.repeat(43)}`, '.', 'none'])
    expect((await ask(code)).json.code).toBe('EXPIRED_TOKEN')
})

test('a refused program is denied', async () => {
  const { json } = await begin()
  expect((await answer('refuse', json.user_code)).json).toEqual({ ok: true })
  const denied = await ask(json.device_code)
  expect([denied.status, denied.json.code]).toEqual([400, 'ACCESS_DENIED'])
})

test('a code expires after ten minutes', async () => {
  const { json } = await begin()
  later(600_001)
  expect((await answer('refuse', json.user_code)).json.code).toBe('INVALID_USER_CODE')
  expect((await ask(json.device_code)).json.code).toBe('EXPIRED_TOKEN')
})

test('only a session may approve, with a recent confirmation and the permission for keys', async () => {
  const { json } = await begin()
  const { key } = (await call(server, 'POST', '/api/v1/api-keys', { token: user, body: { name: 'k' } })).json
  for (const what of ['lookup', 'approve', 'refuse'] as const) {
    expect((await answer(what, json.user_code, key)).json.code).toBe('SESSION_REQUIRED')
    expect((await answer(what, json.user_code, 'none')).json.code).toBe('SESSION_INVALID')
  }
  await call(server, 'POST', '/api/v1/roles', { token: admin, body: { name: 'keyless', permissions: ['tools:use'] } })
  const keyless = await makeUser(server, admin, 'kuno', 'keyless')
  expect((await answer('approve', json.user_code, keyless)).json.code).toBe('FORBIDDEN')
  // Another site must not use the browser's cookie.
  const headers = { cookie: `mediaproc-session=${user}`, origin: 'https://evil.example' }
  const foreign = await call(server, 'POST', `${PATH}/approve`, { body: { userCode: json.user_code }, headers })
  expect([foreign.status, foreign.json.code]).toEqual([403, 'FORBIDDEN'])
  later(11 * 60_000)
  const { json: second } = await begin()
  expect((await answer('approve', second.user_code)).json.code).toBe('CONFIRMATION_REQUIRED')
  expect((await answer('refuse', second.user_code)).status).toBe(200)
})

test('a change of the account after the approval denies the key', async () => {
  const token = await makeUser(server, admin, 'paul')
  const { json } = await begin()
  expect((await answer('approve', json.user_code, token)).status).toBe(200)
  const body = { currentPassword: PASSWORD, newPassword: 'Another-Horse-8-Staple' }
  expect((await call(server, 'POST', '/api/auth/change-password', { token, body })).status).toBe(200)
  expect((await ask(json.device_code)).json.code).toBe('ACCESS_DENIED')
})

test('approvals and questions that race: one approval, one key', async () => {
  const token = await makeUser(server, admin, 'rita')
  const { json } = await begin()
  const approvals = await Promise.all(Array.from({ length: 5 }, () => answer('approve', json.user_code, token)))
  expect(approvals.filter(({ status }) => status === 200).length).toBe(1)
  const asked = await Promise.all(Array.from({ length: 5 }, () => ask(json.device_code)))
  expect(asked.filter(({ status }) => status === 200).length).toBe(1)
  expect((await call(server, 'GET', '/api/v1/api-keys', { token })).json.apiKeys.length).toBe(1)
})

test('guesses of codes are limited as sign-ins are', async () => {
  const token = await makeUser(server, admin, 'gero')
  const codes = Array.from({ length: 10 }, (_, index) => `BBBB-BBB${'BCDFGHJKLM'[index]}`)
  for (const code of codes) expect((await answer('lookup', code, token)).json.code).toBe('INVALID_USER_CODE')
  const refused = await answer('lookup', 'BBBB-BBBB', token)
  expect([refused.status, refused.json.code]).toEqual([429, 'RATE_LIMITED'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(60)
  // The second factor of the user is not affected, and neither are others.
  expect((await answer('lookup', 'BBBB-BBBB')).json.code).toBe('INVALID_USER_CODE')
})

test('waiting programs are limited for each network, and decided or expired ones do not count', async () => {
  const from = '10.7.7.7'
  const started = []
  for (let index = 0; index < MAX_DEVICES.ofNetwork; index++) started.push(await begin(from))
  const refused = await begin(from)
  expect([refused.status, refused.json.code, refused.headers.get('retry-after')]).toEqual([429, 'RATE_LIMITED', '60'])
  expect((await begin('10.7.7.8')).status).toBe(200)
  await answer('refuse', started[0]?.json.user_code)
  expect((await begin(from)).status).toBe(200)
  expect((await begin(from)).status).toBe(429)
  later(600_001)
  expect((await begin(from)).status).toBe(200)
})

test('waiting programs are limited in all', async () => {
  later(700_000)
  const { tickets } = server.context.store
  const expiresAt = new Date(Date.now() + 60_000).toISOString()
  const device = { token: 't', client: 'c', startedAt: expiresAt, state: 'waiting' as const }
  const ids = Array.from({ length: MAX_DEVICES.inAll }, (_, index) => `w${index}`)
  for (const [index, id] of ids.entries()) {
    const address = `10.${Math.floor(index / 250) + 100}.${index % 250}.1`
    await tickets.put({ id, kind: 'device', userId: 'device', tries: 0, expiresAt, device: { ...device, address } })
  }
  expect((await begin('10.6.6.6')).json.code).toBe('RATE_LIMITED')
  await tickets.removeDead(expiresAt)
  expect((await begin('10.6.6.6')).status).toBe(200)
})

test('names are shown without characters that hide others, and have a limit', async () => {
  const { json } = await begin(undefined, ' lap\u202etop\u0007 ')
  expect((await answer('lookup', json.user_code)).json.client).toBe('laptop')
  const { json: nameless } = await begin(undefined, '\u200b')
  expect((await answer('lookup', nameless.user_code)).json.client).toBe('a program')
  expect((await begin(undefined, 'x'.repeat(101))).json.code).toBe('VALIDATION_ERROR')
})

test('the setting turns it off, and config/auth and the sources say so', async () => {
  const offered = async () => (await call(server, 'GET', '/api/v1/config/auth')).json.deviceEnabled
  const source = async () =>
    (await call(server, 'GET', '/api/v1/admin/sign-in-sources', { token: admin })).json.sources.at(-1)
  const { json } = await begin()
  expect([await offered(), await source()]).toMatchObject([true, { kind: 'device', enabled: true }])
  const set = (deviceSignIn: string) =>
    call(server, 'PUT', '/api/v1/settings', { token: admin, body: { deviceSignIn } })
  expect((await set('false')).status).toBe(200)
  expect([await offered(), await source()]).toMatchObject([false, { kind: 'device', enabled: false }])
  const answers = [await begin(), await ask(json.device_code), await answer('approve', json.user_code)]
  expect(answers.map(({ json: { code } }) => code)).toEqual(new Array(3).fill('FEATURE_NOT_LICENSED'))
  await set('true')
  expect((await begin()).status).toBe(200)
})

test('a server without accounts, or without its console, does not offer it', async () => {
  const open = await serveHere({ environment: { AUTH_ENABLED: 'false' } })
  expect((await call(open, 'POST', PATH, { body: {} })).json.code).toBe('AUTH_DISABLED')
  await open.stop()
  const bare = await serveHere({ environment: { CONSOLE: 'false' } })
  expect((await call(bare, 'GET', '/api/v1/config/auth')).json.deviceEnabled).toBe(false)
  expect((await call(bare, 'POST', PATH, { body: {} })).json.code).toBe('FEATURE_NOT_LICENSED')
  await bare.stop()
})
