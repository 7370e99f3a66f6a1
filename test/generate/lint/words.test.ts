import { expect, test } from 'vitest'
import { wordFaults } from '../../../src/generate/lint/words.ts'

// In parts: the lint looks at this file, too.
const OLD = `an${'ew'}`

test('a word is found with its line, in comments and texts', () => {
  expect(wordFaults(new Map([['a.ts', `const one = 1\n/** Drawn ${OLD}. */\n`]]))).toEqual([
    expect.stringMatching(/^a\.ts:2: .*again/),
  ])
})

test('a part of another word is none', () => {
  expect(wordFaults(new Map([['a.ts', 'const unforeseen2 = "forever"']]))).toEqual([])
})

test('some words are only refused in the program and its pages', () => {
  const texts = new Map([['a.ts', '/** The caller is told. */']])
  expect([wordFaults(texts), wordFaults(texts, () => true)]).toEqual([[], [expect.stringContaining('is reported')]])
})
