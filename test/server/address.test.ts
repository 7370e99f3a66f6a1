import { describe, expect, test } from 'vitest'
import { rawCall } from '../helpers/http.ts'
import { call, send, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'
import { smallPicture } from '../helpers/server-jobs.ts'

const ALLOWED = 'https://app.example'
const preflight = (origin: string) => ({
  origin,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization',
})

describe('BASE_PATH', () => {
  test('serves everything under a prefix; addresses in responses have none', async () => {
    const server = await serveHere({ environment: { BASE_PATH: '/media/' } })
    const token = await signIn(server)
    const below = { ...server, base: `${server.base}/media` }
    expect((await call(below, 'GET', '/api/v1/health')).json.status).toBe('healthy')
    expect((await call(below, 'GET', '/api/v1/nothing', { token })).json.code).toBe('NOT_FOUND')
    expect((await call(below, 'GET', '/api/v1/nothing')).status).toBe(401)
    const file = ['file', await smallPicture()] as const
    const { json } = await send(below, '/api/v1/tools/image/resize', [file, ['settings', '{"width":8}']], token)
    expect(json.downloadUrl).toMatch(/^\/api\/v1\/download\//)
    expect((await call(below, 'GET', json.downloadUrl, { token })).status).toBe(200)
    for (const path of ['/media', '/media/'])
      expect([path, (await rawCall(server, { path })).status]).toEqual([path, 200])
    for (const path of ['/mediaapi/v1/health', '/other/api/v1/health'])
      expect([path, (await rawCall(server, { path })).status]).toEqual([path, 404])
  })

  test('the documentation works under it', async () => {
    const server = await serveHere({ environment: { BASE_PATH: '/media' } })
    for (const page of ['/media/api/docs', '/media/api/docs/']) {
      const { status, text } = await rawCall(server, { path: page })
      expect(status).toBe(200)
      const links = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link!)
      expect(links.length).toBeGreaterThan(3)
      for (const link of links) {
        const { pathname } = new URL(link, `http://x${page}`)
        expect([pathname, (await rawCall(server, { path: pathname })).status]).toEqual([pathname, 200])
        expect(pathname).toMatch(/^\/media\/api\/docs\//)
      }
    }
    const { text } = await rawCall(server, { path: '/media/api/docs/json' })
    expect(JSON.parse(text).servers).toEqual([{ url: '/media' }])
  })
})

describe('CORS_ORIGIN', () => {
  test('empty: no CORS header for other origins', async () => {
    const server = await serveHere()
    const { headers } = await rawCall(server, { path: '/api/v1/health', headers: { origin: ALLOWED } })
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    const options = await rawCall(server, { method: 'OPTIONS', path: '/api/auth/login', headers: preflight(ALLOWED) })
    expect(options.headers).not.toHaveProperty('access-control-allow-origin')
  })

  test('a list: echoes listed origins, without credentials, also in refusals', async () => {
    const server = await serveHere({ environment: { CORS_ORIGIN: `https://other.example, ${ALLOWED}` } })
    const path = '/api/v1/settings'
    const { status, headers } = await rawCall(server, { path, headers: { origin: ALLOWED } })
    expect([status, headers['access-control-allow-origin'], headers.vary]).toEqual([401, ALLOWED, 'Origin'])
    expect(headers).not.toHaveProperty('access-control-allow-credentials')
    const exposed = headers['access-control-expose-headers']!.split(', ')
    expect(exposed).toEqual([
      ...['Content-Disposition', 'Content-Length', 'X-Job-Id', 'X-File-Results', 'X-File-Notes', 'X-File-Errors'],
      ...['X-Request-Id', 'X-Original-Width', 'X-Original-Height', 'X-Original-Duration', 'Retry-After'],
      ...['Location', 'Upload-Offset', 'Upload-Length', 'Upload-Expires', 'Tus-Resumable', 'Idempotency-Replayed'],
    ])
    for (const origin of ['https://evil.example', 'https://app.example.evil.example', 'http://app.example', 'null']) {
      const foreign = await rawCall(server, { path, headers: { origin } })
      expect(foreign.headers).not.toHaveProperty('access-control-allow-origin')
    }
  })

  test('answers a preflight with 204 before checking credentials', async () => {
    const server = await serveHere({ environment: { CORS_ORIGIN: ALLOWED } })
    const path = '/api/v1/tools/image/resize'
    const { status, headers, text } = await rawCall(server, { method: 'OPTIONS', path, headers: preflight(ALLOWED) })
    expect([status, text, headers['access-control-allow-origin']]).toEqual([204, '', ALLOWED])
    expect(headers['access-control-allow-methods']).toBe('GET, HEAD, PUT, PATCH, POST, DELETE')
    expect(headers['access-control-allow-headers']!.split(', ')).toEqual([
      ...['Authorization', 'Content-Type', 'X-Request-Id', 'Idempotency-Key'],
      ...['Tus-Resumable', 'Upload-Length', 'Upload-Metadata', 'Upload-Offset'],
      ...['Mcp-Protocol-Version', 'Mcp-Method', 'Mcp-Name'],
    ])
  })

  test('*: any origin, never with cookies', async () => {
    const server = await serveHere({ environment: { CORS_ORIGIN: '*' } })
    const { headers } = await rawCall(server, { path: '/api/v1/health', headers: { origin: 'https://x.example' } })
    expect(headers['access-control-allow-origin']).toBe('*')
    expect(headers).not.toHaveProperty('access-control-allow-credentials')
  })
})

describe('a proxy', () => {
  const https = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.9', 'x-forwarded-host': 'media.example' }

  test('if trusted, provides the scheme and the address of the client', async () => {
    const server = await serveHere({ environment: { TRUST_PROXY: 'true' } })
    const { headers } = await rawCall(server, { path: '/api/v1/health', headers: https })
    expect(headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains')
    const token = await signIn(server)
    const cookie = `mediaproc-session=${token}`
    const put = (origin: string) =>
      call(server, 'PUT', '/api/v1/preferences', { body: {}, headers: { ...https, origin, cookie } })
    expect((await put('https://media.example')).status).toBe(200)
    expect((await put('https://evil.example')).json.code).toBe('FORBIDDEN')
    await call(server, 'POST', '/api/auth/login', { body: { username: 'eve', password: 'x' }, headers: https })
    const { entries } = (await call(server, 'GET', '/api/v1/audit-log?action=LOGIN_FAILED', { token })).json
    expect(entries[0].ipAddress).toBe('203.0.113.9')
  })

  test('if not trusted, is ignored', async () => {
    const server = await serveHere()
    const { headers } = await rawCall(server, { path: '/api/v1/health', headers: https })
    expect(headers).not.toHaveProperty('strict-transport-security')
  })
})

describe('limits per address', () => {
  test('count every path of the API, including unknown ones, before checking credentials', async () => {
    const server = await serveHere({ environment: { RATE_LIMIT_PER_MIN: '3' } })
    for (let left = 2; left >= 0; left -= 1) {
      const { status, headers } = await rawCall(server, { path: '/api/v1/tools' })
      expect([status, headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']]).toEqual([401, '3', String(left)])
      expect(Number(headers['x-ratelimit-reset'])).toBeGreaterThan(0)
    }
    for (const path of ['/api/v1/tools', '/api/v1/health', '/api/v1/nothing']) {
      const { status, headers, text } = await rawCall(server, { path })
      expect([path, status, JSON.parse(text)]).toEqual([
        path,
        429,
        { error: 'Rate limit exceeded', code: 'RATE_LIMITED', details: expect.any(String) },
      ])
      expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    }
  })

  test('0 disables the limit and its headers', async () => {
    const server = await serveHere({ environment: { RATE_LIMIT_PER_MIN: '0' } })
    for (const path of ['/api/v1/health', '/api/v1/nothing', '/nothing'])
      expect((await rawCall(server, { path })).headers).not.toHaveProperty('x-ratelimit-limit')
  })
})
