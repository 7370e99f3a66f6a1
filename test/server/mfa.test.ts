/** Second factors over HTTP: the two steps of a sign-in, the policy, administration, and what is never shown. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { openBarcodeReader } from '../../src/engines/pictures/zxing.ts'
import { temporaryPath } from '../helpers/av.ts'
import { runProgramHere } from '../helpers/program-here.ts'
import { readZip } from '../helpers/raw-zip.ts'
import { call, makeUser, PASSWORD, signIn } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'
import { totpCode } from '../helpers/totp.ts'

const KEY = 'c3'.repeat(32)
let server: ServerHere
let admin: string

beforeAll(async () => {
  server = await serveHere({ environment: { DATA_ENCRYPTION_KEY: KEY, MFA_ISSUER: 'Press desk' } })
  admin = await signIn(server)
})

const post = (path: string, body?: object, token?: string) =>
  call(server, 'POST', path, { ...(body && { body }), ...(token && { token }) })
const login = (username: string) => post('/api/auth/login', { username, password: PASSWORD })
const idOf = async (username: string): Promise<string> => {
  const { users } = (await call(server, 'GET', '/api/auth/users', { token: admin })).json
  return users.find((user: { username: string }) => user.username === username).id
}
const policy = (mfaPolicy: string) => call(server, 'PUT', '/api/v1/settings', { token: admin, body: { mfaPolicy } })

async function enrol(token: string) {
  const { json } = await post('/api/auth/mfa/enroll', {}, token)
  const code = (later = 0) => totpCode(json.secret, Math.floor(Date.now() / 1000) + later)
  return { ...json, code } as {
    uri: string
    secret: string
    qrCode: string
    recoveryCodes: string[]
    code: typeof code
  }
}

test('sets up a factor with a QR code, activates it after a code, and signs in in two steps', async () => {
  const token = await makeUser(server, admin, 'alma')
  const { uri, secret, qrCode, code, recoveryCodes } = await enrol(token)
  expect(uri).toBe(`otpauth://totp/Press%20desk:alma?secret=${secret}&issuer=Press%20desk`)
  const svg = Buffer.from(qrCode.split(',')[1]!, 'base64')
  expect(await readQr(await sharp(svg, { density: 400 }).png().toBuffer())).toBe(uri)
  expect((await login('alma')).json.token).toEqual(expect.any(String))
  expect((await post('/api/auth/mfa/verify', { code: recoveryCodes[0] }, token)).json.code).toBe('INVALID_CODE')
  expect((await post('/api/auth/mfa/verify', { code: await code() }, token)).json).toEqual({ ok: true })
  const { json, headers } = await login('alma')
  expect(json).toEqual({
    requiresMfa: true,
    mfaToken: expect.any(String),
    mfaRequired: false,
    methods: ['totp'],
    message: expect.any(String),
  })
  expect(headers.getSetCookie()).toEqual([])
  expect((await call(server, 'GET', '/api/v1/features', { token: json.mfaToken })).status).toBe(401)
  const complete = (mfaToken: string, given: string) => post('/api/auth/mfa/complete', { mfaToken, code: given })
  const used = await code()
  const done = await complete(json.mfaToken, used)
  expect(done.json).toMatchObject({ token: expect.any(String), user: { username: 'alma', role: 'user' } })
  expect(done.headers.getSetCookie()[0]).toContain('mediaproc-session=')
  const { user } = (await call(server, 'GET', '/api/auth/session', { token: done.json.token })).json
  expect(user.mfaEnabled).toBe(true)
  expect((await complete('not-a-uuid', '123456')).json.code).toBe('VALIDATION_ERROR')
  const again = (await login('alma')).json.mfaToken
  expect((await complete(again, used)).json.code).toBe('INVALID_CODE')
  expect((await complete(again, recoveryCodes[0]!)).status).toBe(200)
  const actions = ['MFA_CHALLENGE_ISSUED', 'MFA_VERIFIED', 'MFA_VERIFY_FAILED', 'MFA_RECOVERY_USED', 'MFA_ENROLLED']
  for (const action of actions) {
    const { entries } = (await call(server, 'GET', `/api/v1/audit-log?action=${action}`, { token: admin })).json
    expect([action, entries[0]?.actorUsername]).toEqual([action, 'alma'])
  }
})

test('if the policy requires it, a sign-in without it can only set it up', async () => {
  await makeUser(server, admin, 'bruno')
  const { json: set } = await policy('required')
  expect(set.warnings).toEqual([
    expect.stringContaining('users have no second factor'),
    expect.stringContaining('administrator'),
  ])
  const { status, json } = await login('bruno')
  expect([status, json.code, json.token]).toEqual([403, 'MFA_ENROLLMENT_REQUIRED', undefined])
  const token = json.enrollmentToken
  for (const path of ['/api/auth/session', '/api/v1/tools', '/api/auth/sessions', '/api/v1/preferences'])
    expect([path, (await call(server, 'GET', path, { token })).json.code]).toEqual([path, 'MFA_ENROLLMENT_REQUIRED'])
  expect((await post('/api/v1/api-keys', {}, token)).json.code).toBe('MFA_ENROLLMENT_REQUIRED')
  const { code } = await enrol(token)
  expect((await post('/api/auth/mfa/verify', { code: await code() }, token)).status).toBe(200)
  expect((await post('/api/auth/mfa/enroll', {}, token)).json.code).toBe('SESSION_INVALID')
  const { mfaToken, mfaRequired } = (await login('bruno')).json
  const done = await post('/api/auth/mfa/complete', { mfaToken, code: await code() })
  expect([mfaRequired, done.status]).toEqual([true, 200])
  expect((await post('/api/auth/mfa/disable', { code: await code() }, done.json.token)).json.code).toBe('FORBIDDEN')
  expect((await policy('sometimes')).json.code).toBe('VALIDATION_ERROR')
  expect((await policy('optional')).json.warnings).toBeUndefined()
  expect((await post('/api/auth/mfa/disable', { code: await code() }, done.json.token)).json).toEqual({ ok: true })
})

test('administrators remove it for users below them; a key cannot manage its own', async () => {
  const token = await makeUser(server, admin, 'clara', 'admin')
  const { code } = await enrol(token)
  await post('/api/auth/mfa/verify', { code: await code() }, token)
  const body = { name: 'helpdesk', permissions: ['users:manage'] }
  await call(server, 'POST', '/api/v1/roles', { token: admin, body })
  const helper = await makeUser(server, admin, 'hugo', 'helpdesk')
  const path = `/api/auth/users/${await idOf('clara')}/mfa/reset`
  expect((await post(path, {}, helper)).json.code).toBe('ESCALATION_DENIED')
  const { key } = (await post('/api/v1/api-keys', {}, token)).json
  for (const one of ['enroll', 'verify', 'disable'])
    expect((await post(`/api/auth/mfa/${one}`, { code: '123456' }, key)).json.code).toBe('SESSION_REQUIRED')
  expect((await post(path, {}, admin)).json).toEqual({ ok: true })
  expect((await login('clara')).json.token).toEqual(expect.any(String))
})

test('without the feature it cannot be set up, and is not required', async () => {
  const without = await serveHere({ environment: { MEDIAPROC_FEATURES: 'audit_export' } })
  const token = await signIn(without)
  await call(without, 'PUT', '/api/v1/settings', { token, body: { mfaPolicy: 'required' } })
  expect((await call(without, 'POST', '/api/auth/mfa/enroll', { token })).json.code).toBe('FEATURE_NOT_LICENSED')
  expect(
    (await call(without, 'POST', '/api/auth/login', { body: { username: 'admin', password: PASSWORD } })).status,
  ).toBe(200)
})

test('settings with secret names are shown to no user', async () => {
  const put = (body: object) => call(server, 'PUT', '/api/v1/settings', { token: admin, body })
  await put({ smtp_password: 'hunter2-hunter2' })
  const user = await makeUser(server, admin, 'sven')
  const all = async (token: string) => (await call(server, 'GET', '/api/v1/settings', { token })).json.settings
  expect([(await all(admin)).smtp_password, (await all(user)).smtp_password]).toEqual(['********', undefined])
  expect((await call(server, 'GET', '/api/v1/settings/smtp_password', { token: admin })).status).toBe(403)
  await put({ smtp_password: '********' })
})

test('secrets are in no log, audit entry, support bundle or file; the operator can sign in without them', async () => {
  await post('/api/v1/admin/log-level', { level: 'trace' }, admin)
  const token = await makeUser(server, admin, 'dana')
  const { secret, code, recoveryCodes, uri } = await enrol(token)
  const used = await code()
  await post('/api/auth/mfa/verify', { code: used }, token)
  await login('dana')
  const bundle = await call(server, 'GET', '/api/v1/admin/support-bundle', { token: admin })
  const zip = temporaryPath('bundle.zip')
  writeFileSync(zip, bundle.bytes)
  const unzipped = (await readZip(zip)).map(({ data }) => data.toString()).join('\n')
  await policy('required')
  await server.stop()
  const files = readdirSync(server.data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const text = files.map((entry) => readFileSync(join(entry.parentPath ?? entry.path, entry.name), 'latin1')).join('\n')
  const words = [secret, uri, KEY, 'hunter2-hunter2', token, ...recoveryCodes]
  expect(words.filter((word) => text.includes(word) || unzipped.includes(word))).toEqual([])

  const environment = { DATA_ENCRYPTION_KEY: KEY, DEFAULT_PASSWORD: 'x' }
  const admins = (...args: string[]) =>
    runProgramHere(['admin', ...args, '--data', server.data], { cwd: server.data, environment })
  expect((await admins('mfa-status')).stdout).toMatch(/dana +user +on[\s\S]*policy: required/)
  expect((await admins('mfa-policy', 'optional')).code).toBe(0)
  expect((await admins('mfa-policy', 'never')).code).toBe(2)
  expect((await admins('mfa-disable', 'dana')).code).toBe(0)
  expect((await admins('mfa-disable', 'nobody')).stderr).toContain('no user nobody')
  const drawn = await admins('mfa-enroll', 'dana')
  const address = /otpauth:\S+/.exec(drawn.stdout)![0]
  const lines = drawn.stdout.split('\n').filter((line) => /^[█▀▄ ]+$/.test(line))
  expect(await readQr(await pictureOf(lines))).toBe(address)
  const next = await totpCode(new URL(address).searchParams.get('secret')!)
  expect((await admins('mfa-verify', 'dana', 'abcdef')).code).not.toBe(0)
  expect((await admins('mfa-verify', 'dana', next)).code).toBe(0)
  expect((await admins('mfa-status')).stdout).toMatch(/dana +user +on[\s\S]*policy: optional/)
  expect([(await admins('sso-off')).code, (await admins('addresses-off')).code, (await admins('else')).code]).toEqual([
    0, 0, 2,
  ])
})

/** The content of a QR code in a picture, read by the tools' reader. */
async function readQr(picture: Buffer): Promise<string | undefined> {
  const grey = sharp(picture).flatten().greyscale().toColourspace('b-w')
  const { data, info } = await grey.raw().toBuffer({ resolveWithObject: true })
  const reader = openBarcodeReader(AbortSignal.timeout(30_000))
  try {
    const [found] = await reader.read({ data: new Uint8Array(data), width: info.width, height: info.height })
    return found?.text
  } finally {
    await reader.close()
  }
}

/** A terminal's lines as a picture: each character is two points, one above the other. */
async function pictureOf(lines: readonly string[]): Promise<Buffer> {
  const [width, height] = [lines[0]!.length, lines.length * 2]
  const pixels = Buffer.alloc(width * height)
  for (const [row, line] of lines.entries())
    for (const [column, character] of [...line].entries()) {
      if ('█▀'.includes(character)) pixels[2 * row * width + column] = 255
      if ('█▄'.includes(character)) pixels[(2 * row + 1) * width + column] = 255
    }
  const scaled = sharp(pixels, { raw: { width, height, channels: 1 } }).resize(width * 4, height * 4, {
    kernel: 'nearest',
  })
  return scaled.png().toBuffer()
}
