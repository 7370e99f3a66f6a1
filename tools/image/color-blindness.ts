import type { Samples } from '../../src/media/image/frame.ts'
import { imageTool } from '../../src/tool/image-tool.ts'
import { choice } from '../../src/tool/settings.ts'
import { encodedOf, linearTable, tabulated } from './_shared/colour/srgb.ts'
import { COLOUR_VISION, COLOUR_VISIONS, type ColourVision } from './color-blindness/colour-vision.ts'

/** Decodes sRGB, multiplies, clamps and encodes; in place, alpha stays. */
function simulate({ data, channels }: Samples, type: ColourVision): void {
  const white = data instanceof Uint16Array ? 65535 : 255
  const linear = linearTable(white)
  // Half a step more, since typed arrays cut off the fraction.
  const encoded = tabulated((value) => encodedOf(value) * white + 0.5)
  const [[rr, rg, rb], [gr, gg, gb], [br, bg, bb]] = COLOUR_VISION[type]
  for (let at = 0; at < data.length; at += channels) {
    const red = linear[data[at]!]!
    const green = linear[data[at + 1]!]!
    const blue = linear[data[at + 2]!]!
    data[at] = encoded(rr * red + rg * green + rb * blue)
    data[at + 1] = encoded(gr * red + gg * green + gb * blue)
    data[at + 2] = encoded(br * red + bg * green + bb * blue)
  }
}

export default imageTool({
  id: 'color-blindness',
  summary: 'Show how an image looks with a colour-vision deficiency',
  settings: {
    simulationType: choice(COLOUR_VISIONS, 'the deficiency: -opia is complete, -omaly a weaker form', {
      default: 'deuteranomaly',
    }),
  },
  examples: [
    { title: 'the most frequent form' },
    {
      title: 'can a logo be told apart without red?',
      inputs: ['logo.svg'],
      settings: { simulationType: 'protanopia' },
    },
  ],
  async transform(given, { simulationType }) {
    // The matrices are made for sRGB.
    const frame = await (await given.toSrgb()).toRgb()
    const samples = await frame.samples()
    simulate(samples, simulationType)
    return frame.withSamples(samples)
  },
})
