import { describe, expect, test } from 'vitest'
import {
  carve,
  type Luma,
  pick,
  transpose,
} from '../../../../tools/image/geometry/content-aware-resize/seam-carving.ts'

/** Reproducible noise (mulberry32). */
function noise(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** A direct computation: energy and sums of the whole picture for every seam. */
function byTheBook({ data, width, height }: Omit<Luma, 'guarded'>, wanted: number, threshold: number): number[][] {
  let grey = Array.from({ length: height }, (_, y) => [...data.subarray(y * width, (y + 1) * width)])
  let columns = grey.map((row) => row.map((_value, x) => x))
  while (columns[0]!.length > wanted) {
    const last = columns[0]!.length - 1
    const at = (x: number, y: number): number =>
      grey[Math.min(height - 1, Math.max(0, y))]![Math.min(last, Math.max(0, x))]!
    const energy = grey.map((row, y) =>
      row.map((_value, x) => {
        const gx =
          at(x + 1, y - 1) +
          2 * at(x + 1, y) +
          at(x + 1, y + 1) -
          at(x - 1, y - 1) -
          2 * at(x - 1, y) -
          at(x - 1, y + 1)
        const gy =
          at(x - 1, y + 1) +
          2 * at(x, y + 1) +
          at(x + 1, y + 1) -
          at(x - 1, y - 1) -
          2 * at(x, y - 1) -
          at(x + 1, y - 1)
        const size = Math.abs(gx) + Math.abs(gy)
        return size < threshold ? 0 : size
      }),
    )
    const sums: number[][] = []
    for (const [y, row] of energy.entries())
      sums.push(
        row.map((value, x) =>
          y === 0
            ? value
            : value + Math.min(...[x - 1, x, x + 1].map((from) => sums[y - 1]![from] ?? Number.POSITIVE_INFINITY)),
        ),
      )
    const seam: number[] = []
    let best = sums[height - 1]!.indexOf(Math.min(...sums[height - 1]!))
    seam[height - 1] = best
    for (let y = height - 2; y >= 0; y -= 1) {
      const from = sums[y]!
      let next = best
      if (best > 0 && from[best - 1]! < from[next]!) next = best - 1
      if (best < last && from[best + 1]! < from[next]!) next = best + 1
      best = next
      seam[y] = best
    }
    const without = <T>(rows: T[][]): T[][] => rows.map((row, y) => row.filter((_value, x) => x !== seam[y]))
    grey = without(grey)
    columns = without(columns)
  }
  return columns
}

describe('carve', () => {
  test.each([
    [40, 30, 15, 1],
    [40, 30, 39, 10],
    [33, 1, 10, 1],
    [5, 60, 1, 1],
    [64, 48, 20, 300],
  ])('%i x %i to %i, threshold %i: equals a direct computation', (width, height, wanted, threshold) => {
    const random = noise(width * height + wanted)
    const data = Uint8Array.from({ length: width * height }, () => Math.floor(random() * 256))
    const { columns, width: left } = carve(
      { data, guarded: new Uint8Array(data.length), width, height },
      wanted,
      threshold,
    )
    expect(left).toBe(wanted)
    const rows = Array.from({ length: height }, (_, y) => [...columns.subarray(y * wanted, (y + 1) * wanted)])
    expect(rows).toEqual(byTheBook({ data, width, height }, wanted, threshold))
  })

  test('keeps the object, removes the flat background', () => {
    const [width, height] = [60, 40]
    const data = new Uint8Array(width * height).fill(128)
    const isObject = (x: number, y: number): boolean => x >= 35 && x < 45 && y >= 5 && y < 35
    for (let y = 0; y < height; y += 1)
      for (let x = 0; x < width; x += 1) if (isObject(x, y)) data[y * width + x] = (x + y) % 2 === 0 ? 0 : 255
    const { columns } = carve({ data, guarded: new Uint8Array(data.length), width, height }, 30, 1)
    for (let y = 5; y < 35; y += 1) {
      const row = columns.subarray(y * 30, (y + 1) * 30)
      expect([...row].filter((x) => isObject(x, y))).toEqual([35, 36, 37, 38, 39, 40, 41, 42, 43, 44])
    }
  })
})

test('pick and transpose move all channels, in 16 bit too', () => {
  const data = Uint16Array.from([1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60])
  const size = { width: 3, height: 2, channels: 2 }
  expect([...pick(data, size, { columns: Uint16Array.from([0, 2, 1, 2]), width: 2 })]).toEqual([
    1, 10, 3, 30, 5, 50, 6, 60,
  ])
  expect([...transpose(data, size)]).toEqual([1, 10, 4, 40, 2, 20, 5, 50, 3, 30, 6, 60])
})
