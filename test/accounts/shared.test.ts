/** Accounts at several servers of one database: what may happen once happens once, and changes count everywhere at once. */
import { existsSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { anonymousCaller, type Caller } from '../../src/accounts/caller.ts'
import type { AccountsContext } from '../../src/accounts/context.ts'
import { createKey } from '../../src/accounts/credentials/keys.ts'
import { disableMfa, enrollMfa, hasMfa, verifyMfa } from '../../src/accounts/credentials/mfa.ts'
import { challengeMfa, completeMfa } from '../../src/accounts/credentials/second-step.ts'
import { firstStart } from '../../src/accounts/directory/first-start.ts'
import { createRole, updateRole } from '../../src/accounts/directory/roles.ts'
import { createServiceAccount, updateServiceAccount } from '../../src/accounts/directory/service-accounts.ts'
import { deleteUser, register, updateUser } from '../../src/accounts/directory/users.ts'
import { signInOptions, signInWithPasskey } from '../../src/accounts/passkeys/assert.ts'
import { listPasskeys, removePasskey } from '../../src/accounts/passkeys/manage.ts'
import { creationOptions, registerPasskey } from '../../src/accounts/passkeys/register.ts'
import { authenticate } from '../../src/accounts/sign-in/authenticate.ts'
import { cookieSecret } from '../../src/accounts/sign-in/cookie-secret.ts'
import { endSessionsOf } from '../../src/accounts/sign-in/sessions.ts'
import { createSession, login } from '../../src/accounts/sign-in/sign-in.ts'
import { useOnce } from '../../src/accounts/sign-in/used-once.ts'
import { resolveExternal } from '../../src/accounts/sso/external-users.ts'
import { branding } from '../../src/server/instance/branding.ts'
import { InstanceSettings } from '../../src/server/instance/settings.ts'
import { Authenticator } from '../helpers/authenticator.ts'
import { cheapenScrypt, restoreScrypt } from '../helpers/cheap-scrypt.mjs'
import { afterEveryFile } from '../helpers/clean-up.ts'
import { accountsOf, nodes } from '../helpers/nodes.ts'
import { outcomes } from '../helpers/outcomes.ts'
import { temporaryFolder } from '../helpers/tool.ts'
import { totpCode } from '../helpers/totp.ts'

const PASSWORD = 'Alice-Passw0rd-1'
const PARTY = { id: 'localhost', name: 'mediaproc', origin: 'http://localhost' }

const parent = temporaryFolder()
const cluster = nodes()
const operator = anonymousCaller()
cheapenScrypt()
afterEveryFile(restoreScrypt)

/** The accounts of two servers of a new database, with one clock. */
async function two(): Promise<{ one: AccountsContext; other: AccountsContext; both: AccountsContext[] }> {
  const { stores } = await cluster.several(2)
  const now = Date.now()
  const both = stores.map((store) => accountsOf(store, () => now))
  const [one, other] = both as [AccountsContext, AccountsContext]
  return { one, other, both }
}

const add = (context: AccountsContext, username: string, role = 'user') =>
  register(context, operator, { username, password: PASSWORD, role })

async function signIn(context: AccountsContext, username = 'alice'): Promise<{ token: string; caller: Caller }> {
  const { token } = await createSession(context, await login(context, username, PASSWORD))
  return { token, caller: await authenticate(context, token) }
}

/** Runs an operation at each server in turn, at the same time. */
const race = <R>(
  both: readonly AccountsContext[],
  count: number,
  work: (node: AccountsContext, index: number) => Promise<R>,
) => Promise.allSettled(Array.from({ length: count }, (_, index) => work(both[index % both.length]!, index)))

/** A user with an authenticator app. */
async function withApp(context: AccountsContext) {
  const { id } = await add(context, 'alice')
  const enrolment = await enrollMfa(context, id)
  const code = () => totpCode(enrolment.secret, Math.floor(context.now() / 1000))
  await verifyMfa(context, { userId: id }, await code())
  const challenge = async () => challengeMfa(context, await login(context, 'alice', PASSWORD), 'local')
  return { ...enrolment, id, code, challenge }
}

async function withPasskey(context: AccountsContext, userId: string): Promise<Authenticator> {
  const authenticator = new Authenticator('http://localhost')
  const options = await creationOptions(context, { userId, via: 'session' }, PARTY)
  await registerPasskey(context, { userId, via: 'session' }, PARTY, {
    ...{ attestation: authenticator.create(options), name: 'Laptop' },
  })
  return authenticator
}

describe('once', () => {
  test('the first start: one administrator, and one file with the password', async () => {
    const { stores } = await cluster.several(3)
    const contexts = stores.map((store) => {
      const context = accountsOf(store)
      return { ...context, options: { ...context.options, dataFolder: mkdtempSync(join(parent, 'data-')) } }
    })
    const starts = await Promise.all(contexts.map((each) => firstStart(each, { username: 'admin', password: '' })))
    expect(starts.filter((start) => start !== undefined)).toHaveLength(1)
    const files = contexts.map(({ options }) => existsSync(join(options.dataFolder, 'initial-admin-password')))
    expect(files).toEqual(starts.map((start) => start !== undefined))
    const first = starts.find((start) => start !== undefined)
    expect(await stores[0]!.users.count()).toBe(1)
    expect((await login(contexts[2]!, 'admin', first?.password ?? '')).role).toBe('admin')
  })

  test('a name, in any case; and the last place for a user', async () => {
    const { one, both } = await two()
    const names = ['alice', 'Alice', 'ALICE', 'aLICE']
    expect(outcomes(await race(both, 4, (node, index) => add(node, names[index]!)))).toEqual({ done: 1, CONFLICT: 3 })
    const limited = both.map((node) => ({ ...node, options: { ...node.options, maxUsers: 3 } }))
    const more = await race(limited, 6, (node, index) => add(node, `user${index}`))
    expect(outcomes(more)).toEqual({ done: 2, USER_LIMIT_REACHED: 4 })
    expect(await one.store.users.count()).toBe(3)
  })

  test('the last administrator stays', async () => {
    const { one, other } = await two()
    for (let round = 0; round < 4; round++) {
      const [a, b] = [await add(one, `ada${round}`, 'admin'), await add(one, `bob${round}`, 'admin')]
      const results = await Promise.allSettled([
        round % 2 === 0 ? updateUser(one, operator, a.id, { role: 'user' }) : deleteUser(one, operator, a.id),
        updateUser(other, operator, b.id, { role: 'user' }),
      ])
      expect(outcomes(results)).toEqual({ done: 1, LAST_ADMIN: 1 })
      // Nobody of this round may count in the next one.
      await one.store.transaction(async ({ users }) => {
        for (const { id } of await users.list()) await users.remove(id)
      })
    }
  })

  test('the limit of sessions', async () => {
    const { one, both } = await two()
    const { id } = await add(one, 'alice')
    await one.store.settings.set('maxSessionsPerUser', { value: '3', updatedAt: '' })
    const user = await login(one, 'alice', PASSWORD)
    expect(outcomes(await race(both, 12, (node) => createSession(node, user)))).toEqual({ done: 12 })
    expect(await one.store.sessions.ofUser(id)).toHaveLength(3)
  })

  test('a code of an app, and a recovery code', async () => {
    const { one, both } = await two()
    const { code, challenge, recoveryCodes } = await withApp(one)
    for (const used of [await code(), recoveryCodes[0]!]) {
      const tokens = [await challenge(), await challenge(), await challenge(), await challenge()]
      const results = await race(both, 4, (node, index) => completeMfa(node, tokens[index]!, used))
      expect(outcomes(results)).toEqual({ done: 1, INVALID_CODE: 3 })
    }
  })

  test('the tries and the end of a sign-in with two steps', async () => {
    const { one, both } = await two()
    const { challenge, recoveryCodes } = await withApp(one)
    const token = await challenge()
    const wrong = await race(both, 9, (node) => completeMfa(node, token, 'abcdef'))
    expect(outcomes(wrong)).toEqual({ INVALID_CODE: 5, MFA_EXPIRED: 4 })
    const next = await challenge()
    // Different codes, each of them right: the sign-in ends with the first one.
    const right = await race(both, 2, (node, index) => completeMfa(node, next, recoveryCodes[index]!))
    expect(outcomes(right)).toEqual({ done: 1, MFA_EXPIRED: 1 })
  })

  test('the challenge of a passkey, and the id of an assertion of a provider', async () => {
    const { one, both } = await two()
    const { id } = await add(one, 'alice')
    const authenticator = await withPasskey(one, id)
    const answer = authenticator.get(await signInOptions(one, PARTY))
    const results = await race(both, 4, (node) => signInWithPasskey(node, PARTY, answer))
    expect(outcomes(results)).toEqual({ done: 1, PASSKEY_REFUSED: 3 })
    const marks = await Promise.all(both.flatMap((node) => [useOnce(node, ['a', 'b']), useOnce(node, ['b'])]))
    expect(marks.filter((isFirst) => isFirst)).toHaveLength(1)
  })

  test('the removal of one of the two last factors that the server requires', async () => {
    const { one, other } = await two()
    const { id, code } = await withApp(one)
    await withPasskey(one, id)
    await one.store.settings.set('mfaPolicy', { value: 'required', updatedAt: '' })
    const [passkey] = await listPasskeys(one, { userId: id })
    const results = await Promise.allSettled([
      disableMfa(one, { userId: id }, await code()),
      removePasskey(other, { userId: id }, passkey!.id),
    ])
    expect(outcomes(results)).toEqual({ done: 1, FORBIDDEN: 1 })
    expect(await hasMfa(other, id)).toBe(true)
  })

  test('the account of a user of a provider, and the secret of cookies', async () => {
    const { one, both } = await two()
    const external = {
      ...{ provider: 'oidc' as const, issuer: 'https://id.example', subject: 's', email: null, isEmailVerified: false },
      ...{ usernames: ['alice'], groups: undefined },
    }
    const rules = { autoCreate: true, autoLink: false, autoLinkAdmins: false, defaultRole: 'user', roles: {} }
    const results = await Promise.all(both.flatMap((node) => [1, 2].map(() => resolveExternal(node, external, rules))))
    expect(results.map(({ how }) => how).sort()).toEqual(['created', 'known', 'known', 'known'])
    expect(await one.store.users.count()).toBe(1)
    expect(new Set(await Promise.all(both.map((node) => cookieSecret(node)))).size).toBe(1)
  })
})

test('two changes of a service account at two servers are both kept', async () => {
  const { one, other } = await two()
  const { id } = await createServiceAccount(one, operator, { name: 'builder' })
  for (let round = 0; round < 5; round++) {
    const role = round % 2 === 0 ? 'editor' : 'user'
    await updateServiceAccount(one, operator, id, { enabled: true })
    await Promise.all([
      updateServiceAccount(one, operator, id, { enabled: false }),
      updateServiceAccount(other, operator, id, { role }),
    ])
    expect((await one.store.users.byId(id))?.role).toBe(`disabled:${role}`)
  }
})

describe('a change at one server counts at the other one at once', () => {
  test('ended sessions, deleted keys, and accounts that are disabled or deleted', async () => {
    const { one, other } = await two()
    const { id } = await add(one, 'alice')
    const { token, caller } = await signIn(one)
    expect((await authenticate(other, token)).userId).toBe(id)
    // The other server has verified the key, and remembers that.
    const key = await createKey(one, caller, {})
    expect((await authenticate(other, key.key)).keyId).toBe(key.id)
    await endSessionsOf(one, operator, id)
    await expect(authenticate(other, token)).rejects.toMatchObject({ code: 'SESSION_INVALID' })
    await one.store.apiKeys.remove(key.id)
    await expect(authenticate(other, key.key)).rejects.toMatchObject({ code: 'SESSION_INVALID' })
    const { token: second } = await signIn(other)
    await one.store.users.update(id, { role: 'disabled:user' })
    await expect(authenticate(other, second)).rejects.toMatchObject({ code: 'USER_DISABLED' })
    await deleteUser(one, operator, id)
    await expect(authenticate(other, second)).rejects.toMatchObject({ code: 'SESSION_INVALID' })
  })

  test('roles and their permissions', async () => {
    const { one, other } = await two()
    const role = await createRole(one, operator, { name: 'press', permissions: ['tools:use', 'files:own'] })
    await add(one, 'alice', 'press')
    const { token } = await signIn(one)
    expect((await authenticate(other, token)).permissions.has('files:own')).toBe(true)
    await updateRole(one, operator, role.id, { permissions: ['tools:use'] })
    expect((await authenticate(other, token)).permissions.has('files:own')).toBe(false)
  })

  test('settings, the list of addresses, disabled tools, idle limits and the branding', async () => {
    const { one, other } = await two()
    const settings = new InstanceSettings(other.store)
    const set = (name: string, value: string) => one.store.settings.set(name, { value, updatedAt: '' })
    expect([await settings.allowsAddress('10.1.1.1'), await settings.isDisabled('resize')]).toEqual([true, false])
    expect(await branding(other.store)).toMatchObject({ name: null })
    await set('ipAllowList', '["192.168.0.0/16"]')
    await set('disabledTools', '["resize"]')
    await set('brandName', 'Press')
    await set('rateLimitPerUser', '7')
    // What was read is used for half a second.
    const states = async ({ store }: typeof one) => {
      const now = new InstanceSettings(store)
      return [await now.allowsAddress('10.1.1.1'), await now.isDisabled('resize')]
    }
    expect(await states(one)).toEqual([false, true])
    await expect.poll(() => states(other), { timeout: 1500 }).toEqual([false, true])
    // Each setting has its own moment.
    await expect.poll(() => branding(other.store), { timeout: 1500 }).toMatchObject({ name: 'Press' })
    expect(await settings.number('rateLimitPerUser', 0)).toBe(7)
    await add(one, 'alice')
    const { token } = await signIn(one)
    const later = { ...other, now: () => other.now() + 10 * 60_000 }
    expect((await authenticate(later, token)).username).toBe('alice')
    await set('sessionIdleTimeoutMinutes', '5')
    await expect.poll(() => settings.number('sessionIdleTimeoutMinutes', 0), { timeout: 1500 }).toBe(5)
    const muchLater = { ...other, now: () => other.now() + 20 * 60_000 }
    await expect(authenticate(muchLater, token)).rejects.toMatchObject({ code: 'IDLE_TIMEOUT' })
  })
})
