/** Programs exchange a token of their provider for a key, with keys and discovery over HTTP; and attacks. */
import { createServer, type Server } from 'node:http'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MediaprocError } from '../../src/errors.ts'
import { readMachineTokens } from '../../src/server/sign-in/machine-config.ts'
import { call, signIn } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'

const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const AUDIENCE = 'https://media.example'

type Pair = { private: CryptoKey; jwk: JWK }
const pairOf = async (kid: string, alg = 'RS256'): Promise<Pair> => {
  const { privateKey, publicKey } = await generateKeyPair(alg)
  return { private: privateKey as CryptoKey, jwk: { ...(await exportJWK(publicKey)), kid, alg } }
}

let provider: Server
let issuer: string
/** What the provider answers; `keys` is fetched again only for an unknown `kid`. */
const state: { keys: JWK[]; discovery: object | undefined; asked: string[] } = { keys: [], discovery: {}, asked: [] }
let pair: Pair
let server: ServerHere
let admin: string

const rulesOf = (more: object[] = []) =>
  JSON.stringify([
    { issuer, audience: AUDIENCE, claims: { repository: 'company/site', ref: 'refs/heads/*' }, account: 'ci-jobs' },
    { issuer, audience: AUDIENCE, claims: { repository: 'company/other' }, account: 'nobody' },
    { issuer, audience: 'https://other.example', claims: { repository: 'company/tools' }, account: 'tools' },
    ...more,
  ])

const CLAIMS = { sub: 'repo:company/site', repository: 'company/site', ref: 'refs/heads/main' }
const now = () => Math.floor(Date.now() / 1000)
const sign = (claims: object = {}, { header = {}, key = pair.private }: { header?: object; key?: CryptoKey } = {}) =>
  new SignJWT({ iss: issuer, aud: AUDIENCE, iat: now(), exp: now() + 300, ...CLAIMS, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: pair.jwk.kid!, ...header })
    .sign(key)
const exchange = (assertion: string) =>
  call(server, 'POST', '/api/auth/token', { body: { grant_type: GRANT, assertion } })
const statusWith = async (token: string, path = '/api/v1/files') => (await call(server, 'GET', path, { token })).status

beforeAll(async () => {
  pair = await pairOf('one')
  state.keys = [pair.jwk]
  provider = createServer((request, response) => {
    state.asked.push(request.url!)
    const document = request.url === '/keys' ? { keys: state.keys } : state.discovery
    response.writeHead(document ? 200 : 500, { 'content-type': 'application/json' }).end(JSON.stringify(document ?? {}))
  })
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  const { port } = provider.address() as { port: number }
  issuer = `http://127.0.0.1:${port}`
  state.discovery = { issuer, jwks_uri: `${issuer}/keys` }
  server = await serveHere({ environment: { MACHINE_TOKEN_RULES: rulesOf(), MACHINE_TOKEN_LIFETIME_S: '120' } })
  admin = await signIn(server)
  for (const name of ['ci-jobs', 'tools'])
    expect((await call(server, 'POST', '/api/v1/service-accounts', { token: admin, body: { name } })).status).toBe(201)
})

afterAll(() => {
  provider.close()
})

describe('a token of the provider', () => {
  test('becomes a key of the service account, which ends soon', async () => {
    const { status, json, headers } = await exchange(await sign())
    expect([status, json]).toEqual([
      200,
      { access_token: expect.stringMatching(/^si_/), token_type: 'Bearer', expires_in: 120 },
    ])
    expect(headers.get('cache-control')).toBe('no-store')
    expect(await statusWith(json.access_token)).toBe(200)
    expect(await statusWith(json.access_token, '/api/auth/users')).toBe(403)
    const { json: own } = await call(server, 'GET', '/api/v1/api-keys', { token: json.access_token })
    const [key] = own.apiKeys as { name: string; expiresAt: string }[]
    expect(key!.name).toBe('token of repo:company/site')
    const left = Date.parse(key!.expiresAt) - Date.now()
    expect(left > 0 && left <= 120_000).toBe(true)
    // It cannot be prolonged.
    const longer = { name: 'x', expiresAt: new Date(Date.now() + 3_600_000).toISOString() }
    const more = await call(server, 'POST', '/api/v1/api-keys', { token: json.access_token, body: longer })
    expect(more.status).toBe(400)
    const { entries } = (await call(server, 'GET', '/api/v1/audit-log?action=MACHINE_TOKEN_ISSUED', { token: admin }))
      .json
    expect(entries[0]).toMatchObject({ actorUsername: 'ci-jobs', details: { issuer, subject: CLAIMS.sub } })
  })

  test('as a form, as RFC 7523 has it', async () => {
    const response = await fetch(`${server.base}/api/auth/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: GRANT, assertion: await sign() }),
    })
    expect(response.status).toBe(200)
    expect(await statusWith(((await response.json()) as { access_token: string }).access_token)).toBe(200)
  })

  test('signed with a key that the provider added is accepted', async () => {
    const elliptic = await pairOf('two', 'ES256')
    // Keys that were just fetched are not fetched again, whatever a stranger sends.
    const before = state.asked.length
    for (let count = 0; count < 5; count++)
      expect((await exchange(await sign({}, { header: { kid: `no-${count}` } }))).status).toBe(401)
    expect(state.asked.length - before).toBeLessThan(2)
    state.keys = [pair.jwk, elliptic.jwk]
    const fresh = await serveHere({ environment: { MACHINE_TOKEN_RULES: rulesOf() } })
    const token = await signIn(fresh)
    await call(fresh, 'POST', '/api/v1/service-accounts', { token, body: { name: 'ci-jobs' } })
    const assertion = await sign({}, { header: { alg: 'ES256', kid: 'two' }, key: elliptic.private })
    const answer = await call(fresh, 'POST', '/api/auth/token', { body: { grant_type: GRANT, assertion } })
    expect([answer.status, answer.json.expires_in]).toEqual([200, 900])
    await fresh.stop()
  })

  test('expired keys of the account are removed, and a disabled account gets none', async () => {
    const { store } = server.context.accounts
    const { id } = (await store.users.byName('ci-jobs'))!
    const old = (await store.apiKeys.ofUser(id))[0]!
    await store.apiKeys.add({ ...old, id: 'gone', prefix: 'x', expiresAt: '2001-01-01T00:00:00.000Z' })
    expect((await exchange(await sign())).status).toBe(200)
    expect((await store.apiKeys.ofUser(id)).map((key) => key.id)).not.toContain('gone')
    const enable = (enabled: boolean) =>
      call(server, 'PUT', `/api/v1/service-accounts/${id}`, { token: admin, body: { enabled } })
    const { access_token: key } = (await exchange(await sign())).json
    await enable(false)
    expect(await statusWith(key)).toBe(403)
    expect((await exchange(await sign())).status).toBe(401)
    await enable(true)
  })
})

describe('refused, each with the same answer', () => {
  let stranger: CryptoKey
  beforeAll(async () => {
    stranger = (await generateKeyPair('RS256')).privateKey as CryptoKey
  })

  const TOKENS: Record<string, () => Promise<string> | string> = {
    'of another issuer': () => sign({ iss: 'https://evil.example' }),
    'for another audience': () => sign({ aud: 'https://evil.example' }),
    'for the audience of another rule': () => sign({ aud: 'https://other.example' }),
    'of another repository': () => sign({ repository: 'company/site-2' }),
    'of another branch': () => sign({ ref: 'refs/tags/main' }),
    'without a claim of the rule': () => sign({ repository: undefined }),
    'with a claim that is a list': () => sign({ repository: ['company/site'] }),
    'for an account that does not exist': () => sign({ repository: 'company/other' }),
    'that has expired': () => sign({ iat: now() - 600, exp: now() - 300 }),
    'that is older than an hour': () => sign({ iat: now() - 7200 }),
    'that never ends': () => sign({ exp: undefined }),
    'that is of the future': () => sign({ nbf: now() + 600 }),
    'without a subject': () => sign({ sub: undefined }),
    'that is not signed (alg none)': () =>
      new UnsecuredJWT({ iss: issuer, aud: AUDIENCE, iat: now(), exp: now() + 300, ...CLAIMS }).encode(),
    'signed with the public key as a password (HS256)': () =>
      new SignJWT({ iss: issuer, aud: AUDIENCE, iat: now(), exp: now() + 300, ...CLAIMS })
        .setProtectedHeader({ alg: 'HS256', kid: pair.jwk.kid! })
        .sign(new TextEncoder().encode(JSON.stringify(pair.jwk))),
    'signed with a key of the attacker': () => sign({}, { key: stranger }),
    'with a key of the attacker inside': async () =>
      sign({}, { key: stranger, header: { jku: `${issuer}/keys`, jwk: pair.jwk } }),
    'that was changed after it was signed': async () => {
      const [head, , signature] = (await sign({ repository: 'company/none' })).split('.')
      const body = Buffer.from(JSON.stringify({ iss: issuer, aud: AUDIENCE, iat: now(), exp: now() + 300, ...CLAIMS }))
      return `${head}.${body.toString('base64url')}.${signature}`
    },
    'that is no token': () => 'x.y.z',
  }

  test.each(Object.keys(TOKENS))('a token %s', async (what) => {
    const { status, json } = await exchange(await TOKENS[what]!())
    expect([status, json]).toEqual([401, { error: 'The token was not accepted', code: 'INVALID_CREDENTIALS' }])
  })

  test('an account of a person, even where a rule names it', async () => {
    const own = await serveHere({ environment: { MACHINE_TOKEN_RULES: rulesOf().replaceAll('"ci-jobs"', '"admin"') } })
    await signIn(own)
    const { status } = await call(own, 'POST', '/api/auth/token', {
      body: { grant_type: GRANT, assertion: await sign() },
    })
    expect(status).toBe(401)
    await own.stop()
  })

  test('bodies that are too long or of another grant', async () => {
    expect((await exchange('x'.repeat(8193))).status).toBe(400)
    expect((await exchange('x'.repeat(100_000))).status).toBe(413)
    const other = { grant_type: 'password', assertion: await sign() }
    expect((await call(server, 'POST', '/api/auth/token', { body: other })).status).toBe(400)
  })

  test('a provider that does not answer is reported as such, and asked again later only', async () => {
    state.discovery = undefined
    const own = await serveHere({ environment: { MACHINE_TOKEN_RULES: rulesOf() } })
    const before = state.asked.length
    for (let count = 0; count < 3; count++) {
      const body = { grant_type: GRANT, assertion: await sign() }
      expect((await call(own, 'POST', '/api/auth/token', { body })).json.code).toBe('DOWNLOAD_FAILED')
    }
    expect(state.asked.length - before).toBe(1)
    state.discovery = { issuer, jwks_uri: `${issuer}/keys` }
    await own.stop()
  })
})

test('without rules there is no such route', async () => {
  const own = await serveHere()
  const body = { grant_type: GRANT, assertion: 'x' }
  expect((await call(own, 'POST', '/api/auth/token', { token: await signIn(own), body })).status).toBe(404)
  await own.stop()
})

describe('rules that would let in too many are refused at the start', () => {
  const rule = { issuer: 'https://ci.example', audience: AUDIENCE, claims: { sub: 'a' }, account: 'ci-jobs' }
  test.each<[string, unknown]>([
    ['no JSON', '{'],
    ['no list', rule],
    ['no rules', []],
    ['a rule without claims', [{ ...rule, claims: {} }]],
    ['a claim with any value', [{ ...rule, claims: { sub: '*' } }]],
    ['a claim that is no text', [{ ...rule, claims: { sub: 1 } }]],
    ['no audience', [{ ...rule, audience: '' }]],
    ['an issuer without encryption', [{ ...rule, issuer: 'http://ci.example' }]],
    ['an unknown field', [{ ...rule, role: 'admin' }]],
  ])('%s', (_what, rules) => {
    process.env.MACHINE_TOKEN_RULES = typeof rules === 'string' ? rules : JSON.stringify(rules)
    try {
      expect(() => readMachineTokens()).toThrow(MediaprocError)
    } finally {
      delete process.env.MACHINE_TOKEN_RULES
    }
  })
})
