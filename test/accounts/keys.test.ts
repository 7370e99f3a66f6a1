import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { AccountsContext, AccountsOptions } from '../../src/accounts/context.ts'
import { createKey, deleteKey, listKeys } from '../../src/accounts/credentials/keys.ts'
import { VerifiedKeys } from '../../src/accounts/credentials/verified-keys.ts'
import { updateUser } from '../../src/accounts/directory/users.ts'
import { openAccounts } from '../../src/accounts/open.ts'
import { authenticate } from '../../src/accounts/sign-in/authenticate.ts'
import { logout } from '../../src/accounts/sign-in/sign-in.ts'
import { allText, type Instance, openInstance, USER_PASSWORD } from '../helpers/accounts.ts'

const code = (name: string) => expect.objectContaining({ code: name })
const HOUR = 3_600_000

/** The same store after a restart: the cache of used keys is empty. */
function restarted({ store, folder }: Instance): AccountsContext {
  const options: AccountsOptions = {
    authEnabled: true,
    sessionMs: HOUR,
    maxUsers: 0,
    skipMustChangePassword: false,
    dataFolder: folder,
  }
  return openAccounts(store, options)
}

describe('a key', () => {
  test('is returned once, and stored as a hash and a prefix', async () => {
    const { accounts, admin, store, folder } = await openInstance()
    const made = await createKey(accounts, await admin(), { name: ' script ' })
    expect(made).toEqual({
      id: made.id,
      key: expect.stringMatching(/^si_[0-9a-f]{96}$/),
      name: 'script',
      permissions: null,
      expiresAt: null,
      createdAt: made.createdAt,
    })
    const digest = createHash('sha256').update(made.key).digest('hex')
    expect(await store.apiKeys.list()).toMatchObject([
      { prefix: digest.slice(0, 16), hash: expect.stringMatching(/^scrypt\$32768\$8\$1\$/), lastUsedAt: null },
    ])
    const file = allText(folder)
    expect(file).toContain(digest.slice(0, 16))
    expect([file.includes(made.key), file.includes(digest)]).toEqual([false, false])
  })

  test('authenticates its user, also after a restart; a key with one digit more or less does not', async () => {
    const instance = await openInstance()
    const caller = await instance.admin()
    const { id, key } = await createKey(instance.accounts, caller, {})
    for (const accounts of [instance.accounts, restarted(instance)]) {
      const [used] = await Promise.all(Array.from({ length: 5 }, () => authenticate(accounts, key)))
      expect(used).toMatchObject({ userId: caller.userId, role: 'admin', via: 'key', keyId: id })
      expect([used!.sessionId, used!.permissions.size]).toEqual([undefined, 18])
      const other = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')
      for (const wrong of [other, key.slice(0, -1), `${key}0`])
        await expect(authenticate(accounts, wrong)).rejects.toEqual(code('SESSION_INVALID'))
    }
  })

  test('does not authenticate with the prefix of another key', async () => {
    const instance = await openInstance()
    const { key } = await createKey(instance.accounts, await instance.admin(), {})
    const foreign = `si_${'a'.repeat(96)}`
    const prefix = createHash('sha256').update(foreign).digest('hex').slice(0, 16)
    const { apiKeys } = instance.store
    await apiKeys.add({ ...(await apiKeys.list())[0]!, id: 'x', prefix })
    await expect(authenticate(instance.accounts, foreign)).rejects.toEqual(code('SESSION_INVALID'))
    await authenticate(instance.accounts, key)
  })

  test('stops working when it is deleted or expires', async () => {
    const { accounts, admin, wait } = await openInstance()
    const caller = await admin()
    const one = await createKey(accounts, caller, {})
    await authenticate(accounts, one.key)
    await deleteKey(accounts, caller, one.id)
    await expect(authenticate(accounts, one.key)).rejects.toEqual(code('SESSION_INVALID'))
    const two = await createKey(accounts, caller, { expiresAt: new Date(Date.now() + HOUR).toISOString() })
    await authenticate(accounts, two.key)
    wait(HOUR + 60_000)
    await expect(authenticate(accounts, two.key)).rejects.toEqual(code('SESSION_INVALID'))
    expect((await listKeys(accounts, caller)).map(({ id }) => id)).toEqual([two.id])
  })

  test('updates its last use at most once a minute', async () => {
    const { accounts, admin, wait, store } = await openInstance()
    const { key } = await createKey(accounts, await admin(), {})
    const used = async (): Promise<string> => (await store.apiKeys.list())[0]!.lastUsedAt!
    await authenticate(accounts, key)
    const first = await used()
    expect(Math.abs(Date.parse(first) - Date.now())).toBeLessThan(60_000)
    wait(50_000)
    await authenticate(accounts, key)
    expect(await used()).toBe(first)
    wait(10_000)
    await authenticate(accounts, key)
    expect(Date.parse(await used()) - Date.parse(first)).toBeGreaterThanOrEqual(60_000)
  })

  test('is not created when the session ended meanwhile', async () => {
    const { accounts, admin, store } = await openInstance()
    const caller = await admin()
    // Handled before the logout is awaited: an unhandled rejection would end the test run.
    const refused = expect(createKey(accounts, caller, {})).rejects.toEqual(code('SESSION_INVALID'))
    await logout(accounts, caller)
    await refused
    expect(await store.apiKeys.list()).toEqual([])
  })
})

describe('scope', () => {
  test('is the intersection of role and scope; a reduced role reduces it', async () => {
    const { accounts, admin, add, signIn } = await openInstance()
    const id = await add('alice', 'editor')
    const { caller } = await signIn('alice', USER_PASSWORD)
    const wanted = { permissions: ['tools:use', 'files:all', 'tools:use'] }
    const { key, permissions } = await createKey(accounts, caller, wanted)
    expect(permissions).toEqual(['tools:use', 'files:all'])
    expect([...(await authenticate(accounts, key)).permissions]).toEqual(['tools:use', 'files:all'])
    await updateUser(accounts, await admin(), id, { role: 'user' })
    expect([...(await authenticate(accounts, key)).permissions]).toEqual(['tools:use'])
  })

  test('a key created with a key has no more permissions and no later expiry', async () => {
    const { accounts, admin, wait } = await openInstance()
    const expiresAt = new Date(Date.now() + HOUR).toISOString()
    const scope = ['tools:use', 'apikeys:own']
    const parent = await createKey(accounts, await admin(), { permissions: scope, expiresAt })
    const caller = await authenticate(accounts, parent.key)
    expect(await createKey(accounts, caller, {})).toMatchObject({ permissions: scope, expiresAt })
    expect(await createKey(accounts, caller, { permissions: [] })).toMatchObject({ permissions: scope })
    const refused = code('VALIDATION_ERROR')
    await expect(createKey(accounts, caller, { permissions: ['files:own'] })).rejects.toEqual(refused)
    const later = new Date(Date.now() + 2 * HOUR).toISOString()
    await expect(createKey(accounts, caller, { expiresAt: later })).rejects.toEqual(refused)
    wait(HOUR + 60_000)
    await expect(authenticate(accounts, parent.key)).rejects.toEqual(code('SESSION_INVALID'))
  })

  test.each([
    [{ permissions: ['users:manage'] }, 'You do not have the permission users:manage'],
    [{ permissions: ['fly'] }, 'You do not have the permission fly'],
    [{ name: 'x'.repeat(101) }, 'The name is longer than 100 characters'],
    [{ expiresAt: 'tomorrow' }, 'expiresAt is not a date'],
    [{ expiresAt: '2020-01-01T00:00:00.000Z' }, 'expiresAt is not in the future'],
  ])('refuses %j', async (wanted, message) => {
    const { accounts, add, signIn } = await openInstance()
    await add('alice')
    const { caller } = await signIn('alice', USER_PASSWORD)
    await expect(createKey(accounts, caller, wanted)).rejects.toMatchObject({ code: 'VALIDATION_ERROR', message })
  })

  test('requires apikeys:own', async () => {
    const { accounts, admin } = await openInstance()
    const { key, id } = await createKey(accounts, await admin(), { permissions: ['tools:use'] })
    const caller = await authenticate(accounts, key)
    const forbidden = code('FORBIDDEN')
    await expect(createKey(accounts, caller, {})).rejects.toEqual(forbidden)
    await expect(deleteKey(accounts, caller, id)).rejects.toEqual(forbidden)
    await expect(listKeys(accounts, caller)).rejects.toEqual(forbidden)
  })
})

test('lists and deletes own keys, and with apikeys:all those of all users', async () => {
  const { accounts, admin, add, signIn } = await openInstance()
  const userId = await add('alice')
  const alice = (await signIn('alice', USER_PASSWORD)).caller
  const root = await admin()
  const own = await createKey(accounts, root, { name: 'root' })
  const hers = await createKey(accounts, alice, {})
  expect(await listKeys(accounts, alice)).toEqual([
    {
      id: hers.id,
      name: 'Default API Key',
      permissions: null,
      createdAt: hers.createdAt,
      lastUsedAt: null,
      expiresAt: null,
    },
  ])
  expect(await listKeys(accounts, root)).toMatchObject([
    { id: own.id, name: 'root', username: 'admin' },
    { id: hers.id, userId, username: 'alice' },
  ])
  await expect(deleteKey(accounts, alice, own.id)).rejects.toEqual(code('NOT_FOUND'))
  await expect(deleteKey(accounts, alice, 'no-such-id')).rejects.toEqual(code('NOT_FOUND'))
  await deleteKey(accounts, root, hers.id)
  expect(await listKeys(accounts, alice)).toEqual([])
})

test('caches up to a thousand verified keys, and verifies each once', async () => {
  const keys = new VerifiedKeys()
  let checks = 0
  const verify = async (): Promise<boolean> => {
    checks++
    return true
  }
  await Promise.all(Array.from({ length: 10 }, () => keys.check('digest', 'id', verify)))
  expect([checks, keys.get('digest')]).toEqual([1, 'id'])
  for (let index = 0; index < 999; index++) keys.add(`d${index}`, `${index}`)
  expect(keys.get('digest')).toBe('id')
  keys.add('one more', 'x')
  expect([keys.get('d0'), keys.get('d1'), keys.get('digest')]).toEqual([undefined, '1', 'id'])
  keys.drop(new Set(['id']))
  expect(keys.get('digest')).toBeUndefined()
  expect(await keys.check('other', 'id', async () => false)).toBe(false)
  expect(keys.get('other')).toBeUndefined()
})
