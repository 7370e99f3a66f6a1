import type { Cube, LookUpTable } from '../../../../src/media/colour/cube.ts'
import type { Samples } from '../../../../src/media/image/frame.ts'
import { type ColourChange, changeColours } from '../../_shared/colour/change-colours.ts'

type Channel = 0 | 1 | 2

const CHANNELS: readonly Channel[] = [0, 1, 2]

/** Where a value is in a table, in entries, from 0 to size - 1. */
function placeOf({ size, low, high }: LookUpTable, value: number, channel: Channel): number {
  const share = (value - low[channel]) / (high[channel] - low[channel])
  return Math.min(1, Math.max(0, share)) * (size - 1)
}

/** Looks up each channel on its own, with linear interpolation. */
function curved(table: LookUpTable): ColourChange {
  const { entries, size } = table
  return (colour) => {
    for (const channel of CHANNELS) {
      const place = placeOf(table, colour[channel] ?? 0, channel)
      const step = Math.min(size - 2, Math.floor(place))
      const from = entries[3 * step + channel] ?? 0
      colour[channel] = from + ((entries[3 * step + 3 + channel] ?? 0) - from) * (place - step)
    }
  }
}

/**
 * Looks up a colour between the eight entries around it, in the tetrahedron of the four nearest along the grey
 * diagonal: neutral greys stay neutral, as in grading programs (Kasson, Nin, Plouffe and Hafner, 1995).
 */
function between(table: LookUpTable): ColourChange {
  const { entries, size } = table
  const strides: Record<Channel, number> = [3, 3 * size, 3 * size * size]
  const places: Record<Channel, number> = [0, 0, 0]
  const sums: Record<Channel, number> = [0, 0, 0]
  const order = [...CHANNELS]
  return (colour) => {
    let corner = 0
    for (const channel of CHANNELS) {
      const place = placeOf(table, colour[channel] ?? 0, channel)
      const step = Math.min(size - 2, Math.floor(place))
      places[channel] = place - step
      corner += step * strides[channel]
      sums[channel] = 0
    }
    const add = (weight: number): void => {
      for (const channel of CHANNELS) sums[channel] += weight * (entries[corner + channel] ?? 0)
    }
    // From the first corner along the axes, the longest way first, to the opposite corner.
    order.sort((one, other) => places[other] - places[one])
    let rest = 1
    for (const axis of order) {
      add(rest - places[axis])
      rest = places[axis]
      corner += strides[axis]
    }
    add(rest)
    for (const channel of CHANNELS) colour[channel] = sums[channel]
  }
}

/**
 * Applies a look-up table to RGB samples in place; keeps alpha.
 * @param strength share of the table in the result, from 0 to 1
 */
export function applyCube(samples: Samples, { curves, colours }: Cube, strength: number): void {
  const white = samples.data instanceof Uint16Array ? 65535 : 255
  const steps = [...(curves ? [curved(curves)] : []), ...(colours ? [between(colours)] : [])]
  const looked = new Float64Array(3)
  changeColours(samples, (colour) => {
    for (const channel of CHANNELS) looked[channel] = (colour[channel] ?? 0) / white
    for (const step of steps) step(looked)
    for (const channel of CHANNELS) {
      const value = Math.min(1, Math.max(0, looked[channel] ?? 0)) * white
      colour[channel] = (colour[channel] ?? 0) * (1 - strength) + value * strength + 0.5
    }
  })
}
