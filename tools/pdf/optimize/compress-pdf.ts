import { printableName } from '../../../src/media/file.ts'
import { type SavedPdf, storePdf } from '../../../src/media/pdf/document.ts'
import { ImageReencoder } from '../../../src/media/pdf/image/reencode-images.ts'
import { isSigned } from '../../../src/media/pdf/structure/signatures.ts'
import { searchQuality } from '../../../src/media/search-quality.ts'
import type { StepContext } from '../../../src/tool/contract.ts'
import { pdfTool } from '../../../src/tool/pdf-tool.ts'
import { choice, integer, number } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'
import { withPackedFonts } from './compress-pdf/pack-fonts.ts'
import { leversOf } from './compress-pdf/recompress.ts'

/** Time limit of one encoding: enough for a scan of nine megapixels on a busy machine. */
const SECONDS_PER_IMAGE = 5

export default pdfTool({
  id: 'compress-pdf',
  summary: 'Shrink a PDF by re-encoding its images, by quality or target size',
  settings: {
    mode: choice(['quality', 'targetSize'], 'criterion for the size', { default: 'quality' }),
    quality: integer('100 is best; below 50 the image resolution is also reduced', {
      short: 'Q',
      default: 75,
      min: 1,
      max: 100,
      filledByTool: true,
      when: { mode: 'quality' },
    }),
    dpi: integer('maximum resolution of images at their printed size, instead of that of the quality', {
      min: 20,
      max: 1200,
      unit: 'dpi',
      example: 150,
    }),
    targetSizeKb: number('maximum size of the result; 1 kB = 1000 bytes', {
      exclusiveMin: 0,
      unit: 'kB',
      when: { mode: 'targetSize' },
      example: 500,
    }),
    preset: choice(['screen', 'ebook', 'printer'], 'deprecated alias of quality: 25, 50 or 90', {
      deprecated: 'use quality',
      when: { mode: 'quality' },
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
  suffix: 'compressed',
  async produce([document], { mode, quality, preset, targetSizeKb, dpi }, context) {
    const { bytes: size, path } = context.files[0]
    const { password } = document
    const signed = isSigned(document)
    document.target.compress = true
    const lossless = await storePdf(document, context.scratch)
    for (const warning of document.warnings) context.warn(warning)
    const budget = mode === 'targetSize' ? Math.floor(targetSizeKb! * 1000) : undefined
    const wanted = quality ?? (preset ? { screen: 25, ebook: 50, printer: 90 }[preset] : 75)
    const goal = budget === undefined ? { quality: wanted } : { budget }
    const best = await smallest(context, lossless, password, { ...goal, dpi })
    const keeps = best.length >= size
    if (signed && !keeps) context.warn('The digital signature is no longer valid: the document was rewritten')
    const met = budget === undefined || Math.min(size, best.length) <= budget
    if (!met)
      context.warn(
        `${printableName(context.files[0].name)} has ${Math.ceil(Math.min(size, best.length) / 1000)} kB at the lowest quality, more than the ${targetSizeKb} kB requested`,
      )
    const report = {
      ...(budget !== undefined && { targetKb: targetSizeKb, targetMet: met }),
      // Re-encoding would have enlarged the file: the input's own bytes were returned.
      ...(keeps && { kept: true }),
    }
    const made = keeps ? { from: path } : best instanceof Uint8Array ? { data: best } : { from: best.path }
    return { files: [{ type: 'pdf', ...made }], ...(Object.keys(report).length > 0 && { report }) }
  },
})

/** The document at a quality, or the best within the budget (bytes), or the smallest possible. */
async function smallest(
  context: StepContext,
  lossless: SavedPdf,
  password: string,
  goal: ({ quality: number } | { budget: number }) & { dpi: number | undefined },
): Promise<SavedPdf> {
  if ('budget' in goal && lossless.length <= goal.budget) return lossless
  // In a large file, which Ghostscript would have to process completely, fonts are a small share.
  const whole = (lossless instanceof Uint8Array && (await withPackedFonts(lossless, context.signal))) || lossless
  if ('budget' in goal && whole.length <= goal.budget) return whole
  const images = await ImageReencoder.open(whole, password)
  try {
    if (images.imageCount === 0) return whole
    // Three hundred scanned pages are not a reason to stop.
    context.moreTime(images.imageCount * SECONDS_PER_IMAGE)
    const encode = (quality: number) =>
      images.encode({ ...leversOf(quality), ...(goal.dpi && { dpi: goal.dpi }) }, context.signal, context.scratch)
    const onProgress = (fraction: number): void => context.progress(fraction, 'searching')
    const result =
      'quality' in goal ? await encode(goal.quality) : (await searchQuality(encode, goal.budget, { onProgress })).data
    return result.length < whole.length ? result : whole
  } finally {
    images.close()
  }
}
