import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { anonymousCaller, type Caller } from '../../src/accounts/caller.ts'
import { changePassword, resetPassword } from '../../src/accounts/credentials/change-password.ts'
import { createKey } from '../../src/accounts/credentials/keys.ts'
import { deleteUser, listUsers, register, updateUser } from '../../src/accounts/directory/users.ts'
import { authenticate } from '../../src/accounts/sign-in/authenticate.ts'
import { ADMIN_PASSWORD, type Instance, openInstance, USER_PASSWORD } from '../helpers/accounts.ts'

const code = (name: string) => expect.objectContaining({ code: name })

/** Manages users without being an administrator, by a role from the store. */
async function manager(instance: Instance): Promise<Caller> {
  const permissions = ['users:manage', 'tools:use', 'files:own', 'apikeys:own', 'pipelines:own', 'settings:read']
  const time = new Date().toISOString()
  const about = { id: 'r1', description: '', toolPermissions: null, createdAt: time, updatedAt: time }
  await instance.store.roles.add({ ...about, name: 'manager', permissions })
  await instance.add('maria', 'manager')
  return (await instance.signIn('maria', USER_PASSWORD)).caller
}

describe('register', () => {
  test('creates a user of the team Default who must change the password', async () => {
    const { accounts, admin, signIn } = await openInstance()
    const made = await register(accounts, await admin(), { username: 'alice', password: USER_PASSWORD })
    const user = { username: 'alice', role: 'user', teamId: 'default-team-00000000', mustChangePassword: true }
    expect(made).toMatchObject({ ...user, authProvider: 'local', email: null })
    expect((await signIn('alice', USER_PASSWORD)).caller).toMatchObject(user)
    expect((await listUsers(accounts))[1]).toEqual({
      id: made.id,
      username: 'alice',
      role: 'user',
      team: 'Default',
      authProvider: 'local',
      email: null,
      hasLocalPassword: true,
      hasOidcLink: false,
      createdAt: made.createdAt,
      mustChangePassword: true,
      mfaEnabled: false,
    })
  })

  test('role and team are case-insensitive; an unknown role becomes user', async () => {
    const { accounts, admin, store } = await openInstance()
    await store.teams.add({ id: 't1', name: 'Press', storageQuota: null, retentionHours: null, createdAt: '' })
    const caller = await admin()
    const password = USER_PASSWORD
    const one = await register(accounts, caller, { username: 'one', password, role: 'Admin', team: 'pRESS' })
    const two = await register(accounts, caller, { username: 'two', password, role: 'wizard', team: 't1' })
    expect([one.role, one.teamId, two.role, two.teamId]).toEqual(['admin', 't1', 'user', 't1'])
  })

  test('reports errors in the order of the contract', async () => {
    const instance = await openInstance({ maxUsers: 3 })
    const { accounts, signIn, add, store } = instance
    const caller = await manager(instance)
    await add('alice')
    const alice = (await signIn('alice', USER_PASSWORD)).caller
    const wanted = { username: 'a b', password: 'weak', role: 'admin', team: 'no such team' }
    await expect(register(accounts, alice, wanted)).rejects.toEqual(code('FORBIDDEN'))
    await expect(register(accounts, caller, wanted)).rejects.toMatchObject({ message: 'The user name is not valid' })
    wanted.username = 'Alice'
    await expect(register(accounts, caller, wanted)).rejects.toMatchObject({ fields: { rule: 'minLength' } })
    wanted.password = USER_PASSWORD
    await expect(register(accounts, caller, wanted)).rejects.toEqual(code('ESCALATION_DENIED'))
    wanted.role = 'user'
    await expect(register(accounts, caller, wanted)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: 'There is no such team',
    })
    wanted.team = 'Default'
    await expect(register(accounts, caller, wanted)).rejects.toEqual(code('CONFLICT'))
    wanted.username = 'bob'
    await expect(register(accounts, caller, wanted)).rejects.toEqual(code('USER_LIMIT_REACHED'))
    expect(await store.users.list()).toHaveLength(3)
  })

  test('anonymous is reserved', async () => {
    const { accounts, admin } = await openInstance()
    const wanted = { username: 'Anonymous', password: USER_PASSWORD }
    await expect(register(accounts, await admin(), wanted)).rejects.toEqual(code('CONFLICT'))
  })

  test('of two concurrent registrations of one name, one succeeds', async () => {
    const { accounts, admin } = await openInstance()
    const caller = await admin()
    const results = await Promise.allSettled(
      ['alice', 'ALICE', 'Alice'].map((username) => register(accounts, caller, { username, password: USER_PASSWORD })),
    )
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
  })
})

describe('update', () => {
  test('a new role ends the sessions, a new team does not', async () => {
    const { accounts, admin, add, signIn, store } = await openInstance()
    await store.teams.add({ id: 't1', name: 'Press', storageQuota: null, retentionHours: null, createdAt: '' })
    const id = await add('alice')
    const { token } = await signIn('alice', USER_PASSWORD)
    await updateUser(accounts, await admin(), id, { team: 'press', role: 'USER' })
    expect(await authenticate(accounts, token)).toMatchObject({ teamId: 't1', role: 'user' })
    await updateUser(accounts, await admin(), id, { role: 'Editor' })
    await expect(authenticate(accounts, token)).rejects.toEqual(code('SESSION_INVALID'))
    expect((await listUsers(accounts))[1]).toMatchObject({ role: 'editor', team: 'Press' })
  })

  test('disabling a user disables sessions and keys; enabling restores access', async () => {
    const { accounts, admin, add, signIn } = await openInstance()
    const id = await add('alice', 'editor')
    const { caller, token } = await signIn('alice', USER_PASSWORD)
    const { key } = await createKey(accounts, caller, {})
    const { after: updated } = await updateUser(accounts, await admin(), id, { role: 'disabled' })
    expect(updated.role).toBe('disabled:editor')
    await expect(authenticate(accounts, token)).rejects.toEqual(code('SESSION_INVALID'))
    await expect(authenticate(accounts, key)).rejects.toEqual(code('USER_DISABLED'))
    await updateUser(accounts, await admin(), id, { role: 'editor' })
    expect((await authenticate(accounts, key)).permissions.has('files:all')).toBe(true)
  })

  test('refuses unknown users, roles and teams, and demoting oneself', async () => {
    const { accounts, admin, add } = await openInstance()
    const caller = await admin()
    const id = await add('alice')
    await expect(updateUser(accounts, caller, 'no-such-id', { role: 'user' })).rejects.toEqual(code('NOT_FOUND'))
    const unknown = { code: 'VALIDATION_ERROR', message: 'There is no such role' }
    await expect(updateUser(accounts, caller, id, { role: 'wizard' })).rejects.toMatchObject(unknown)
    await expect(updateUser(accounts, caller, id, { team: 'x' })).rejects.toEqual(code('VALIDATION_ERROR'))
    for (const role of ['user', 'disabled'])
      await expect(updateUser(accounts, caller, caller.userId, { role })).rejects.toEqual(code('SELF_DEMOTE'))
    await updateUser(accounts, caller, caller.userId, { role: 'admin' })
    expect((await listUsers(accounts)).map(({ role }) => role)).toEqual(['admin', 'user'])
  })

  test('keeps the last administrator', async () => {
    const { accounts, admin, add } = await openInstance()
    const { userId } = await admin()
    const second = await add('second', 'admin')
    const anonymous = anonymousCaller()
    await updateUser(accounts, anonymous, second, { role: 'disabled' })
    await expect(updateUser(accounts, anonymous, userId, { role: 'user' })).rejects.toEqual(code('LAST_ADMIN'))
    await expect(deleteUser(accounts, anonymous, userId)).rejects.toEqual(code('LAST_ADMIN'))
    await updateUser(accounts, anonymous, second, { role: 'admin' })
    await updateUser(accounts, anonymous, userId, { role: 'user' })
  })
})

describe('authority', () => {
  test('a user cannot change or create a more privileged user', async () => {
    const instance = await openInstance()
    const { accounts, admin, add, store } = instance
    const mightier = await add('second', 'admin')
    const disabled = await add('third', 'admin')
    await updateUser(accounts, await admin(), disabled, { role: 'disabled' })
    const alice = await add('alice')
    const caller = await manager(instance)
    const before = JSON.stringify(await store.users.list())
    const denied = code('ESCALATION_DENIED')
    for (const id of [mightier, disabled]) {
      await expect(updateUser(accounts, caller, id, { role: 'user' })).rejects.toEqual(denied)
      await expect(updateUser(accounts, caller, id, { team: 'Default' })).rejects.toEqual(denied)
      await expect(resetPassword(accounts, caller, id, 'Other-Passw0rd-1')).rejects.toEqual(denied)
      await expect(deleteUser(accounts, caller, id)).rejects.toEqual(denied)
    }
    for (const role of ['admin', 'editor', 'disabled:admin'])
      await expect(updateUser(accounts, caller, alice, { role })).rejects.toEqual(denied)
    await expect(updateUser(accounts, caller, caller.userId, { role: 'admin' })).rejects.toEqual(denied)
    expect(JSON.stringify(await store.users.list())).toBe(before)
    await updateUser(accounts, caller, alice, { role: 'disabled' })
    await deleteUser(accounts, caller, alice)
  })

  test('the scope of a key limits it', async () => {
    const { accounts, admin, add } = await openInstance()
    const id = await add('alice')
    const { key } = await createKey(accounts, await admin(), { permissions: ['users:manage'] })
    const caller = await authenticate(accounts, key)
    await expect(deleteUser(accounts, caller, id)).rejects.toEqual(code('ESCALATION_DENIED'))
    const wanted = { username: 'bob', password: USER_PASSWORD }
    await expect(register(accounts, caller, wanted)).rejects.toEqual(code('ESCALATION_DENIED'))
  })

  test('ordinary users may do none of it', async () => {
    const { accounts, add, signIn, store } = await openInstance()
    await add('alice')
    const { caller } = await signIn('alice', USER_PASSWORD)
    const { id } = (await store.users.first())!
    const forbidden = code('FORBIDDEN')
    await expect(updateUser(accounts, caller, id, {})).rejects.toEqual(forbidden)
    await expect(resetPassword(accounts, caller, id, 'weak')).rejects.toEqual(forbidden)
    await expect(deleteUser(accounts, caller, id)).rejects.toEqual(forbidden)
  })
})

describe('reset', () => {
  test('ends sessions and keys; the new password must be changed', async () => {
    const { accounts, admin, add, signIn } = await openInstance()
    const id = await add('alice')
    const alice = await signIn('alice', USER_PASSWORD)
    await changePassword(accounts, alice.caller, USER_PASSWORD, 'Alice-Passw0rd-2')
    const { key } = await createKey(accounts, alice.caller, {})
    await resetPassword(accounts, await admin(), id, 'Alice-Passw0rd-3')
    for (const dead of [alice.token, key])
      await expect(authenticate(accounts, dead)).rejects.toEqual(code('SESSION_INVALID'))
    expect((await signIn('alice', 'Alice-Passw0rd-3')).caller.mustChangePassword).toBe(true)
  })

  test('refuses weak passwords, unknown users and users without a local password', async () => {
    const { accounts, admin, add, store } = await openInstance()
    const id = await add('alice')
    const caller = await admin()
    const weak = { code: 'VALIDATION_ERROR', fields: { rule: 'minLength' } }
    await expect(resetPassword(accounts, caller, id, 'weak')).rejects.toMatchObject(weak)
    await expect(resetPassword(accounts, caller, 'x', 'Other-Passw0rd-1')).rejects.toEqual(code('NOT_FOUND'))
    await store.users.update(id, { passwordHash: null })
    await expect(resetPassword(accounts, caller, id, 'Other-Passw0rd-1')).rejects.toMatchObject({
      message: 'This account has no local password',
    })
  })
})

describe('delete', () => {
  test("deletes the user's sessions, keys, pipelines, preferences and files, and nothing of others", async () => {
    const { accounts, admin, add, signIn, store, folder } = await openInstance()
    const id = await add('alice')
    const alice = await signIn('alice', USER_PASSWORD)
    const { key } = await createKey(accounts, alice.caller, {})
    const caller = await admin()
    for (const userId of [id, caller.userId]) {
      const kept = { name: 'x', description: null, steps: [], createdAt: '' }
      await store.pipelines.add({ id: `p-${userId}`, userId, ...kept })
      await store.preferences.set(userId, { theme: 'dark' })
      const path = join(folder, 'upload')
      writeFileSync(path, 'x')
      const about = { parentId: null, mimeType: 'text/plain', width: null, height: null, toolChain: [], version: 1 }
      await store.library.add({ ...about, ownerId: userId, originalName: 'x.txt' }, path)
    }
    await deleteUser(accounts, caller, id)
    for (const dead of [alice.token, key])
      await expect(authenticate(accounts, dead)).rejects.toEqual(code('SESSION_INVALID'))
    expect((await listUsers(accounts)).map(({ username }) => username)).toEqual(['admin'])
    expect((await store.pipelines.ofOwner(undefined)).map(({ userId }) => userId)).toEqual([caller.userId])
    expect(await Promise.all([id, caller.userId].map((one) => store.preferences.of(one)))).toEqual([
      {},
      { theme: 'dark' },
    ])
    expect([await store.library.usedBytes(id), await store.library.usedBytes(caller.userId)]).toEqual([0, 1])
    await expect(deleteUser(accounts, caller, id)).rejects.toEqual(code('NOT_FOUND'))
  })

  test('refuses deleting oneself', async () => {
    const { accounts, admin, signIn } = await openInstance()
    const caller = await admin()
    await expect(deleteUser(accounts, caller, caller.userId)).rejects.toEqual(code('SELF_DELETE'))
    await signIn('admin', ADMIN_PASSWORD)
  })
})
