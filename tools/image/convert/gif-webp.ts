import { checkResultSize } from '../../../src/media/limits.ts'
import { oneFile } from '../../../src/tool/contract.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { boolean, integer } from '../../../src/tool/settings.ts'
import { scaled } from '../_shared/layout/fit.ts'

export default imageTool({
  id: 'gif-webp',
  summary: 'Convert animated GIF to WebP and back',
  converts: true,
  input: oneFile('gif', 'webp'),
  settings: {
    quality: integer('to WebP: 100 is best', { default: 80, min: 1, max: 100 }),
    lossless: boolean('to WebP: lossless', { default: false }),
    resizePercent: integer('width of the result, as a percentage of the input', {
      default: 100,
      min: 10,
      max: 100,
      unit: '%',
    }),
  },
  output: { kind: 'file', type: { byInput: { gif: 'webp', webp: 'gif' } } },
  examples: [
    { title: 'a smaller animation', inputs: ['animation.gif'] },
    {
      title: 'without loss, at half the size',
      inputs: ['animation.gif'],
      settings: { lossless: true, resizePercent: 50 },
    },
  ],
  async transform(frame, { quality, lossless, resizePercent }) {
    const sized = resizePercent === 100 ? frame : await scaled(frame, resizePercent / 100)
    checkResultSize(sized.width, sized.height, sized.pages)
    return sized.withTarget(frame.origin.type.id === 'gif' ? { format: 'webp', quality, lossless } : { format: 'gif' })
  },
})
