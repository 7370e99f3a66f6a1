// What the tables of the benchmarks say about repeated measurements.

/** By the nearest rank. */
export const percentile = (values, part) => values.toSorted((a, b) => a - b)[Math.ceil(part * values.length) - 1]
export const median = (values) => percentile(values, 0.5)

/** The median, with the smallest and the largest value if there are several: `242 (238 to 260)`. */
export function withSpread(values, digits = 0) {
  const middle = median(values).toFixed(digits)
  const [least, most] = [Math.min(...values), Math.max(...values)].map((value) => value.toFixed(digits))
  return values.length > 1 ? `${middle} (${least} to ${most})` : middle
}

/** The ratio of each round, of contenders that alternate: a machine that becomes slower affects both of a round. */
export const ratios = (own, other) => own.map((value, round) => value / other[round])
