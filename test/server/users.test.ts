import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { call, FIRST_PASSWORD, makeUser, PASSWORD, type Served, send, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'
import { sendEndless, smallPicture, untilStatus } from '../helpers/server-jobs.ts'

let server: Served
let admin: string

const users = async (token = admin) => (await call(server, 'GET', '/api/auth/users', { token })).json.users
const idOf = async (username: string) =>
  (await users()).find((user: { username: string }) => user.username === username).id
const register = (body: Record<string, unknown>, token = admin) =>
  call(server, 'POST', '/api/auth/register', { token, body: { password: FIRST_PASSWORD, ...body } })
const update = (id: string, body: Record<string, unknown>, token = admin) =>
  call(server, 'PUT', `/api/auth/users/${id}`, { token, body })
const remove = (id: string, token = admin) => call(server, 'DELETE', `/api/auth/users/${id}`, { token })
const reset = (id: string, newPassword: string, token = admin) =>
  call(server, 'POST', `/api/auth/users/${id}/reset-password`, { token, body: { newPassword } })
/** A key of the administrator that may only manage users. */
const managerKey = async () =>
  (await call(server, 'POST', '/api/v1/api-keys', { token: admin, body: { permissions: ['users:manage'] } })).json.key
const session = async (token: string) => (await call(server, 'GET', '/api/auth/session', { token })).json

beforeAll(async () => {
  server = await serveHere()
  admin = await signIn(server)
})

describe('registering', () => {
  test('returns the new user; the list has all their data', async () => {
    const { status, json } = await register({ username: 'Bo.b_1-x', role: 'Editor', team: 'default' })
    expect([status, json]).toEqual([
      201,
      { id: expect.any(String), username: 'Bo.b_1-x', role: 'editor', team: 'Default', mustChangePassword: true },
    ])
    expect((await users()).find(({ id }: { id: string }) => id === json.id)).toEqual({
      ...{ id: json.id, username: 'Bo.b_1-x', role: 'editor', team: 'Default', authProvider: 'local', email: null },
      ...{ hasLocalPassword: true, hasOidcLink: false, mustChangePassword: true, mfaEnabled: false },
      createdAt: expect.stringMatching(/Z$/),
    })
  })

  test('a missing or unknown role becomes the least privileged', async () => {
    expect((await register({ username: 'norole' })).json.role).toBe('user')
    expect((await register({ username: 'oddrole', role: 'emperor' })).json.role).toBe('user')
  })

  test.each([
    ['a short name', { username: 'ab' }, 400, 'VALIDATION_ERROR'],
    ['a long name', { username: 'a'.repeat(51) }, 400, 'VALIDATION_ERROR'],
    ['a name with other characters', { username: 'a b c' }, 400, 'VALIDATION_ERROR'],
    ['no name', {}, 400, 'VALIDATION_ERROR'],
    ['a team that is not there', { username: 'lost', team: 'Nowhere' }, 400, 'VALIDATION_ERROR'],
    ['the name of everybody without accounts', { username: 'Anonymous' }, 409, 'CONFLICT'],
    ['a name that is taken, in other letters', { username: 'ADMIN' }, 409, 'CONFLICT'],
  ])('is refused for %s', async (_what, body, status, code) => {
    const answer = await register(body)
    expect([answer.status, answer.json.code]).toEqual([status, code])
  })

  test('requires permission to manage users, and ends at MAX_USERS', async () => {
    const user = await makeUser(server, admin, 'plain')
    expect((await register({ username: 'third' }, user)).json.code).toBe('FORBIDDEN')
    expect((await call(server, 'GET', '/api/auth/users', { token: user })).status).toBe(403)
    const full = await serveHere({ environment: { MAX_USERS: '1' } })
    const token = await signIn(full)
    const body = { username: 'third', password: FIRST_PASSWORD }
    const { status, json } = await call(full, 'POST', '/api/auth/register', { token, body })
    expect([status, json.code]).toEqual([403, 'USER_LIMIT_REACHED'])
    expect((await call(full, 'GET', '/api/auth/users', { token })).json.maxUsers).toBe(1)
  })
})

describe('authority', () => {
  test('a user cannot create or change a more privileged user', async () => {
    const key = await managerKey()
    await register({ username: 'chief', role: 'admin' })
    const codes = [
      await register({ username: 'mighty', role: 'admin' }, key),
      await register({ username: 'mighty', role: 'user' }, key),
      await update(await idOf('chief'), { role: 'user' }, key),
      await update(await idOf('plain'), { role: 'admin' }, key),
      await reset(await idOf('plain'), PASSWORD, key),
      await remove(await idOf('plain'), key),
    ].map(({ status, json }) => `${status} ${json.code}`)
    expect(new Set(codes)).toEqual(new Set(['403 ESCALATION_DENIED']))
    expect((await users()).some(({ username }: { username: string }) => username === 'mighty')).toBe(false)
  })

  test('the last administrator stays one, and users cannot remove themselves', async () => {
    const own = await idOf('admin')
    expect((await remove(own)).json.code).toBe('SELF_DELETE')
    expect((await update(own, { role: 'user' })).json.code).toBe('SELF_DEMOTE')
    const other = await makeUser(server, admin, 'second', 'admin')
    expect((await update(own, { role: 'user' }, other)).status).toBe(200)
    const rest = await users(other)
    const last = rest.find(({ username }: { username: string }) => username === 'second').id
    expect((await remove(last, other)).json.code).toBe('SELF_DELETE')
    expect((await update(last, { role: 'user' }, other)).json.code).toBe('SELF_DEMOTE')
    expect((await update(last, { role: 'disabled' }, other)).json.code).toBe('SELF_DEMOTE')
    // The change ended the session of the first one.
    expect((await call(server, 'GET', '/api/auth/users', { token: admin })).status).toBe(401)
    expect((await update(own, { role: 'admin' }, other)).status).toBe(200)
    admin = await signIn(server)
  })

  test('keys without a user cannot remove the last administrator', async () => {
    const { key } = (await call(server, 'POST', '/api/v1/api-keys', { token: admin, body: {} })).json
    await update(await idOf('second'), { role: 'editor' })
    expect((await update(await idOf('admin'), { role: 'user' }, key)).json.code).toBe('SELF_DEMOTE')
    expect((await remove(await idOf('admin'), key)).json.code).toBe('SELF_DELETE')
  })

  test('unknown users and roles', async () => {
    expect((await update('nobody', { role: 'user' })).status).toBe(404)
    expect((await remove('nobody')).status).toBe(404)
    expect((await reset('nobody', PASSWORD)).status).toBe(404)
    const answers = [
      await update(await idOf('plain'), { role: 'emperor' }),
      await update(await idOf('plain'), { team: 'Nowhere' }),
    ]
    expect(answers.map(({ status, json }) => [status, json.code])).toEqual([
      [400, 'VALIDATION_ERROR'],
      [400, 'VALIDATION_ERROR'],
    ])
  })
})

describe('effects of a change', () => {
  test('another role ends the sessions; keys have the new role immediately', async () => {
    const token = await makeUser(server, admin, 'olga')
    const { key } = (await call(server, 'POST', '/api/v1/api-keys', { token, body: {} })).json
    expect((await update(await idOf('olga'), { role: 'EDITOR' })).json).toEqual({ ok: true })
    expect((await session(token)).code).toBe('SESSION_INVALID')
    const list = await call(server, 'GET', '/api/v1/files', { token: key })
    expect(list.status).toBe(200)
    const again = (await call(server, 'POST', '/api/auth/login', { body: { username: 'olga', password: PASSWORD } }))
      .json
    expect(again.user.role).toBe('editor')
    expect(again.user.permissions).toContain('files:all')
    expect((await update(await idOf('olga'), { role: 'editor' })).status).toBe(200)
    expect((await session(again.token)).user.role).toBe('editor')
  })

  test('a disabled user cannot sign in, and sees the reason only after the correct password', async () => {
    const token = await makeUser(server, admin, 'paul')
    const { key } = (await call(server, 'POST', '/api/v1/api-keys', { token, body: {} })).json
    await update(await idOf('paul'), { role: 'disabled' })
    expect((await users()).find(({ username }: { username: string }) => username === 'paul').role).toBe('disabled:user')
    expect((await call(server, 'GET', '/api/v1/tools', { token: key })).json.code).toBe('USER_DISABLED')
    const login = async (password: string) =>
      (await call(server, 'POST', '/api/auth/login', { body: { username: 'paul', password } })).json.code
    expect([await login(PASSWORD), await login('Wrong-1')]).toEqual(['USER_DISABLED', 'INVALID_CREDENTIALS'])
  })

  test('a reset password ends sessions and keys, follows the policy and must be changed', async () => {
    const token = await makeUser(server, admin, 'rosa')
    const { key } = (await call(server, 'POST', '/api/v1/api-keys', { token, body: {} })).json
    const id = await idOf('rosa')
    expect((await reset(id, 'short')).json).toMatchObject({ code: 'VALIDATION_ERROR', rule: 'minLength' })
    expect((await session(token)).user.username).toBe('rosa')
    expect((await reset(id, 'Reset-Passw0rd-9')).json).toEqual({ ok: true })
    expect((await session(token)).code).toBe('SESSION_INVALID')
    expect((await call(server, 'GET', '/api/v1/tools', { token: key })).status).toBe(401)
    const body = { username: 'rosa', password: 'Reset-Passw0rd-9' }
    expect((await call(server, 'POST', '/api/auth/login', { body })).json.user.mustChangePassword).toBe(true)
  })

  test('deletes sessions, keys, pipelines, preferences and library files of a deleted user', async () => {
    const token = await makeUser(server, admin, 'sven')
    const { key } = (await call(server, 'POST', '/api/v1/api-keys', { token, body: {} })).json
    const upload = await send(server, '/api/v1/files/upload', [['file', await smallPicture()]], token)
    const steps = [{ toolId: 'resize', settings: { width: 5 } }]
    await call(server, 'POST', '/api/v1/pipeline/save', { token, body: { name: 'mine', steps } })
    const mine = async () => [
      (await call(server, 'GET', '/api/v1/pipeline/list', { token: admin })).json.pipelines.length,
      (await call(server, 'GET', '/api/v1/files', { token: admin })).json.total,
    ]
    expect(await mine()).toEqual([1, 1])
    // Running jobs are stopped, and no upload or result remains.
    const { json: uploaded } = await send(server, '/api/v1/upload', [['file', await smallPicture()]], token)
    const running = sendEndless(server, token, 'of-sven')
    await untilStatus(server, admin, 'of-sven', 'processing')
    expect((await remove(await idOf('sven'))).json).toEqual({ ok: true })
    expect(await mine()).toEqual([0, 0])
    expect((await running).json.code).toBe('CANCELED')
    expect((await call(server, 'GET', '/api/v1/jobs/of-sven', { token: admin })).status).toBe(404)
    expect(existsSync(join(server.data, 'workspace', uploaded.jobId))).toBe(false)
    expect((await session(token)).code).toBe('SESSION_INVALID')
    expect((await call(server, 'GET', '/api/v1/tools', { token: key })).status).toBe(401)
    expect((await call(server, 'GET', `/api/v1/files/${upload.json.files[0].id}`, { token: admin })).status).toBe(404)
  })
})
