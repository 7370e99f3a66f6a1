import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { changePassword, resetPassword } from '../../src/accounts/credentials/change-password.ts'
import { firstStart } from '../../src/accounts/directory/first-start.ts'
import { register } from '../../src/accounts/directory/users.ts'
import { login } from '../../src/accounts/sign-in/sign-in.ts'
import { ADMIN_PASSWORD, type Instance, openInstance } from '../helpers/accounts.ts'

/** An instance without users. */
async function emptyInstance(): Promise<Instance & { file: string }> {
  const instance = await openInstance()
  const admin = await instance.store.users.first()
  await instance.store.users.remove(admin!.id)
  return { ...instance, file: join(instance.folder, 'initial-admin-password') }
}

test('a configured password is not written to a file, must be changed, and may violate the policy', async () => {
  const { accounts, store, file } = await emptyInstance()
  expect(await firstStart(accounts, { username: 'root', password: 'root' })).toEqual({ username: 'root' })
  expect(existsSync(file)).toBe(false)
  expect(await store.users.list()).toMatchObject([
    { username: 'root', role: 'admin', teamId: 'default-team-00000000', mustChangePassword: true },
  ])
  expect((await login(accounts, 'root', 'root')).username).toBe('root')
})

test('without a configured password, generates one, shows it once, and keeps it in a file until it is changed', async () => {
  const { accounts, file, signIn } = await emptyInstance()
  const made = await firstStart(accounts, { username: 'admin', password: '' })
  expect(made).toEqual({ username: 'admin', password: expect.stringMatching(/^[\w-]{24}$/), file })
  expect(readFileSync(file, 'utf8')).toBe(`${made!.password}\n`)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const { caller } = await signIn('admin', made!.password!)
  expect(caller.mustChangePassword).toBe(true)
  await changePassword(accounts, caller, made!.password!, ADMIN_PASSWORD)
  expect(existsSync(file)).toBe(false)
  expect((await signIn('admin', ADMIN_PASSWORD)).caller.mustChangePassword).toBe(false)
})

test('keeps the file when another user changes a password, and removes it when the first user is reset', async () => {
  const { accounts, file, add, signIn, store } = await openInstance().then((instance) => ({
    ...instance,
    file: join(instance.folder, 'initial-admin-password'),
  }))
  writeFileSync(file, 'x')
  await add('alice')
  const alice = await signIn('alice', 'Alice-Passw0rd-1')
  await changePassword(accounts, alice.caller, 'Alice-Passw0rd-1', 'Alice-Passw0rd-2')
  expect(existsSync(file)).toBe(true)
  const admin = await signIn('admin', ADMIN_PASSWORD)
  await resetPassword(accounts, admin.caller, (await store.users.first())!.id, 'Other-Passw0rd-1')
  expect(existsSync(file)).toBe(false)
})

test('does nothing if users exist', async () => {
  const { accounts, store } = await openInstance()
  expect(await firstStart(accounts, { username: 'other', password: 'x' })).toBeUndefined()
  expect(await store.users.list()).toHaveLength(1)
})

test.each(['a b', 'ab', '', 'Anonymous', 'x'.repeat(51)])(
  'refuses %j as the name of the first administrator',
  async (username) => {
    const { accounts } = await emptyInstance()
    await expect(firstStart(accounts, { username, password: 'x' })).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: `Expected a user name for DEFAULT_USERNAME, got ${username}`,
    })
  },
)

test('SKIP_MUST_CHANGE_PASSWORD: no user must change the password, even those already flagged', async () => {
  const must = await openInstance()
  expect((await must.admin()).mustChangePassword).toBe(true)
  const { admin, accounts } = await openInstance({ skipMustChangePassword: true })
  const caller = await admin()
  expect(caller.mustChangePassword).toBe(false)
  const user = await register(accounts, caller, { username: 'alice', password: 'Alice-Passw0rd-1' })
  expect(user.mustChangePassword).toBe(false)
})

test('the next start completes an interrupted one', async () => {
  const { accounts, file } = await emptyInstance()
  writeFileSync(file, 'password of nobody')
  const made = await firstStart(accounts, { username: 'admin', password: '' })
  expect(readFileSync(file, 'utf8')).toBe(`${made!.password}\n`)
  rmSync(file)
})
