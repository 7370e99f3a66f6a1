import { expect, test } from 'vitest'
import { removeLattice } from '../../../../tools/image/restore/upscale/lattice.ts'

const [FACTOR, SIDE] = [4, 160]

/** Samples with alpha from a function of the position. */
const samplesOf = (compute: (x: number, y: number) => number) => {
  const data = new Uint8Array(SIDE * SIDE * 4)
  for (let y = 0, at = 0; y < SIDE; y += 1)
    for (let x = 0; x < SIDE; x += 1, at += 4) data.set([compute(x, y), 100, compute(x, y), 0], at)
  return { data, width: SIDE, height: SIDE, channels: 4 as const, pages: 1 }
}

test('a pattern that repeats with the pixels of the input disappears, and details stay', () => {
  const soft = (x: number, y: number) => Math.round(60 + x / 2 + y / 4)
  const edge = (x: number, y: number) => (Math.abs(x - y) < 3 ? 60 : 0)
  const pattern = (x: number, y: number) => (x % FACTOR === 0 ? 6 : 0) - (y % FACTOR === 2 ? 4 : 0)
  const large = samplesOf((x, y) => soft(x, y) + edge(x, y) + pattern(x, y))
  removeLattice(large, samplesOf(soft), FACTOR)
  let [most, weakest] = [0, 255]
  for (let y = 20; y < SIDE - 20; y += 1)
    for (let x = 20; x < SIDE - 20; x += 1) {
      // The pattern's mean, 0.5, is brightness and stays.
      const rest = large.data[(y * SIDE + x) * 4]! - soft(x, y) - 0.5
      if (Math.abs(x - y) > 45) most = Math.max(most, Math.abs(rest))
      if (x === y) weakest = Math.min(weakest, rest)
    }
  expect(most).toBeLessThan(1.1)
  expect(weakest).toBeGreaterThan(45)
})
