import { describe, expect, test } from 'vitest'
import { checkNewPassword } from '../../src/accounts/password-policy.ts'
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
  ])('%j breaks %s', async (password, rule, message) => {
    const { store } = await openInstance()
    expect(() => checkNewPassword(store, password)).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', message, fields: { rule } }),
    )
  })

  test('takes good ones, and counts characters, not their bytes', async () => {
    const { store } = await openInstance()
    const good = ['Abcdefg1', 'Ünïcöde1', 'Aa1😀😀😀😀😀', `Aa1${'x'.repeat(1021)}`]
    for (const password of good) expect(() => checkNewPassword(store, password)).not.toThrow()
    expect(() => checkNewPassword(store, 'Aa1😀😀😀😀')).toThrow('The password has 7 characters')
  })

  test('the settings change it at once', async () => {
    const { store, set } = await openInstance()
    for (const name of ['Uppercase', 'Lowercase', 'Digit']) await set(`passwordRequire${name}`, 'false')
    await set('passwordMinLength', '3')
    expect(() => checkNewPassword(store, '---')).not.toThrow()
    expect(() => checkNewPassword(store, '--')).toThrow('at least 3 are needed')
    await set('passwordRequireSpecial', 'true')
    expect(() => checkNewPassword(store, 'abc')).toThrow(expect.objectContaining({ fields: { rule: 'special' } }))
    await set('passwordMinLength', 'nonsense')
    expect(() => checkNewPassword(store, '---')).toThrow('at least 8 are needed')
  })

  test('the same one again, however it is written', async () => {
    const { store } = await openInstance()
    expect(() => checkNewPassword(store, 'Passwo\u0308rd1', 'Passw\u00f6rd1')).toThrow(
      expect.objectContaining({ fields: { rule: 'reused' } }),
    )
  })
})
