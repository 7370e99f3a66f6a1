import { featureMissing } from '../../../src/models/missing.ts'
import { useModel } from '../../../src/models/use-model.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { SAME_PICTURE } from '../../../src/tool/output-type.ts'
import { choice, number } from '../../../src/tool/settings.ts'
import { colorized } from '../_shared/colorize/colorize.ts'
import { onlyFirstPage } from '../_shared/layout/pages.ts'

/** The models for each setting value, the best first, and their names in the result (catalogue). */
const CHAINS = {
  auto: ['ddcolor-tiny', 'colorization-eccv16'],
  ddcolor: ['ddcolor-tiny'],
  opencv: ['colorization-eccv16'],
} as const
const methodOf = (id: string): string => (id === 'ddcolor-tiny' ? 'ddcolor' : 'opencv')

export default imageTool({
  id: 'colorize',
  summary: 'Colour a black-and-white photo',
  suffix: 'colorized',
  bundles: ['object-eraser-colorize'],
  models: CHAINS.auto,
  settings: {
    intensity: number('strength of the colours; 0 is grey', { default: 1, min: 0, max: 1 }),
    model: choice(['auto', 'ddcolor', 'opencv'], 'the network: the newer one, or the classical one of 2016', {
      default: 'auto',
    }),
  },
  output: { kind: 'file+report', type: SAME_PICTURE },
  timeoutS: 300,
  heavy: true,
  async: true,
  examples: [{ title: 'an old photograph' }, { title: 'with restrained colours', settings: { intensity: 0.6 } }],
  async transform(given, { intensity, model }, context) {
    const frame = await (await (await onlyFirstPage(given, context)).toSrgb()).toRgb()
    const made = await useModel(CHAINS[model], context, async (network) => {
      context.progress(0.2, 'finding colours')
      return { frame: await colorized(frame, network, intensity), method: methodOf(network.id) }
    })
    if (!made) throw featureMissing('object-eraser-colorize')
    return { frame: made.frame, report: { width: frame.width, height: frame.height, method: made.method } }
  },
})
