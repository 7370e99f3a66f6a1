import { describe, expect, test } from 'vitest'
import { changePassword, resetPassword } from '../../src/accounts/credentials/change-password.ts'
import { createKey } from '../../src/accounts/credentials/keys.ts'
import { deleteUser, updateUser } from '../../src/accounts/directory/users.ts'
import { openAccounts } from '../../src/accounts/open.ts'
import { authenticate } from '../../src/accounts/sign-in/authenticate.ts'
import { describeSession } from '../../src/accounts/sign-in/describe.ts'
import { createSession, login, logout, sweepSessions } from '../../src/accounts/sign-in/sign-in.ts'
import { ADMIN_PASSWORD, allText, openInstance, USER_PASSWORD } from '../helpers/accounts.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const code = (name: string) => expect.objectContaining({ code: name })

describe('login', () => {
  test('returns a token that is stored nowhere, and a session of seven days', async () => {
    const { folder, accounts, signIn, store } = await openInstance()
    const { caller, token } = await signIn('Admin', ADMIN_PASSWORD)
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(allText(folder)).toContain(caller.sessionId)
    expect(allText(folder)).not.toContain(token)
    expect(caller).toMatchObject({ username: 'admin', role: 'admin', via: 'session', mustChangePassword: true })
    expect(caller.permissions.size).toBe(18)
    const [session] = await store.sessions.ofUser(caller.userId)
    expect(session).toMatchObject({ id: caller.sessionId, userId: caller.userId, loginMethod: 'local' })
    expect(Date.parse(session!.expiresAt) - Date.parse(session!.createdAt)).toBe(168 * HOUR)
    expect(await describeSession(accounts, caller)).toEqual({
      user: {
        id: caller.userId,
        username: 'admin',
        role: 'admin',
        mustChangePassword: true,
        permissions: [...caller.permissions],
        teamName: 'Default',
        authProvider: 'local',
        loginMethod: 'local',
        email: null,
        hasLocalPassword: true,
        hasOidcLink: false,
        mfaEnabled: false,
      },
      expiresAt: session!.expiresAt,
    })
  })

  test.each([
    ['admin', 'wrong'],
    ['nobody', ADMIN_PASSWORD],
    ['admin\0', ADMIN_PASSWORD],
    ['admin', `${ADMIN_PASSWORD}\0`],
    ['admin', `${ADMIN_PASSWORD}${'x'.repeat(2000)}`],
    ['admin'.repeat(100), ADMIN_PASSWORD],
    ['', ''],
  ])('refuses %j with %j', async (username, password) => {
    const { accounts } = await openInstance()
    await expect(login(accounts, username, password)).rejects.toEqual(code('INVALID_CREDENTIALS'))
  })

  test('refuses an account without a local password', async () => {
    const { accounts, store } = await openInstance()
    await store.users.update((await store.users.first())!.id, { passwordHash: null })
    await expect(login(accounts, 'admin', ADMIN_PASSWORD)).rejects.toEqual(code('INVALID_CREDENTIALS'))
  })

  test('reports a disabled account only after a correct password', async () => {
    const { accounts, add, admin } = await openInstance()
    const id = await add('alice')
    await updateUser(accounts, await admin(), id, { role: 'disabled' })
    await expect(login(accounts, 'alice', 'wrong')).rejects.toEqual(code('INVALID_CREDENTIALS'))
    await expect(login(accounts, 'alice', USER_PASSWORD)).rejects.toEqual(code('USER_DISABLED'))
  })

  test('ten failures in 15 minutes lock one account, whether or not it exists', async () => {
    const { accounts, add, wait } = await openInstance()
    await add('alice')
    for (const username of ['ALICE', 'nobody']) {
      const tries = Array.from({ length: 12 }, () => login(accounts, username, 'wrong').catch(({ code }) => code))
      const answers = [...Array(10).fill('INVALID_CREDENTIALS'), 'RATE_LIMITED', 'RATE_LIMITED']
      expect(await Promise.all(tries)).toEqual(answers)
    }
    wait(5 * MINUTE)
    const refusal = await login(accounts, 'alice', USER_PASSWORD).catch((error) => error)
    expect(refusal.message).toMatch(
      /^Rate limit exceeded: 10 failed sign-ins to this account; try again in \d+ seconds$/,
    )
    expect(refusal.fields.retryAfter).toBeGreaterThan(9 * 60)
    expect(refusal.fields.retryAfter).toBeLessThanOrEqual(10 * 60)
    await login(accounts, 'admin', ADMIN_PASSWORD)
    wait(10 * MINUTE)
    expect((await login(accounts, 'alice', USER_PASSWORD)).username).toBe('alice')
  })

  test('correct passwords never count, and reset the count', async () => {
    const { accounts } = await openInstance()
    const many = await Promise.all(Array.from({ length: 15 }, () => login(accounts, 'admin', ADMIN_PASSWORD)))
    expect(many).toHaveLength(15)
    for (let round = 0; round < 2; round++) {
      for (let count = 0; count < 9; count++)
        await expect(login(accounts, 'admin', 'x')).rejects.toEqual(code('INVALID_CREDENTIALS'))
      await login(accounts, 'admin', ADMIN_PASSWORD)
    }
  })

  test('a proof is invalid if the password was changed before the session started', async () => {
    const { accounts, admin, add } = await openInstance()
    const id = await add('alice')
    const proof = await login(accounts, 'alice', USER_PASSWORD)
    await resetPassword(accounts, await admin(), id, 'Other-Passw0rd-1')
    await expect(createSession(accounts, proof)).rejects.toEqual(code('INVALID_CREDENTIALS'))
  })
})

describe('sessions', () => {
  test('survive a restart', async () => {
    const { accounts, store, folder, signIn } = await openInstance()
    const { token } = await signIn('admin', ADMIN_PASSWORD)
    const options = {
      authEnabled: true,
      sessionMs: HOUR,
      maxUsers: 0,
      skipMustChangePassword: false,
      dataFolder: folder,
    }
    expect((await authenticate(openAccounts(store, options), token)).username).toBe('admin')
    await expect(authenticate(accounts, `${token}x`)).rejects.toEqual(code('SESSION_INVALID'))
  })

  test.each(['', 'x', 'x'.repeat(1e6), `si_${'0'.repeat(96)}`])(
    'an unknown credential is refused',
    async (credential) => {
      const { accounts } = await openInstance()
      await expect(authenticate(accounts, credential)).rejects.toEqual(code('SESSION_INVALID'))
    },
  )

  test('end with logout, expiry, or the deletion of the user', async () => {
    const { accounts, signIn, wait, add, admin } = await openInstance()
    const first = await signIn('admin', ADMIN_PASSWORD)
    await logout(accounts, first.caller)
    await expect(authenticate(accounts, first.token)).rejects.toEqual(code('SESSION_INVALID'))
    const id = await add('alice')
    const alice = await signIn('alice', USER_PASSWORD)
    await deleteUser(accounts, await admin(), id)
    await expect(authenticate(accounts, alice.token)).rejects.toEqual(code('SESSION_INVALID'))
    const second = await signIn('admin', ADMIN_PASSWORD)
    wait(168 * HOUR - MINUTE)
    await authenticate(accounts, second.token)
    wait(MINUTE)
    await expect(authenticate(accounts, second.token)).rejects.toEqual(code('SESSION_INVALID'))
  })

  test('idle timeout: use extends a session, inactivity ends it', async () => {
    const { accounts, signIn, wait, set } = await openInstance()
    await set('sessionIdleTimeoutMinutes', '1')
    const { token } = await signIn('admin', ADMIN_PASSWORD)
    for (let count = 0; count < 10; count++) {
      wait(40_000)
      await authenticate(accounts, token)
    }
    wait(10_000)
    await authenticate(accounts, token)
    wait(55_000)
    await expect(authenticate(accounts, token)).rejects.toEqual(code('IDLE_TIMEOUT'))
    await set('sessionIdleTimeoutMinutes', '0')
    await authenticate(accounts, token)
  })

  test('the last use is updated once a minute', async () => {
    const { accounts, signIn, wait, store } = await openInstance()
    const { token, caller } = await signIn('admin', ADMIN_PASSWORD)
    const seen = async (): Promise<string> => (await store.sessions.find(caller.sessionId!))!.lastSeenAt
    const begun = await seen()
    wait(50_000)
    await authenticate(accounts, token)
    expect(await seen()).toBe(begun)
    wait(10_000)
    await authenticate(accounts, token)
    expect(Date.parse(await seen()) - Date.parse(begun)).toBeGreaterThanOrEqual(60_000)
  })

  test("a new session replaces the user's oldest one above the limit", async () => {
    const { accounts, signIn, set, add } = await openInstance()
    await add('alice')
    const other = await signIn('alice', USER_PASSWORD)
    const tokens: string[] = []
    for (let count = 0; count < 3; count++) tokens.push((await signIn('admin', ADMIN_PASSWORD)).token)
    await set('maxSessionsPerUser', '2')
    tokens.push((await signIn('admin', ADMIN_PASSWORD)).token)
    const alive = await Promise.all(
      [...tokens, other.token].map((token) =>
        authenticate(accounts, token).then(
          () => true,
          () => false,
        ),
      ),
    )
    expect(alive).toEqual([false, false, true, true, true])
  })

  test('expired sessions are removed', async () => {
    const { accounts, signIn, wait, store } = await openInstance()
    await signIn('admin', ADMIN_PASSWORD)
    wait(HOUR)
    const { token } = await signIn('admin', ADMIN_PASSWORD)
    expect(await sweepSessions(accounts)).toBe(0)
    wait(167 * HOUR)
    expect(await sweepSessions(accounts)).toBe(1)
    const { userId } = await authenticate(accounts, token)
    expect(await store.sessions.ofUser(userId)).toHaveLength(1)
  })
})

describe('change of password', () => {
  test('ends all other sessions and all keys, and clears the flag', async () => {
    const { accounts, signIn } = await openInstance()
    const other = await signIn('admin', ADMIN_PASSWORD)
    const mine = await signIn('admin', ADMIN_PASSWORD)
    const { key } = await createKey(accounts, mine.caller, {})
    await authenticate(accounts, key)
    await changePassword(accounts, mine.caller, ADMIN_PASSWORD, 'Second-Passw0rd-2')
    expect((await authenticate(accounts, mine.token)).mustChangePassword).toBe(false)
    for (const dead of [other.token, key])
      await expect(authenticate(accounts, dead)).rejects.toEqual(code('SESSION_INVALID'))
    await expect(login(accounts, 'admin', ADMIN_PASSWORD)).rejects.toEqual(code('INVALID_CREDENTIALS'))
    await login(accounts, 'admin', 'Second-Passw0rd-2')
  })

  test.each([
    ['wrong', 'Second-Passw0rd-2', { code: 'INVALID_PASSWORD' }],
    [ADMIN_PASSWORD, 'weak', { code: 'VALIDATION_ERROR', fields: { rule: 'minLength' } }],
    [ADMIN_PASSWORD, ADMIN_PASSWORD, { code: 'VALIDATION_ERROR', fields: { rule: 'reused' } }],
  ])('refuses a change from %s to %s', async (from, to, failure) => {
    const { accounts, admin } = await openInstance()
    await expect(changePassword(accounts, await admin(), from, to)).rejects.toMatchObject(failure)
    await login(accounts, 'admin', ADMIN_PASSWORD)
  })

  test('requires a session', async () => {
    const { accounts, admin } = await openInstance()
    const { key } = await createKey(accounts, await admin(), {})
    const caller = await authenticate(accounts, key)
    const changing = changePassword(accounts, caller, ADMIN_PASSWORD, 'Second-Passw0rd-2')
    await expect(changing).rejects.toEqual(code('SESSION_REQUIRED'))
  })

  test.each(['one session', 'two sessions'])('two concurrent changes from %s: one succeeds', async (from) => {
    const { accounts, admin } = await openInstance()
    const one = await admin()
    const two = from === 'one session' ? one : await admin()
    const results = await Promise.allSettled([
      changePassword(accounts, one, ADMIN_PASSWORD, 'Second-Passw0rd-2'),
      changePassword(accounts, two, ADMIN_PASSWORD, 'Second-Passw0rd-3'),
    ])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const valid = results[0].status === 'fulfilled' ? 'Second-Passw0rd-2' : 'Second-Passw0rd-3'
    expect((await login(accounts, 'admin', valid)).mustChangePassword).toBe(false)
  })

  test('wrong current passwords count as failed sign-ins', async () => {
    const { accounts, admin } = await openInstance()
    const caller = await admin()
    for (let count = 0; count < 10; count++)
      await expect(changePassword(accounts, caller, 'x', 'Second-Passw0rd-2')).rejects.toEqual(code('INVALID_PASSWORD'))
    const refused = changePassword(accounts, caller, ADMIN_PASSWORD, 'Second-Passw0rd-2')
    await expect(refused).rejects.toEqual(code('RATE_LIMITED'))
  })
})

test('with authentication disabled, every caller is the administrator anonymous', async () => {
  const { accounts } = await openInstance({ authEnabled: false })
  const caller = await authenticate(accounts, '')
  expect(caller).toMatchObject({ userId: 'anonymous', username: 'anonymous', role: 'admin', via: 'nothing' })
  expect(caller.permissions.size).toBe(18)
  expect(await describeSession(accounts, caller)).toMatchObject({ user: { username: 'anonymous' }, expiresAt: null })
  await expect(changePassword(accounts, caller, 'x', 'Second-Passw0rd-2')).rejects.toEqual(code('AUTH_DISABLED'))
})
