import { imageTool } from '../../../src/tool/image-tool.ts'
import { choice, color, integer } from '../../../src/tool/settings.ts'
import { softMask } from '../_shared/layers/soften.ts'
import { onlyFirstPage } from '../_shared/layout/pages.ts'
import { onBackdrop, opaque } from '../_shared/matting/backdrop.ts'
import { cutOut } from '../_shared/matting/cut-out.ts'
import { decontaminated } from '../_shared/matting/decontaminate.ts'
import { matteOf } from '../_shared/matting/matte.ts'
import { mattingChain } from '../_shared/matting/networks.ts'

const GRADIENT = { when: { backgroundType: 'gradient' } } as const

export default imageTool({
  id: 'background-replace',
  summary: 'Replace the background by a colour or gradient',
  suffix: 'bg',
  bundles: ['background-removal'],
  settings: {
    backgroundType: choice(['color', 'gradient'], 'type of the new background', { default: 'color' }),
    color: color('the new background', { default: '#ffffff', when: { backgroundType: 'color' } }),
    gradientColor1: color('start colour of the gradient', { ...GRADIENT, default: '#ffffff' }),
    gradientColor2: color('end colour of the gradient', { ...GRADIENT, default: '#000000' }),
    gradientAngle: integer('direction of the gradient: 0 up, 90 right, 180 from top to bottom', {
      ...GRADIENT,
      default: 180,
      min: 0,
      max: 360,
      unit: 'degrees',
    }),
    feather: integer('softness of the edge (sigma)', { default: 0, min: 0, max: 20, unit: 'px' }),
    format: choice(['png', 'webp'], 'lossless output format', { group: 'Output', default: 'png' }),
  },
  output: { kind: 'file', type: { setting: 'format' } },
  timeoutS: 300,
  heavy: true,
  async: true,
  examples: [
    { title: 'a product on white', inputs: ['portrait.jpg'] },
    {
      title: 'a soft gradient',
      inputs: ['portrait.jpg'],
      settings: { backgroundType: 'gradient', gradientColor1: '#dbeafe', gradientColor2: '#1e3a8a', feather: 1 },
    },
  ],
  async transform(given, settings, context) {
    const { backgroundType, color: plain, gradientColor1, gradientColor2, gradientAngle, feather, format } = settings
    const frame = await (await onlyFirstPage(given, context)).settled()
    const matte = await matteOf(frame, mattingChain(), 1, context)
    const data = await softMask(matte, feather)
    const subject = await decontaminated(await cutOut(frame, { data }), context)
    const backdrop =
      backgroundType === 'color'
        ? ({ kind: 'color', color: plain } as const)
        : ({ kind: 'gradient', from: gradientColor1, to: gradientColor2, angle: gradientAngle } as const)
    const whole = await opaque(await onBackdrop(subject, frame, backdrop, 0, context))
    return whole.withTarget({ format, lossless: true })
  },
})
