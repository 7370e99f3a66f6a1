import { featureMissing } from '../missing.ts'
import { findRuntime } from '../runtime.ts'
import { installedModel } from '../store/installed.ts'
import type { Language } from './languages.ts'
import type { Readers } from './paddle.ts'
import { tesseractFor } from './tesseract.ts'

export const QUALITIES = ['fast', 'balanced', 'best'] as const
export type Quality = (typeof QUALITIES)[number]

/** The quality of a run; `engine` is its older name, used only if `quality` is absent. */
export const qualityOf = (quality: Quality | undefined, engine: 'tesseract' | 'paddleocr' | undefined): Quality =>
  quality ?? (engine === 'tesseract' ? 'fast' : 'balanced')

const V4: Readers = { detection: ['ppocrv4-det-mobile'], recognition: ['ppocrv4-rec-mobile'] }

/** Appends the models of `more` to those of `readers`. */
const followed = (readers: Readers, more: Readers): Readers => ({
  detection: [...readers.detection, ...more.detection],
  recognition: [...readers.recognition, ...more.recognition],
})

/**
 * PP-OCRv6, and the Korean model of PP-OCRv5, were not tested with their real weights, which were unavailable. By their
 * contracts, input and output are those of PP-OCRv4, which was tested.
 */
const SMALL = followed({ detection: ['ppocrv6-det-small'], recognition: ['ppocrv6-rec-small'] }, V4)
const MEDIUM = followed({ detection: ['ppocrv6-det-medium'], recognition: ['ppocrv6-rec-medium'] }, SMALL)

/**
 * The models for a quality: `balanced` also uses those of the light tier.
 * @param store the model folder; the user's by default
 * @throws MediaprocError FEATURE_NOT_INSTALLED without a detection model, a recognition model, or the runtime
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
 * Checks that text can be read at a quality, without reading any.
 * @throws MediaprocError FEATURE_NOT_INSTALLED as for reading
 */
export async function checkReaders(quality: Quality, language: Language, store: string): Promise<void> {
  if (quality === 'fast') await tesseractFor(language, store)
  else await readersFor(quality, language, store)
}
