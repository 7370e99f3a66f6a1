/** Sign-in with a real OpenID provider over HTTP, and attacks. */
import { writeFileSync } from 'node:fs'
import { type CryptoKey, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { temporaryPath } from '../helpers/av.ts'
import { Browser } from '../helpers/browser.ts'
import { CLIENT, type Claims, startProvider, type TestProvider } from '../helpers/openid-provider.ts'
import { readZip } from '../helpers/raw-zip.ts'
import { call, makeUser, PASSWORD, signIn } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'
import { totpCode } from '../helpers/totp.ts'

const PUBLIC = 'https://media.example'
const CALLBACK = `${PUBLIC}/api/auth/oidc/callback`
const LOGIN = `${PUBLIC}/api/auth/oidc/login`

let provider: TestProvider
let server: ServerHere
let admin: string

const environmentOf = (more: Record<string, string> = {}) => ({
  ...{ OIDC_ENABLED: 'true', OIDC_ISSUER_URL: provider.issuer, OIDC_CLIENT_ID: CLIENT.client_id },
  ...{ OIDC_CLIENT_SECRET: CLIENT.client_secret, EXTERNAL_URL: PUBLIC, OIDC_PROVIDER_NAME: 'Company' },
  OIDC_ROLE_MAPPING: '{"media-admins":"admin","press":"editor"}',
  ...more,
})

beforeAll(async () => {
  provider = await startProvider(CALLBACK)
  server = await serveHere({ environment: environmentOf({ OIDC_AUTO_LINK_USERS: 'true' }) })
  admin = await signIn(server)
})

afterEach(() => {
  provider.tamper = undefined
})

const browserFor = (at = server) => new Browser({ [PUBLIC]: at.base })
const isAfter = (url: string) => url === `${PUBLIC}/` || url.startsWith(`${PUBLIC}/login`)
const word = (url: string) => new URL(url).searchParams.get('error')
const tokenOf = (browser: Browser) => browser.cookies.get(PUBLIC)?.get('mediaproc-session')
const session = async (token: string | undefined, at = server) =>
  (await call(at, 'GET', '/api/auth/session', { token: token ?? 'none' })).json

/** Goes to the provider and fills in its page; stops before the browser returns if `isEnd` says so. */
async function fillIn(browser: Browser, login: string, isEnd = isAfter) {
  const page = await browser.go(LOGIN, isEnd)
  // The provider still has a session.
  if (isEnd(page.url)) return page
  const action = /action="([^"]+)"/.exec(page.body)![1]!
  return browser.go(new URL(action, page.url).href, isEnd, { form: { login } })
}

async function enter(login: string, claims: Claims, browser = browserFor()) {
  provider.users.set(login, claims)
  const { url } = await fillIn(browser, login)
  return { browser, url, token: tokenOf(browser) }
}

const usersNow = async () => (await call(server, 'GET', '/api/auth/users', { token: admin })).json.users as Claims[]
const userNamed = async (name: string) => (await usersNow()).find(({ username }) => username === name)

describe('signing in', () => {
  test('creates an account, a session and a cookie; the second time it uses the same account', async () => {
    const { browser, url, token } = await enter('1', {
      ...{ email: 'Olga@company.example', email_verified: true, preferred_username: 'Ölga  Ström!' },
    })
    expect(url).toBe(`${PUBLIC}/`)
    const { user } = await session(token)
    expect(user).toMatchObject({
      ...{
        username: 'lga_str_m',
        role: 'user',
        authProvider: 'oidc',
        loginMethod: 'oidc',
        email: 'Olga@company.example',
      },
      ...{ hasLocalPassword: false, hasOidcLink: true, mustChangePassword: false },
    })
    // The code and the state of the provider are in no persistent cookie.
    expect([...browser.cookies.get(PUBLIC)!.keys()]).toEqual(['mediaproc-session'])
    const again = await enter('1', { preferred_username: 'another' })
    expect((await session(again.token)).user.id).toBe(user.id)
    const actions = async (action: string) =>
      (await call(server, 'GET', `/api/v1/audit-log?action=${action}`, { token: admin })).json.total
    expect([await actions('OIDC_USER_CREATED'), await actions('OIDC_LOGIN_SUCCESS')]).toEqual([1, 2])
    const change = { currentPassword: 'x', newPassword: 'Some-Passw0rd-1' }
    const refused = await call(server, 'POST', '/api/auth/change-password', { token: again.token!, body: change })
    expect(refused.json.code).toBe('OIDC_NO_PASSWORD')
  })

  test('clients see it; signing out names the page of the provider', async () => {
    expect((await call(server, 'GET', '/api/v1/config/auth')).json).toEqual({
      ...{ authEnabled: true, oidcEnabled: true, oidcProviderName: 'Company', oidcLoginUrl: '/api/auth/oidc/login' },
      deviceEnabled: true,
      ssoEnforced: false,
      passkeysEnabled: true,
    })
    const { token } = await enter('1', {})
    const { logoutUrl } = (await call(server, 'POST', '/api/auth/logout', { token: token! })).json
    const url = new URL(logoutUrl)
    expect([url.origin, url.searchParams.get('post_logout_redirect_uri')]).toEqual([provider.issuer, `${PUBLIC}/login`])
    expect(url.searchParams.get('id_token_hint')!.split('.')).toHaveLength(3)
    expect((await session(token)).code).toBe('SESSION_INVALID')
  })

  test('numbers existing names, also in concurrent sign-ins', async () => {
    for (const login of ['t1', 't2', 't3']) provider.users.set(login, { preferred_username: 'twin' })
    await Promise.all(['t1', 't2', 't3', 't3'].map((login) => fillIn(browserFor(), login)))
    const names = (await usersNow()).map(({ username }) => username as string).filter((name) => name.startsWith('twin'))
    expect(names.sort()).toEqual(['twin', 'twin_2', 'twin_3'])
  })

  test('accepts new keys of the provider immediately', async () => {
    await provider.rotate()
    expect((await enter('1', {})).url).toBe(`${PUBLIC}/`)
  })
})

test('the client secret is in no support bundle', async () => {
  const zip = temporaryPath('bundle.zip')
  writeFileSync(zip, (await call(server, 'GET', '/api/v1/admin/support-bundle', { token: admin })).bytes)
  const text = (await readZip(zip)).map(({ data }) => data.toString()).join('\n')
  expect([text.includes(provider.issuer), text.includes(CLIENT.client_secret)]).toEqual([true, false])
})

type AuditEntry = { actorUsername: string; details: { before: { role: string }; after: { role: string } } }

describe('roles and links', () => {
  test('groups determine roles at each sign-in; leaving them removes the role, and its sessions', async () => {
    const first = await enter('g', { preferred_username: 'gina', groups: ['staff', 'press'] })
    expect((await session(first.token)).user.role).toBe('editor')
    const second = await enter('g', { groups: ['media-admins', 'press'] })
    expect((await session(second.token)).user.role).toBe('admin')
    expect((await session(first.token)).code).toBe('SESSION_INVALID')
    const third = await enter('g', { groups: [] })
    expect((await session(third.token)).user.role).toBe('user')
    const log = await call(server, 'GET', '/api/v1/audit-log?action=USER_UPDATED', { token: admin })
    const changes = log.json.entries.map(({ actorUsername, details: { before, after } }: AuditEntry) => [
      ...[actorUsername, before.role, after.role],
    ])
    expect(changes).toEqual([
      ['oidc', 'admin', 'user'],
      ['oidc', 'editor', 'admin'],
    ])
    await call(server, 'PUT', `/api/auth/users/${(await userNamed('gina'))!.id}`, {
      token: admin,
      body: { role: 'disabled' },
    })
    expect(word((await enter('g', { groups: ['media-admins'] })).url)).toBe('oidc_user_not_authorized')
  })

  test('requests groups that the token lacks; keeps the role if the provider omits them', async () => {
    const claims = { preferred_username: 'hugo', email: 'hugo@company.example' }
    // The token has its own address, and only userinfo has the groups.
    provider.tamper = async ({ id_token: token, ...tokens }) => {
      const [, body] = String(token).split('.')
      const inside = JSON.parse(Buffer.from(body!, 'base64url').toString()) as Claims
      const header = { alg: 'RS256', kid: provider.key.jwk.kid! }
      const signed = new SignJWT({ ...inside, email: claims.email }).setProtectedHeader(header)
      return { ...tokens, id_token: await signed.sign(provider.key.private) }
    }
    const roleWith = async (more: Claims) => (await session((await enter('h', { ...claims, ...more })).token)).user.role
    expect(await roleWith({ groups: ['media-admins'] })).toBe('admin')
    expect(await roleWith({ _claim_names: { groups: 'src1' } })).toBe('admin')
    expect(await roleWith({ hasgroups: 'true' })).toBe('admin')
    expect(await roleWith({ _claim_names: { other: 'src1' } })).toBe('user')
  })

  test('an address with email_verified as text counts as verified', async () => {
    await makeUser(server, admin, 'emil')
    const { id } = (await userNamed('emil'))!
    await call(server, 'PUT', `/api/auth/users/${id}`, { token: admin, body: { email: 'emil@company.example' } })
    const proved = { email: 'emil@company.example', email_verified: 'true' }
    expect((await session((await enter('emil-1', proved)).token)).user.id).toBe(id)
    const unproved = { ...proved, email_verified: 'false' }
    expect((await session((await enter('emil-2', unproved)).token)).user.id).not.toBe(id)
  })

  test('links an account with the same verified address, but none that manages users', async () => {
    await makeUser(server, admin, 'lena')
    const id = (await userNamed('lena'))!.id
    await call(server, 'PUT', `/api/auth/users/${id}`, { token: admin, body: { email: 'lena@company.example' } })
    const unproved = await enter('l1', {
      preferred_username: 'eve',
      email: 'lena@company.example',
      email_verified: false,
    })
    expect((await session(unproved.token)).user).toMatchObject({ username: 'eve', email: null })
    const { token } = await enter('l2', { email: 'LENA@company.example', email_verified: true, groups: ['press'] })
    // The role was assigned here, and stays.
    expect((await session(token)).user).toMatchObject({ id, hasLocalPassword: true, hasOidcLink: true, role: 'user' })
    // A password set by another person does not affect a user who signs in without it.
    const body = { username: 'nina', password: 'First-Passw0rd-1', email: 'nina@company.example' }
    await call(server, 'POST', '/api/auth/register', { token: admin, body })
    const nina = await enter('l4', { email: 'nina@company.example', email_verified: true })
    expect((await session(nina.token)).user).toMatchObject({ username: 'nina', mustChangePassword: false })
    expect((await call(server, 'GET', '/api/v1/preferences', { token: nina.token! })).status).toBe(200)
    const root = (await userNamed('admin'))!.id
    await call(server, 'PUT', `/api/auth/users/${root}`, { token: admin, body: { email: 'root@company.example' } })
    const other = await enter('l3', {
      preferred_username: 'mallory',
      email: 'root@company.example',
      email_verified: true,
    })
    expect((await session(other.token)).user).toMatchObject({ username: 'mallory', role: 'user' })
  })

  test('redirects strangers if accounts are not created, or no more', async () => {
    const closed = await serveHere({ environment: environmentOf({ OIDC_AUTO_CREATE_USERS: 'false' }) })
    const { url } = await enter('s1', { email: 'x@company.example', email_verified: true }, browserFor(closed))
    expect(word(url)).toBe('oidc_user_not_authorized')
    const full = await serveHere({ environment: environmentOf({ MAX_USERS: '1' }) })
    expect(word((await enter('s1', {}, browserFor(full))).url)).toBe('oidc_user_limit_reached')
  })

  test('requires a second factor here, too, if the policy demands it', async () => {
    const { token } = await enter('m', { preferred_username: 'mia' })
    await call(server, 'PUT', '/api/v1/settings', { token: admin, body: { mfaPolicy: 'required' } })
    expect(word((await enter('m', {})).url)).toBe('mfa_enrollment_required')
    const { secret } = (await call(server, 'POST', '/api/auth/mfa/enroll', { token: token! })).json
    const code = await totpCode(secret)
    await call(server, 'POST', '/api/auth/mfa/verify', { token: token!, body: { code } })
    const { browser, url } = await enter('m', {})
    expect(tokenOf(browser)).toBeUndefined()
    const [, mfaToken] = /^https:\/\/media\.example\/login#mfaToken=(.+)$/.exec(url)!
    const body = { mfaToken, code: await totpCode(secret) }
    const done = await call(server, 'POST', '/api/auth/mfa/complete', { body })
    expect((await session(done.json.token)).user).toMatchObject({
      username: 'mia',
      loginMethod: 'oidc',
      mfaEnabled: true,
    })
    await call(server, 'PUT', '/api/v1/settings', { token: admin, body: { mfaPolicy: 'optional' } })
  })

  test('with enforced single sign-on refuses local passwords, except for the emergency account', async () => {
    const set = (body: object) => call(server, 'PUT', '/api/v1/settings', { token: admin, body })
    const login = async (username: string, password = PASSWORD) =>
      (await call(server, 'POST', '/api/auth/login', { body: { username, password } })).json
    const local = await makeUser(server, admin, 'lars')
    const spare = (await login('admin')).token
    const stays = async (token: string) => (await call(server, 'GET', '/api/auth/session', { token })).status
    expect((await set({ ssoEnforcement: true })).json.warnings).toEqual([expect.stringContaining('nobody can sign in')])
    expect((await set({ ssoEnforcement: true, ssoBreakGlassUsername: 'admin' })).json.warnings).toBeUndefined()
    // Names that do not exist get the same response.
    expect([(await login('lena')).code, (await login('nobody')).code]).toEqual(['SSO_ENFORCED', 'SSO_ENFORCED'])
    expect((await login('ADMIN')).token).toEqual(expect.any(String))
    // And so does a wrong password of the emergency account: its name must not be discoverable.
    expect(await login('admin', 'wrong')).toEqual(await login('nobody'))
    expect([(await login('lars')).code, await stays(local)]).toEqual(['SSO_ENFORCED', 401])
    expect([await stays(admin), await stays(spare)]).toEqual([200, 401])
    const { token } = await enter('1', {})
    const change = { currentPassword: PASSWORD, newPassword: `${PASSWORD}-2` }
    expect((await call(server, 'POST', '/api/auth/change-password', { token: token!, body: change })).json.code).toBe(
      'SSO_ENFORCED',
    )
    expect((await call(server, 'GET', '/api/v1/config/auth')).json.ssoEnforced).toBe(true)
    await set({ ssoEnforcement: false })
  })
})

describe('attacks', () => {
  /** Up to the address to which the provider redirects the browser. */
  async function almost(browser: Browser, login = '1'): Promise<URL> {
    return new URL((await fillIn(browser, login, (url) => url.startsWith(CALLBACK))).url)
  }
  const failure = async (browser: Browser, url: URL | string) => {
    const page = await browser.visit(String(url))
    const location = page.headers.get('location')!
    return [page.status, location, tokenOf(browser) ?? null]
  }
  const back = (error: string) => [302, `/login?error=${error}`, null]

  test('another state, another browser, a modified or expired cookie', async () => {
    const victim = browserFor()
    const url = await almost(victim)
    const wrong = new URL(url)
    wrong.searchParams.set('state', 'x')
    expect(await failure(victim, wrong)).toEqual(back('oidc_session_expired'))
    // The first attempt removes the cookie.
    expect(await failure(victim, url)).toEqual(back('oidc_session_expired'))
    // The attacker's own code in the victim's browser: would sign in as the attacker.
    const attacker = browserFor()
    expect(await failure(browserFor(), await almost(attacker))).toEqual(back('oidc_session_expired'))
    const forger = browserFor()
    const own = await almost(forger)
    const jar = forger.cookies.get(PUBLIC)!
    const [text, signature] = jar.get('oidc-state')!.split('.') as [string, string]
    const { value } = JSON.parse(Buffer.from(text, 'base64url').toString())
    for (const at of [Date.now(), Date.now() - 700_000]) {
      jar.set('oidc-state', `${Buffer.from(JSON.stringify({ at, value })).toString('base64url')}.${signature}`)
      expect(await failure(forger, own)).toEqual(back('oidc_session_expired'))
    }
  })

  test('a code that was used, or belongs to another sign-in', async () => {
    const browser = browserFor()
    const url = await almost(browser)
    const cookie = browser.cookies.get(PUBLIC)!.get('oidc-state')!
    expect((await browser.visit(url.href)).headers.get('location')).toBe('/')
    browser.cookies.set(PUBLIC, new Map([['oidc-state', cookie]]))
    expect(await failure(browser, url)).toEqual(back('oidc_auth_failed'))
    // Another user's code with the attacker's state and cookie: PKCE refuses it.
    const [victim, attacker] = [browserFor(), browserFor()]
    const [stolen, own] = [await almost(victim), await almost(attacker)]
    own.searchParams.set('code', stolen.searchParams.get('code')!)
    expect(await failure(attacker, own)).toEqual(back('oidc_auth_failed'))
  })

  test('a response of another issuer, and a refusal of the provider', async () => {
    const browser = browserFor()
    const url = await almost(browser)
    url.searchParams.set('iss', 'https://evil.example')
    expect(await failure(browser, url)).toEqual(back('oidc_auth_failed'))
    const refused = browserFor()
    expect(word((await fillIn(refused, '')).url)).toBe('oidc_auth_failed')
  })

  const sign = (claims: Claims, more: { header?: object; key?: CryptoKey } = {}) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: provider.key.jwk.kid!, ...more.header })
      .sign(more.key ?? provider.key.private)
  const claimsOf = (token: unknown): Claims =>
    JSON.parse(Buffer.from(String(token).split('.')[1]!, 'base64url').toString())
  const seconds = Math.floor(Date.now() / 1000)

  /** Signed in at the provider after the first time. */
  const known = new Browser()
  let stranger: CryptoKey

  beforeAll(async () => {
    known.names[PUBLIC] = server.base
    stranger = (await generateKeyPair('RS256')).privateKey as CryptoKey
  })

  const FORGERIES: Record<string, (claims: Claims) => Promise<string> | string> = {
    'for another audience': (claims) => sign({ ...claims, aud: 'another-client' }),
    'for several audiences, and not authorised for this one': (claims) =>
      sign({ ...claims, aud: [CLIENT.client_id, 'other'], azp: 'other' }),
    'of another issuer': (claims) => sign({ ...claims, iss: 'https://evil.example' }),
    'that has expired': (claims) => sign({ ...claims, iat: seconds - 900, exp: seconds - 600 }),
    'that is not valid yet': (claims) => sign({ ...claims, nbf: seconds + 600 }),
    'with another nonce': (claims) => sign({ ...claims, nonce: 'x' }),
    'without a nonce': ({ nonce: _none, ...claims }) => sign(claims),
    'without a subject': ({ sub: _none, ...claims }) => sign(claims),
    'that is not signed (alg none)': (claims) => new UnsecuredJWT(claims).encode(),
    'signed with a key of the attacker': (claims) => sign(claims, { key: stranger }),
    'signed with a key of the attacker under another name': (claims) =>
      sign(claims, { key: stranger, header: { kid: 'mine', jku: 'https://evil.example/keys' } }),
    'signed with the public key as a password (HS256)': (claims) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', kid: provider.key.jwk.kid! })
        .sign(new TextEncoder().encode(JSON.stringify({ n: provider.key.jwk.n, e: 'AQAB' }))),
    'signed with the secret of the client (HS256)': (claims) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(CLIENT.client_secret)),
    'that was changed after it was signed': async (claims) => {
      const [head, , signature] = (await sign(claims)).split('.') as [string, string, string]
      const body = Buffer.from(JSON.stringify({ ...claims, sub: 'g', groups: ['media-admins'] })).toString('base64url')
      return `${head}.${body}.${signature}`
    },
    'that is no token': () => 'x.y.z',
  }

  test.each(Object.keys(FORGERIES))('a token %s', async (name) => {
    known.cookies.delete(PUBLIC)
    const url = await almost(known)
    provider.tamper = async (tokens) => ({ ...tokens, id_token: await FORGERIES[name]!(claimsOf(tokens.id_token)) })
    expect(await failure(known, url)).toEqual(back('oidc_auth_failed'))
  })

  test('no token; accepts a token within the clock tolerance', async () => {
    const browser = browserFor()
    const url = await almost(browser)
    provider.tamper = ({ id_token: _none, ...tokens }) => tokens
    expect(await failure(browser, url)).toEqual(back('oidc_auth_failed'))
    const late = browserFor()
    const other = await almost(late)
    provider.tamper = async (tokens) => ({
      ...tokens,
      id_token: await sign({ ...claimsOf(tokens.id_token), exp: Math.floor(Date.now() / 1000) - 10 }),
    })
    expect((await late.visit(other.href)).headers.get('location')).toBe('/')
  })

  test('claims of another user from the userinfo endpoint', async () => {
    provider.users.set('1', {})
    const browser = browserFor()
    const url = await almost(browser)
    // The access token of another user, whose claims would be used for this one.
    const other = browserFor()
    const otherUrl = await almost(other, 'g')
    let stolen: unknown
    provider.tamper = (tokens) => {
      stolen = tokens.access_token
      return tokens
    }
    await other.visit(otherUrl.href)
    provider.tamper = (tokens) => ({ ...tokens, access_token: stolen })
    expect(await failure(browser, url)).toEqual(back('oidc_auth_failed'))
  })

  test('no client input becomes a redirect address', async () => {
    const evil = 'https://evil.example'
    const names = ['returnTo', 'redirect', 'redirect_uri', 'next', 'RelayState', 'post_logout_redirect_uri']
    const query = names.map((name) => `${name}=${encodeURIComponent(evil)}`).join('&')
    const browser = browserFor()
    const first = await browser.visit(`${LOGIN}?${query}`)
    const to = new URL(first.headers.get('location')!)
    expect([to.origin, to.searchParams.get('redirect_uri'), to.href.includes('evil')]).toEqual([
      provider.issuer,
      CALLBACK,
      false,
    ])
    const page = await browser.visit(`${CALLBACK}?error=${encodeURIComponent(evil)}&${query}`)
    expect(page.headers.get('location')).toBe('/login?error=oidc_session_expired')
  })

  test('reports an unreachable provider, and names it only to the operator', async () => {
    const gone = await startProvider(CALLBACK)
    const away = await serveHere({ environment: environmentOf({ OIDC_ISSUER_URL: gone.issuer }) })
    gone.stop()
    const page = await browserFor(away).visit(LOGIN)
    expect(page.headers.get('location')).toBe('/login?error=oidc_provider_unreachable')
  })
})

test('refuses to start with an incomplete or insecure configuration', async () => {
  const start = (more: Record<string, string>) => serveHere({ environment: environmentOf(more) })
  for (const [more, words] of [
    [{ OIDC_CLIENT_SECRET: '' }, 'OIDC_ENABLED needs OIDC_CLIENT_SECRET'],
    [{ EXTERNAL_URL: '', OIDC_CLIENT_ID: '' }, 'OIDC_ENABLED needs OIDC_CLIENT_ID, EXTERNAL_URL'],
    [{ OIDC_ISSUER_URL: 'http://sso.company.example' }, 'Expected an https address for OIDC_ISSUER_URL'],
    [{ OIDC_DEFAULT_ROLE: 'Admin' }, 'OIDC_DEFAULT_ROLE cannot be admin'],
    [{ OIDC_ROLE_MAPPING: '["admin"]' }, 'Expected a JSON object of groups and roles for OIDC_ROLE_MAPPING'],
    [{ OIDC_CLOCK_TOLERANCE: '301' }, 'OIDC_CLOCK_TOLERANCE'],
    [{ MEDIAPROC_OFFLINE: '1' }, 'MEDIAPROC_OFFLINE'],
  ] as const)
    await expect(start(more)).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining(words),
    })
})
