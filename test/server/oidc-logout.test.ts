/** Back-channel logout: a real OpenID provider ends sessions, and forged tokens end none. */
import { randomUUID } from 'node:crypto'
import { type CryptoKey, generateKeyPair, SignJWT } from 'jose'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Browser } from '../helpers/browser.ts'
import { CLIENT, type Claims, startProvider, type TestProvider } from '../helpers/openid-provider.ts'
import { call, makeUser, signIn } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'

const PUBLIC = 'https://media.example'
const PATH = '/api/auth/oidc/backchannel-logout'
const EVENTS = { 'http://schemas.openid.net/event/backchannel-logout': {} }

let provider: TestProvider
let server: ServerHere
let admin: string

beforeAll(async () => {
  provider = await startProvider(`${PUBLIC}/api/auth/oidc/callback`)
  server = await serveHere({
    environment: {
      ...{ OIDC_ENABLED: 'true', OIDC_ISSUER_URL: provider.issuer, OIDC_CLIENT_ID: CLIENT.client_id },
      ...{ OIDC_CLIENT_SECRET: CLIENT.client_secret, EXTERNAL_URL: PUBLIC, OIDC_AUTO_LINK_USERS: 'true' },
    },
  })
  provider.logoutUri = `${server.base}${PATH}`
  admin = await signIn(server)
})

const isAfter = (url: string) => url === `${PUBLIC}/` || url.startsWith(`${PUBLIC}/login`)

/** Signs in at the provider in a new browser. */
async function enter(login: string, claims: Claims = {}): Promise<{ browser: Browser; token: string }> {
  provider.users.set(login, { preferred_username: `user-${login}`, ...claims })
  const browser = new Browser({ [PUBLIC]: server.base })
  const page = await browser.go(`${PUBLIC}/api/auth/oidc/login`, isAfter)
  const action = /action="([^"]+)"/.exec(page.body)![1]!
  await browser.go(new URL(action, page.url).href, isAfter, { form: { login } })
  return { browser, token: browser.cookies.get(PUBLIC)!.get('mediaproc-session')! }
}

const isSignedIn = async (token: string): Promise<boolean> =>
  (await call(server, 'GET', '/api/auth/session', { token })).status === 200

async function announce(token: string) {
  const body = new URLSearchParams({ logout_token: token })
  const response = await fetch(`${server.base}${PATH}`, { method: 'POST', body })
  return { status: response.status, cache: response.headers.get('cache-control'), json: await response.json() }
}

interface Forged {
  claims?: Record<string, unknown>
  key?: CryptoKey
  header?: Record<string, unknown>
  issuedAt?: number
}

/** A modified logout token with the provider's signature. */
function logoutToken({
  claims = {},
  key,
  header = {},
  issuedAt = Math.floor(Date.now() / 1000),
}: Forged): Promise<string> {
  const all = {
    iss: provider.issuer,
    aud: CLIENT.client_id,
    iat: issuedAt,
    jti: randomUUID(),
    events: EVENTS,
    ...claims,
  }
  return new SignJWT(all)
    .setProtectedHeader({ alg: 'RS256', kid: provider.key.jwk.kid as string, typ: 'logout+jwt', ...header })
    .sign(key ?? provider.key.private)
}

test('signing out at the provider ends only the session that started with it', async () => {
  const [ended, other] = [await enter('1'), await enter('1')]
  const { logoutUrl } = (await call(server, 'POST', '/api/auth/logout', { token: (await enter('2')).token })).json
  expect(logoutUrl).toContain(provider.issuer)
  const page = await ended.browser.go(`${provider.issuer}/session/end`)
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(page.body)![1]!
  await ended.browser.go(`${provider.issuer}/session/end/confirm`, undefined, { form: { xsrf, logout: 'yes' } })
  await expect.poll(() => isSignedIn(ended.token)).toBe(false)
  expect(await isSignedIn(other.token)).toBe(true)
  const log = await call(server, 'GET', '/api/v1/audit-log?action=OIDC_LOGOUT', { token: admin })
  expect(log.json.entries[0]).toMatchObject({ actorUsername: 'oidc', details: { username: 'user-1' } })
})

describe('a token', () => {
  let token: string
  beforeEach(async () => {
    token = (await enter('3')).token
  })

  test('for a user ends all sessions of the provider, not those with a password, and is accepted once', async () => {
    const second = (await enter('3')).token
    const other = (await enter('4')).token
    const text = await logoutToken({ claims: { sub: '3' } })
    expect(await announce(text)).toEqual({ status: 200, cache: 'no-store', json: { ended: 1 } })
    const open = [await isSignedIn(token), await isSignedIn(second), await isSignedIn(other), await isSignedIn(admin)]
    expect(open).toEqual([false, false, true, true])
    expect((await announce(text)).status).toBe(400)
  })

  test('for an unknown user or session ends nothing', async () => {
    expect((await announce(await logoutToken({ claims: { sub: 'nobody' } }))).json).toEqual({ ended: 0 })
    expect((await announce(await logoutToken({ claims: { sub: '3', sid: 'another' } }))).json).toEqual({ ended: 0 })
    expect((await announce(await logoutToken({ claims: { sid: 'another' } }))).json).toEqual({ ended: 0 })
    expect(await isSignedIn(token)).toBe(true)
  })

  test.each<[string, () => Promise<string> | string]>([
    [
      'signed by another key',
      async () => {
        const { privateKey } = await generateKeyPair('RS256')
        return logoutToken({ claims: { sub: '3' }, key: privateKey })
      },
    ],
    ['of another issuer', () => logoutToken({ claims: { sub: '3', iss: 'https://elsewhere.example' } })],
    ['for another client', () => logoutToken({ claims: { sub: '3', aud: 'another' } })],
    ['that is old', () => logoutToken({ claims: { sub: '3' }, issuedAt: Math.floor(Date.now() / 1000) - 3600 })],
    ['that has expired', () => logoutToken({ claims: { sub: '3', exp: Math.floor(Date.now() / 1000) - 600 } })],
    ['with a nonce', () => logoutToken({ claims: { sub: '3', nonce: 'n' } })],
    ['without the event', () => logoutToken({ claims: { sub: '3', events: {} } })],
    ['with the event as text', () => logoutToken({ claims: { sub: '3', events: Object.keys(EVENTS)[0] } })],
    ['without an id', () => logoutToken({ claims: { sub: '3', jti: undefined } })],
    ['that names nobody', () => logoutToken({})],
    ['of another type', () => logoutToken({ claims: { sub: '3' }, header: { typ: 'at+jwt' } })],
    ['with a subject that is a list', () => logoutToken({ claims: { sub: ['3'] as never } })],
    [
      'without a signature',
      () => {
        const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
        const claims = {
          iss: provider.issuer,
          aud: CLIENT.client_id,
          iat: Math.floor(Date.now() / 1000),
          jti: 'j',
          sub: '3',
        }
        return `${part({ alg: 'none' })}.${part({ ...claims, events: EVENTS })}.`
      },
    ],
    ['that is empty', () => ''],
    ['that is too long', () => 'x'.repeat(20_000)],
  ])('refuses %s', async (_, make) => {
    expect(await announce(await make())).toMatchObject({ status: 400, json: { code: 'VALIDATION_ERROR' } })
    expect(await isSignedIn(token)).toBe(true)
  })
})

test('a session that started with a password continues when its user is signed out by the provider', async () => {
  const local = await makeUser(server, admin, 'lena')
  const users = (await call(server, 'GET', '/api/auth/users', { token: admin })).json.users as {
    id: string
    username: string
  }[]
  const { id } = users.find(({ username }) => username === 'lena')!
  const email = 'lena@company.example'
  await call(server, 'PUT', `/api/auth/users/${id}`, { token: admin, body: { email } })
  const { token } = await enter('5', { email, email_verified: true })
  expect((await call(server, 'GET', '/api/auth/session', { token })).json.user.id).toBe(id)
  expect((await announce(await logoutToken({ claims: { sub: '5' } }))).json).toEqual({ ended: 1 })
  expect([await isSignedIn(token), await isSignedIn(local)]).toEqual([false, true])
})
