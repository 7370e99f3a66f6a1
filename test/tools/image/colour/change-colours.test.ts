import { expect, test } from 'vitest'
import { changeColours } from '../../../../tools/image/_shared/colour/change-colours.ts'

/** Samples of seeded noise: more colours than the cache has slots, many of them repeated. */
function noise(pixels: number, channels: 3 | 4, samples: Uint8Array | Uint16Array): typeof samples {
  let state = 1
  for (let at = 0; at < pixels * channels; at += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0
    samples[at] = state >>> (at % 3 === 0 ? 8 : 26)
  }
  return samples
}

/** Channels in another order, and one of them a little changed. */
const turned = (colour: Float64Array): void => {
  const [red, green, blue] = colour as unknown as [number, number, number]
  colour[0] = blue
  colour[1] = red * 0.5 + 0.75
  colour[2] = green
}

test.each([
  ['8 bit', 3, (length: number) => new Uint8Array(length)],
  ['8 bit with alpha', 4, (length: number) => new Uint8Array(length)],
  ['16 bit', 3, (length: number) => new Uint16Array(length)],
] as const)('every colour is changed by itself, also where the memory for colours is full: %s', (_, channels, make) => {
  const pixels = 200_000
  const given = noise(pixels, channels, make(pixels * channels))
  const wanted = given.slice()
  for (let at = 0; at < wanted.length; at += channels) {
    wanted[at] = given[at + 2]!
    wanted[at + 1] = given[at]! * 0.5 + 0.75
    wanted[at + 2] = given[at + 1]!
  }
  changeColours({ data: given, channels }, turned)
  expect(Buffer.from(given.buffer).equals(Buffer.from(wanted.buffer))).toBe(true)
})

test('computes repeated colours once', () => {
  const data = new Uint8Array(3 * 10_000)
  for (let at = 0; at < data.length; at += 1) data[at] = (at >> 2) & 3
  const before = data.slice()
  let computed = 0
  changeColours({ data, channels: 3 }, () => {
    computed += 1
  })
  const colours = new Set<number>()
  for (let at = 0; at < data.length; at += 3) colours.add((data[at]! << 16) | (data[at + 1]! << 8) | data[at + 2]!)
  // Two colours in one slot are recomputed alternately.
  expect(computed).toBe(colours.size)
  expect(data).toEqual(before)
})

test('one pixel', () => {
  const data = Uint8Array.of(1, 2, 3)
  changeColours({ data, channels: 3 }, turned)
  expect([...data]).toEqual([3, 1, 2])
})
