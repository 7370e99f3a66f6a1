import type { Pixels } from '../frame.ts'

/** Whether 8 bit pixels, RGB or RGBA, have at most the given number of colours. */
export function hasFewColours({ data, channels }: Pick<Pixels, 'data' | 'channels'>, most: number): boolean {
  const colours = new Set<number>()
  let last = -1
  for (let at = 0; at + 2 < data.length; at += channels) {
    const colour = (data[at]! << 16) | (data[at + 1]! << 8) | data[at + 2]!
    const whole = channels === 4 ? colour * 256 + data[at + 3]! : colour
    // In images with few colours, neighbouring pixels are usually equal.
    if (whole === last) continue
    last = whole
    colours.add(whole)
    if (colours.size > most) return false
  }
  return true
}
