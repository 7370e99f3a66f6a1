import { expect, test } from 'vitest'
import { wordFaults } from '../../../src/generate/lint/words.ts'

// In parts: the lint also reads this file.
const OLD = `an${'ew'}`

test('finds a word with its line, in comments and texts', () => {
  expect(wordFaults(new Map([['a.ts', `const one = 1\n/** Drawn ${OLD}. */\n`]]))).toEqual([
    expect.stringMatching(/^a\.ts:2: .*again/),
  ])
})

test('ignores parts of other words', () => {
  expect(wordFaults(new Map([['a.ts', 'const unforeseen2 = "forever"']]))).toEqual([])
})

test('applies to titles of tests, but not to names in quotes and file names', () => {
  const texts = new Map([
    ['test/a.test.ts', `test('returns what is to${'ld'}', () => {})`],
    ['test/b.test.ts', "const names = ['fil' + 'ms', 'stands.txt', 'tells']"],
  ])
  expect(wordFaults(texts)).toEqual([expect.stringMatching(/^test\/a\.test\.ts:1: .*reported/)])
})
