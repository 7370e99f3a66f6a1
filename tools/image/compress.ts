import { formatOf } from '../../src/media/image/encode.ts'
import { imageTool } from '../../src/tool/image-tool.ts'
import { choice, number } from '../../src/tool/settings.ts'
import { isDrawing } from './compress/drawing.ts'

export default imageTool({
  id: 'compress',
  summary: 'Shrink a file by quality level or to a byte target',
  settings: {
    mode: choice(['quality', 'targetSize'], 'what decides the size', { default: 'quality' }),
    quality: number('100 is best; PNG and GIF get fewer colours', { short: 'Q', default: 80, min: 1, max: 100 }),
    targetSizeKb: number('largest size of the result; 1 kB = 1000 bytes', {
      exclusiveMin: 0,
      unit: 'kB',
      when: { mode: 'targetSize' },
      example: 200,
    }),
  },
  examples: [
    { title: 'a good balance', settings: { quality: 75 } },
    { title: 'at most 50 kB', settings: { mode: 'targetSize', targetSizeKb: 50 } },
  ],
  heavy: true,
  async transform(frame, { mode, quality, targetSizeKb }) {
    const byTarget = mode === 'targetSize' && targetSizeKb !== undefined
    return frame.withTarget({
      quality,
      thorough: true,
      paletteByQuality: true,
      neverLarger: true,
      // Of formats that are written as another one: JPEG makes drawings larger, and worse.
      ...(formatOf(frame).id === 'jpg' &&
        frame.origin.type.id !== 'jpg' &&
        (await isDrawing(frame)) && { format: 'png' }),
      ...(byTarget && { targetBytes: Math.floor(targetSizeKb * 1000) }),
    })
  },
  report(_frame, { quality, targetMet, kept }) {
    return {
      ...(quality !== undefined && { quality }),
      ...(targetMet !== undefined && { targetMet }),
      // Encoding again would have made it larger: the input's own bytes were given back.
      ...(kept && { kept: true }),
    }
  },
})
