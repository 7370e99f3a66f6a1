import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { applyRules } from '../../../src/models/speech/token-rules.ts'
import { suppressedTokens, tokenizerOf } from '../../../src/models/speech/tokenizer.ts'
import { LANGUAGES, languageToken, TOKENS } from '../../../src/models/speech/vocabulary.ts'

const T = TOKENS.firstTimestamp

test('languages have the tokens of the contract', () => {
  expect(LANGUAGES).toHaveLength(99)
  const known = ['en', 'zh', 'de', 'es', 'ru', 'ko', 'fr', 'ja', 'id', 'vi', 'th', 'su'] as const
  expect(known.map(languageToken)).toEqual([
    ...[50_259, 50_260, 50_261, 50_262, 50_263, 50_264, 50_265, 50_266, 50_275, 50_278, 50_289, 50_357],
  ])
})

describe('text', () => {
  const { decode, encode } = tokenizerOf({ G: 0, r: 1, 'Ã¼': 2, ÃŁ: 3, e: 4, Gr: 5, Ã: 6, Ġ: 220, 'ä½': 8, ł: 9 })

  test('joins bytes before decoding', () => {
    expect(decode([5, 2, 3, 4])).toBe('Grüße')
    // One letter of three bytes in two tokens, with timestamps around it, which are not text.
    expect(decode([T, 220, 8, 9, T + 5])).toBe(' 你')
    expect(decode([8])).toBe('\ufffd')
  })

  test('joins pairs of the lowest number first', () => {
    expect(encode('Grüße')).toEqual([5, 2, 3, 4])
    expect(encode(' 你')).toEqual([220, 8, 9])
  })
})

const VOCABULARY = new URL('../../../../shared/models/transcription/multilingual.tiktoken', import.meta.url)

test.skipIf(!existsSync(VOCABULARY))('suppressed tokens of the real vocabulary', () => {
  const letters = Array.from({ length: 256 }, (_, byte) => tokenLetter(byte))
  const rows = readFileSync(VOCABULARY, 'utf8').trim().split('\n')
  const vocabulary = Object.fromEntries(
    rows.map((row) => {
      const [bytes, rank] = row.split(' ') as [string, string]
      return [[...Buffer.from(bytes, 'base64')].map((byte) => letters[byte]!).join(''), Number(rank)]
    }),
  )
  const tokenizer = tokenizerOf(vocabulary)
  expect(tokenizer.encode(' Hello world')).toEqual([2425, 1002])
  expect(tokenizer.decode(tokenizer.encode('Grüße, 你好 ดี'))).toBe('Grüße, 你好 ดี')
  // suppress_tokens of the model's own generation_config.json, and the marks of tasks.
  expect(suppressedTokens(tokenizer)).toEqual([
    ...[1, 2, 7, 8, 9, 10, 14, 25, 26, 27, 28, 29, 31, 58, 59, 60, 61, 62, 63, 90, 91, 92, 93, 359, 503, 522, 542, 873],
    ...[893, 902, 918, 922, 931, 1350, 1853, 1982, 2460, 2627, 3246, 3253, 3268, 3536, 3846, 3961, 4183, 4667, 6585],
    ...[6647, 7273, 9061, 9383, 10428, 10929, 11938, 12033, 12331, 12562, 13793, 14157, 14635, 15265, 15618, 16553],
    ...[16604, 18362, 18956, 20075, 21675, 22520, 26130, 26161, 26435, 28279, 29464, 31650, 32302, 32470, 36865],
    ...[42863, 47425, 49870, 50254, 50258, 50358, 50359, 50360, 50361, 50362],
  ])
})

/** A byte in a byte-level vocabulary: printable Latin-1 unchanged, the rest from U+0100 on. */
function tokenLetter(byte: number): string {
  const isPrinted = (one: number): boolean => /^[!-~¡-¬®-ÿ]$/.test(String.fromCodePoint(one))
  const before = Array.from({ length: byte }, (_, one) => one).filter((one) => !isPrinted(one)).length
  return String.fromCodePoint(isPrinted(byte) ? byte : 0x100 + before)
}

describe('allowed next tokens', () => {
  const rules = { suppressed: [7], blank: [220, TOKENS.endOfText] }
  /** Equal scores, except for some; returns the allowed tokens. */
  const allowed = (chosen: number[], higher: Record<number, number> = { 5: 20 }): Set<number> => {
    const scores = new Float32Array(51_865)
    for (const [token, score] of Object.entries(higher)) scores[Number(token)] = score
    const result = applyRules(scores, chosen, rules)
    const sum = result.reduce((total, value) => total + Math.exp(value), 0)
    expect(sum).toBeCloseTo(1, 3)
    return new Set([...result.keys()].filter((token) => result[token] !== Number.NEGATIVE_INFINITY))
  }

  test('first a timestamp of at most a second', () => {
    const may = allowed([])
    expect([Math.min(...may), Math.max(...may), may.size]).toEqual([T, T + 50, 51])
  })

  test('then text, without suppressed tokens', () => {
    const may = allowed([T + 10])
    expect(Math.max(...may)).toBeLessThan(T)
    expect([may.has(7), may.has(5), may.has(220), may.has(TOKENS.noTimestamps)]).toEqual([false, true, true, false])
  })

  test('then text or a later timestamp', () => {
    const may = allowed([T + 10, 5])
    expect([may.has(5), may.has(T + 10), may.has(T + 11), may.has(TOKENS.endOfText)]).toEqual([true, false, true, true])
  })

  test('after an end a new segment, at the same time or later, or the end of all', () => {
    const may = allowed([T + 10, 5, T + 20], { [TOKENS.endOfText]: 20 })
    expect([may.has(5), may.has(T + 19), may.has(T + 20), may.has(TOKENS.endOfText)]).toEqual([
      false,
      false,
      true,
      true,
    ])
    expect(Math.max(...allowed([T + 10, 5, T + 20, T + 20]))).toBeLessThan(T)
  })

  test('selects timestamps if together they are more likely than any text', () => {
    // 1500 of them at the same score as the best text.
    expect(Math.min(...allowed([T, 5], {}))).toBe(T + 1)
    expect(allowed([T, 5], { 5: 20 }).has(5)).toBe(true)
  })
})
