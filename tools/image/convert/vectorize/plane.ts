/** A plane of values, row by row. */
export interface Plane<Values extends ArrayLike<number> = ArrayLike<number>> {
  data: Values
  width: number
  height: number
}

/** Points of an outline: x, y (px; pixel centres are at halves) and a weight, 1 for a measured position. */
export type Points = Float64Array

/** An element that must exist. */
export const get = (values: ArrayLike<number>, at: number): number => values[at] as number

/** Numbers of a point in Points. */
export const STRIDE = 3
