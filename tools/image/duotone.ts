import { imageTool } from '../../src/tool/image-tool.ts'
import { color, integer } from '../../src/tool/settings.ts'
import { parseHex } from './_shared/colours.ts'

type Triple = [number, number, number]

/** Weights of red, green and blue in luma, ITU-R BT.709. */
const LUMA = [0.2126, 0.7152, 0.0722] as const

export default imageTool({
  id: 'duotone',
  summary: 'Map dark and light tones to two colours',
  settings: {
    shadow: color('colour of the darkest tones', { default: '#1e3a8a' }),
    highlight: color('colour of the lightest tones', { default: '#fbbf24' }),
    intensity: integer('0 leaves the colours, 100 is the full effect', { default: 100, min: 0, max: 100, unit: '%' }),
  },
  examples: [
    { title: 'blue and cream poster', settings: { shadow: '#1e3a8a', highlight: '#fef3c7' } },
    { title: 'a hint of it', settings: { intensity: 40 } },
  ],
  transform(frame, { shadow, highlight, intensity }) {
    const dark = parseHex(shadow)
    const light = parseHex(highlight)
    const amount = intensity / 100
    // Each channel: (1 - amount) x itself + amount x (shadow + (highlight - shadow) x luma), as one matrix and one offset.
    const matrix = light.map((value, channel) => {
      const slope = (value - dark[channel]!) / 255
      return LUMA.map((weight, from) => amount * slope * weight + (from === channel ? 1 - amount : 0))
    }) as [Triple, Triple, Triple]
    // libvips counts samples to 255 or 65535, by their depth.
    const full = frame.bits === 16 ? 257 : 1
    const offsets = dark.map((value) => amount * value * full)
    return frame
      .apply(
        (image) =>
          image
            .removeAlpha()
            .toColourspace(frame.bits === 16 ? 'rgb16' : 'srgb')
            .recomb(matrix),
        {
          srgb: true,
          alpha: false,
          space: 'rgb',
        },
      )
      .then((mixed) => mixed.apply((image) => image.linear([1, 1, 1], offsets)))
  },
})
