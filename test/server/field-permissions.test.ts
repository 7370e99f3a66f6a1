/** Permissions also apply to fields of a request, not only to its route. */

import { beforeAll, describe, expect, test } from 'vitest'
import type { Permission } from '../../src/accounts/directory/permissions.ts'
import { plain } from '../helpers/picture.ts'
import { call, makeUser, type Served, send, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'

let server: Served
let admin: string
let picture: Buffer

beforeAll(async () => {
  server = await serveHere()
  admin = await signIn(server)
  picture = await plain(40, 30, '#204060').png().toBuffer()
})

const makeKey = async (token: string, permissions?: Permission[]) =>
  (await call(server, 'POST', '/api/v1/api-keys', { token, body: { name: 'key', permissions } })).json

async function withRole(name: string, permissions: Permission[]): Promise<string> {
  await call(server, 'POST', '/api/v1/roles', { token: admin, body: { name, permissions } })
  return makeUser(server, admin, `user-of-${name}`, name)
}

describe('a key that may only use tools', () => {
  test.each(['new', 'overwrite'])('writes nothing to the library of its owner: %s', async (saveMode) => {
    const owner = await makeUser(server, admin, `owner-${saveMode}`, 'user')
    const file = ['file', { name: 'a.png', bytes: picture }] as const
    const { id } = (await send(server, '/api/v1/files/upload', [file], owner)).json.files[0]
    const fields = [file, ['settings', '{"width":9}'], ['fileId', id], ['saveMode', saveMode]] as const
    const { key } = await makeKey(owner, ['tools:use'])
    const refused = await send(server, '/api/v1/tools/image/resize', [...fields], key)
    expect([refused.status, refused.json.code]).toEqual([403, 'FORBIDDEN'])
    const bytes = async () => (await call(server, 'GET', `/api/v1/files/${id}/download`, { token: owner })).bytes
    const newest = async () => (await call(server, 'GET', '/api/v1/files', { token: owner })).json.files
    const before = await newest()
    expect((await bytes()).equals(picture)).toBe(true)
    expect((await send(server, '/api/v1/tools/image/resize', [...fields.slice(0, 2)], key)).status).toBe(200)
    expect((await send(server, '/api/v1/tools/image/resize', [...fields], owner)).status).toBe(200)
    expect(await newest()).not.toEqual(before)
  })
})

describe('settings', () => {
  let writer: string
  beforeAll(async () => {
    writer = await withRole('writer', ['settings:read', 'settings:write'])
  })
  const set = (token: string, body: object) => call(server, 'PUT', '/api/v1/settings', { token, body })

  test.each([
    ['ipAllowList', '[]'],
    ['mfaPolicy', 'optional'],
    ['ssoEnforcement', 'false'],
    ['ssoBreakGlassUsername', 'mallory'],
    ['passwordMinLength', '1'],
    ['maxSessionsPerUser', '9'],
    ['sessionIdleTimeoutMinutes', '0'],
    ['auditToolOperations', 'false'],
    ['loginAttemptLimit', '1000'],
  ])('%s requires security:manage; applies nothing of the request', async (name, value) => {
    const theme = `theme-${name}`
    const refused = await set(writer, { defaultTheme: theme, [name]: value })
    expect([refused.status, refused.json]).toMatchObject([403, { code: 'FORBIDDEN', keys: [name] }])
    const { settings } = (await call(server, 'GET', '/api/v1/settings', { token: writer })).json
    expect([settings.defaultTheme, settings[name]]).not.toContain(theme)
    expect((await set(writer, { defaultTheme: theme })).status).toBe(200)
    expect((await set(admin, { maxSessionsPerUser: '0' })).status).toBe(200)
  })
})

test('apikeys:all deletes no key of a more privileged user', async () => {
  const manager = await withRole('keykeeper', ['apikeys:own', 'apikeys:all'])
  const ofAdmin = await makeKey(admin)
  const user = await withRole('keyholder', ['apikeys:own'])
  const ofUser = await makeKey(user)
  const remove = async (id: string) =>
    (await call(server, 'DELETE', `/api/v1/api-keys/${id}`, { token: manager })).status
  expect([await remove(ofAdmin.id), await remove(ofUser.id)]).toEqual([403, 200])
  expect((await call(server, 'GET', '/api/v1/api-keys', { token: ofAdmin.key })).status).toBe(200)
})
