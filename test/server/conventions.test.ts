import { beforeAll, describe, expect, test } from 'vitest'
import { rawCall } from '../helpers/http.ts'
import { call, makeUser, PASSWORD, type Served, send, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'

const HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-xss-protection': '0',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  'content-security-policy': "default-src 'none'",
  'x-request-id': expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-/),
}

let server: Served
let admin: string
let user: string
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

beforeAll(async () => {
  server = await serveHere()
  admin = await signIn(server)
  user = await makeUser(server, admin, 'carol')
})

describe('headers', () => {
  test.each([
    ['a public answer', 'GET', '/api/v1/health', 200],
    ['a refusal', 'GET', '/api/v1/settings', 401],
    ['an unknown address of the API', 'GET', '/api/v1/nothing', 401],
    ['an unknown address', 'GET', '/nothing', 404],
    ['a method that is not allowed', 'TRACE', '/api/v1/health', 405],
    ['an address that cannot be decoded', 'GET', '/api/v1/files/%E0%A4%A', 400],
    ['an address that is too long', 'GET', `/api/v1/files/${'a'.repeat(2000)}`, 400],
    ['a refused form', 'POST', '/api/v1/tools/image/resize', 401],
  ])('are on %s', async (_what, method, path, status) => {
    const answer = await rawCall(server, { method, path })
    expect([answer.status, answer.headers]).toEqual([status, expect.objectContaining(HEADERS)])
    expect(answer.headers).not.toHaveProperty('strict-transport-security')
    expect(answer.headers).not.toHaveProperty('x-powered-by')
  })

  test('uses a valid request id of the client', async () => {
    const idFor = async (id: string) =>
      (await rawCall(server, { path: '/api/v1/health', headers: { 'x-request-id': id } })).headers['x-request-id']
    expect(await idFor('Trace-1.2_x')).toBe('Trace-1.2_x')
    expect(await idFor('a'.repeat(128))).toBe('a'.repeat(128))
    for (const id of ['a'.repeat(129), 'a b', '<b>', 'a/b']) expect(await idFor(id)).toMatch(/^[0-9a-f-]{36}$/)
  })
})

describe('addresses', () => {
  test('an unknown API path is 401 without a credential and 404 with one', async () => {
    for (const path of ['/api/v1/nothing', '/api', '/api/', '/api?x', '/api/auth/users/1/nothing']) {
      const [without, withOne] = [
        await rawCall(server, { path }),
        await rawCall(server, { path, headers: bearer(user) }),
      ]
      expect([path, without.status, JSON.parse(without.text).code]).toEqual([path, 401, 'AUTH_REQUIRED'])
      expect([path, withOne.status, withOne.text]).toEqual([path, 404, '{"error":"Not found","code":"NOT_FOUND"}'])
    }
  })

  test.each(['/nothing', '/apiary', '//api/v1/health', '/API/v1/health'])('%s is text and 404', async (path) => {
    const { status, headers, text } = await rawCall(server, { path })
    expect([status, headers['content-type'], text]).toEqual([404, 'text/plain; charset=utf-8', 'Not found\n'])
  })

  test.each(['/%61pi/v1/settings', '/api/v1/%73ettings', '/%61%70%69/v1/admin/support-bundle', '/%61pi/v1/users'])(
    '%s is protected in any spelling',
    async (path) => {
      const { status, text } = await rawCall(server, { path })
      expect(text).not.toContain('"settings"')
      expect([path, status]).toEqual([path, path === '/%61pi/v1/users' ? 404 : 401])
      for (const method of ['PUT', 'POST', 'DELETE'])
        expect((await rawCall(server, { method, path })).status).toBeGreaterThanOrEqual(401)
    },
  )

  test('refuses TRACE everywhere, and unsupported methods', async () => {
    for (const path of ['/api/v1/health', '/api/v1/nothing', '/nothing']) {
      const { status, headers, text } = await rawCall(server, { method: 'TRACE', path })
      expect([status, headers.allow]).toEqual([405, 'GET, HEAD, PUT, PATCH, POST, DELETE'])
      expect(JSON.parse(text).code).toBe('METHOD_NOT_ALLOWED')
    }
  })

  test('answers HEAD like GET, without the body', async () => {
    const pairs: [string, string | undefined][] = [
      ['/api/v1/health', undefined],
      ['/api/v1/openapi.yaml', undefined],
      ['/api/v1/settings', admin],
      ['/api/v1/settings', undefined],
      ['/api/v1/nothing', admin],
      ['/llms.txt', undefined],
    ]
    for (const [path, token] of pairs) {
      const headers = token ? bearer(token) : {}
      const get = await rawCall(server, { path, headers })
      const head = await rawCall(server, { method: 'HEAD', path, headers })
      expect([path, head.status, head.text]).toEqual([path, get.status, ''])
      expect(head.headers['content-type']).toBe(get.headers['content-type'])
      expect(head.headers['content-length']).toBe(String(Buffer.byteLength(get.text)))
    }
    const stream = { method: 'HEAD', path: '/api/v1/jobs/none-yet/progress', headers: bearer(user) }
    expect(await rawCall(server, stream)).toMatchObject({ status: 200, text: '' })
  })
})

describe('bodies', () => {
  const login = (body: string, type?: string) =>
    rawCall(server, {
      method: 'POST',
      path: '/api/auth/login',
      headers: { ...(type && { 'content-type': type }), 'content-length': String(Buffer.byteLength(body)) },
      body,
    })

  test.each(['{', '{"username":', '[1,]', 'nope', '{"__proto__":{"admin":true}}'])('%s is not JSON', async (body) => {
    const { status, text } = await login(body, 'application/json')
    expect([status, JSON.parse(text)]).toMatchObject([400, { code: 'MALFORMED_JSON', details: expect.any(String) }])
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'x', undefined])(
    'refuses the type %s on a JSON route',
    async (type) => {
      const { status, text } = await login('{"username":"admin","password":"x"}', type)
      expect([status, JSON.parse(text).code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
      expect(JSON.parse(text).details).toEqual(expect.any(String))
    },
  )

  test('an empty body is {}, with any type', async () => {
    for (const type of [undefined, 'application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
      const { status, text } = await login('', type)
      expect([status, JSON.parse(text).code]).toEqual([400, 'VALIDATION_ERROR'])
      expect(JSON.parse(text).details).toMatch(/^username: .*; password: /)
    }
  })

  test('refuses a large one, ignores unknown fields', async () => {
    const large = await login(
      JSON.stringify({ username: 'admin', password: 'x'.repeat(1_100_000) }),
      'application/json',
    )
    expect([large.status, JSON.parse(large.text).code]).toEqual([413, 'FILE_TOO_LARGE'])
    const body = { username: 'admin', password: PASSWORD, more: 'than needed' }
    expect((await call(server, 'POST', '/api/auth/login', { body })).status).toBe(200)
  })
})

describe('a JSON body of many values', () => {
  const have = (sha256: readonly string[]) =>
    call(server, 'POST', '/api/v1/uploads/have', { token: user, body: { sha256 } })

  test('lists all problems of a short one', async () => {
    const { status, json } = await have(['a', 'b', 'c'])
    expect([status, json.details.split('; ').length]).toEqual([400, 3])
  })

  test('answers a long one shortly, with the first problem', async () => {
    const { status, json, bytes } = await have(new Array(40_000).fill('<a.x'))
    expect([status, json.details]).toEqual([400, 'sha256: must NOT have more than 1000 items'])
    expect(bytes.length).toBeLessThan(1000)
  })

  test('refuses one with more than 50,000; a text counts once, whatever it holds', async () => {
    expect((await have(new Array(60_000).fill('a'))).json).toMatchObject({
      error: 'body: more than 50000 values',
      code: 'MALFORMED_JSON',
    })
    const { status, json } = await have(['[,'.repeat(200_000)])
    expect([status, json.code]).toEqual([400, 'VALIDATION_ERROR'])
  })

  test('refuses more than 10,000 for /mcp, whose messages cost more', async () => {
    const params = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`name-${index}`, index]))
    const ask = (count: number) =>
      call(server, 'POST', '/mcp', {
        token: admin,
        body: { jsonrpc: '2.0', id: 1, method: 'ping', params: params(count) },
        headers: { accept: 'application/json, text/event-stream' },
      })
    expect((await ask(20_000)).json).toMatchObject({ error: 'body: more than 10000 values' })
    expect((await ask(9000)).status).toBe(200)
  })
})

describe('the order of checks', () => {
  const statusOf = async (method: string, path: string, token?: string) => {
    const { status, json } = await call(server, method, path, {
      ...(token && { token }),
      ...(method !== 'GET' && { body: [] }),
    })
    return [status, json.code]
  }

  test('credential, unknown path, permission, body', async () => {
    expect(await statusOf('PUT', '/api/v1/settings')).toEqual([401, 'AUTH_REQUIRED'])
    expect(await statusOf('PUT', '/api/v1/settings', 'wrong')).toEqual([401, 'SESSION_INVALID'])
    expect(await statusOf('PUT', '/api/v1/settings', user)).toEqual([403, 'FORBIDDEN'])
    expect(await statusOf('PUT', '/api/v1/settings', admin)).toEqual([400, 'VALIDATION_ERROR'])
    expect(await statusOf('GET', '/api/v1/admin/nothing', user)).toEqual([404, 'NOT_FOUND'])
    expect(await statusOf('GET', '/api/v1/admin/health', user)).toEqual([403, 'FORBIDDEN'])
    expect(await statusOf('GET', '/api/v1/health', 'wrong')).toEqual([200, undefined])
  })

  test('an unknown tool is 404 even for users without tools; does not read the body', async () => {
    const body = { permissions: ['files:own'] }
    const { key } = (await call(server, 'POST', '/api/v1/api-keys', { token: user, body })).json
    expect(await statusOf('POST', '/api/v1/tools/image/no-such-tool', key)).toEqual([404, 'NOT_FOUND'])
    expect(await statusOf('POST', '/api/v1/tools/video/resize', key)).toEqual([404, 'NOT_FOUND'])
    expect(await statusOf('POST', '/api/v1/tools/image/resize', key)).toEqual([403, 'FORBIDDEN'])
    expect((await send(server, '/api/v1/tools/image/no-such-tool', [['settings', '{']])).status).toBe(401)
  })

  test('a user who must change the password can call nothing else, not even an unknown path', async () => {
    const body = { username: 'newcomer', password: 'Start-Passw0rd-1' }
    await call(server, 'POST', '/api/auth/register', { token: admin, body })
    const { token } = (await call(server, 'POST', '/api/auth/login', { body })).json
    expect(await statusOf('GET', '/api/v1/nothing', token)).toEqual([403, 'MUST_CHANGE_PASSWORD'])
    expect(await statusOf('GET', '/api/v1/admin/health', token)).toEqual([403, 'MUST_CHANGE_PASSWORD'])
    expect(await statusOf('GET', '/api/auth/session', token)).toEqual([200, undefined])
  })
})
