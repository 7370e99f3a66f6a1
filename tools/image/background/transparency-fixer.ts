import type { ImageFrame } from '../../../src/media/image/frame.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { boolean, choice, number } from '../../../src/tool/settings.ts'
import { withMedian } from '../_shared/layers/around-alpha.ts'
import { cleared } from '../_shared/layers/cleared.ts'
import { softMask } from '../_shared/layers/soften.ts'
import { onlyFirstPage } from '../_shared/layout/pages.ts'
import { cutOut } from '../_shared/matting/cut-out.ts'
import { KEEP_COLORS } from '../_shared/matting/effects.ts'
import { matteOf } from '../_shared/matting/matte.ts'
import { mattingChain } from '../_shared/matting/networks.ts'
import { defringed } from './transparency-fixer/defringe.ts'

/** The interface's chain, then any other installed model. */
const CHAIN = mattingChain('birefnet-hr-matting', 'birefnet-general', 'u2net')

/** Side of the median filter that removes a faint watermark from the background, px (catalogue). */
const MEDIAN = 5

/** The network's input: without a watermark and without a painted checkerboard background. */
const looked = (frame: ImageFrame, removeWatermark: boolean): Promise<ImageFrame> =>
  removeWatermark ? withMedian(frame, MEDIAN) : Promise.resolve(frame)

export default imageTool({
  id: 'transparency-fixer',
  summary: 'Turn fake or fringed transparency into clean alpha',
  suffix: 'fixed',
  bundles: ['background-removal'],
  settings: {
    defringe: number('strength of fringe removal; 0 is off', { default: 30, min: 0, max: 100 }),
    outputFormat: choice(['png', 'webp'], 'lossless output format', { group: 'Output', default: 'png' }),
    removeWatermark: boolean('remove a faint watermark before the subject is detected', { default: false }),
    ...KEEP_COLORS,
  },
  output: { kind: 'file', type: { setting: 'outputFormat' } },
  timeoutS: 300,
  heavy: true,
  async: true,
  examples: [
    { title: 'a painted checkerboard becomes transparent', inputs: ['portrait.jpg'] },
    { title: 'stronger fringe removal', inputs: ['portrait.jpg'], settings: { defringe: 70 } },
  ],
  async transform(given, { defringe, outputFormat, removeWatermark, keepColors }, context) {
    const first = await (await onlyFirstPage(given, context)).settled()
    const frame = await (await looked(first, removeWatermark)).settled()
    const matte = await matteOf(frame, CHAIN, 1, context)
    const data =
      defringe === 0
        ? matte.data
        : defringed(matte, await softMask(matte, Math.max(0.3, Math.round(defringe / 20))), defringe)
    const cut = await cutOut(frame, { data })
    const clean = keepColors ? cut : await cleared(cut)
    return clean.withTarget({ format: outputFormat, lossless: true, exact: keepColors })
  },
})
