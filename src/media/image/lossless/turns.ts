/** Quarter turns and mirror images of pictures: the eight elements that EXIF's orientation numbers. */

/** Maps an axis of the source to one of the result: [x to x, y to x, x to y, y to y], each -1, 0 or 1. */
export type Turn = readonly [number, number, number, number]

export const NO_TURN: Turn = [1, 0, 0, 1]

/** Turns by EXIF orientation, 1 to 8: what makes the stored picture upright (EXIF 2.32, 4.6.4 A). */
const BY_ORIENTATION: readonly Turn[] = [
  NO_TURN,
  [-1, 0, 0, 1],
  [-1, 0, 0, -1],
  [1, 0, 0, -1],
  [0, 1, 1, 0],
  [0, -1, 1, 0],
  [0, -1, -1, 0],
  [0, 1, -1, 0],
]

/** jpegtran's arguments for the turns, in the same order. */
const ARGUMENTS: readonly (readonly string[])[] = [
  [],
  ['-flip', 'horizontal'],
  ['-rotate', '180'],
  ['-flip', 'vertical'],
  ['-transpose'],
  ['-rotate', '90'],
  ['-transverse'],
  ['-rotate', '270'],
]

/** The turn of an EXIF orientation; numbers outside 1 to 8 mean upright. */
export const turnOfOrientation = (orientation: number | undefined): Turn =>
  BY_ORIENTATION[(orientation ?? 1) - 1] ?? NO_TURN

/** First `one`, then `next`. */
export function followedBy([a, b, c, d]: Turn, [e, f, g, h]: Turn): Turn {
  // Adding 0 turns -0 into 0.
  return [e * a + f * c + 0, e * b + f * d + 0, g * a + h * c + 0, g * b + h * d + 0]
}

/** A rotation by a multiple of 90 degrees clockwise, then mirror images. */
export function turnOf({ angle = 0, horizontal = false, vertical = false }): Turn {
  const quarters = (((angle / 90) % 4) + 4) % 4
  const rotation = turnOfOrientation([1, 6, 3, 8][quarters])
  return followedBy(rotation, [horizontal ? -1 : 1, 0, 0, vertical ? -1 : 1])
}

const isSame = (one: Turn, other: Turn): boolean => one.every((value, at) => value === other[at])

/** jpegtran's arguments for a turn; empty for none. */
export const argumentsOf = (turn: Turn): readonly string[] =>
  ARGUMENTS[BY_ORIENTATION.findIndex((known) => isSame(known, turn))] ?? []

/** Whether a turn mirrors the source's columns, its rows, or both. */
export const mirrors = ([xx, yx, xy, yy]: Turn): { columns: boolean; rows: boolean } => ({
  columns: xx + xy < 0,
  rows: yx + yy < 0,
})

/** Whether the result's sides are swapped. */
export const swapsSides = ([xx]: Turn): boolean => xx === 0
