/** Appearance of the instance: who may change it, and that uploaded files are never served unchanged. */
import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { call, makeUser, type Served, send, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'

let server: Served
let admin: string

beforeAll(async () => {
  server = await serveHere({ environment: { MAX_LOGO_SIZE_KB: '20' } })
  admin = await signIn(server)
})

const LOGO = '/api/v1/settings/logo'
const picture = (bytes: Buffer, name = 'logo.png') => ['file', { name, bytes }] as const
const put = (body: object, token = admin) => call(server, 'PUT', '/api/v1/branding', { token, body })

test('converts any logo to a small PNG, and shows it without sign-in', async () => {
  expect((await call(server, 'GET', LOGO)).status).toBe(404)
  const drawing =
    '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="200"><script>1</script><rect width="400" height="200" fill="#00f"/></svg>'
  expect((await send(server, LOGO, [picture(Buffer.from(drawing), 'l.svg')], admin)).json).toEqual({ ok: true })
  const { bytes, headers } = await call(server, 'GET', LOGO)
  expect([headers.get('content-type'), headers.get('x-content-type-options')]).toEqual(['image/png', 'nosniff'])
  expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  const { format, width, height } = await sharp(bytes).metadata()
  expect([format, width, height, bytes.includes('script')]).toEqual(['png', 128, 64, false])
  const { json } = await call(server, 'GET', '/api/v1/branding')
  expect((await call(server, 'GET', json.logoUrl)).bytes).toEqual(bytes)
  const { settings } = (await call(server, 'GET', '/api/v1/settings', { token: admin })).json
  expect([settings.customLogo, settings.logo_png]).toEqual(['true', undefined])
  expect((await call(server, 'GET', '/api/v1/settings/logo_png', { token: admin })).status).toBe(403)
  await call(server, 'DELETE', LOGO, { token: admin })
  expect((await call(server, 'GET', LOGO)).status).toBe(404)
  expect((await call(server, 'GET', '/api/v1/branding')).json.logoUrl).toBeNull()
})

test('refuses other files, none, two or a large one, and stores nothing', async () => {
  const small = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  const forms = [[], [picture(Buffer.from('<html>'))], [picture(Buffer.alloc(0))], [picture(small), picture(small)]]
  for (const form of [...forms, [picture(Buffer.alloc(20_001, 'x'))]])
    expect((await send(server, LOGO, form, admin)).json.code).toBe('VALIDATION_ERROR')
  expect((await call(server, 'GET', LOGO)).status).toBe(404)
})

test('checks name and colours, resets them with null, and requires the permission', async () => {
  expect((await put({ name: 'Press & desk', primaryColor: '#22558A' })).json).toEqual({
    ...{ name: 'Press & desk', primaryColor: '#22558A', accentColor: null, logoUrl: null },
  })
  for (const body of [
    { primaryColor: 'red' },
    { accentColor: 'url(x)' },
    { name: '<b>x</b>' },
    { name: 'x'.repeat(61) },
  ])
    expect((await put(body)).json.code).toBe('VALIDATION_ERROR')
  expect((await put({ name: null })).json).toMatchObject({ name: null, primaryColor: '#22558A' })
  const body = { name: 'brander', permissions: ['branding:manage'] }
  await call(server, 'POST', '/api/v1/roles', { token: admin, body })
  const [brander, user] = [await makeUser(server, admin, 'bea', 'brander'), await makeUser(server, admin, 'uwe')]
  expect([(await put({ name: 'B' }, brander)).status, (await put({ name: 'U' }, user)).status]).toEqual([200, 403])
})
