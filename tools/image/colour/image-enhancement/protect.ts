/** Measures what a correction of tones must not cost: deep blacks and lively colours. */
import type { Samples } from '../../../../src/media/image/frame.ts'
import { LUMINANCE } from '../../_shared/colour/srgb.ts'

export interface Character {
  /** Darkest luminance apart from single pixels, 0 to 1. */
  black: number
  /** Mean of (maximum - minimum) / maximum of the channels, 0 to 1, over pixels that are not dark. */
  saturation: number
  /** Whether each measured pixel counts for the saturation: the same pixels are compared before and after. */
  counted: Uint8Array
}

/** Share of the pixels that are darker than the black point. */
const DARKEST = 0.005
/** Black points up to this are black and stay; the protection ends at the second. Of 1. */
const BLACK = [32 / 255, 40 / 255] as const
/** Darker pixels have no measurable colour, of 1. */
const DARK = 4 / 255
/** Maximum that a lost saturation is raised by, percent. */
const MAX_RAISE = 60
const BINS = 1024

const at = (data: ArrayLike<number>, index: number): number => data[index] as number

/** Pixels that are measured, at most about twice as many. */
const MEASURED = 2e5

/**
 * Measures 16-bit samples.
 * @param counted the pixels whose saturation counts; by default those that are not dark
 */
export function characterOf({ data, channels }: Samples, counted?: Uint8Array): Character {
  const pixels = data.length / channels
  const step = Math.max(1, Math.floor(pixels / MEASURED)) * channels
  const used = counted ?? new Uint8Array(Math.ceil(data.length / step))
  const bins = new Uint32Array(BINS)
  let [count, sum, coloured] = [0, 0, 0]
  for (let place = 0; place < data.length; place += step) {
    if (channels % 2 === 0 && at(data, place + channels - 1) === 0) continue
    const red = at(data, place) / 65535
    const [green, blue] = channels < 3 ? [red, red] : [at(data, place + 1) / 65535, at(data, place + 2) / 65535]
    const luminance = LUMINANCE[0] * red + LUMINANCE[1] * green + LUMINANCE[2] * blue
    const bin = Math.min(BINS - 1, Math.floor(luminance * BINS))
    bins[bin] = at(bins, bin) + 1
    count += 1
    const most = Math.max(red, green, blue)
    if (!counted) used[place / step] = most < DARK ? 0 : 1
    if (used[place / step] === 0 || most === 0) continue
    sum += (most - Math.min(red, green, blue)) / most
    coloured += 1
  }
  let seen = 0
  const black = bins.findIndex((many) => {
    seen += many
    return seen > DARKEST * count
  })
  return { black: Math.max(0, black) / BINS, saturation: coloured === 0 ? 0 : sum / coloured, counted: used }
}

/** Moves a lifted black point back, in place: brightened shadows keep their depth. */
export function restoreBlack(samples: Samples, before: Character, after: Character): void {
  const { data, channels } = samples
  const share = Math.min(1, Math.max(0, (BLACK[1] - before.black) / (BLACK[1] - BLACK[0])))
  const wanted = after.black + share * (before.black - after.black)
  if (wanted >= after.black || after.black >= 1) return
  const slope = (1 - wanted) / (1 - after.black)
  const offset = 65535 * (1 - slope)
  const colours = channels % 2 === 0 ? channels - 1 : channels
  for (let place = 0; place < data.length; place += channels) {
    const luminance =
      colours < 3
        ? at(data, place)
        : LUMINANCE[0] * at(data, place) + LUMINANCE[1] * at(data, place + 1) + LUMINANCE[2] * at(data, place + 2)
    // All channels by the same factor: an offset would colour dark greys.
    const factor = luminance === 0 ? 1 : Math.max(0, luminance * slope + offset) / luminance
    for (let channel = place; channel < place + colours; channel += 1)
      data[channel] = Math.min(65535, at(data, channel) * factor)
  }
}

/** The saturation, percent as in Tone, that makes up for what was lost. */
export const lostSaturation = (before: Character, after: Character): number =>
  after.saturation < 0.01 || after.saturation >= before.saturation
    ? 0
    : Math.min(MAX_RAISE, 100 * (before.saturation / after.saturation - 1))

/** Black points, 0 to 1, up to which blacks are deep enough, and from which a stretch can deepen them. */
const DEEP = [0.03, 0.08] as const

/** Share of a deeper black point that suits an image: in a night, it would only colour what is left of the sky. */
export const roomForBlack = ({ black }: Character): number =>
  Math.min(1, Math.max(0, (black - DEEP[0]) / (DEEP[1] - DEEP[0])))

/** An overexposed image has no dark pixels: its black point is above this, of 1. */
const WASHED_OUT = 0.2

export const isWashedOut = ({ black }: Character): boolean => black > WASHED_OUT

/** Saturation, 0 to 1, up to which colours can be livelier, and where they begin to be lively enough. */
const LIVELY = [0.15, 0.35] as const

/** Share of a livelier saturation that suits an image: a lively one needs none, however dark or evenly mixed it is. */
export const roomForColour = ({ saturation }: Character): number =>
  Math.min(1, Math.max(0, (LIVELY[1] - saturation) / (LIVELY[1] - LIVELY[0])))
