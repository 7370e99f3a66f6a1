/** Second factors without HTTP: codes work once, guesses are limited, secrets are encrypted if a key is set. */

import { expect, test } from 'vitest'
import { resetPassword } from '../../src/accounts/credentials/change-password.ts'
import { demandsMfa, disableMfa, enrollMfa, hasMfa, resetMfa, verifyMfa } from '../../src/accounts/credentials/mfa.ts'
import { renewSecrets } from '../../src/accounts/credentials/renew-secrets.ts'
import { challengeMfa, completeMfa } from '../../src/accounts/credentials/second-step.ts'
import { Vault } from '../../src/accounts/credentials/vault.ts'
import { LocalAttempts } from '../../src/accounts/sign-in/attempts.ts'
import { login } from '../../src/accounts/sign-in/sign-in.ts'
import { allText, type Instance, openInstance, USER_PASSWORD } from '../helpers/accounts.ts'
import { totpCode } from '../helpers/totp.ts'

const KEY = 'a1'.repeat(32)
const OTHER = 'b2'.repeat(32)

/** A user with a second factor, and the code of their app at an offset from now, in seconds. */
async function withFactor(instance: Instance) {
  const { accounts, add, signIn } = instance
  const id = await add('alice')
  const { caller } = await signIn('alice', USER_PASSWORD)
  let clock = Date.now()
  const enrolment = await enrollMfa(accounts, id)
  const code = (later = 0) => totpCode(enrolment.secret, Math.floor(clock / 1000) + later)
  await verifyMfa(accounts, caller, await code())
  const challenge = async () => challengeMfa(accounts, await login(accounts, 'alice', USER_PASSWORD), 'local')
  const wait = (seconds: number): void => {
    clock += seconds * 1000
    instance.wait(seconds * 1000)
  }
  return { ...enrolment, id, caller, code, challenge, wait }
}

const failing = (code: string) => expect.objectContaining({ code })

test('a code works once, even in concurrent requests; the next step has another code', async () => {
  const instance = await openInstance()
  const { accounts } = instance
  const { challenge, code, wait } = await withFactor(instance)
  const now = await code()
  const [one, other] = [await challenge(), await challenge()]
  const results = await Promise.allSettled([completeMfa(accounts, one, now), completeMfa(accounts, other, now)])
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  await expect(completeMfa(accounts, await challenge(), now)).rejects.toEqual(failing('INVALID_CODE'))
  await expect(completeMfa(accounts, one, await code(30))).rejects.toEqual(failing('MFA_EXPIRED'))
  wait(30)
  expect((await completeMfa(accounts, await challenge(), await code())).kind).toBe('totp')
  // A past step is not accepted again, although it is within the tolerance.
  await expect(completeMfa(accounts, await challenge(), now)).rejects.toEqual(failing('INVALID_CODE'))
})

test('five wrong codes end a sign-in, even in parallel; ten lock the account for 15 minutes', async () => {
  const instance = await openInstance()
  const { accounts } = instance
  const { challenge, code, wait } = await withFactor(instance)
  const token = await challenge()
  const results = await Promise.allSettled(Array.from({ length: 9 }, () => completeMfa(accounts, token, 'abcdef', '1')))
  const codes = results.map((one) => one.status === 'rejected' && one.reason.code)
  expect(codes.filter((one) => one === 'INVALID_CODE')).toHaveLength(5)
  expect(codes.filter((one) => one === 'MFA_EXPIRED')).toHaveLength(4)
  await expect(completeMfa(accounts, token, await code(), '1')).rejects.toEqual(failing('MFA_EXPIRED'))
  const second = await challenge()
  for (let count = 0; count < 5; count++)
    await expect(completeMfa(accounts, second, 'abcdef', '1')).rejects.toEqual(failing('INVALID_CODE'))
  await expect(completeMfa(accounts, await challenge(), await code(), '1')).rejects.toEqual(failing('RATE_LIMITED'))
  wait(15 * 60 + 1)
  expect((await completeMfa(accounts, await challenge(), await code(), '1')).user.username).toBe('alice')
})

test('limits guesses from many networks together', async () => {
  const attempts = new LocalAttempts(() => 0, { ofNetwork: 10, ofAll: 20 })
  const tries = Array.from({ length: 30 }, (_, index) => attempts.check('u', `10.0.0.${index}`, async () => false))
  const results = await Promise.allSettled(tries)
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(20)
  // Correct codes do not count.
  await attempts.check('v', '10.0.0.1', async () => true)
  await expect(attempts.check('u', '10.0.1.1', async () => true)).rejects.toEqual(failing('RATE_LIMITED'))
})

test('a recovery code works once, in any case, with or without its dash, and only while the factor exists', async () => {
  const instance = await openInstance()
  const { accounts } = instance
  const { challenge, recoveryCodes, id, caller } = await withFactor(instance)
  expect(recoveryCodes).toHaveLength(8)
  for (const one of recoveryCodes) expect(one).toMatch(/^[a-z2-7]{5}-[a-z2-7]{5}$/)
  const [first, second] = recoveryCodes as [string, string]
  const tokens = [await challenge(), await challenge()]
  const typed = first.toUpperCase().replace('-', '')
  const results = await Promise.allSettled(tokens.map((token) => completeMfa(accounts, token, typed)))
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect((await completeMfa(accounts, await challenge(), second)).kind).toBe('recovery')
  const text = allText(instance.folder)
  expect(recoveryCodes.filter((one) => text.includes(one) || text.includes(one.replace('-', '')))).toEqual([])
  await disableMfa(accounts, caller, recoveryCodes[2]!)
  expect(await hasMfa(accounts, id)).toBe(false)
})

test('changing the account between the two steps ends the sign-in', async () => {
  const instance = await openInstance()
  const { accounts, admin } = instance
  const { challenge, code, id } = await withFactor(instance)
  const byPassword = await challenge()
  await resetPassword(accounts, await admin(), id, 'Other-Passw0rd-1')
  await expect(completeMfa(accounts, byPassword, await code())).rejects.toEqual(failing('MFA_EXPIRED'))
})

test('users covered by the policy must have a factor, and cannot disable it', async () => {
  const instance = await openInstance()
  const { accounts, set, add, admin, store } = instance
  const { id, caller, code } = await withFactor(instance)
  const [alice, bob] = [(await store.users.byId(id))!, (await store.users.byId(await add('bob', 'admin')))!]
  const demanded = async () => [await demandsMfa(accounts, alice), await demandsMfa(accounts, bob)]
  expect(await demanded()).toEqual([false, false])
  await set('mfaPolicy', 'admins_only')
  expect(await demanded()).toEqual([false, true])
  await set('mfaPolicy', 'required')
  expect(await demanded()).toEqual([true, true])
  await expect(disableMfa(accounts, caller, await code())).rejects.toEqual(failing('FORBIDDEN'))
  await resetMfa(accounts, await admin(), id)
  await expect(resetMfa(accounts, await admin(), id)).rejects.toEqual(failing('MFA_NOT_ENABLED'))
})

test('encrypts secrets with the key, re-encrypts them for a new one, and decrypts them without one', async () => {
  const instance = await openInstance({ encryptionKeys: { current: KEY, previous: '' } })
  const { accounts, store, folder } = instance
  const { secret, id } = await withFactor(instance)
  await store.settings.set('mail_password', {
    ...{ value: accounts.vault.seal('hunter2', 'setting mail_password'), isSealed: true, updatedAt: '' },
  })
  const holds = (word: string) => {
    const text = allText(folder)
    return [word, Buffer.from(word).toString('base64url')].some((one) => text.includes(one))
  }
  expect([holds(secret), holds('hunter2')]).toEqual([false, false])
  const { openAccounts } = await import('../../src/accounts/open.ts')
  const at = (current: string, previous: string) =>
    openAccounts(store, {
      ...{ authEnabled: true, sessionMs: 1000, maxUsers: 0, skipMustChangePassword: true, dataFolder: folder },
      encryptionKeys: { current, previous },
    })
  const kept = async () => (await store.factors.byId(id))!.secret
  const before = await kept()
  await expect(renewSecrets(at(OTHER, ''))).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
  await expect(renewSecrets(at('', ''))).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
  expect(await kept()).toBe(before)
  await renewSecrets(at(OTHER, KEY))
  expect(new Vault({ current: OTHER }).open(await kept(), `totp ${id}`)).toBe(secret)
  await renewSecrets(at('', OTHER))
  expect(new Vault().open(await kept(), `totp ${id}`)).toBe(secret)
  expect(new Vault().open((await store.settings.get('mail_password'))!.value, 'setting mail_password')).toBe('hunter2')
})

test('the former secret of a webhook is encrypted for a new key as well', async () => {
  const { accounts, store, add } = await openInstance({ encryptionKeys: { current: OTHER, previous: KEY } })
  const at = '2026-01-01T00:00:00.000Z'
  await store.webhooks.put({
    ...{ id: 'w', userId: await add('alice'), url: 'https://example.com/', events: [], description: '', isOn: true },
    ...{ offReason: null, failures: 0, createdAt: at, updatedAt: at, secret: accounts.vault.seal('new', 'webhook w') },
    previous: { secret: new Vault({ current: KEY }).seal('former', 'webhook w'), expiresAt: at },
  })
  await renewSecrets(accounts)
  const { secret, previous } = (await store.webhooks.byId('w')) ?? { secret: '', previous: null }
  const vault = new Vault({ current: OTHER })
  expect([secret, previous?.secret ?? ''].map((one) => vault.open(one, 'webhook w'))).toEqual(['new', 'former'])
})

test('a ciphertext works only for its own record and unmodified, and an invalid key is never printed', () => {
  const vault = new Vault({ current: KEY })
  const sealed = vault.seal('secret', 'totp a')
  const refusal = expect.objectContaining({ code: 'INVALID_CONFIG' })
  const failure = (work: () => unknown): unknown => {
    try {
      return work()
    } catch (error) {
      return error
    }
  }
  const [id, text] = sealed.split('.') as [string, string]
  const bytes = Buffer.from(text, 'base64url')
  bytes[14]! ^= 1
  for (const [one, about] of [
    [sealed, 'totp b'],
    [`${id}.${bytes.toString('base64url')}`, 'totp a'],
    [`${id}.`, 'totp a'],
    ['', 'totp a'],
  ] as const)
    expect(failure(() => vault.open(one, about))).toEqual(refusal)
  const wrong = failure(() => new Vault({ current: 'topsecret' })) as Error
  expect([wrong.message.includes('topsecret'), wrong.message]).toEqual([
    false,
    'Expected 64 hexadecimal digits for DATA_ENCRYPTION_KEY',
  ])
})
