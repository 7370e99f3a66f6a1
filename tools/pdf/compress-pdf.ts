import { copyFile, stat, writeFile } from 'node:fs/promises'
import type { MediaFile } from '../../src/media/file.ts'
import { suffixedName } from '../../src/media/naming.ts'
import { openPdfFile } from '../../src/media/pdf/document.ts'
import { ImageReencoder } from '../../src/media/pdf/reencode-images.ts'
import { isSigned } from '../../src/media/pdf/signatures.ts'
import { searchQuality } from '../../src/media/search-quality.ts'
import { type Job, oneFile, tool } from '../../src/tool/contract.ts'
import { choice, integer, number } from '../../src/tool/settings.ts'
import { invalidSettings } from '../../src/tool/validate.ts'
import { leversOf } from './compress-pdf/recompress.ts'
import { rewritten } from './compress-pdf/rewrite.ts'

export default tool({
  section: 'pdf',
  id: 'compress-pdf',
  summary: 'Shrink a PDF by re-encoding its images, by quality or target size',
  input: oneFile('pdf'),
  settings: {
    mode: choice(['quality', 'targetSize'], 'what decides the size', { default: 'quality' }),
    quality: integer('100 is best; below 50 images also get fewer dots per inch', {
      default: 75,
      min: 1,
      max: 100,
      filledByTool: true,
    }),
    targetSizeKb: number('largest size of the result, with mode targetSize; 1 kB = 1000 bytes', {
      exclusiveMin: 0,
      unit: 'kB',
    }),
    preset: choice(['screen', 'ebook', 'printer'], 'quality by a name of old: 25, 50 or 90', {
      deprecated: 'use quality',
    }),
  },
  output: { kind: 'file+report', type: { is: 'pdf' } },
  engines: ['mupdf', 'sharp', 'ghostscript'],
  timeoutS: 300,
  heavy: true,
  examples: [
    { title: 'for mail', settings: { quality: 50 } },
    { title: 'at most 100 kB', settings: { mode: 'targetSize', targetSizeKb: 100 } },
  ],
  check({ mode, targetSizeKb }) {
    if (mode === 'targetSize' && targetSizeKb === undefined)
      throw invalidSettings(
        'Expected targetSizeKb for mode targetSize, got nothing',
        'For example: --target-size-kb 500',
      )
  },
  async run(job, { mode, quality, preset, targetSizeKb }) {
    const file = job.inputs[0]!
    const { lossless, signed, password } = await savedWhole(file)
    const size = (await stat(file.path)).size
    const name = suffixedName(file, 'compressed', 'pdf')
    const path = await job.output(name)
    const budget = mode === 'targetSize' ? Math.floor(targetSizeKb! * 1000) : undefined
    const wanted = quality ?? (preset ? { screen: 25, ebook: 50, printer: 90 }[preset] : 75)
    const best = await smallest(job, lossless, password, budget === undefined ? { quality: wanted } : { budget })
    const keeps = best.length >= size
    if (signed && !keeps) job.warn('The digital signature is no longer valid: the document was written anew')
    if (keeps) await copyFile(file.path, path)
    else await writeFile(path, best)
    const report = {
      ...(budget !== undefined && { targetKb: targetSizeKb, targetMet: Math.min(size, best.length) <= budget }),
      // Encoding again would have made it larger: the input's own bytes were given back.
      ...(keeps && { kept: true }),
    }
    return { files: [{ path, name, mime: 'application/pdf' }], ...(Object.keys(report).length > 0 && { report }) }
  },
})

/** The input, checked by the gate, saved without loss. */
async function savedWhole(file: MediaFile): Promise<{ lossless: Uint8Array; signed: boolean; password: string }> {
  const document = await openPdfFile(file)
  try {
    document.target.compress = true
    return { signed: isSigned(document), password: document.password, lossless: await document.save() }
  } finally {
    document.close()
  }
}

/** The document at a quality, or the best that is not above the budget (bytes), or the smallest that there is. */
async function smallest(
  job: Job,
  lossless: Uint8Array,
  password: string,
  wish: { quality: number } | { budget: number },
): Promise<Uint8Array> {
  if ('budget' in wish && lossless.length <= wish.budget) return lossless
  const whole = (await rewritten(lossless, job.signal)) ?? lossless
  if ('budget' in wish && whole.length <= wish.budget) return whole
  const images = await ImageReencoder.open(whole, password)
  try {
    if (!images.hasImages) return whole
    const encode = (quality: number) => images.encode(leversOf(quality), job.signal)
    const onProgress = (fraction: number): void => job.progress(fraction, 'searching')
    const result =
      'quality' in wish ? await encode(wish.quality) : (await searchQuality(encode, wish.budget, { onProgress })).data
    return result.length < whole.length ? result : whole
  } finally {
    images.close()
  }
}
