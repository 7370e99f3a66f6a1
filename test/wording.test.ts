import { expect, test } from 'vitest'
import { either } from '../src/wording.ts'

test.each([
  [[], ''],
  [['png'], 'png'],
  [['png', 'webp'], 'png or webp'],
  [['png', 'webp', 'avif'], 'png, webp or avif'],
])('%j as a sentence', (words, sentence) => {
  expect(either(words)).toBe(sentence)
})
