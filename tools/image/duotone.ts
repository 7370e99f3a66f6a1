import type { ImageFrame } from '../../src/media/image/frame.ts'
import { imageTool } from '../../src/tool/image-tool.ts'
import { color, integer } from '../../src/tool/settings.ts'
import { parseHex } from './_shared/colours.ts'

type Triple = [number, number, number]
type Four = [number, number, number, number]

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
  async transform(frame, { shadow, highlight, intensity }) {
    const dark = parseHex(shadow)
    const light = parseHex(highlight)
    const amount = intensity / 100
    // Each channel: (1 - amount) x itself + amount x (shadow + (highlight - shadow) x luma), as weights and an offset, 0 to 1.
    const weights = light.map((value, channel) => {
      const slope = (value - dark[channel]!) / 255
      return LUMA.map((weight, from) => amount * slope * weight + (from === channel ? 1 - amount : 0))
    }) as [Triple, Triple, Triple]
    const offsets = dark.map((value) => (amount * value) / 255) as Triple
    if (frame.bits === 16) return mapDeep(frame, weights, offsets)
    // Weights can be negative, and libvips cuts off below 0: the offset comes in the same step, by way of a full alpha.
    const matrix = weights.map((row, channel) => [...row, offsets[channel]!]) as [Four, Four, Four]
    return (await frame.toRgb())
      .apply(
        (image) =>
          image
            .removeAlpha()
            .ensureAlpha()
            .recomb([...matrix, [0, 0, 0, 1]]),
        { srgb: true },
      )
      .then((mixed) => mixed.apply((image) => image.removeAlpha(), { alpha: false }))
  },
})

/** The same in 16 bit, which libvips' matrix brings down to 8. */
async function mapDeep(frame: ImageFrame, weights: readonly Triple[], offsets: Triple): Promise<ImageFrame> {
  const samples = await frame.deepPixels()
  for (let at = 0; at < samples.length; at += 3) {
    const [red, green, blue] = [samples[at]!, samples[at + 1]!, samples[at + 2]!]
    for (let channel = 0; channel < 3; channel++) {
      const [r, g, b] = weights[channel]!
      samples[at + channel] = Math.round(r * red + g * green + b * blue + offsets[channel]! * 65535)
    }
  }
  return frame.withDeepPixels(samples)
}
