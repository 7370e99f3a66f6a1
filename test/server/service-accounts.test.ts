import { beforeAll, describe, expect, test } from 'vitest'
import { call, makeUser, PASSWORD, signIn } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'

let server: ServerHere
let admin: string

const ACCOUNTS = '/api/v1/service-accounts'
const create = (token: string, body: object) => call(server, 'POST', ACCOUNTS, { token, body })
const list = async () => (await call(server, 'GET', ACCOUNTS, { token: admin })).json.serviceAccounts
const makeKey = (token: string, id: string, body: object = {}) =>
  call(server, 'POST', `${ACCOUNTS}/${id}/keys`, { token, body })
const change = (token: string, id: string, body: object) => call(server, 'PUT', `${ACCOUNTS}/${id}`, { token, body })
const statusWith = async (token: string, path = '/api/v1/files') => (await call(server, 'GET', path, { token })).status
const refusal = ({ status, json }: { status: number; json: { code: string } }) => [status, json.code]

beforeAll(async () => {
  server = await serveHere()
  admin = await signIn(server)
})

describe('a service account', () => {
  test('is made with a role and a team, and is marked where users are listed', async () => {
    const { status, json } = await create(admin, { name: 'build-server' })
    expect([status, json]).toEqual([
      201,
      {
        ...{ id: expect.any(String), name: 'build-server', role: 'user', team: 'Default', enabled: true, keyCount: 0 },
        createdAt: expect.stringMatching(/Z$/),
      },
    ])
    expect(await list()).toEqual([json])
    const { users } = (await call(server, 'GET', '/api/auth/users', { token: admin })).json
    const marks = users.map(({ username, isService }: Record<string, unknown>) => [username, isService])
    expect(marks).toEqual([
      ['admin', undefined],
      ['build-server', true],
    ])
    expect(refusal(await create(admin, { name: 'build-server' }))).toEqual([409, 'CONFLICT'])
    expect(refusal(await create(admin, { name: 'a b' }))).toEqual([400, 'VALIDATION_ERROR'])
    expect(refusal(await create(admin, { name: 'other', role: 'nobody' }))).toEqual([400, 'VALIDATION_ERROR'])
    expect(refusal(await create(admin, { name: 'other', role: 'disabled:user' }))).toEqual([400, 'VALIDATION_ERROR'])
  })

  test('has keys with a scope and an end, which stop at once when they are deleted', async () => {
    const { id } = (await create(admin, { name: 'nightly' })).json
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    const { status, json } = await makeKey(admin, id, { name: 'night', permissions: ['files:own'], expiresAt })
    expect([status, json.permissions, json.expiresAt]).toEqual([201, ['files:own'], expiresAt])
    expect(await statusWith(json.key)).toBe(200)
    expect(await statusWith(json.key, '/api/v1/settings')).toBe(403)
    expect(await statusWith(json.key, '/api/auth/users')).toBe(403)
    const keys = (await call(server, 'GET', `${ACCOUNTS}/${id}/keys`, { token: admin })).json.apiKeys
    expect(keys.map((key: { id: string; name: string }) => [key.id, key.name])).toEqual([[json.id, 'night']])
    expect(JSON.stringify(keys)).not.toContain(json.key.slice(3, 40))
    const remove = (account: string) =>
      call(server, 'DELETE', `${ACCOUNTS}/${account}/keys/${json.id}`, { token: admin })
    const { id: other } = (await create(admin, { name: 'daily' })).json
    expect((await remove(other)).status).toBe(404)
    expect((await remove(id)).status).toBe(200)
    expect(await statusWith(json.key)).toBe(401)
    const wide = await makeKey(admin, id, { permissions: ['users:manage'] })
    expect(refusal(wide)).toEqual([400, 'VALIDATION_ERROR'])
    expect(refusal(await makeKey(admin, id, { expiresAt: '2001-01-01' }))).toEqual([400, 'VALIDATION_ERROR'])
  })

  test('is refused while it is disabled, and is gone when it is deleted', async () => {
    const { id } = (await create(admin, { name: 'backup' })).json
    const { key } = (await makeKey(admin, id)).json
    expect((await change(admin, id, { enabled: false })).status).toBe(200)
    expect(await statusWith(key)).toBe(403)
    expect((await list()).find(({ name }: { name: string }) => name === 'backup')).toMatchObject({
      ...{ enabled: false, role: 'user', keyCount: 1 },
    })
    // A new role does not enable it.
    expect((await change(admin, id, { role: 'editor' })).status).toBe(200)
    expect(await statusWith(key)).toBe(403)
    expect((await change(admin, id, { enabled: true })).status).toBe(200)
    expect(await statusWith(key)).toBe(200)
    expect((await call(server, 'DELETE', `${ACCOUNTS}/${id}`, { token: admin })).status).toBe(200)
    expect(await statusWith(key)).toBe(401)
    expect((await makeKey(admin, id)).status).toBe(404)
  })

  test('cannot sign in, and gets no password, address or second factor', async () => {
    const { id } = (await create(admin, { name: 'quiet' })).json
    for (const password of ['', 'null', PASSWORD]) {
      const { status } = await call(server, 'POST', '/api/auth/login', { body: { username: 'quiet', password } })
      expect([400, 401]).toContain(status)
    }
    const reset = { token: admin, body: { newPassword: PASSWORD } }
    expect(refusal(await call(server, 'POST', `/api/auth/users/${id}/reset-password`, reset))).toEqual([
      ...[400, 'VALIDATION_ERROR'],
    ])
    const email = { token: admin, body: { email: 'quiet@example.com' } }
    expect(refusal(await call(server, 'PUT', `/api/auth/users/${id}`, email))).toEqual([400, 'VALIDATION_ERROR'])
    const { key } = (await makeKey(admin, id)).json
    for (const path of ['/api/auth/mfa/enroll', '/api/auth/change-password'])
      expect([path, (await call(server, 'POST', path, { token: key, body: {} })).status]).toEqual([
        path,
        expect.toSatisfy((status) => status === 403 || status === 400),
      ])
    // A demand for second factors is one of people.
    await call(server, 'PUT', '/api/v1/settings', { token: admin, body: { mfaPolicy: 'required' } })
    expect(await statusWith(key)).toBe(200)
    await call(server, 'PUT', '/api/v1/settings', { token: admin, body: { mfaPolicy: 'optional' } })
  })

  test('is no administrator that the server could be left with', async () => {
    const { id } = (await create(admin, { name: 'root-service', role: 'admin' })).json
    const { key } = (await makeKey(admin, id)).json
    const { users } = (await call(server, 'GET', '/api/auth/users', { token: key })).json
    const last = users.find(({ username }: { username: string }) => username === 'admin').id
    const demote = { token: key, body: { role: 'user' } }
    expect(refusal(await call(server, 'PUT', `/api/auth/users/${last}`, demote))).toEqual([400, 'LAST_ADMIN'])
    expect((await call(server, 'DELETE', `/api/auth/users/${last}`, { token: key })).json.code).toBe('LAST_ADMIN')
    expect((await change(admin, id, { enabled: false })).status).toBe(200)
    expect((await call(server, 'DELETE', `${ACCOUNTS}/${id}`, { token: admin })).status).toBe(200)
  })
})

describe('another user with fewer permissions', () => {
  let manager: string

  beforeAll(async () => {
    const body = { name: 'manager', permissions: ['users:manage', 'files:own', 'tools:use'] }
    await call(server, 'POST', '/api/v1/roles', { token: admin, body })
    const lower = { name: 'uploader', permissions: ['files:own'] }
    await call(server, 'POST', '/api/v1/roles', { token: admin, body: lower })
    manager = await makeUser(server, admin, 'mona', 'manager')
  })

  test('gives no more than they have', async () => {
    const denied = [403, 'ESCALATION_DENIED']
    for (const role of ['admin', 'editor', 'user'])
      expect(refusal(await create(manager, { name: 'ladder', role }))).toEqual(denied)
    const { status, json } = await create(manager, { name: 'ladder', role: 'uploader' })
    expect(status).toBe(201)
    expect(refusal(await change(manager, json.id, { role: 'admin' }))).toEqual(denied)
    expect((await makeKey(manager, json.id)).status).toBe(201)
    const { id } = (await create(admin, { name: 'mighty', role: 'admin' })).json
    expect(refusal(await makeKey(manager, id, { permissions: ['files:own'] }))).toEqual(denied)
    const key = (await makeKey(admin, id)).json
    const remove = await call(server, 'DELETE', `${ACCOUNTS}/${id}/keys/${key.id}`, { token: manager })
    expect(refusal(remove)).toEqual(denied)
    expect(refusal(await call(server, 'DELETE', `${ACCOUNTS}/${id}`, { token: manager }))).toEqual(denied)
    expect(await statusWith(key.key, '/api/auth/users')).toBe(200)
  })

  test('makes keys with a key of their own, of no wider scope and no later end', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    const body = { permissions: ['users:manage', 'files:own'], expiresAt }
    const { key } = (await call(server, 'POST', '/api/v1/api-keys', { token: admin, body })).json
    const { id } = (await create(key, { name: 'from-a-key', role: 'uploader' })).json
    const made = (await makeKey(key, id)).json
    expect([made.permissions, made.expiresAt]).toEqual([['users:manage', 'files:own'], expiresAt])
    expect(await statusWith(made.key, '/api/auth/users')).toBe(403)
    expect((await makeKey(key, id, { expiresAt: '2999-01-01' })).status).toBe(400)
    expect(refusal(await create(key, { name: 'wider', role: 'user' }))).toEqual([403, 'ESCALATION_DENIED'])
  })

  test('sees no service accounts without the permission, and finds no person among them', async () => {
    const user = await makeUser(server, admin, 'ursula')
    expect((await call(server, 'GET', ACCOUNTS, { token: user })).status).toBe(403)
    expect((await create(user, { name: 'mine' })).status).toBe(403)
    const { users } = (await call(server, 'GET', '/api/auth/users', { token: admin })).json
    const { id } = users.find(({ username }: { username: string }) => username === 'ursula')
    expect((await makeKey(admin, id)).status).toBe(404)
    expect((await change(admin, id, { role: 'editor' })).status).toBe(404)
    expect((await call(server, 'DELETE', `${ACCOUNTS}/${id}`, { token: admin })).status).toBe(404)
  })
})

test('the audit log has the account and its keys, without the keys', async () => {
  const { id } = (await create(admin, { name: 'logged' })).json
  const { key } = (await makeKey(admin, id)).json
  await call(server, 'DELETE', `${ACCOUNTS}/${id}`, { token: admin })
  const { entries } = (await call(server, 'GET', '/api/v1/audit-log?limit=3', { token: admin })).json
  expect(entries.map(({ action }: { action: string }) => action)).toEqual([
    ...['SERVICE_ACCOUNT_DELETED', 'API_KEY_CREATED', 'SERVICE_ACCOUNT_CREATED'],
  ])
  expect(JSON.stringify(entries)).not.toContain(key.slice(3, 40))
})
