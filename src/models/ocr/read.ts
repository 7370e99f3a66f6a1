import { findTesseract } from '../../engines/tesseract.ts'
import { MediaprocError } from '../../errors.ts'
import { limitExceeded } from '../../limit-exceeded.ts'
import { firstOf } from '../../lists.ts'
import type { ImageFrame } from '../../media/image/frame.ts'
import { findRuntime } from '../runtime.ts'
import type { ModelContext } from '../use-model.ts'
import { lackOf, patchedRuns, withEuroSigns } from './alphabet.ts'
import { withLocalContrast } from './contrast.ts'
import { type Language, languageOfText } from './languages.ts'
import { readByPaddle, type Unread } from './paddle.ts'
import { type Quality, readersFor } from './readers.ts'
import { readByTesseract } from './tesseract.ts'
import { type Block, blocksOf, linesOfRuns, type TextRun, textOf } from './text-run.ts'

export interface ReadOptions {
  quality: Quality
  language: Language
  /** Applies local contrast first. */
  enhance: boolean
  /** If an installed engine fails, use a simpler one. */
  mayDegrade: boolean
}

export type ReadContext = ModelContext & { progress(fraction: number): void }

/** How an image was read; fields of the response. */
export interface ReadFacts {
  engine: 'tesseract' | 'paddleocr'
  requestedQuality: Quality
  actualQuality: Quality
  device: 'cpu' | 'cuda'
  provider: string
  degraded: boolean
  runtimeVersion?: string
  modelVersion: string
  language: string
}

export interface Reading {
  text: string
  blocks: Block[]
  lines: TextRun[][]
  facts: ReadFacts
}

/** Maximum number of pixels and side length of images (catalogue). */
const MOST_PIXELS = 40e6
const MOST_SIDE = 40_000

/** Maximum text size in bytes (catalogue). */
const MOST_TEXT = 1_000_000

/** Rejects an image that is too large. */
export function checkReadable(name: string, { width, height }: { width: number; height: number }): void {
  if (width * height <= MOST_PIXELS && Math.max(width, height) <= MOST_SIDE) return
  throw limitExceeded(
    `${name} is ${width} x ${height} pixels; text is read in pictures of at most 40 megapixels and 40000 pixels to a side`,
    {
      hint: {
        shell: 'Make it smaller first, with mediaproc image resize, or cut it into parts.',
        http: 'Make it smaller first, or cut it into parts.',
      },
    },
  )
}

/** Rejects a text that is too long. */
export function checkTextLength(text: string): void {
  const bytes = Buffer.byteLength(text)
  if (bytes > MOST_TEXT)
    throw new MediaprocError('PROCESSING_FAILED', `The text has ${bytes} bytes; the limit is ${MOST_TEXT}`, {
      hint: 'Read fewer pages, or a part of the picture.',
    })
}

type Read = Omit<Reading, 'text' | 'blocks' | 'lines'> & { runs: readonly TextRun[] }

/** Minimum mean confidence at which Tesseract's text replaces one that lacks letters. */
const SURE_FALLBACK = 0.7

const lettersOf = (runs: readonly TextRun[]): number => runs.reduce((sum, { text }) => sum + text.length, 0)

/** Tesseract's reading of a page that the models lack letters for; undefined if unavailable or not confident. */
async function readAgain(frame: ImageFrame, options: ReadOptions, least: number, context: ReadContext) {
  if (!options.mayDegrade) return undefined
  try {
    const read = await readTesseract(frame, options, { ...context, progress: () => {} })
    const letters = lettersOf(read.runs)
    const sum = read.runs.reduce((all, { text, confidence }) => all + text.length * confidence, 0)
    return letters > 0 && letters >= least && sum / letters >= SURE_FALLBACK ? read : undefined
  } catch (error) {
    context.signal.throwIfAborted()
    if (error instanceof MediaprocError) return undefined
    throw error
  }
}

/** Warns about places that look like text but could not be read: nothing is dropped silently. */
function reportUnread({ places }: Unread, { warn }: ReadContext): void {
  if (places.length === 0) return
  const { x, y } = firstOf(places).centre
  const where = places.length === 1 ? 'A place' : `${places.length} places`
  const at = `${places.length === 1 ? '' : 'the first '}at ${Math.round(x)}, ${Math.round(y)}`
  warn(`${where} that may be text could not be read (${at}): compare the text with the picture`)
}

async function readPaddle(frame: ImageFrame, options: ReadOptions, context: ReadContext): Promise<Read> {
  const { quality, language } = options
  const readers = await readersFor(quality, language)
  const { runs: found, unread, model, device } = await readByPaddle(frame, readers, context)
  const lack = lackOf(model, language, found, unread)
  let runs = model === 'ppocrv4-rec-mobile' ? withEuroSigns(found) : found
  if (lack) {
    const least = lack.runs ? 0 : 0.8 * lettersOf(found)
    const again = await readAgain(frame, { ...options, language: lack.languages }, least, context)
    const better = lack.reader ?? 'the standard tier has a model that reads them (mediaproc models install ocr)'
    const may = `with the models of the light tier the text may lack ${lack.what}`
    if (again && !lack.runs) {
      context.warn(`Read by Tesseract: ${may}; ${better}`)
      return again
    }
    if (again) runs = patchedRuns(found, lack.runs!, again.runs)
    const patched = runs.filter((run) => again?.runs.includes(run)).length
    const lines = patched === 1 ? 'a line is' : `${patched} lines are`
    if (!lack.isDoubtful) context.warn(`${patched > 0 ? `${lines} read by Tesseract: ` : ''}${may}; ${better}`)
  }
  reportUnread(unread, context)
  const isLesser = quality === 'best' && model !== readers.recognition[0]
  const read = runs.map(({ text }) => text).join('')
  return {
    runs,
    facts: {
      engine: 'paddleocr',
      requestedQuality: quality,
      actualQuality: isLesser ? 'balanced' : quality,
      device,
      provider: device === 'cuda' ? 'CUDAExecutionProvider' : 'CPUExecutionProvider',
      degraded: isLesser || (lack !== undefined && !lack.isDoubtful),
      runtimeVersion: (await findRuntime())!.version,
      modelVersion: model,
      language: language === 'auto' ? languageOfText(read) : language,
    },
  }
}

async function readTesseract(frame: ImageFrame, { quality, language }: ReadOptions, context: ReadContext) {
  const { runs, version, languages } = await readByTesseract(frame, language, context)
  const facts: ReadFacts = {
    engine: 'tesseract',
    requestedQuality: quality,
    actualQuality: 'fast',
    device: 'cpu',
    provider: 'tesseract',
    degraded: quality !== 'fast',
    runtimeVersion: version,
    modelVersion: `tesseract-${version}`,
    language: languages.join('+'),
  }
  return { runs, facts }
}

/** The image for recognition: opaque RGB, on a background that contrasts with its text. */
async function prepared(given: ImageFrame, enhance: boolean): Promise<ImageFrame> {
  const flat = given.hasAlpha
    ? await given.apply((image) => image.flatten({ background: '#ffffff' }), { alpha: false })
    : given
  const frame = await (await (await flat.toSrgb()).toRgb()).settled()
  return enhance ? frame.withPixels(withLocalContrast(await frame.pixels({ alpha: 'drop' }))) : frame
}

/** Uses the engine of the requested quality, then Tesseract if that fails and a simpler engine is allowed. */
async function readRuns(frame: ImageFrame, options: ReadOptions, context: ReadContext) {
  if (options.quality === 'fast') return readTesseract(frame, options, context)
  try {
    return await readPaddle(frame, options, context)
  } catch (error) {
    context.signal.throwIfAborted()
    const hasFailed = error instanceof MediaprocError && error.code === 'PROCESSING_FAILED'
    if (!hasFailed || !options.mayDegrade || !(await findTesseract())) throw error
    context.warn(`Read with quality fast, as the models failed: ${error.detail ?? error.message}`)
    return readTesseract(frame, options, context)
  }
}

/**
 * Reads the text of a one-page image.
 * @throws MediaprocError FEATURE_NOT_INSTALLED if the engine of the quality is not installed; LIMIT_EXCEEDED
 */
export async function readText(given: ImageFrame, options: ReadOptions, context: ReadContext): Promise<Reading> {
  checkReadable(given.origin.name, given)
  const frame = await prepared(given, options.enhance)
  const { runs, facts } = await readRuns(frame, options, context)
  const lines = linesOfRuns(runs)
  const text = textOf(lines)
  checkTextLength(text)
  return { text, blocks: blocksOf(lines, given), lines, facts }
}
