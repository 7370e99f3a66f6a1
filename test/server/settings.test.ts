import { beforeAll, describe, expect, test } from 'vitest'
import { KNOWN_SETTINGS } from '../../src/server/instance/known-settings.ts'
import { call, makeUser, signIn } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'

let server: ServerHere
let admin: string
let user: string

const get = async (path: string, token = admin) => (await call(server, 'GET', path, { token })).json
const put = (path: string, body: unknown, token = admin) => call(server, 'PUT', path, { token, body })

beforeAll(async () => {
  server = await serveHere()
  admin = await signIn(server)
  user = await makeUser(server, admin, 'pia')
})

describe('settings', () => {
  test('are text, known or not, and survive a restart', async () => {
    const body = {
      defaultTheme: 'dark',
      disabledTools: ['crop'],
      maxSessionsPerUser: 5,
      customLogo: true,
      own: { a: 1 },
    }
    expect((await put('/api/v1/settings', body)).json).toEqual({ ok: true, updatedCount: 5 })
    const expected = {
      ...{ defaultTheme: 'dark', disabledTools: '["crop"]', maxSessionsPerUser: '5', customLogo: 'true' },
      own: '{"a":1}',
    }
    expect(await get('/api/v1/settings', user)).toEqual({ settings: expected })
    expect(await get('/api/v1/settings/own', user)).toEqual({
      ...{ key: 'own', value: '{"a":1}' },
      updatedAt: expect.stringMatching(/Z$/),
    })
    expect((await get('/api/v1/settings/nothing')).code).toBe('NOT_FOUND')
    await server.stop()
    server = await serveHere({ data: server.data })
    expect(await get('/api/v1/settings')).toEqual({ settings: expected })
  })

  test.each([
    ['a list', ['x']],
    ['text', 'x'],
    ['a flag that is neither true nor false', { passwordRequireDigit: 'yes' }],
    ['a number that is none', { passwordMinLength: 'eight' }],
    ['a negative number', { rateLimitPerUser: -1 }],
    ['a list of tools that is none', { disabledTools: 'crop' }],
    ['HTML in a value', { own: '<script>alert(1)</script>' }],
    ['HTML in a key', { '<b>own</b>': 'x' }],
  ])('refuses %s', async (_what, body) => {
    const { status, json } = await put('/api/v1/settings', body)
    expect([status, json.code]).toEqual([400, 'VALIDATION_ERROR'])
  })

  test('are written all or none; some never', async () => {
    const { json } = await put('/api/v1/settings', { fresh: 'x', cookie_secret: 'mine' })
    expect(json.code).toBe('READONLY_SETTING')
    expect((await put('/api/v1/settings', { fresh: 'x', passwordMinLength: 'x' })).status).toBe(400)
    expect((await get('/api/v1/settings/fresh')).code).toBe('NOT_FOUND')
    for (const key of ['cookie_secret', 'instance_id'])
      expect((await get(`/api/v1/settings/${key}`)).code).toBe('FORBIDDEN')
  })

  test('require settings:write', async () => {
    expect((await put('/api/v1/settings', { x: 'y' }, user)).json.code).toBe('FORBIDDEN')
    const { key } = (
      await call(server, 'POST', '/api/v1/api-keys', { token: admin, body: { permissions: ['files:own'] } })
    ).json
    expect((await get('/api/v1/settings', key)).code).toBe('FORBIDDEN')
  })

  test('apply immediately', async () => {
    const tools = async () => (await get('/api/v1/tools', user)).tools.map(({ id }: { id: string }) => id)
    expect(await tools()).not.toContain('crop')
    await put('/api/v1/settings', { disabledTools: [], defaultLocale: 'de' })
    expect(await tools()).toContain('crop')
    expect((await call(server, 'GET', '/api/v1/config/locale')).json).toEqual({ defaultLocale: 'de' })
  })
})

describe('preferences', () => {
  test('are merged, and belong to one user each', async () => {
    expect(await get('/api/v1/preferences', user)).toEqual({ preferences: {} })
    await put('/api/v1/preferences', { theme: 'dark', recent: ['resize'] }, user)
    expect((await put('/api/v1/preferences', { theme: 'light', size: 3 }, user)).json).toEqual({ ok: true })
    expect(await get('/api/v1/preferences', user)).toEqual({
      preferences: { theme: 'light', recent: ['resize'], size: 3 },
    })
    expect(await get('/api/v1/preferences')).toEqual({ preferences: {} })
  })

  test('are an object, and limited', async () => {
    expect((await put('/api/v1/preferences', ['x'], user)).json.code).toBe('VALIDATION_ERROR')
    const large = Object.fromEntries(Array.from({ length: 3 }, (_, index) => [`big${index}`, 'x'.repeat(30_000)]))
    const { status, json } = await put('/api/v1/preferences', large, user)
    expect([status, json.code]).toEqual([400, 'VALIDATION_ERROR'])
    expect(await get('/api/v1/preferences', user)).not.toHaveProperty('preferences.big0')
  })
})

describe('public information', () => {
  test('health, readiness, and sign-in methods', async () => {
    const open = async (path: string) => {
      const { status, json } = await call(server, 'GET', path, { token: 'ignored' })
      return [status, json]
    }
    expect(await open('/api/v1/health')).toEqual([
      200,
      { status: 'healthy', version: expect.stringMatching(/^\d+\.\d+\.\d+/) },
    ])
    expect(await open('/api/v1/readyz')).toEqual([200, { ok: true, postgres: true, redis: true, disk: true, s3: true }])
    expect(await open('/api/v1/config/auth')).toEqual([
      200,
      { authEnabled: true, deviceEnabled: true, ssoEnforced: false },
    ])
    expect(await open('/api/v1/config/analytics')).toEqual([200, { enabled: false, apiKey: '', host: '' }])
  })
})

describe('the table of settings', () => {
  test('has every setting but those of the brand, with its label, kind, default and value', async () => {
    await put('/api/v1/settings', { rateLimitPerUser: 5000 })
    const { groups, settings } = await get('/api/v1/admin/settings')
    const known = (Object.entries(KNOWN_SETTINGS) as [string, { group?: string }][]).filter(([, row]) => row.group)
    const names = settings.map(({ name }: { name: string }) => name)
    expect(names).toEqual(known.map(([name]) => name))
    for (const { group, label, help } of settings) expect([groups.includes(group), label, help]).not.toContain('')
    const named = (wanted: string) => settings.find(({ name }: { name: string }) => name === wanted)
    expect(named('rateLimitPerUser')).toEqual({
      ...{ name: 'rateLimitPerUser', label: 'Requests per user', kind: 'number', unit: 'per minute', group: 'limits' },
      ...{ help: expect.any(String), value: '5000', default: '0', isSecurity: false },
      updatedAt: expect.stringMatching(/Z$/),
    })
    expect(named('mfaPolicy')).toMatchObject({
      ...{ kind: 'choice', options: ['optional', 'admins_only', 'required'] },
      ...{ default: 'optional', value: null, isSecurity: true },
    })
    expect(named('tempFileMaxAgeHours')).toMatchObject({ default: '72', unit: 'hours' })
    expect((await call(server, 'GET', '/api/v1/admin/settings', { token: user })).status).toBe(403)
  })

  test('a setting returns to its default, also one of a client; others are kept', async () => {
    const remove = (key: string, token = admin) => call(server, 'DELETE', `/api/v1/settings/${key}`, { token })
    await put('/api/v1/settings', { passwordMinLength: 12, ownWord: 'x' })
    expect((await remove('passwordMinLength', user)).status).toBe(403)
    expect([(await remove('passwordMinLength')).json, (await remove('ownWord')).json]).toEqual([
      { ok: true },
      { ok: true },
    ])
    expect((await remove('passwordMinLength')).status).toBe(404)
    expect((await remove('cookie_secret')).json.code).toBe('READONLY_SETTING')
    const { settings } = await get('/api/v1/settings')
    expect([settings.passwordMinLength, settings.ownWord, settings.rateLimitPerUser]).toEqual([
      undefined,
      undefined,
      '5000',
    ])
    const { entries } = await get('/api/v1/audit-log?action=SETTINGS_UPDATED&limit=2')
    expect(entries.at(-1).details).toEqual({ keys: ['passwordMinLength'], reset: true })
  })

  test('a security setting is reset only by users who manage security', async () => {
    await put('/api/v1/settings', { maxSessionsPerUser: 5 })
    const body = { name: 'operator', permissions: ['settings:read', 'settings:write'] }
    await call(server, 'POST', '/api/v1/roles', { token: admin, body })
    const operator = await makeUser(server, admin, 'oskar', 'operator')
    const { status, json } = await call(server, 'DELETE', '/api/v1/settings/maxSessionsPerUser', { token: operator })
    expect([status, json.code, json.keys]).toEqual([403, 'FORBIDDEN', ['maxSessionsPerUser']])
    expect((await get('/api/v1/settings/maxSessionsPerUser')).value).toBe('5')
  })
})
