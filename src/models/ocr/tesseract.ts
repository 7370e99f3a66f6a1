import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withTemporaryFolder } from '../../engines/process/temporary.ts'
import {
  findTesseract,
  readOrientation,
  readWords,
  type TesseractProgram,
  type TesseractWord,
} from '../../engines/tesseract.ts'
import { firstOf } from '../../lists.ts'
import type { ImageFrame } from '../../media/image/frame.ts'
import { featureMissing } from '../missing.ts'
import { guessedLanguage } from './alphabet.ts'
import { scaledBox, type TurnedBox, turnedBack } from './geometry.ts'
import {
  isUnspaced,
  LANGUAGES,
  type Language,
  languagesOfScript,
  type OneLanguage,
  TESSERACT_DATA,
} from './languages.ts'
import { isApart } from './order.ts'
import { type LanguageData, languageData, languageMissing, withDataFolder } from './tesseract-data.ts'
import type { TextRun } from './text-run.ts'

export interface TesseractReading {
  runs: TextRun[]
  version: string
  languages: OneLanguage[]
}

const ALL = LANGUAGES.filter((language): language is OneLanguage => language !== 'auto')

/** Smaller images are doubled: Tesseract reads letters of 20 to 30 px best; px of the shorter side. */
const SMALL_SIDE = 1000

/** Minimum orientation confidence to rotate a page (Tesseract's own scale; upright pages have 5 to 30). */
const SURE_ORIENTATION = 2

/** Words below this are noise; a page whose mean is not above it is rotated or in another script. */
const LEAST_CONFIDENCE = 0.2
const DOUBTFUL_PAGE = 0.6

/** The confidence of a page, weighted by word length. */
function sureness(words: readonly TesseractWord[]): number {
  const letters = words.reduce((sum, { text }) => sum + text.length, 0)
  return words.reduce((sum, { text, confidence }) => sum + confidence * text.length, 0) / Math.max(1, letters)
}

const boxOf = ({ left, top, width, height }: TesseractWord): TurnedBox => ({
  centre: { x: left + width / 2, y: top + height / 2 },
  width,
  height,
  angle: 0,
})

/** The words of a line as one run. */
function runOf(words: readonly TesseractWord[]): TextRun {
  const left = Math.min(...words.map((word) => word.left))
  const right = Math.max(...words.map((word) => word.left + word.width))
  const top = Math.min(...words.map((word) => word.top))
  const bottom = Math.max(...words.map((word) => word.top + word.height))
  const text = words.reduce((line, word) => {
    const parted = line !== '' && !isUnspaced(line.at(-1)!, word.text[0]!)
    return line + (parted ? ' ' : '') + word.text
  }, '')
  const box = {
    centre: { x: (left + right) / 2, y: (top + bottom) / 2 },
    width: right - left,
    height: bottom - top,
    angle: 0,
  }
  return { text, confidence: sureness(words), box, words: words.map((word) => ({ text: word.text, box: boxOf(word) })) }
}

/** Consecutive words of a line without a wide gap. */
export function runsOfWords(words: readonly TesseractWord[]): TextRun[] {
  const runs: TesseractWord[][] = []
  for (const word of words) {
    const last = runs[runs.length - 1]
    const before = last?.[last.length - 1]
    if (last && before?.line === word.line && !isApart(boxOf(before), boxOf(word))) last.push(word)
    else runs.push([word])
  }
  return runs.map(runOf)
}

/** An image rotated clockwise by quarter turns and enlarged, as a file. */
async function written(frame: ImageFrame, quarters: number, scale: number, path: string): Promise<string> {
  const size = { width: Math.round(frame.width * scale), height: Math.round(frame.height * scale) }
  const large = scale === 1 ? frame : await frame.apply((image) => image.resize({ ...size, fit: 'fill' }), { size })
  const upright = quarters % 2 === 1 ? { width: size.height, height: size.width } : size
  const turned = await large.apply((image) => image.rotate(quarters * 90), { size: upright })
  await writeFile(path, await (await turned.pipeline()).png({ compressionLevel: 1 }).toBuffer())
  return path
}

interface Attempt {
  words: TesseractWord[]
  quarters: number
  languages: OneLanguage[]
}

/** The more confident of two readings; a rotated page gives few letters, each with low confidence. */
const better = (one: Attempt, other: Attempt): Attempt => {
  const weight = ({ words }: Attempt): number =>
    sureness(words) ** 2 * Math.sqrt(words.reduce((sum, { text }) => sum + text.length, 0))
  return weight(other) > weight(one) ? other : one
}

/**
 * The language of a page that was read with the data of several, if its own data alone may be better: the first data
 * win where they are sure, and English ones read `Müller` as `Muller`. English pages without accents are fine.
 */
function ownLanguage(words: readonly TesseractWord[]): OneLanguage | undefined {
  const text = words.map((word) => word.text).join(' ')
  const language = guessedLanguage(text)
  return language === 'en' && !/(?!\p{ASCII})\p{L}/u.test(text) ? undefined : language
}

/** How much less sure a reading with the data of one language can be; it must not lack words. */
const MOST_DOUBT = 0.05
const LEAST_TEXT = 0.9

/** The second reading, unless it reads less of the page. */
function ofTheSame(all: Attempt, own: Attempt): Attempt {
  const letters = ({ words }: Attempt): number => words.reduce((sum, { text }) => sum + text.length, 0)
  const isWhole = letters(own) >= LEAST_TEXT * letters(all)
  return isWhole && sureness(own.words) >= sureness(all.words) - MOST_DOUBT ? own : all
}

/** Reads an image in its apparent orientation; if that gives little text, tries the others, and takes the best. */
async function bestAttempt(
  program: TesseractProgram,
  frame: ImageFrame,
  scale: number,
  language: Language,
  data: LanguageData,
  context: { signal: AbortSignal; progress(fraction: number): void },
): Promise<Attempt> {
  const has = (one: OneLanguage): boolean => data.has(TESSERACT_DATA[one].name)
  return withDataFolder(program, data, (store) =>
    withTemporaryFolder(async (folder) => {
      const options = { signal: context.signal, data: store }
      const picture = (quarters: number): Promise<string> =>
        written(frame, quarters, scale, join(folder, `${quarters}.png`))
      const attempt = async (quarters: number, languages: OneLanguage[]): Promise<Attempt> => {
        const names = languages.map((one) => TESSERACT_DATA[one].name)
        return { words: await readWords(program, await picture(quarters), names, options), quarters, languages }
      }
      const orientation = data.has('osd') ? await readOrientation(program, await picture(0), options) : undefined
      context.progress(0.2)
      const isSure = orientation !== undefined && orientation.confidence >= SURE_ORIENTATION
      const likely =
        language === 'auto' ? languagesOfScript(isSure ? orientation.script : 'Latin').filter(has) : [language]
      const first = likely.length > 0 ? likely : ALL.filter(has)
      let best = await attempt(isSure ? orientation.rotate / 90 : 0, first)
      if (sureness(best.words) >= DOUBTFUL_PAGE) {
        const only = best.languages.length > 1 ? ownLanguage(best.words) : undefined
        return only && best.languages.includes(only) ? ofTheSame(best, await attempt(best.quarters, [only])) : best
      }
      const others = language === 'auto' && !isSure ? ALL.filter((one) => has(one) && !first.includes(one)) : []
      for (const other of others) best = better(best, await attempt(best.quarters, [other]))
      for (const quarters of isSure ? [] : [1, 3, 2]) {
        if (sureness(best.words) >= DOUBTFUL_PAGE) break
        best = better(best, await attempt(quarters, best.languages))
      }
      return best
    }),
  )
}

/**
 * The installed Tesseract with its data for a language.
 * @param store the model folder, which may contain more data; the user's by default
 * @throws MediaprocError FEATURE_NOT_INSTALLED without Tesseract or data for the language
 */
export async function tesseractFor(
  language: Language,
  store?: string,
): Promise<{ program: TesseractProgram; data: LanguageData }> {
  const program = await findTesseract()
  if (!program) throw featureMissing('ocr')
  const wanted = language === 'auto' ? ALL : [language]
  const data = await languageData(program, wanted, store)
  if (!wanted.some((one) => data.has(TESSERACT_DATA[one].name))) throw languageMissing(firstOf(wanted))
  return { program, data }
}

/**
 * Reads a one-page image with Tesseract, rotated to the orientation of its text.
 * @throws MediaprocError FEATURE_NOT_INSTALLED without Tesseract or data for the language
 */
export async function readByTesseract(
  frame: ImageFrame,
  language: Language,
  context: { signal: AbortSignal; progress(fraction: number): void },
): Promise<TesseractReading> {
  const { program, data } = await tesseractFor(language)
  const scale = Math.min(frame.width, frame.height) < SMALL_SIDE ? 2 : 1
  const { words, quarters, languages } = await bestAttempt(program, frame, scale, language, data, context)
  const runs = runsOfWords(words.filter(({ confidence }) => confidence >= LEAST_CONFIDENCE)).map((run) => {
    const back = (box: TurnedBox): TurnedBox => turnedBack(scaledBox(box, 1 / scale), quarters, frame)
    return { ...run, box: back(run.box), words: run.words.map(({ text, box }) => ({ text, box: back(box) })) }
  })
  return { runs, version: program.version, languages }
}
