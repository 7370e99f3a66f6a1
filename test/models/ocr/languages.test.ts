import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterEach, expect, test, vi } from 'vitest'
import { guessedLanguage, lackOf } from '../../../src/models/ocr/alphabet.ts'
import { languageOfText, languagesOfScript } from '../../../src/models/ocr/languages.ts'
import ocr from '../../../tools/image/text/ocr.ts'
import { readBars } from '../../helpers/ocr.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
readBars(folder)
afterEach(() => vi.unstubAllEnvs())

const V4 = 'ppocrv4-rec-mobile'
const NOTHING = { glyphs: [], places: [] }
const page = (lines: readonly string[], confidence: number) =>
  lines.map((text) => ({
    ...{ text, confidence, words: [] },
    box: { centre: { x: 0, y: 0 }, width: 100, height: 20, angle: 0 },
  }))

// As PP-OCRv4 read a Russian letter in DejaVu Sans.
const CYRILLIC = ['YBaKaeMa9 AHHa CepreeBHa, 6narOnapum BaC 3a WcbMO.', 'eCTb BOnpocbl, Ham e pa3. C yBa*eHWem, eTp.']

test('Cyrillic that was read as Latin letters is recognised by its mixed case, and names in English text are not', () => {
  expect(lackOf(V4, 'auto', page(CYRILLIC, 0.87), NOTHING)).toMatchObject({ languages: 'ru' })
  expect(lackOf(V4, 'ru', [], NOTHING)).toMatchObject({ languages: 'ru' })
  const brands = page(['YouTube, McDonald, iPhone and LaTeX are the names of this list'], 0.87)
  expect(lackOf(V4, 'auto', brands, NOTHING)).toBeUndefined()
  // A sure reading is of letters that the dictionary has.
  expect(lackOf(V4, 'auto', page(['YouTube McDonald iPhone LaTeX GitHub'], 0.98), NOTHING)).toBeUndefined()
  expect(lackOf('ppocrv6-rec-small', 'auto', page(CYRILLIC, 0.87), NOTHING)).toBeUndefined()
})

test('the language of a text and of a script', () => {
  expect(languageOfText('Уважаемая Анна, welcome')).toBe('ru')
  // A single letter that was misread is no language.
  expect(languageOfText('BILL И 2026')).toBe('auto')
  expect(languagesOfScript('Cyrillic')).toEqual(['ru'])
  expect(guessedLanguage('Sehr geehrte Frau Muller, vielen Dank und mit')).toBe('de')
})

test('a page that was read with the data of several languages is read again with those of its own', async () => {
  const row = (word: string, at: number, confidence: number): string =>
    `5\\t1\\t1\\t1\\t1\\t${at}\\t${10 + at * 60}\\t20\\t50\\t30\\t${confidence}\\t${word}\\n`
  const words = (name: string, confidence: number): string =>
    ['die', 'Frau', name, 'ist', 'nicht', 'da'].map((word, at) => row(word, at, confidence)).join('')
  const program = join(folder, 'tesseract-here')
  const script = (own: string): string =>
    [
      '#!/bin/sh',
      'case "$*" in',
      '*--version*) echo "tesseract 5.9.0" ;;',
      '*--list-langs*) printf \'List of available languages in "/nowhere/" (2):\\neng\\ndeu\\n\' ;;',
      `*"-l deu "*) printf '${own}' ;;`,
      `*) printf '${words('Muller', 90)}' ;;`,
      'esac',
    ].join('\n')
  const read = async (own: string) => {
    writeFileSync(program, script(own))
    chmodSync(program, 0o755)
    vi.stubEnv('MEDIAPROC_TESSERACT', program)
    const path = join(folder, 'letter.png')
    await sharp({ create: { width: 1200, height: 1200, channels: 3, background: '#fff' } })
      .png()
      .toFile(path)
    return (await run(ocr, folder, [path], { quality: 'fast' })).report
  }
  expect(await read(words('Müller', 89))).toMatchObject({ text: 'die Frau Müller ist nicht da', language: 'de' })
  // A second reading with little of the text, or with doubtful text, does not replace the first.
  expect(await read(row('Müller', 0, 95))).toMatchObject({ text: 'die Frau Muller ist nicht da', language: 'en+de' })
  expect(await read(words('Mxller', 60))).toMatchObject({ text: 'die Frau Muller ist nicht da', language: 'en+de' })
})

test('writes Markdown', async () => {
  const bars = [
    ['yellow', 100, 100],
    ['cyan', 500, 100],
    ['cyan', 100, 200],
    ['yellow', 500, 200],
  ].map(([fill, x, y]) => `<rect x="${x}" y="${y}" width="200" height="24" fill="${fill}"/>`)
  const path = join(folder, 'table.png')
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="800" height="740">${bars.join('')}</svg>`
  await sharp(Buffer.from(svg)).flatten({ background: '#fff' }).png().toFile(path)
  const { names, paths } = await run(ocr, folder, [path], { enhance: false, format: 'md' })
  expect(names).toEqual(['table_ocr.md'])
  expect(paths.map((one) => readFileSync(one, 'utf8'))).toEqual(['| a | b |\n| --- | --- |\n| b | a |\n'])
})
