/** A stolen session must not become permanent. */
import { beforeAll, expect, test, vi } from 'vitest'
import { call, makeUser, PASSWORD, signIn } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'
import { totpCode } from '../helpers/totp.ts'

let server: ServerHere
let admin: string

beforeAll(async () => {
  server = await serveHere()
  admin = await signIn(server)
})

const post = (path: string, body: object, token: string) => call(server, 'POST', path, { body, token })

async function idOf(username: string): Promise<string> {
  const { users } = (await call(server, 'GET', '/api/auth/users', { token: admin })).json
  return users.find((user: { username: string }) => user.username === username).id
}

test('an old session cannot make persistent changes until its user re-authenticates', async () => {
  const user = await makeUser(server, admin, 'vera')
  const id = await idOf('vera')
  const newPassword = 'Another-Horse-8-Staple'
  const tried = async (token: string) => [
    (await post('/api/v1/api-keys', { name: 'spare' }, token)).status,
    (await post('/api/auth/mfa/enroll', {}, token)).status,
  ]
  const byAdmin = async () =>
    Promise.all([
      call(server, 'PUT', `/api/auth/users/${id}`, { token: admin, body: { email: 'vera@example.org' } }),
      post(`/api/auth/users/${id}/reset-password`, { newPassword }, admin),
      post(`/api/auth/users/${id}/mfa/reset`, {}, admin),
      call(server, 'DELETE', `/api/auth/users/${id}/sessions`, { token: admin }),
    ])
  const key = (await post('/api/v1/api-keys', { name: 'machine' }, user)).json.key
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11 * 60_000 })
  try {
    expect(await tried(user)).toEqual([403, 403])
    for (const { status, json } of await byAdmin()) expect([status, json.code]).toEqual([403, 'CONFIRMATION_REQUIRED'])
    // A key has no password to prove, and has its own permissions.
    expect((await post('/api/v1/api-keys', { name: 'of a key' }, key)).status).toBe(201)
    expect((await call(server, 'GET', '/api/v1/api-keys', { token: user })).status).toBe(200)
    expect((await post('/api/auth/confirm', { password: 'wrong' }, user)).json.code).toBe('INVALID_PASSWORD')
    expect((await post('/api/auth/confirm', {}, user)).json.code).toBe('VALIDATION_ERROR')
    expect((await post('/api/auth/confirm', { password: PASSWORD }, key)).json.code).toBe('SESSION_REQUIRED')
    expect((await post('/api/auth/confirm', { code: '123456' }, user)).json.code).toBe('MFA_NOT_ENABLED')
    expect(await tried(user)).toEqual([403, 403])
    expect((await post('/api/auth/confirm', { password: PASSWORD }, user)).json).toEqual({ ok: true })
    expect(await tried(user)).toEqual([201, 200])
    // A sign-in counts as well.
    const { json } = await call(server, 'POST', '/api/auth/login', { body: { username: 'vera', password: PASSWORD } })
    expect(await tried(json.token)).toEqual([201, 200])
    expect((await post('/api/auth/confirm', { password: PASSWORD }, admin)).status).toBe(200)
    expect((await byAdmin()).map(({ status }) => status)).toEqual([200, 200, expect.any(Number), 200])
  } finally {
    vi.useRealTimers()
  }
})

test('a code of the second factor re-authenticates once, too', async () => {
  const token = await makeUser(server, admin, 'olga')
  const { secret } = (await post('/api/auth/mfa/enroll', {}, token)).json
  const code = () => totpCode(secret, Math.floor(Date.now() / 1000))
  await post('/api/auth/mfa/verify', { code: await code() }, token)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11 * 60_000 })
  try {
    const now = await code()
    expect((await post('/api/v1/api-keys', {}, token)).json.code).toBe('CONFIRMATION_REQUIRED')
    expect((await post('/api/auth/confirm', { code: now }, token)).json).toEqual({ ok: true })
    expect((await post('/api/v1/api-keys', {}, token)).status).toBe(201)
    expect((await post('/api/auth/confirm', { code: now }, token)).json.code).toBe('INVALID_CODE')
  } finally {
    vi.useRealTimers()
  }
})
