import { imageTool } from '../../../src/tool/image-tool.ts'
import { choice, integer } from '../../../src/tool/settings.ts'
import { softMask } from '../_shared/layers/soften.ts'
import { onlyFirstPage } from '../_shared/layout/pages.ts'
import { blurSigma, onBackdrop, opaque } from '../_shared/matting/backdrop.ts'
import { cutOut } from '../_shared/matting/cut-out.ts'
import { matteOf } from '../_shared/matting/matte.ts'
import { mattingChain } from '../_shared/matting/networks.ts'

export default imageTool({
  id: 'blur-background',
  summary: 'Blur everything but the subject',
  suffix: 'blurbg',
  bundles: ['background-removal'],
  settings: {
    intensity: integer('strength', { default: 50, min: 1, max: 100 }),
    feather: integer('softness of the edge (sigma)', { default: 0, min: 0, max: 20, unit: 'px' }),
    format: choice(['png', 'webp'], 'lossless output format', { group: 'Output', default: 'png' }),
  },
  output: { kind: 'file', type: { setting: 'format' } },
  timeoutS: 300,
  heavy: true,
  async: true,
  examples: [
    { title: 'like a wide aperture', inputs: ['portrait.jpg'] },
    { title: 'a little, softly', inputs: ['portrait.jpg'], settings: { intensity: 15, feather: 3 } },
  ],
  async transform(given, { intensity, feather, format }, context) {
    const frame = await (await onlyFirstPage(given, context)).settled()
    const matte = await matteOf(frame, mattingChain(), 1, context)
    const subject = await cutOut(frame, { data: await softMask(matte, feather) })
    const blurred = await onBackdrop(subject, frame, { kind: 'blur', sigma: blurSigma(intensity) }, 0, context)
    return (frame.hasAlpha ? blurred : await opaque(blurred)).withTarget({ format, lossless: true })
  },
})
