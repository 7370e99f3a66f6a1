import type { Pixels } from '../../../../src/media/image/frame.ts'

/** Neutral within the accuracy of a camera: saturation, of 1. */
const NEUTRAL = 0.06
/** At most this saturated, a pixel may be grey under coloured light. */
const GREYISH = 0.28
/** More saturated pixels are coloured themselves. */
const COLOURED = 0.45
/** Luminance, of 255, in which a pixel shows the colour of the light. */
const VISIBLE = [40, 240] as const
/** Shares of the visible pixels: neutral ones that show that no cast exists, greyish ones needed, and coloured ones. */
const NEUTRAL_SHARE = 0.03
const GREYISH_SHARE = 0.1
const COLOURED_SHARE = 0.15
/** The greyish pixels have the same cast if its mean is this many times its deviation. */
const CONSISTENT = 1.5

/**
 * Whether an image shows that its light was too cold (1) or too warm (-1); 0 without evidence. The mean colour is none:
 * a sea is blue and a sunset red under any light. Evidence is a share of greyish pixels with one cast, in an image
 * without neutral points and with few strong colours of the same kind.
 */
export function castOf({ data, channels }: Pick<Pixels, 'data' | 'channels'>): -1 | 0 | 1 {
  if (channels < 3) return 0
  let [visible, neutral, greyish, sum, squares, cold, warm] = [0, 0, 0, 0, 0, 0, 0]
  for (let at = 0; at < data.length; at += channels) {
    if (channels === 4 && data[at + 3] === 0) continue
    const [red, green, blue] = [data[at] as number, data[at + 1] as number, data[at + 2] as number]
    const most = Math.max(red, green, blue)
    const luminance = (red + 2 * green + blue) / 4
    if (luminance < VISIBLE[0] || luminance > VISIBLE[1]) continue
    visible += 1
    const saturation = (most - Math.min(red, green, blue)) / most
    const lean = (blue - red) / most
    if (saturation <= NEUTRAL) neutral += 1
    else if (saturation <= GREYISH) {
      greyish += 1
      sum += lean
      squares += lean * lean
    } else if (saturation > COLOURED && lean > 0) cold += 1
    else if (saturation > COLOURED) warm += 1
  }
  if (visible === 0 || neutral > NEUTRAL_SHARE * visible || greyish < GREYISH_SHARE * visible) return 0
  const mean = sum / greyish
  const deviation = Math.sqrt(Math.max(0, squares / greyish - mean * mean))
  if (Math.abs(mean) <= CONSISTENT * deviation || mean === 0) return 0
  return (mean > 0 ? cold : warm) > COLOURED_SHARE * visible ? 0 : mean > 0 ? 1 : -1
}
