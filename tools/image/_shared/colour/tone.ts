import type { Samples } from '../../../../src/media/image/frame.ts'
import { changeColours, mixedBy } from './change-colours.ts'
import { chromaAndHue } from './lab.ts'
import { encodedOf, LUMINANCE, linearOf, tabulated } from './srgb.ts'

type Triple = readonly [number, number, number]

export type Curve = (value: number) => number

export const EFFECTS = ['none', 'grayscale', 'sepia', 'invert'] as const
export type Effect = (typeof EFFECTS)[number]

/**
 * Adjustments to every colour, applied in this order. Percentages from -100 to 100 unless noted; absent means no
 * change.
 */
export interface Tone {
  /** Stretches the range between the two values, 0 to 1, to 0 to 1; `gamma` above 1 lightens the mid-tones. */
  levels?: { low: number; high: number; gamma?: number }
  /** Curves of values from 0 to 1, one for each of red, green and blue; grey images have the first. */
  curves?: readonly [Curve, Curve, Curve]
  /** Multiplies values by 1 + v/100. */
  brightness?: number
  /** Slope 1 + v/100 around 128 of 255. */
  contrast?: number
  /** Gamma of 1 + 2|v|/100: lightens above 0, darkens below. */
  exposure?: number
  /** Multiplies chroma by 1 + v/100, in CIE L*a*b*. */
  saturation?: number
  /** Degrees. */
  hue?: number
  /** Warmer above 0. */
  temperature?: number
  /** More magenta above 0. */
  tint?: number
  /** Channel gains in percent, 0 to 200. */
  red?: number
  green?: number
  blue?: number
  effect?: Effect
}

/** Whether a tone needs three channels or adds colour: a grey image is then converted to RGB first. */
export function givesColour({ temperature, tint, red = 100, green = 100, blue = 100, effect }: Tone): boolean {
  return Boolean(temperature || tint) || red !== 100 || green !== 100 || blue !== 100 || effect === 'sepia'
}

/**
 * Levels, curve, brightness, contrast and exposure of a value from 0 to 1, for each channel. The result may exceed 1:
 * nothing is clipped between steps, except by a curve and a gamma, which have no values outside.
 */
function lightsOf({ levels, curves, brightness = 0, contrast = 0, exposure = 0 }: Tone): [Curve, Curve, Curve] {
  const { low, high, gamma: middles = 1 } = levels ?? { low: 0, high: 1 }
  const slope = 1 + contrast / 100
  const middle = 128 / 255
  const gamma = 1 + (2 * Math.abs(exposure)) / 100
  const power = exposure > 0 ? 1 / gamma : gamma
  const bound = (value: number): number => Math.min(1, Math.max(0, value))
  const spreadOf: Curve =
    middles === 1
      ? (value) => (value - low) / (high - low)
      : (value) => bound((value - low) / (high - low)) ** (1 / middles)
  const lightOf =
    (curve: Curve | undefined): Curve =>
    (value) => {
      const spread = curve ? curve(bound(spreadOf(value))) : spreadOf(value)
      const light = Math.max(0, (spread * (1 + brightness / 100) - middle) * slope + middle)
      return power === 1 ? light : light ** power
    }
  return [lightOf(curves?.[0]), lightOf(curves?.[1]), lightOf(curves?.[2])]
}

/** Gains of red, green and blue (catalogue: adjust-colors). */
function gainsOf({ temperature = 0, tint = 0, red = 100, green = 100, blue = 100 }: Tone): Triple {
  const [t, n] = [temperature / 100, tint / 100]
  return [
    ((1 + 0.15 * t + 0.1 * n) * red) / 100,
    ((1 + 0.05 * t - 0.15 * n) * green) / 100,
    ((1 - 0.15 * t + 0.1 * n) * blue) / 100,
  ]
}

/** An effect that computes every channel from all three; `inLight`: on linear light, otherwise on encoded values. */
interface Mixture {
  rows: readonly [Triple, Triple, Triple]
  inLight: boolean
}

const MIXTURES: Partial<Record<Effect, Mixture>> = {
  // CIE luminance: keeps the perceived brightness.
  grayscale: { rows: [LUMINANCE, LUMINANCE, LUMINANCE], inLight: true },
  // W3C Filter Effects Module Level 1, `sepia(100%)`.
  sepia: {
    rows: [
      [0.393, 0.769, 0.189],
      [0.349, 0.686, 0.168],
      [0.272, 0.534, 0.131],
    ],
    inLight: false,
  },
}

/** Upper end of the curves: distinguishes values brighter than white between two steps. */
const BRIGHTEST = 4

/** Changes the colours of samples in place; keeps alpha. All steps are computed together and rounded once. */
export function applyTone(samples: Samples, tone: Tone): void {
  const isGrey = samples.channels < 3
  const { saturation = 0, hue = 0, effect = 'none' } = tone
  const mixture = isGrey ? undefined : MIXTURES[effect]
  if (!isGrey && (saturation !== 0 || hue !== 0)) turnColours(samples, tone, mixture)
  else if (mixture) mixChannels(samples, tone, mixture)
  else mapChannels(samples, tone)
}

const whiteOf = (data: Samples['data']): number => (data instanceof Uint16Array ? 65535 : 255)

/** Applies a separate table to every channel. */
function mapChannels({ data, channels }: Samples, tone: Tone): void {
  const white = whiteOf(data)
  const lights = lightsOf(tone)
  const inverted = tone.effect === 'invert'
  const tables = gainsOf(tone).map((gain, channel) => {
    const light = lights[channel] ?? lights[0]
    const table = data instanceof Uint16Array ? new Uint16Array(white + 1) : new Uint8Array(white + 1)
    for (let value = 0; value <= white; value += 1) {
      const changed = Math.min(1, light(value / white) * gain)
      table[value] = (inverted ? 1 - changed : changed) * white + 0.5
    }
    return table
  })
  const [reds, greens, blues] = tables as [Samples['data'], Samples['data'], Samples['data']]
  if (channels < 3) for (let at = 0; at < data.length; at += channels) data[at] = reds[data[at]!]!
  else
    for (let at = 0; at < data.length; at += channels) {
      data[at] = reds[data[at]!]!
      data[at + 1] = greens[data[at + 1]!]!
      data[at + 2] = blues[data[at + 2]!]!
    }
}

/** Applies a table to every channel, then mixes the channels. */
function mixChannels(samples: Samples, tone: Tone, { rows, inLight }: Mixture): void {
  const white = whiteOf(samples.data)
  const lights = lightsOf(tone)
  const tables = gainsOf(tone).map((gain, channel) =>
    Float64Array.from({ length: white + 1 }, (_, value) => {
      const changed = (lights[channel] ?? lights[0])(value / white) * gain
      return inLight ? linearOf(changed) : changed
    }),
  ) as [Float64Array, Float64Array, Float64Array]
  const encoded = tabulated((value) => (inLight ? encodedOf(value) : value) * white + 0.5)
  changeColours(samples, mixedBy(tables, rows, encoded))
}

/** Changes each colour: chroma and hue, then gains, then the effect. */
function turnColours(samples: Samples, tone: Tone, mixture: Mixture | undefined): void {
  const white = whiteOf(samples.data)
  const tables = lightsOf(tone).map((light) =>
    Float64Array.from({ length: white + 1 }, (_, value) => linearOf(light(value / white))),
  ) as [Float64Array, Float64Array, Float64Array]
  const [redGain, greenGain, blueGain] = gainsOf(tone)
  const inverted = tone.effect === 'invert'
  const turn = chromaAndHue(1 + (tone.saturation ?? 0) / 100, tone.hue ?? 0)
  const encoded = tabulated(encodedOf, BRIGHTEST)
  const finish = finisher(mixture)
  changeColours(samples, (colour) => {
    colour[0] = tables[0][colour[0]!]!
    colour[1] = tables[1][colour[1]!]!
    colour[2] = tables[2][colour[2]!]!
    turn(colour)
    colour[0] = encoded(colour[0]) * redGain
    colour[1] = encoded(colour[1]) * greenGain
    colour[2] = encoded(colour[2]) * blueGain
    finish(colour)
    for (let channel = 0; channel < 3; channel += 1) {
      const value = Math.min(1, Math.max(0, colour[channel]!))
      colour[channel] = (inverted ? 1 - value : value) * white + 0.5
    }
  })
}

/** Mixes three encoded values, in place. */
function finisher(mixture: Mixture | undefined): (colour: Float64Array) => void {
  if (!mixture) return () => {}
  const { rows, inLight } = mixture
  const same = (value: number): number => value
  const linear = inLight ? tabulated(linearOf, BRIGHTEST) : same
  const encoded = inLight ? tabulated(encodedOf, BRIGHTEST) : same
  return (colour) => {
    const [red, green, blue] = [linear(colour[0]!), linear(colour[1]!), linear(colour[2]!)]
    for (let channel = 0; channel < 3; channel += 1) {
      const row = rows[channel]!
      colour[channel] = encoded(row[0] * red + row[1] * green + row[2] * blue)
    }
  }
}
