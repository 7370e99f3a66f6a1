import { expect, test } from 'vitest'
import { cutToBytes } from '../src/utf8.ts'

test('text that fits is unchanged', () => {
  expect(cutToBytes('größe', 7)).toBe('größe')
  expect(cutToBytes('', 0)).toBe('')
})

test('drops a character that does not fit completely', () => {
  expect(cutToBytes('größe', 3)).toBe('gr')
  expect(cutToBytes('a😀b', 4)).toBe('a')
  expect(cutToBytes('a😀b', 5)).toBe('a😀')
})

test('accepts a limit of zero', () => {
  expect(cutToBytes('abc', 0)).toBe('')
  expect(cutToBytes('abc', -3)).toBe('')
})
