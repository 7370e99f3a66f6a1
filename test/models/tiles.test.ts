import { expect, test } from 'vitest'
import { putPlanes, toPlanes } from '../../src/models/planes.ts'
import { tilesOf } from '../../src/models/tiles.ts'

test.each([
  [256, 256, 1],
  [257, 40, 2],
  [1000, 700, 24],
  [1, 1, 1],
])('the parts of %i x %i pixels cover each pixel once', (width, height, count) => {
  const tiles = tilesOf(width, height, 256, 32)
  expect(tiles).toHaveLength(count)
  const seenOf = new Uint8Array(width * height)
  for (const { part, seen } of tiles) {
    expect(Math.max(seen.width, seen.height)).toBeLessThanOrEqual(256)
    for (let y = part.top; y < part.top + part.height; y += 1)
      for (let x = part.left; x < part.left + part.width; x += 1) seenOf[y * width + x]! += 1
    // 32 px around each part, or the edge of the picture.
    expect(seen.left).toBe(Math.max(0, part.left - 32))
    expect(seen.top + seen.height).toBe(Math.min(height, part.top + part.height + 32))
  }
  expect(seenOf.every((count) => count === 1)).toBe(true)
})

test('samples become planes and come back', () => {
  const data = Uint8Array.from([10, 20, 30, 40, 50, 60, 70, 80])
  const place = { data, width: 2, channels: 4 as const, left: 0, top: 0 }
  const scaling = { order: 'bgr', mean: [0, 0, 10], deviation: [1, 2, 1] } as const
  expect([...toPlanes({ ...place, across: 2, down: 1 }, scaling)]).toEqual([30, 70, 10, 30, 0, 40])
  const into = new Uint8Array(8)
  const planes = Float32Array.from([0, 1, 0.5, -1, 2, Number.NaN])
  putPlanes(planes, { width: 2, height: 1, left: 0, top: 0, across: 2, down: 1 }, { ...place, data: into }, 255)
  // Alpha is left alone; what is out of range is cut.
  expect([...into]).toEqual([0, 128, 255, 0, 255, 0, 0, 0])
})

test('grey is fed three times, and comes back as the mean', () => {
  const data = Uint16Array.from([1000, 2000])
  const place = { data, width: 2, channels: 1 as const, left: 0, top: 0 }
  const scaling = { order: 'rgb', mean: [0, 0, 0], deviation: [1, 1, 1] } as const
  expect([...toPlanes({ ...place, across: 2, down: 1 }, scaling)]).toEqual([1000, 2000, 1000, 2000, 1000, 2000])
  const into = new Uint16Array(2)
  const planes = Float32Array.from([0, 1, 0.5, 1, 1, 1])
  putPlanes(planes, { width: 2, height: 1, left: 0, top: 0, across: 2, down: 1 }, { ...place, data: into }, 65535)
  expect([...into]).toEqual([32768, 65535])
})
