import { expect, test } from 'vitest'
import { cutToBytes } from '../src/utf8.ts'

test('what fits stays as it is', () => {
  expect(cutToBytes('größe', 7)).toBe('größe')
  expect(cutToBytes('', 0)).toBe('')
})

test('nothing is kept of a character that does not fit as a whole', () => {
  expect(cutToBytes('größe', 3)).toBe('gr')
  expect(cutToBytes('a😀b', 4)).toBe('a')
  expect(cutToBytes('a😀b', 5)).toBe('a😀')
})

test('there may be no room at all', () => {
  expect(cutToBytes('abc', 0)).toBe('')
  expect(cutToBytes('abc', -3)).toBe('')
})
