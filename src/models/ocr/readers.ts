import { featureMissing } from '../missing.ts'
import { findRuntime } from '../runtime.ts'
import { installedModel } from '../store/installed.ts'
import type { Language } from './languages.ts'
import type { Readers } from './paddle.ts'
import { tesseractFor } from './tesseract.ts'

export const QUALITIES = ['fast', 'balanced', 'best'] as const
export type Quality = (typeof QUALITIES)[number]

/** The quality of a run; `engine` is its older name and counts only without it. */
export const qualityOf = (quality: Quality | undefined, engine: 'tesseract' | 'paddleocr' | undefined): Quality =>
  quality ?? (engine === 'tesseract' ? 'fast' : 'balanced')

const V4: Readers = { detection: ['ppocrv4-det-mobile'], recognition: ['ppocrv4-rec-mobile'] }

/** Adds the models of `more` behind those of `readers`. */
const followed = (readers: Readers, more: Readers): Readers => ({
  detection: [...readers.detection, ...more.detection],
  recognition: [...readers.recognition, ...more.recognition],
})

/**
 * PP-OCRv6, and the Korean of PP-OCRv5, were not run on their real weights here: they could not be had. By their contracts
 * they are fed and read as PP-OCRv4, which was.
 */
const SMALL = followed({ detection: ['ppocrv6-det-small'], recognition: ['ppocrv6-rec-small'] }, V4)
const MEDIUM = followed({ detection: ['ppocrv6-det-medium'], recognition: ['ppocrv6-rec-medium'] }, SMALL)

/**
 * The models that read with a quality: `balanced` also takes those of the light tier.
 * @param store folder of the models; the user's by default
 * @throws MediaprocError FEATURE_NOT_INSTALLED without a model to find lines, one to read them, or the runtime
 */
export async function readersFor(quality: Quality, language: Language, store?: string): Promise<Readers> {
  const readers = quality === 'best' ? MEDIUM : SMALL
  const own = language === 'ko' ? { ...readers, recognition: ['ppocrv5-rec-korean'] } : readers
  const needed = language === 'ko' || quality === 'best' ? own.recognition.slice(0, 1) : own.recognition
  if (!(await findRuntime(store))) throw featureMissing('ocr')
  for (const chain of [needed, own.detection]) {
    const found = await Promise.all(chain.map((id) => installedModel(id, store)))
    if (found.every((model) => model === undefined)) throw featureMissing('ocr')
  }
  return own
}

/**
 * Checks that a text can be read with a quality, without reading one.
 * @throws MediaprocError FEATURE_NOT_INSTALLED as the reading would
 */
export async function checkReaders(quality: Quality, language: Language, store: string): Promise<void> {
  if (quality === 'fast') await tesseractFor(language, store)
  else await readersFor(quality, language, store)
}
