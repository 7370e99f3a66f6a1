import type { Samples } from '../../../src/media/image/frame.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { choice } from '../../../src/tool/settings.ts'
import { changeColours, mixedBy } from '../_shared/colour/change-colours.ts'
import { encodedOf, linearTable, tabulated } from '../_shared/colour/srgb.ts'
import { COLOUR_VISION, COLOUR_VISIONS, type ColourVision } from './color-blindness/colour-vision.ts'

/** Decodes sRGB, multiplies, clamps and encodes; in place, keeps alpha. */
function simulate(samples: Samples, type: ColourVision): void {
  const white = samples.data instanceof Uint16Array ? 65535 : 255
  const linear = linearTable(white)
  // Adds half a step, since typed arrays truncate.
  const encoded = tabulated((value) => encodedOf(value) * white + 0.5)
  changeColours(samples, mixedBy([linear, linear, linear], COLOUR_VISION[type], encoded))
}

export default imageTool({
  id: 'color-blindness',
  summary: 'Show how an image looks with a colour-vision deficiency',
  settings: {
    simulationType: choice(COLOUR_VISIONS, 'the deficiency: -opia is complete, -omaly a weaker form', {
      default: 'deuteranomaly',
    }),
  },
  scalable: true,
  examples: [
    { title: 'the most frequent form' },
    {
      title: 'is a logo legible without red?',
      inputs: ['logo.svg'],
      settings: { simulationType: 'protanopia' },
    },
  ],
  async transform(given, { simulationType }) {
    // The matrices apply to sRGB.
    const frame = await (await given.toSrgb()).toRgb()
    const samples = await frame.samples()
    simulate(samples, simulationType)
    return (await frame.withSamples(samples)).withTarget({ coloursAreComputed: true })
  },
})
