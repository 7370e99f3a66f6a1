import { formatOf } from '../../../src/media/image/encode/fit-to-format.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { SAME_PICTURE } from '../../../src/tool/output-type.ts'
import { boolean, choice, number } from '../../../src/tool/settings.ts'
import { isDrawing } from './compress/drawing.ts'

export default imageTool({
  id: 'compress',
  summary: 'Shrink a file by quality level or to a byte target',
  settings: {
    mode: choice(['quality', 'targetSize'], 'criterion for the size', { default: 'quality' }),
    quality: number('100 is best; PNG and GIF get fewer colours', { short: 'Q', default: 80, min: 1, max: 100 }),
    targetSizeKb: number('maximum size of the result; 1 kB = 1000 bytes', {
      exclusiveMin: 0,
      unit: 'kB',
      when: { mode: 'targetSize' },
      needed: true,
      example: 200,
    }),
    allowResize: boolean('scale the image down if only poor quality would reach the target size', {
      default: false,
      when: { mode: 'targetSize' },
    }),
    lossless: boolean('JPEG without encoding again: the same pixels in fewer bytes', {
      default: false,
      when: { mode: 'quality' },
    }),
  },
  examples: [
    { title: 'a good balance', settings: { quality: 75 } },
    { title: 'at most 50 kB', settings: { mode: 'targetSize', targetSizeKb: 50 } },
    {
      title: 'at most 20 kB, with fewer pixels if necessary',
      settings: { mode: 'targetSize', targetSizeKb: 20, allowResize: true },
    },
    { title: 'a JPEG without loss', settings: { lossless: true } },
  ],
  heavy: true,
  async transform(frame, { mode, quality, targetSizeKb, allowResize, lossless }, context) {
    if (lossless) {
      const { optimiseLossless } = await import('../../../src/media/image/lossless/lossless.ts')
      return optimiseLossless(frame, context)
    }
    const byTarget = mode === 'targetSize' && targetSizeKb !== undefined
    const isFree = frame.target.format === undefined
    return frame.withTarget({
      quality,
      thorough: true,
      paletteByQuality: true,
      // The type that an earlier step requested is used.
      neverLarger: isFree ? 'of any type' : 'of its type',
      // For formats that are written as another one: JPEG makes drawings larger and worse.
      ...(isFree &&
        formatOf(frame).id === 'jpg' &&
        frame.origin.type.id !== 'jpg' &&
        (await isDrawing(frame)) && { format: 'png' }),
      ...(byTarget && { targetBytes: Math.floor(targetSizeKb * 1000), allowResize }),
    })
  },
  // If re-encoding in a type that we can write would enlarge the file, it is kept.
  output: {
    kind: 'file+report',
    type: { same: true, or: SAME_PICTURE.or, surely: [...SAME_PICTURE.same, 'jpeg', 'tif'] },
  },
  report(_frame, { quality, targetMet, kept, resized }) {
    return {
      ...(quality !== undefined && { quality }),
      ...(targetMet !== undefined && { targetMet }),
      ...(resized && { resized }),
      // Re-encoding would have enlarged the file: the input's own bytes were returned.
      ...(kept && { kept: true }),
    }
  },
})
