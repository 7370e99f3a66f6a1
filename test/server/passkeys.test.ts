/** Passkeys over HTTP, with answers of an authenticator made by hand. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { beforeAll, describe, expect, test } from 'vitest'
import { relyingParty } from '../../src/server/sign-in/relying-party.ts'
import { Authenticator, type Bent } from '../helpers/authenticator.ts'
import { runProgramHere } from '../helpers/program-here.ts'
import { call, makeUser, PASSWORD, signIn } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'
import { totpCode } from '../helpers/totp.ts'

const ORIGIN = 'https://media.example'
const ENVIRONMENT = { EXTERNAL_URL: ORIGIN, LOGIN_ATTEMPT_LIMIT: '0' }
let server: ServerHere
let admin: string

beforeAll(async () => {
  server = await serveHere({ environment: ENVIRONMENT })
  admin = await signIn(server)
})

const post = (path: string, body: object = {}, token?: string) =>
  call(server, 'POST', path, { body, ...(token && { token }) })
const login = (username: string) => post('/api/auth/login', { username, password: PASSWORD })
const passkeysOf = async (token: string) => (await call(server, 'GET', '/api/auth/passkeys', { token })).json.passkeys
const idOf = async (username: string): Promise<string> =>
  (await call(server, 'GET', '/api/auth/users', { token: admin })).json.users.find(
    (user: { username: string }) => user.username === username,
  ).id
const set = (settings: object) => call(server, 'PUT', '/api/v1/settings', { token: admin, body: settings })
const audited = async (action: string) =>
  (await call(server, 'GET', `/api/v1/audit-log?action=${action}`, { token: admin })).json.entries[0]

async function register(token: string, authenticator = new Authenticator(ORIGIN), bent: Bent = {}, name = 'Laptop') {
  const { json: options } = await post('/api/auth/passkeys/register/options', {}, token)
  const credential = authenticator.create(options, bent)
  const answer = await post('/api/auth/passkeys/register/verify', { credential, name }, token)
  return { authenticator, answer, options, credential }
}

async function passkeySignIn(authenticator: Authenticator, bent: Bent = {}) {
  const { json: options } = await post('/api/auth/passkeys/sign-in/options')
  const credential = authenticator.get(options, bent)
  return { answer: await post('/api/auth/passkeys/sign-in/verify', { credential }), credential, options }
}

test('a passkey is registered, named, signs in without a user name, and is removed', async () => {
  const token = await makeUser(server, admin, 'alma')
  const { authenticator, answer, options } = await register(token)
  expect(options).toMatchObject({
    rp: { id: 'media.example', name: 'mediaproc' },
    user: { name: 'alma' },
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    attestation: 'none',
  })
  expect([answer.status, answer.json]).toEqual([201, expect.objectContaining({ name: 'Laptop', lastUsedAt: null })])
  expect(JSON.stringify(answer.json)).not.toContain(authenticator.id)
  const again = await post('/api/auth/passkeys/register/options', {}, token)
  expect(again.json.excludeCredentials.map(({ id }: { id: string }) => id)).toEqual([authenticator.id])

  const { answer: done, options: asked } = await passkeySignIn(authenticator)
  expect(asked).toMatchObject({ rpId: 'media.example', allowCredentials: [], userVerification: 'required' })
  expect(done.json).toMatchObject({ token: expect.any(String), user: { username: 'alma' } })
  expect(done.headers.getSetCookie()[0]).toContain('mediaproc-session=')
  const session = (await call(server, 'GET', '/api/auth/session', { token: done.json.token })).json
  expect(session.user).toMatchObject({ loginMethod: 'local', mfaEnabled: true })
  expect(await audited('LOGIN_SUCCESS')).toMatchObject({ actorUsername: 'alma' })

  const [{ id, lastUsedAt }] = await passkeysOf(token)
  expect(lastUsedAt).toEqual(expect.any(String))
  const path = `/api/auth/passkeys/${id}`
  expect((await call(server, 'PATCH', path, { token, body: { name: ' ' } })).json.code).toBe('VALIDATION_ERROR')
  expect((await call(server, 'PATCH', path, { token, body: { name: 'Key' } })).json.name).toBe('Key')
  const other = await makeUser(server, admin, 'amos')
  expect((await call(server, 'PATCH', path, { token: other, body: { name: 'x' } })).status).toBe(404)
  expect((await call(server, 'DELETE', path, { token: other })).status).toBe(404)
  const { key } = (await post('/api/v1/api-keys', {}, token)).json
  expect((await call(server, 'DELETE', path, { token: key })).json.code).toBe('SESSION_REQUIRED')
  expect((await call(server, 'DELETE', path, { token })).json).toEqual({ ok: true })
  expect(await passkeysOf(token)).toEqual([])
  expect((await passkeySignIn(authenticator)).answer.json.code).toBe('PASSKEY_REFUSED')
  for (const action of ['PASSKEY_ADDED', 'PASSKEY_RENAMED', 'PASSKEY_REMOVED'])
    expect([action, (await audited(action))?.actorUsername]).toEqual([action, 'alma'])
})

test('a user with a passkey alone gets the second step after the password; codes of others do not help', async () => {
  const token = await makeUser(server, admin, 'bea')
  const { authenticator } = await register(token)
  const { json, headers } = await login('bea')
  expect(json).toEqual({
    ...{ requiresMfa: true, mfaToken: expect.any(String), mfaRequired: false, methods: ['passkey'] },
    message: expect.any(String),
  })
  expect(headers.getSetCookie()).toEqual([])
  const step = (path: string, body: object = {}, mfaToken = json.mfaToken) =>
    post(`/api/auth/mfa/${path}`, { mfaToken, ...body })
  expect((await step('complete', { code: '123456' })).json.code).toBe('MFA_NOT_CONFIGURED')
  const { json: options } = await step('passkey/options')
  expect(options.allowCredentials.map(({ id }: { id: string }) => id)).toEqual([authenticator.id])

  // A challenge of another sign-in, of the sign-in without a password, and another user's passkey.
  const second = (await login('bea')).json.mfaToken
  const answer = async (credential: object, mfaToken?: string) =>
    (await step('passkey/complete', { credential }, mfaToken)).json.code
  expect(await answer(authenticator.get(options), second)).toBe('PASSKEY_REFUSED')
  const { json: open } = await post('/api/auth/passkeys/sign-in/options')
  expect(await answer(authenticator.get(open))).toBe('PASSKEY_REFUSED')
  const stranger = (await register(await makeUser(server, admin, 'boris'))).authenticator
  expect(await answer(stranger.get(options))).toBe('PASSKEY_REFUSED')
  expect(await audited('MFA_VERIFY_FAILED')).toMatchObject({ actorUsername: 'bea' })

  // Browsers may leave out the user handle where the server names the credentials.
  const done = await step('passkey/complete', { credential: authenticator.get(options, { userHandle: null }) })
  expect(done.json).toMatchObject({ token: expect.any(String), user: { username: 'bea' } })
  expect(await audited('MFA_VERIFIED')).toMatchObject({ actorUsername: 'bea', details: { method: 'passkey' } })
  expect((await step('passkey/options')).json.code).toBe('MFA_EXPIRED')
  for (let count = 0; count < 4; count++)
    expect(await answer(authenticator.get(options), second)).toBe('PASSKEY_REFUSED')
  expect(await answer(authenticator.get(options), second)).toBe('MFA_EXPIRED')
})

test('an app and a passkey are both offered, and each completes the sign-in', async () => {
  const token = await makeUser(server, admin, 'cleo')
  const { authenticator } = await register(token)
  const { secret } = (await post('/api/auth/mfa/enroll', {}, token)).json
  const code = (later = 0) => totpCode(secret, Math.floor(Date.now() / 1000) + later)
  expect((await post('/api/auth/mfa/verify', { code: await code() }, token)).status).toBe(200)
  const { mfaToken, methods } = (await login('cleo')).json
  expect(methods).toEqual(['totp', 'passkey'])
  expect((await post('/api/auth/mfa/complete', { mfaToken, code: await code() })).status).toBe(200)
  const other = (await login('cleo')).json.mfaToken
  const { json: options } = await post('/api/auth/mfa/passkey/options', { mfaToken: other })
  const credential = authenticator.get(options)
  expect((await post('/api/auth/mfa/passkey/complete', { mfaToken: other, credential })).status).toBe(200)
  // Where a factor is required, one of them may go, not both.
  await set({ mfaPolicy: 'required' })
  try {
    expect((await post('/api/auth/mfa/disable', { code: await code(30) }, token)).json).toEqual({ ok: true })
    const [{ id }] = await passkeysOf(token)
    expect((await call(server, 'DELETE', `/api/auth/passkeys/${id}`, { token })).json.code).toBe('FORBIDDEN')
    expect(await passkeysOf(token)).toHaveLength(1)
  } finally {
    await set({ mfaPolicy: 'optional' })
  }
})

describe('refused are', () => {
  let authenticator: Authenticator
  let token: string
  beforeAll(async () => {
    token = await makeUser(server, admin, 'dora')
    authenticator = (await register(token)).authenticator
    expect((await passkeySignIn(authenticator, { counter: 10 })).answer.status).toBe(200)
  })
  const PRESENT = 0x01
  test.each<[string, () => Bent, string]>([
    ['another origin', () => ({ origin: 'https://media.example.evil.test' }), 'response'],
    ['another port', () => ({ origin: 'https://media.example:8443' }), 'response'],
    ['another relying party', () => ({ rpId: 'example' }), 'response'],
    ['an answer to a registration', () => ({ type: 'webauthn.create' }), 'response'],
    ['no user verification', () => ({ flags: PRESENT }), 'response'],
    ['the key of another authenticator', () => ({ key: new Authenticator(ORIGIN).keys.privateKey }), 'response'],
    ['an unknown credential', () => ({ id: new Authenticator(ORIGIN).id }), 'credential'],
    ['a name that is a property of every object', () => ({ id: '__proto__' }), 'credential'],
    ['another user handle', () => ({ userHandle: Buffer.from('x').toString('base64url') }), 'credential'],
    ['no user handle', () => ({ userHandle: null }), 'credential'],
    ['a counter that went back', () => ({ counter: 9 }), 'counter'],
    ['a counter that stays', () => ({ counter: 10 }), 'counter'],
    ['a counter that begins again', () => ({ counter: 0 }), 'counter'],
  ])('%s', async (_, bent, reason) => {
    const { answer } = await passkeySignIn(authenticator, bent())
    expect([answer.status, answer.json.code, answer.headers.getSetCookie()]).toEqual([401, 'PASSKEY_REFUSED', []])
    expect((await audited('PASSKEY_REFUSED')).details).toEqual({ reason })
    expect((await audited('LOGIN_FAILED')).details).toEqual({ method: 'passkey', reason })
  })

  test('a challenge that was used, is too old, forged, or was issued for something else', async () => {
    const good = await passkeySignIn(authenticator, { counter: 20 })
    expect(good.answer.status).toBe(200)
    const verify = async (credential: object) =>
      (await post('/api/auth/passkeys/sign-in/verify', { credential })).json.code
    expect(await verify(good.credential)).toBe('PASSKEY_REFUSED')
    // The same challenge, signed again with a higher counter.
    expect(await verify(authenticator.get(good.options, { counter: 21 }))).toBe('PASSKEY_REFUSED')
    expect((await audited('PASSKEY_REFUSED')).details).toEqual({ reason: 'challenge' })
    const { json: fresh } = await post('/api/auth/passkeys/sign-in/options')
    const forged = Buffer.from(fresh.challenge, 'base64url')
    forged[5]! += 1
    const { json: confirm } = await post('/api/auth/passkeys/confirm/options', {}, token)
    const { json: create } = await post('/api/auth/passkeys/register/options', {}, token)
    // The first two are other spellings of the same bytes.
    for (const challenge of [
      `${fresh.challenge}=`,
      ` ${fresh.challenge}`,
      forged.toString('base64url'),
      confirm.challenge,
      create.challenge,
      '',
    ])
      expect([challenge, await verify(authenticator.get({ ...fresh, challenge }, { counter: 30 }))]).toEqual([
        challenge,
        'PASSKEY_REFUSED',
      ])
    const { accounts } = server.context
    const clock = accounts.now
    try {
      accounts.now = () => clock() + 300_001
      expect(await verify(authenticator.get(fresh, { counter: 30 }))).toBe('PASSKEY_REFUSED')
      accounts.now = () => clock() + 299_000
      expect(await verify(authenticator.get(fresh, { counter: 30 }))).toBeUndefined()
    } finally {
      accounts.now = clock
    }
  })

  test('one of two requests with the same answer', async () => {
    // Without a counter, as synchronized passkeys are: only the challenge distinguishes the requests.
    const { authenticator: synced } = await register(token)
    const { json: options } = await post('/api/auth/passkeys/sign-in/options')
    const credential = synced.get(options, { counter: 0 })
    const answers = await Promise.all([1, 2, 3].map(() => post('/api/auth/passkeys/sign-in/verify', { credential })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401])
  })

  test('answers that no browser sends', async () => {
    const { json: options } = await post('/api/auth/passkeys/sign-in/options')
    const good = authenticator.get(options, { counter: 50 })
    const verify = (response: object) =>
      post('/api/auth/passkeys/sign-in/verify', {
        credential: { ...good, response: { ...good.response, ...response } },
      })
    for (const [name, most] of [
      ['clientDataJSON', 4096],
      ['authenticatorData', 4096],
      ['signature', 2048],
    ] as const) {
      expect((await verify({ [name]: 'A'.repeat(most + 1) })).json.code).toBe('VALIDATION_ERROR')
      expect((await verify({ [name]: 'A'.repeat(most) })).json.code).toBe('PASSKEY_REFUSED')
      expect((await verify({ [name]: '+/' })).json.code).toBe('VALIDATION_ERROR')
    }
    for (const text of ['null', '[]', '7', '{"challenge":7}', '{'])
      expect((await verify({ clientDataJSON: Buffer.from(text).toString('base64url') })).json.code).toBe(
        'PASSKEY_REFUSED',
      )
  })

  test('registrations that are not honest; the certificates of a statement are not looked at', async () => {
    const asked: string[] = []
    const trap = createServer((request, response) => {
      asked.push(request.url!)
      response.end()
    })
    await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve))
    try {
      for (const bent of [
        { origin: 'https://other.example' },
        { rpId: 'other.example' },
        { flags: 0x01 },
        { type: 'webauthn.get' },
        { id: new Authenticator(ORIGIN).id },
      ])
        expect((await register(token, new Authenticator(ORIGIN), bent)).answer.json.code).toBe('PASSKEY_REFUSED')
      expect((await register(token, authenticator)).answer.json.code).toBe('CONFLICT')
      const { port } = trap.address() as AddressInfo
      const attStmt = new Map<string, unknown>([
        ['ver', `http://127.0.0.1:${port}/`],
        ['response', Buffer.from('x')],
      ])
      const odd = await register(token, new Authenticator(ORIGIN), { statement: { fmt: 'android-safetynet', attStmt } })
      expect([odd.answer.status, asked]).toEqual([201, []])
      // Nested too deeply for a parser that calls itself.
      const { credential } = await register(token)
      const deep = Buffer.alloc(12_000, 0x81).toString('base64url')
      const answer = await post(
        '/api/auth/passkeys/register/verify',
        { credential: { ...credential, response: { ...credential.response, attestationObject: deep } } },
        token,
      )
      expect(answer.json.code).toBe('PASSKEY_REFUSED')
    } finally {
      trap.close()
    }
  })

  test('a registration for another user, and the same one twice', async () => {
    const other = await makeUser(server, admin, 'dirk')
    const { json: options } = await post('/api/auth/passkeys/register/options', {}, other)
    const credential = new Authenticator(ORIGIN).create(options)
    expect((await post('/api/auth/passkeys/register/verify', { credential }, token)).json.code).toBe('PASSKEY_REFUSED')
    expect((await post('/api/auth/passkeys/register/verify', { credential }, other)).json.name).toBe('Passkey')
    const twin = new Authenticator(ORIGIN).create(options)
    expect((await post('/api/auth/passkeys/register/verify', { credential: twin }, other)).json.code).toBe(
      'PASSKEY_REFUSED',
    )
  })
})

test('an enrolment token registers the first passkey and nothing more', async () => {
  await makeUser(server, admin, 'emil')
  await set({ mfaPolicy: 'required' })
  try {
    const [first, second] = [(await login('emil')).json.enrollmentToken, (await login('emil')).json.enrollmentToken]
    await post('/api/auth/mfa/enroll', {}, second)
    const { json: options } = await post('/api/auth/passkeys/register/options', {}, second)
    const { authenticator, answer } = await register(first)
    expect(answer.status).toBe(201)
    expect((await call(server, 'GET', '/api/auth/passkeys', { token: first })).json.code).toBe('SESSION_INVALID')
    // The token of an attacker who knows the password adds no factor of their own.
    for (const body of [{}, { credential: new Authenticator(ORIGIN).create(options) }])
      expect(
        (await post(`/api/auth/passkeys/register/${'credential' in body ? 'verify' : 'options'}`, body, second)).json
          .code,
      ).toBe('MFA_ALREADY_ENABLED')
    expect((await post('/api/auth/mfa/enroll', {}, second)).json.code).toBe('MFA_ALREADY_ENABLED')
    expect((await post('/api/auth/mfa/verify', { code: '123456' }, second)).json.code).toBe('MFA_ALREADY_ENABLED')
    expect((await call(server, 'GET', '/api/auth/passkeys', { token: second })).json.code).toBe(
      'MFA_ENROLLMENT_REQUIRED',
    )
    expect((await login('emil')).json).toMatchObject({ methods: ['passkey'], mfaRequired: true })
    expect((await passkeySignIn(authenticator)).answer.status).toBe(200)
  } finally {
    await set({ mfaPolicy: 'optional' })
  }
})

test('a confirmation by passkey counts; a challenge of another session does not', async () => {
  const { accounts } = server.context
  const clock = accounts.now
  const token = await makeUser(server, admin, 'finn')
  const { authenticator } = await register(token)
  const other = (await passkeySignIn(authenticator)).answer.json.token
  try {
    accounts.now = () => clock() + 11 * 60_000
    expect((await post('/api/auth/passkeys/register/options', {}, token)).json.code).toBe('CONFIRMATION_REQUIRED')
    const [{ id }] = await passkeysOf(token)
    expect((await call(server, 'DELETE', `/api/auth/passkeys/${id}`, { token })).json.code).toBe(
      'CONFIRMATION_REQUIRED',
    )
    const options = async (of: string) => (await post('/api/auth/passkeys/confirm/options', {}, of)).json
    const confirm = async (passkey: object, more: object = {}) =>
      (await post('/api/auth/confirm', { passkey, ...more }, token)).json
    expect((await confirm(authenticator.get(await options(other)))).code).toBe('PASSKEY_REFUSED')
    expect((await audited('CONFIRMATION_FAILED')).actorUsername).toBe('finn')
    const good = authenticator.get(await options(token))
    expect((await confirm(good, { password: PASSWORD })).code).toBe('VALIDATION_ERROR')
    expect(await confirm(good)).toEqual({ ok: true })
    expect((await confirm(good)).code).toBe('PASSKEY_REFUSED')
    expect((await call(server, 'DELETE', `/api/auth/passkeys/${id}`, { token })).json).toEqual({ ok: true })
    expect((await post('/api/auth/passkeys/confirm/options', {}, token)).json.code).toBe('MFA_NOT_CONFIGURED')
  } finally {
    accounts.now = clock
  }
})

test('disabled users, users of a provider, and removed users do not get in; an administrator removes passkeys', async () => {
  const token = await makeUser(server, admin, 'gina')
  const { authenticator } = await register(token)
  const id = await idOf('gina')
  await call(server, 'PUT', `/api/auth/users/${id}`, { token: admin, body: { role: 'disabled' } })
  expect((await passkeySignIn(authenticator)).answer.json.code).toBe('USER_DISABLED')
  await call(server, 'PUT', `/api/auth/users/${id}`, { token: admin, body: { role: 'user' } })
  const { store } = server.context
  const { passwordHash } = (await store.users.byId(id))!
  await store.users.update(id, { passwordHash: null })
  expect((await passkeySignIn(authenticator)).answer.json.code).toBe('SSO_ENFORCED')
  await store.users.update(id, { passwordHash })
  expect((await passkeySignIn(authenticator)).answer.status).toBe(200)
  expect((await post(`/api/auth/users/${id}/mfa/reset`, {}, admin)).json).toEqual({ ok: true })
  expect((await passkeySignIn(authenticator)).answer.json.code).toBe('PASSKEY_REFUSED')
  expect((await login('gina')).json.token).toEqual(expect.any(String))
  expect((await post(`/api/auth/users/${id}/mfa/reset`, {}, admin)).json.code).toBe('MFA_NOT_ENABLED')

  const fresh = (await login('gina')).json.token
  const next = (await register(fresh)).authenticator
  expect((await call(server, 'DELETE', `/api/auth/users/${id}`, { token: admin })).status).toBe(200)
  expect([await store.passkeys.byId(next.id), (await passkeySignIn(next)).answer.json.code]).toEqual([
    undefined,
    'PASSKEY_REFUSED',
  ])
})

test('a user has at most 20 passkeys', async () => {
  const token = await makeUser(server, admin, 'hans')
  const { store } = server.context
  const { answer } = await register(token)
  const [first] = await store.passkeys.ofUser(await idOf('hans'))
  for (let count = 1; count < 19; count++) await store.passkeys.put({ ...first!, id: `made-${count}` })
  const options = [
    await post('/api/auth/passkeys/register/options', {}, token),
    await post('/api/auth/passkeys/register/options', {}, token),
  ]
  const answers = await Promise.all(
    options.map(({ json }) =>
      post('/api/auth/passkeys/register/verify', { credential: new Authenticator(ORIGIN).create(json) }, token),
    ),
  )
  expect([answer.status, ...answers.map(({ status }) => status).sort()]).toEqual([201, 201, 409])
  expect((await post('/api/auth/passkeys/register/options', {}, token)).json.code).toBe('CONFLICT')
})

test('strangers write nothing, and are limited like sign-ins with a password', async () => {
  const limited = await serveHere({ environment: { ...ENVIRONMENT, LOGIN_ATTEMPT_LIMIT: '3' } })
  const options = () => call(limited, 'POST', '/api/auth/passkeys/sign-in/options', { body: {} })
  const statuses = [await options(), await options(), await options(), await options()].map(({ status }) => status)
  expect(statuses).toEqual([200, 200, 200, 429])
  expect(await limited.context.store.tickets.ofUser('')).toEqual([])
})

test('where single sign-on is enforced, a passkey is refused like a password, except for the emergency account', async () => {
  const sso = await serveHere({
    environment: {
      ...ENVIRONMENT,
      ...{ OIDC_ENABLED: 'true', OIDC_ISSUER_URL: 'https://sso.example', OIDC_CLIENT_ID: 'a' },
      OIDC_CLIENT_SECRET: 'b',
    },
  })
  const root = await signIn(sso)
  const [token, rescue] = [await makeUser(sso, root, 'iris'), await makeUser(sso, root, 'rescue')]
  const at = (path: string, body: object = {}, of?: string) =>
    call(sso, 'POST', `/api/auth/passkeys/${path}`, { body, ...(of && { token: of }) })
  const made = async (of: string) => {
    const authenticator = new Authenticator(ORIGIN)
    const credential = authenticator.create((await at('register/options', {}, of)).json)
    expect((await at('register/verify', { credential }, of)).status).toBe(201)
    return authenticator
  }
  const keys = [await made(token), await made(rescue)]
  const body = { ssoEnforcement: 'true', ssoBreakGlassUsername: 'rescue' }
  await call(sso, 'PUT', '/api/v1/settings', { token: root, body })
  const codes = []
  for (const key of keys) {
    const credential = key.get((await at('sign-in/options')).json)
    codes.push((await at('sign-in/verify', { credential })).json.code)
  }
  expect(codes).toEqual(['SSO_ENFORCED', undefined])
})

test('without EXTERNAL_URL passkeys work at localhost alone; with the feature off they cannot be set up', async () => {
  const plain = await serveHere()
  const ask = async (host: string) => {
    const url = new URL(`${plain.base}/api/auth/passkeys/sign-in/options`)
    url.hostname = host
    return (await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })).json()
  }
  expect(await ask('localhost')).toMatchObject({ rpId: 'localhost' })
  expect(await ask('127.0.0.1')).toMatchObject({ code: 'PASSKEYS_UNAVAILABLE' })
  expect((await call(plain, 'GET', '/api/v1/config/auth')).json.passkeysEnabled).toBeUndefined()
  const asked = (externalUrl: string, passkeysRpId = '', host = 'media.example') =>
    relyingParty({ externalUrl, passkeysRpId, mfaIssuer: 'Press' }, { protocol: 'http', host } as FastifyRequest)
  for (const address of ['http://media.example', 'https://192.0.2.7', 'https://[2001:db8::1]:8443', ''])
    expect(() => asked(address)).toThrowError(expect.objectContaining({ code: 'PASSKEYS_UNAVAILABLE' }))
  for (const host of ['localhost.evil.test', 'evil.test:80', '[::1]:80', 'localhost@evil.test', ''])
    expect(() => asked('', '', host)).toThrowError(expect.objectContaining({ code: 'PASSKEYS_UNAVAILABLE' }))
  expect([
    asked('https://media.corp.example:8443/app', 'corp.example'),
    asked('http://localhost:1349'),
    asked('', '', 'localhost:7'),
  ]).toEqual([
    { id: 'corp.example', origin: 'https://media.corp.example:8443', name: 'Press' },
    { id: 'localhost', origin: 'http://localhost:1349', name: 'Press' },
    { id: 'localhost', origin: 'http://localhost:7', name: 'Press' },
  ])
  for (const PASSKEYS_RP_ID of ['example', 'orp.example', 'a.media.corp.example', 'other.example'])
    await expect(
      serveHere({ environment: { EXTERNAL_URL: 'https://media.corp.example', PASSKEYS_RP_ID } }),
    ).rejects.toMatchObject({ code: 'INVALID_CONFIG' })

  const off = await serveHere({ environment: { ...ENVIRONMENT, MEDIAPROC_FEATURES: 'audit_export' } })
  const token = await signIn(off)
  for (const path of ['register/options', 'sign-in/options'])
    expect((await call(off, 'POST', `/api/auth/passkeys/${path}`, { token, body: {} })).json.code).toBe(
      'FEATURE_NOT_LICENSED',
    )
  expect((await call(off, 'GET', '/api/v1/config/auth')).json.passkeysEnabled).toBeUndefined()
})

test('the operator removes passkeys of a user who lost them', async () => {
  const lost = await serveHere({ environment: ENVIRONMENT })
  const token = await signIn(lost)
  const { json: options } = await call(lost, 'POST', '/api/auth/passkeys/register/options', { token, body: {} })
  const body = { credential: new Authenticator(ORIGIN).create(options) }
  expect((await call(lost, 'POST', '/api/auth/passkeys/register/verify', { token, body })).status).toBe(201)
  await lost.stop()
  const admins = (...args: string[]) =>
    runProgramHere(['admin', ...args, '--data', lost.data], { cwd: lost.data, environment: { DEFAULT_PASSWORD: 'x' } })
  expect((await admins('mfa-status')).stdout).toMatch(/admin +admin +on/)
  expect((await admins('mfa-disable', 'admin')).code).toBe(0)
  expect((await admins('mfa-status')).stdout).toMatch(/admin +admin +off/)
})
