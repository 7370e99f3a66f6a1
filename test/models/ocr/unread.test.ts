import sharp from 'sharp'
import { expect, test } from 'vitest'
import { guessedLanguage, lackOf, patchedRuns, withEuroSigns } from '../../../src/models/ocr/alphabet.ts'
import type { TextRun } from '../../../src/models/ocr/text-run.ts'
import { unreadGlyphs, unreadLines } from '../../../src/models/ocr/unread.ts'

const run = (text: string, y = 0, confidence = 1): TextRun => {
  const box = { centre: { x: 100, y }, width: 200, height: 20, angle: 0 }
  return { text, confidence, box, words: [{ text, box }] }
}
const none = { glyphs: [0], places: [] }
const lack = (text: string, language: Parameters<typeof lackOf>[1] = 'auto', unread = none) =>
  lackOf('ppocrv4-rec-mobile', language, [run(text)], unread)

test('guesses a language from its frequent words', () => {
  expect(guessedLanguage('Die Apfel sind fur uns nicht wichtig, und wir gehen')).toBe('de')
  expect(guessedLanguage('La fenetre est dans le chateau et les enfants')).toBe('fr')
  expect(guessedLanguage('El precio es de 30 por una pina del campo')).toBe('es')
  expect(guessedLanguage('The price of the parcel is in the letter')).toBe('en')
  expect(guessedLanguage('PARCEL 42 DIE')).toBeUndefined()
})

test('finds characters that the dictionary of a recogniser lacks by language, script and ink', () => {
  expect(lack('Die Apfel sind fur uns nicht wichtig und')).toMatchObject({ languages: 'de' })
  expect(lack('日本語の')).toMatchObject({ what: expect.stringContaining('kana') })
  expect(lack('发票金额', 'ja')).toMatchObject({ languages: 'ja' })
  expect(lack('这是一个测试')).toBeUndefined()
  expect(lack('The price of the parcel is in the letter')).toBeUndefined()
  expect(lack('Total 12,50', 'auto', { glyphs: [1], places: [] })).toMatchObject({ what: expect.stringContaining('€') })
  // Another recogniser has these letters.
  expect(lackOf('ppocrv6-rec-small', 'de', [run('Apfel')], none)).toBeUndefined()
  expect(withEuroSigns([run('30 ∈ por'), run('x ∈ A')]).map(({ text }) => text)).toEqual(['30 € por', 'x ∈ A'])
})

test('replaces only incomplete runs, by a reliable reading of the same region', () => {
  const runs = [run('Total 12,50', 0), run('Sum 3', 40), run('Tax 1', 80)]
  const others = [run('Total 12,50 €', 2), run('Sum 9', 41), run('Tax 1 €', 81, 0.4)]
  const patched = patchedRuns(runs, new Set([runs[0]!, runs[2]!]), others)
  expect(patched.map(({ text }) => text)).toEqual(['Total 12,50 €', 'Sum 3', 'Tax 1'])
})

test('ink without a nearby character is an unread glyph', () => {
  const inked = Array.from({ length: 120 }, (_, x) => (x >= 10 && x < 22) || (x >= 30 && x < 42) || (x >= 60 && x < 80))
  const at = (text: string, middle: number) => ({ text, confidence: 1, at: middle / 120 })
  expect(unreadGlyphs([at('1', 15), at('2', 36)], inked, 48)).toBe(1)
  expect(unreadGlyphs([at('1', 15), at('2', 36), at('€', 66)], inked, 48)).toBe(0)
  // A wide character has several parts.
  expect(unreadGlyphs([at('川', 36)], inked, 48)).toBe(0)
})

/** A page of words as bars with the height of letters. */
async function page(rows: readonly number[]) {
  const bars = rows.flatMap((y) =>
    Array.from({ length: 12 }, (_, index) => `<rect x="${40 + index * 26}" y="${y}" width="16" height="22"/>`),
  )
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300"><rect width="100%" height="100%" fill="#fff"/>${bars.join('')}</svg>`
  const { data, info } = await sharp(Buffer.from(svg)).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

test('finds a row of letters outside of all boxes, and none in a photograph', async () => {
  const box = (y: number) => ({ centre: { x: 191, y: y + 11 }, width: 320, height: 40, angle: 0 })
  const picture = await page([40, 100, 160])
  expect(unreadLines(picture, [box(40), box(100), box(160)])).toEqual([])
  const [left, ...more] = unreadLines(picture, [box(40), box(160)])
  expect(more).toEqual([])
  expect(Math.abs(left!.centre.y - 111)).toBeLessThan(3)
  expect(left!.width).toBeGreaterThan(300)
  const noise = { ...picture, data: Uint8Array.from(picture.data, (_, at) => (at * 7919) % 256) }
  expect(unreadLines(noise, [])).toEqual([])
})
