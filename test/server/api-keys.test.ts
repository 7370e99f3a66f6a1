import { beforeAll, describe, expect, test } from 'vitest'
import { until } from '../helpers/pool.ts'
import { call, makeUser, type Served, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'

let server: Served
let admin: string
let user: string

const make = (token: string, body: Record<string, unknown> = {}) =>
  call(server, 'POST', '/api/v1/api-keys', { token, body })
const list = async (token: string) => (await call(server, 'GET', '/api/v1/api-keys', { token })).json.apiKeys
const remove = (token: string, id: string) => call(server, 'DELETE', `/api/v1/api-keys/${id}`, { token })
const statusOf = async (token: string, path = '/api/v1/tools') => (await call(server, 'GET', path, { token })).status

beforeAll(async () => {
  server = await serveHere()
  admin = await signIn(server)
  user = await makeUser(server, admin, 'tess')
})

describe('a key', () => {
  test('is shown once, and works like a session', async () => {
    const { status, json } = await make(user)
    expect([status, json]).toEqual([
      201,
      {
        id: expect.any(String),
        key: expect.stringMatching(/^si_[0-9a-f]{96}$/),
        name: 'Default API Key',
        permissions: null,
        expiresAt: null,
        createdAt: expect.stringMatching(/Z$/),
      },
    ])
    expect(await statusOf(json.key)).toBe(200)
    const [listed] = await list(user)
    expect(listed).toEqual({
      ...{ id: json.id, name: 'Default API Key', permissions: null, createdAt: json.createdAt, expiresAt: null },
      lastUsedAt: expect.stringMatching(/Z$/),
    })
    expect(JSON.stringify(await list(user))).not.toContain(json.key.slice(3, 30))
  })

  test("has the intersection of its scope and the user's role", async () => {
    const { key } = (await make(user, { permissions: ['files:own'] })).json
    expect(await statusOf(key, '/api/v1/files')).toBe(200)
    expect(await statusOf(key, '/api/v1/settings')).toBe(403)
    expect(await statusOf(key, '/api/v1/api-keys')).toBe(403)
    const wide = (await make(admin, { permissions: ['settings:read', 'audit:read'] })).json
    expect(wide.permissions).toEqual(['settings:read', 'audit:read'])
    expect(await statusOf(wide.key, '/api/v1/audit-log')).toBe(200)
    expect(await statusOf(wide.key, '/api/v1/files')).toBe(403)
  })

  test('created with a key never has more permissions or a later expiry', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    const parent = (await make(admin, { permissions: ['apikeys:own', 'settings:read'], expiresAt })).json.key
    const whole = (await make(parent)).json
    expect([whole.permissions, whole.expiresAt]).toEqual([['apikeys:own', 'settings:read'], expiresAt])
    expect(await statusOf(whole.key, '/api/v1/settings')).toBe(200)
    expect(await statusOf(whole.key, '/api/v1/audit-log')).toBe(403)
    expect((await make(parent, { permissions: ['audit:read'] })).json.code).toBe('VALIDATION_ERROR')
    const later = new Date(Date.now() + 7_200_000).toISOString()
    expect((await make(parent, { expiresAt: later })).json.code).toBe('VALIDATION_ERROR')
  })

  test('expires', async () => {
    const expiresAt = new Date(Date.now() + 1500).toISOString()
    const { key } = (await make(user, { expiresAt })).json
    expect(await statusOf(key)).toBe(200)
    await until(() => Date.parse(expiresAt) <= Date.now())
    const { status, json } = await call(server, 'GET', '/api/v1/tools', { token: key })
    expect([status, json.code]).toEqual([401, 'SESSION_INVALID'])
  })

  test('can be deleted by its owner and by users with apikeys:all only', async () => {
    const other = await makeUser(server, admin, 'ugo')
    const [one, two] = [(await make(user)).json, (await make(user)).json]
    const foreign = await remove(other, one.id)
    expect([foreign.status, foreign.json.code]).toEqual([404, 'NOT_FOUND'])
    expect((await remove(user, 'nothing')).json).toEqual({ ...foreign.json, error: expect.any(String) })
    expect((await remove(user, one.id)).json).toEqual({ ok: true })
    expect((await remove(admin, two.id)).json).toEqual({ ok: true })
    expect([await statusOf(one.key), await statusOf(two.key)]).toEqual([401, 401])
    expect((await remove(user, one.id)).status).toBe(404)
  })
})

describe('lists', () => {
  test('contain own keys; with apikeys:all those of all users, with their owners', async () => {
    const own = await list(user)
    expect(own.every((key: object) => !('userId' in key))).toBe(true)
    const all = await list(admin)
    expect(all.length).toBeGreaterThan(own.length)
    const names = new Set(all.map(({ username }: { username: string }) => username))
    expect(names).toEqual(new Set(['admin', 'tess']))
  })
})

describe('is refused', () => {
  let fresh: Served
  let token: string
  beforeAll(async () => {
    fresh = await serveHere({ environment: { RATE_LIMIT_PER_MIN: '1000' } })
    token = await makeUser(fresh, await signIn(fresh), 'vera')
  })

  test.each([
    ['a long name', { name: 'x'.repeat(101) }],
    ['a permission that the caller lacks', { permissions: ['users:manage'] }],
    ['a permission that is none', { permissions: ['everything'] }],
    ['a date that is none', { expiresAt: 'tomorrow' }],
    ['a date in the past', { expiresAt: '2020-01-01T00:00:00.000Z' }],
    ['fields of other types', { name: 5 }],
  ])('%s', async (_what, body) => {
    const { status, json } = await call(fresh, 'POST', '/api/v1/api-keys', { token, body })
    expect([status, json.code]).toEqual([400, 'VALIDATION_ERROR'])
  })

  test('more than 30 requests in a minute', async () => {
    let status = 200
    let count = 0
    for (; status === 200 && count < 40; count += 1)
      ({ status } = await call(fresh, 'GET', '/api/v1/api-keys', { token }))
    expect([status, count]).toEqual([429, 31])
  })

  test('refuses an unknown key of any form', async () => {
    for (const wrong of [`si_${'0'.repeat(96)}`, 'si_', 'x', 'si_'.repeat(100)]) {
      const { status, json } = await call(fresh, 'GET', '/api/v1/tools', { token: wrong })
      expect([status, json.code]).toEqual([401, 'SESSION_INVALID'])
    }
  })
})
