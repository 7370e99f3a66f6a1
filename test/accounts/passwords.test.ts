import { describe, expect, test } from 'vitest'
import { checkNewPassword } from '../../src/accounts/credentials/password-policy.ts'
import { openInstance } from '../helpers/accounts.ts'

describe('policy', () => {
  test.each([
    ['Abcdef1', 'minLength', 'The password has 7 characters; at least 8 are needed'],
    ['abcdefg1', 'uppercase', 'The password needs a capital letter'],
    ['ABCDEFG1', 'lowercase', 'The password needs a small letter'],
    ['Abcdefgh', 'digit', 'The password needs a digit'],
    ['Abcdefg1\u0007', 'controlCharacter', 'The password holds a control character'],
    ['Abcdefg1\ud800', 'controlCharacter', 'The password holds a control character'],
    [`Aa1${'x'.repeat(1022)}`, 'maxLength', 'The password is longer than 1024 characters'],
  ])('%j violates %s', async (password, rule, message) => {
    const { store } = await openInstance()
    await expect(checkNewPassword(store, password)).rejects.toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', message, fields: { rule } }),
    )
  })

  test('accepts valid passwords, and counts characters instead of bytes', async () => {
    const { store } = await openInstance()
    const good = ['Abcdefg1', 'Ünïcöde1', 'Aa1😀😀😀😀😀', `Aa1${'x'.repeat(1021)}`]
    for (const password of good) await checkNewPassword(store, password)
    await expect(checkNewPassword(store, 'Aa1😀😀😀😀')).rejects.toThrow('The password has 7 characters')
  })

  test('settings apply immediately', async () => {
    const { store, set } = await openInstance()
    for (const name of ['Uppercase', 'Lowercase', 'Digit']) await set(`passwordRequire${name}`, 'false')
    await set('passwordMinLength', '3')
    await checkNewPassword(store, '---')
    await expect(checkNewPassword(store, '--')).rejects.toThrow('at least 3 are needed')
    await set('passwordRequireSpecial', 'true')
    await expect(checkNewPassword(store, 'abc')).rejects.toThrow(
      expect.objectContaining({ fields: { rule: 'special' } }),
    )
    await set('passwordMinLength', 'nonsense')
    await expect(checkNewPassword(store, '---')).rejects.toThrow('at least 8 are needed')
  })

  test('refuses the current password, in any normal form', async () => {
    const { store } = await openInstance()
    await expect(checkNewPassword(store, 'Passwo\u0308rd1', 'Passw\u00f6rd1')).rejects.toThrow(
      expect.objectContaining({ fields: { rule: 'reused' } }),
    )
  })
})
