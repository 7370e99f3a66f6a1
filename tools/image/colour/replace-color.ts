import type { ImageFrame, Samples } from '../../../src/media/image/frame.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { boolean, color, number } from '../../../src/tool/settings.ts'
import { parseHex } from '../_shared/colour/colours.ts'

type Triple = [number, number, number]

/** Input formats whose result can be transparent in the same format (catalogue). */
const CLEAR = new Set(['png', 'apng', 'webp', 'avif'])

/** Samples with an alpha channel, opaque if there was none. */
function withAlpha(samples: Samples): Samples {
  if (samples.channels === 4) return samples
  const { data } = samples
  const count = data.length / 3
  const wide = data instanceof Uint16Array ? new Uint16Array(count * 4) : new Uint8Array(count * 4)
  for (let pixel = 0; pixel < count; pixel += 1) {
    wide[pixel * 4] = data[pixel * 3]!
    wide[pixel * 4 + 1] = data[pixel * 3 + 1]!
    wide[pixel * 4 + 2] = data[pixel * 3 + 2]!
  }
  const white = data instanceof Uint16Array ? 65535 : 255
  for (let at = 3; at < wide.length; at += 4) wide[at] = white
  return { ...samples, data: wide, channels: 4 }
}

/**
 * Changes colours within `limit` (Euclidean distance in RGB, 0 to 255) of the source, in place: towards the target with
 * weight 1 - distance/limit, or to black with alpha 0 if there is no target, as colours under alpha 0 can be recovered.
 * The last sample of a colour is its alpha if it has one.
 */
function replace({ data, channels }: Samples, source: Triple, target: Triple | undefined, limit: number): void {
  const scale = data instanceof Uint16Array ? 257 : 1
  const [red, green, blue] = source.map((value) => value * scale) as Triple
  const reach = limit * scale
  for (let at = 0; at < data.length; at += channels) {
    // Array destructuring would take half as long again.
    const r = data[at]! - red
    const g = data[at + 1]! - green
    const b = data[at + 2]! - blue
    const squared = r * r + g * g + b * b
    if (squared > reach * reach) continue
    if (!target) {
      data.fill(0, at, at + 4)
      continue
    }
    const weight = reach === 0 ? 1 : 1 - Math.sqrt(squared) / reach
    for (let channel = 0; channel < 3; channel += 1) {
      const value = data[at + channel]!
      // Adds half a step, since typed arrays truncate.
      data[at + channel] = value + (target[channel]! * scale - value) * weight + 0.5
    }
  }
}

/** The frame written in a format that supports alpha. */
function inClearFormat(frame: ImageFrame): ImageFrame {
  const { format } = frame.target
  if (format ? CLEAR.has(format) : CLEAR.has(frame.origin.type.id)) return frame
  return frame.withTarget({ format: frame.pages > 1 ? 'webp' : 'png' })
}

export default imageTool({
  id: 'replace-color',
  summary: 'Swap one colour for another or make it transparent',
  settings: {
    sourceColor: color('the colour to replace', { default: '#ff0000' }),
    targetColor: color('the new colour', { default: '#00ff00' }),
    makeTransparent: boolean('make the colour transparent instead', { default: false }),
    tolerance: number('colour tolerance, of 255; 0 matches only the exact colour', {
      default: 30,
      min: 0,
      max: 255,
    }),
  },
  scalable: true,
  examples: [
    {
      title: 'a drawing in another colour',
      inputs: ['logo.svg'],
      settings: { sourceColor: '#1e3a8a', targetColor: '#b91c1c', tolerance: 60 },
    },
    {
      title: 'letters cut out of a logo',
      inputs: ['logo.svg'],
      settings: { sourceColor: '#fef3c7', makeTransparent: true, tolerance: 60 },
    },
  ],
  async transform(given, { sourceColor, targetColor, makeTransparent, tolerance }) {
    // Colours in the settings are sRGB.
    const frame = await (await given.toSrgb()).toRgb()
    const samples = await frame.samples()
    const limit = tolerance * Math.sqrt(3)
    if (!makeTransparent) {
      replace(samples, parseHex(sourceColor), parseHex(targetColor), limit)
      return frame.withSamples(samples)
    }
    const clear = withAlpha(samples)
    replace(clear, parseHex(sourceColor), undefined, limit)
    return inClearFormat(await frame.withSamples(clear))
  },
})
