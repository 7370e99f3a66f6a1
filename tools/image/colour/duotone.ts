import { printableName } from '../../../src/media/file.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { color, integer } from '../../../src/tool/settings.ts'
import { parseHex } from '../_shared/colour/colours.ts'
import { flatRgb, isOpaque } from '../_shared/layers/opaque.ts'

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
  scalable: true,
  examples: [
    { title: 'blue and cream poster', settings: { shadow: '#1e3a8a', highlight: '#fef3c7' } },
    { title: 'a hint of it', settings: { intensity: 40 } },
  ],
  async transform(frame, { shadow, highlight, intensity }, { warn }) {
    if (!(await isOpaque(frame)))
      warn(`${printableName(frame.origin.name)} has transparent parts; duotone makes them opaque`)
    // At full effect every colour is one of two named in sRGB: no colour of a wider gamut is lost.
    const target = intensity === 100 ? { coloursAreComputed: true } : {}
    const dark = parseHex(shadow)
    const light = parseHex(highlight)
    const amount = intensity / 100
    // Each channel: (1 - amount) x itself + amount x (shadow + (highlight - shadow) x luma), as weights and an offset, 0 to 1.
    const weights = light.map((value, channel) => {
      const slope = (value - dark[channel]!) / 255
      return LUMA.map((weight, from) => amount * slope * weight + (from === channel ? 1 - amount : 0))
    }) as [Triple, Triple, Triple]
    const offsets = dark.map((value) => (amount * value) / 255) as Triple
    // Not libvips' matrix: it cuts off below 0 before an offset can be added, and brings 16 bit down to 8.
    const flat = await flatRgb(frame)
    const samples = await flat.samples()
    mapColours(samples.data, weights, offsets, flat.bits === 16 ? 65535 : 255)
    return (await flat.withSamples(samples)).withTarget(target)
  },
})

/** Each colour becomes weights x colour + offset, in place. `white` is the largest value of a sample. */
function mapColours(data: Uint8Array | Uint16Array, weights: readonly Triple[], offsets: Triple, white: number): void {
  const [[rr, rg, rb], [gr, gg, gb], [br, bg, bb]] = weights as [Triple, Triple, Triple]
  // Half a step more, since typed arrays cut off the fraction.
  const [red, green, blue] = offsets.map((offset) => offset * white + 0.5) as Triple
  for (let at = 0; at < data.length; at += 3) {
    // Not taken apart from an array, which costs half as much again.
    const r = data[at]!
    const g = data[at + 1]!
    const b = data[at + 2]!
    data[at] = rr * r + rg * g + rb * b + red
    data[at + 1] = gr * r + gg * g + gb * b + green
    data[at + 2] = br * r + bg * g + bb * b + blue
  }
}
