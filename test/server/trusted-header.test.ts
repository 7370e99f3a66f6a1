/** Sign-in by the headers of an authenticating proxy, and what others try with these headers. */
import { createServer, request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, signIn } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'

const LOGIN = '/api/auth/header/login'
const ENVIRONMENT = {
  ...{ TRUSTED_HEADER_ENABLED: 'true', TRUST_PROXY: '127.0.0.1', TRUSTED_HEADER_ROLE_MAPPING: '{"press":"editor"}' },
  TRUSTED_HEADER_LOGOUT_URL: 'https://auth.example/logout',
}
let server: ServerHere
let admin: string
let proxy: Server

/** Headers that the proxy adds to each request, in order; it removes those of the client. */
let added: [string, string][] = []

beforeAll(async () => {
  server = await serveHere({ environment: ENVIRONMENT })
  admin = await signIn(server)
  const to = new URL(server.base)
  proxy = createServer((incoming, outgoing) => {
    const flat = added.flat()
    const forwarded = httpRequest(
      { ...{ host: to.hostname, port: to.port, path: incoming.url, method: incoming.method }, headers: flat as never },
      (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(outgoing)
      },
    )
    incoming.pipe(forwarded)
  })
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
})
afterAll(() => void proxy.close())

/** Visits a page through the proxy. */
async function visit(path: string, headers: [string, string][], at?: string) {
  added = [['host', 'media.example'], ...headers]
  const base = at ?? `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const response = await fetch(`${base}${path}`, { redirect: 'manual' })
  const cookie = /mediaproc-session=([^;]+)/.exec(response.headers.get('set-cookie') ?? '')?.[1]
  return { status: response.status, location: response.headers.get('location'), token: cookie }
}

const userOf = async (token: string | undefined) =>
  (await call(server, 'GET', '/api/auth/session', { token: token ?? 'none' })).json.user

test('the page for signing in leads on; the account has name, address and role; signing out ends the session there', async () => {
  const headers: [string, string][] = [
    ['Remote-User', 'olga'],
    ['Remote-Email', 'olga@company.example'],
    ['Remote-Groups', 'staff, press'],
  ]
  expect((await visit('/login', headers)).location).toBe(LOGIN)
  expect((await visit('/login?error=header_auth_failed', headers)).location).toBeNull()
  const { location, token } = await visit(LOGIN, headers)
  expect([location, await userOf(token)]).toEqual([
    '/',
    expect.objectContaining({
      ...{ username: 'olga', role: 'editor', email: 'olga@company.example', authProvider: 'header' },
      loginMethod: 'header',
    }),
  ])
  const { id } = await userOf(token)
  expect((await userOf((await visit(LOGIN, headers)).token)).id).toBe(id)
  const out = await call(server, 'POST', '/api/auth/logout', { token: token! })
  expect(out.json.logoutUrl).toBe('https://auth.example/logout')
})

describe('attacks', () => {
  test('the name of a local account never opens it', async () => {
    const { token } = await visit(LOGIN, [['Remote-User', 'admin']])
    expect(await userOf(token)).toMatchObject({ username: 'admin_2', role: 'user' })
  })

  test.each<[string, [string, string][]]>([
    ['no user', [['Remote-Email', 'a@company.example']]],
    ['an empty user', [['Remote-User', ' ']]],
    [
      'two users',
      [
        ['Remote-User', 'olga'],
        ['remote-user', 'admin'],
      ],
    ],
    ['an underscore in the name', [['Remote_User', 'olga']]],
    ['a name that is too long', [['Remote-User', 'a'.repeat(256)]]],
    ['letters that are not ASCII', [['Remote-User', 'ölga']]],
    [
      'groups without end',
      [
        ['Remote-User', 'olga'],
        ['Remote-Groups', 'a,'.repeat(5000)],
      ],
    ],
  ])('%s: nobody signs in', async (_, headers) => {
    expect(await visit(LOGIN, headers)).toMatchObject({ location: '/login?error=header_auth_failed', token: undefined })
  })

  test('past the proxy the headers have no effect, whatever X-Forwarded-For says', async () => {
    const other = await serveHere({ environment: { ...ENVIRONMENT, TRUST_PROXY: '10.9.8.7' } })
    const response = await fetch(`${other.base}${LOGIN}`, {
      redirect: 'manual',
      headers: { 'remote-user': 'admin', 'x-forwarded-for': '10.9.8.7', forwarded: 'for=10.9.8.7' },
    })
    expect([response.headers.get('location'), response.headers.get('set-cookie')]).toEqual([
      '/login?error=header_auth_failed',
      null,
    ])
    const log = await call(other, 'GET', '/api/v1/audit-log?action=HEADER_LOGIN_FAILED', { token: await signIn(other) })
    expect(log.json.total).toBe(1)
  })

  test('a disabled account stays out', async () => {
    const { token } = await visit(LOGIN, [['Remote-User', 'lena']])
    const { id } = await userOf(token)
    await call(server, 'PUT', `/api/auth/users/${id}`, { token: admin, body: { role: 'disabled' } })
    expect((await visit(LOGIN, [['Remote-User', 'lena']])).location).toBe('/login?error=header_user_not_authorized')
  })
})

test.each<[Record<string, string>, string]>([
  [{ TRUST_PROXY: 'true' }, 'TRUST_PROXY'],
  [{ TRUST_PROXY: '1' }, 'TRUST_PROXY'],
  [{ TRUST_PROXY: 'false' }, 'TRUST_PROXY'],
  [{ TRUST_PROXY: '' }, 'TRUST_PROXY'],
  [{ TRUST_PROXY: '0.0.0.0/0' }, 'TRUST_PROXY'],
  [{ TRUST_PROXY: '127.0.0.1,10.0.0.0/8' }, 'TRUST_PROXY'],
  [{ TRUST_PROXY: '::/0' }, 'TRUST_PROXY'],
  [{ TRUST_PROXY: 'uniquelocal' }, 'TRUST_PROXY'],
  [{ TRUSTED_HEADER_USER: 'remote_user' }, 'TRUSTED_HEADER_USER'],
  [{ TRUSTED_HEADER_LOGOUT_URL: 'javascript:alert(1)' }, 'TRUSTED_HEADER_LOGOUT_URL'],
])('%j is refused at the start', async (more, words) => {
  await expect(serveHere({ environment: { ...ENVIRONMENT, ...more } })).rejects.toThrow(words)
})

test('without the setting the route does not exist', async () => {
  const plain = await serveHere({})
  expect((await call(plain, 'GET', LOGIN, { token: await signIn(plain) })).status).toBe(404)
})
