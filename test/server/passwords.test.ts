import { beforeAll, describe, expect, test } from 'vitest'
import { call, FIRST_PASSWORD, makeUser, PASSWORD, type Served, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'

let server: Served
let admin: string

const login = (username: string, password: string, at = server) =>
  call(at, 'POST', '/api/auth/login', { body: { username, password } })
const change = (token: string | undefined, currentPassword: string, newPassword: string) =>
  call(server, 'POST', '/api/auth/change-password', { ...(token && { token }), body: { currentPassword, newPassword } })
const settings = (body: Record<string, unknown>) => call(server, 'PUT', '/api/v1/settings', { token: admin, body })

beforeAll(async () => {
  server = await serveHere()
  admin = await signIn(server)
})

describe('the first password', () => {
  test('must be changed before anything else, and only once', async () => {
    await call(server, 'POST', '/api/auth/register', {
      token: admin,
      body: { username: 'fresh', password: FIRST_PASSWORD },
    })
    const { token, user } = (await login('fresh', FIRST_PASSWORD)).json
    expect(user.mustChangePassword).toBe(true)
    for (const path of ['/api/v1/tools', '/api/v1/files', '/api/v1/preferences'])
      expect((await call(server, 'GET', path, { token })).json.code).toBe('MUST_CHANGE_PASSWORD')
    expect((await call(server, 'GET', '/api/auth/session', { token })).json.user.mustChangePassword).toBe(true)
    expect((await change(token, FIRST_PASSWORD, PASSWORD)).json).toEqual({ ok: true })
    expect((await call(server, 'GET', '/api/v1/tools', { token })).status).toBe(200)
    expect((await login('fresh', PASSWORD)).json.user.mustChangePassword).toBe(false)
  })

  test('need not be changed with SKIP_MUST_CHANGE_PASSWORD=true', async () => {
    const lax = await serveHere({ environment: { SKIP_MUST_CHANGE_PASSWORD: 'true' } })
    const { token, user } = (await login('admin', FIRST_PASSWORD, lax)).json
    expect(user.mustChangePassword).toBe(false)
    expect((await call(lax, 'GET', '/api/v1/settings', { token })).status).toBe(200)
  })
})

describe('a change', () => {
  test('ends other sessions and all keys, and keeps its own session', async () => {
    const first = await makeUser(server, admin, 'gina')
    const second = (await login('gina', PASSWORD)).json.token
    const { key } = (await call(server, 'POST', '/api/v1/api-keys', { token: first, body: {} })).json
    expect((await change(first, PASSWORD, 'Third-Passw0rd-3')).status).toBe(200)
    const statusOf = async (token: string) => (await call(server, 'GET', '/api/v1/tools', { token })).status
    expect([await statusOf(first), await statusOf(second), await statusOf(key)]).toEqual([200, 401, 401])
    expect((await login('gina', PASSWORD)).status).toBe(401)
    expect((await login('gina', 'Third-Passw0rd-3')).status).toBe(200)
  })

  test('requires the current password, a session, and both fields', async () => {
    const token = await makeUser(server, admin, 'hugo')
    expect((await change(token, 'Wrong-Passw0rd', 'Third-Passw0rd-3')).json.code).toBe('INVALID_PASSWORD')
    expect((await change(undefined, PASSWORD, 'Third-Passw0rd-3')).json.code).toBe('AUTH_REQUIRED')
    const { key } = (await call(server, 'POST', '/api/v1/api-keys', { token, body: {} })).json
    const byKey = await change(key, PASSWORD, 'Third-Passw0rd-3')
    expect([byKey.status, byKey.json.code]).toEqual([403, 'SESSION_REQUIRED'])
    const half = await call(server, 'POST', '/api/auth/change-password', { token, body: { currentPassword: PASSWORD } })
    expect([half.status, half.json.code]).toEqual([400, 'VALIDATION_ERROR'])
  })
})

describe('the policy', () => {
  const register = async (username: string, password: string) => {
    const body = { username, password }
    const { status, json } = await call(server, 'POST', '/api/auth/register', { token: admin, body })
    return [status, json.rule]
  }

  test.each([
    ['Sh0rt-a', 'minLength'],
    ['lower-case-0nly', 'uppercase'],
    ['UPPER-CASE-0NLY', 'lowercase'],
    ['No-Digits-Here', 'digit'],
    ['Tab\tInside-0', 'controlCharacter'],
    [`Aa0${'x'.repeat(1022)}`, 'maxLength'],
  ])('refuses %j by the rule %s', async (password, rule) => {
    expect(await register('nobody', password)).toEqual([400, rule])
  })

  test('refuses the current password as the new one, in any normal form of Unicode', async () => {
    const token = await makeUser(server, admin, 'irma')
    expect((await change(token, PASSWORD, PASSWORD)).json).toMatchObject({ code: 'VALIDATION_ERROR', rule: 'reused' })
    expect((await change(token, PASSWORD, 'Stra\u00dfe-Caf\u00e9-1')).status).toBe(200)
    expect((await login('irma', 'Stra\u00dfe-Cafe\u0301-1')).status).toBe(200)
  })

  test('applies changed settings immediately', async () => {
    await settings({ passwordMinLength: 4, passwordRequireUppercase: false, passwordRequireDigit: false })
    expect(await register('jan', 'abcd')).toEqual([201, undefined])
    await settings({ passwordRequireSpecial: true, passwordRequireLowercase: false })
    expect(await register('kim', 'abcd')).toEqual([400, 'special'])
    expect(await register('kim', 'AB-CD')).toEqual([201, undefined])
    await settings({ passwordMinLength: 12 })
    expect(await register('lea', 'AB-CD')).toEqual([400, 'minLength'])
  })
})

describe('guessing', () => {
  test('ten wrong passwords lock the account for their address, in any spelling, and no other one', async () => {
    const fresh = await serveHere()
    const token = await signIn(fresh)
    await makeUser(fresh, token, 'Mona')
    for (let count = 0; count < 10; count += 1)
      expect((await login(count % 2 ? 'MONA' : 'mona', `Wrong-Passw0rd-${count}`, fresh)).status).toBe(401)
    const { status, json, headers } = await login('Mona', PASSWORD, fresh)
    expect([status, json.code]).toEqual([429, 'RATE_LIMITED'])
    expect(Number(headers.get('retry-after'))).toBe(json.retryAfter)
    expect(json.retryAfter).toBeGreaterThan(800)
    expect((await login('admin', PASSWORD, fresh)).status).toBe(200)
  })

  test('LOGIN_ATTEMPT_LIMIT per address and minute; the setting overrides it; 0 disables it', async () => {
    const strict = await serveHere({ environment: { LOGIN_ATTEMPT_LIMIT: '4' } })
    const token = await signIn(strict)
    const statuses = async (count: number) => {
      const all: number[] = []
      for (let index = 0; index < count; index += 1) all.push((await login('nobody', 'x', strict)).status)
      return all
    }
    // The sign-in used two of the four.
    expect(await statuses(3)).toEqual([401, 401, 429])
    const put = (loginAttemptLimit: number) =>
      call(strict, 'PUT', '/api/v1/settings', { token, body: { loginAttemptLimit } })
    await put(6)
    expect(await statuses(2)).toEqual([401, 429])
    await put(0)
    expect(await statuses(2)).toEqual([401, 401])
  })

  test('rateLimitPerUser counts all requests of one user, and no others', async () => {
    const limited = await serveHere()
    const token = await signIn(limited)
    const nina = await makeUser(limited, token, 'nina')
    await call(limited, 'PUT', '/api/v1/settings', { token, body: { rateLimitPerUser: 20 } })
    let answer = await call(limited, 'GET', '/api/v1/tools/popular', { token: nina })
    for (let count = 0; answer.status === 200 && count < 25; count += 1)
      answer = await call(limited, 'GET', '/api/v1/tools/popular', { token: nina })
    expect([answer.status, answer.json]).toEqual([
      429,
      { error: 'Rate limit exceeded', code: 'RATE_LIMITED', retryAfter: 60, details: expect.any(String) },
    ])
    expect(answer.headers.get('retry-after')).toBe('60')
    expect((await call(limited, 'GET', '/api/v1/nothing', { token: nina })).status).toBe(429)
    expect((await call(limited, 'GET', '/api/v1/tools/popular', { token })).status).toBe(200)
  })
})
