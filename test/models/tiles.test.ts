import { expect, test } from 'vitest'
import type { Tensor } from '../../src/engines/onnx/tensor.ts'
import { putPlanes, toPlanes } from '../../src/models/tensors.ts'
import { inTiles, tilesOf } from '../../src/models/tiles.ts'

test.each([
  [256, 256, 1],
  [257, 40, 2],
  [1000, 700, 24],
  [1, 1, 1],
])('the tiles of %i x %i pixels cover each pixel once', (width, height, count) => {
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

test('samples round-trip through planes', () => {
  const data = Uint8Array.from([10, 20, 30, 40, 50, 60, 70, 80])
  const place = { data, width: 2, channels: 4 as const, left: 0, top: 0 }
  const scaling = { order: 'bgr', mean: [0, 0, 10], deviation: [1, 2, 1] } as const
  expect([...toPlanes({ ...place, across: 2, down: 1 }, scaling)]).toEqual([30, 70, 10, 30, 0, 40])
  const into = new Uint8Array(8)
  const planes = Float32Array.from([0, 1, 0.5, -1, 2, Number.NaN])
  putPlanes(planes, { width: 2, height: 1, left: 0, top: 0, across: 2, down: 1 }, { ...place, data: into }, 255)
  // Alpha is unchanged; values out of range are clipped.
  expect([...into]).toEqual([0, 128, 255, 0, 255, 0, 0, 0])
})

test('grey is fed three times, and returned as the mean', () => {
  const data = Uint16Array.from([1000, 2000])
  const place = { data, width: 2, channels: 1 as const, left: 0, top: 0 }
  const scaling = { order: 'rgb', mean: [0, 0, 0], deviation: [1, 1, 1] } as const
  expect([...toPlanes({ ...place, across: 2, down: 1 }, scaling)]).toEqual([1000, 2000, 1000, 2000, 1000, 2000])
  const into = new Uint16Array(2)
  const planes = Float32Array.from([0, 1, 0.5, 1, 1, 1])
  putPlanes(planes, { width: 2, height: 1, left: 0, top: 0, across: 2, down: 1 }, { ...place, data: into }, 65535)
  expect([...into]).toEqual([32768, 65535])
})

/** Enlarges by repeating pixels, like a network whose output ignores the surroundings of a pixel. */
const repeating = (factor: number, seen: Tensor[]) => ({
  inputs: [{ name: 'in', type: 'float32', shape: [] }],
  outputs: [{ name: 'out', type: 'float32', shape: [] }],
  async run({ in: tensor }: Readonly<Record<string, Tensor>>): Promise<Record<string, Tensor>> {
    seen.push(tensor!)
    const [, , down, across] = tensor!.dims as [number, number, number, number]
    const [width, height] = [across * factor, down * factor]
    const data = Float32Array.from({ length: 3 * width * height }, (_, at) => {
      const [plane, rest] = [Math.floor(at / (width * height)), at % (width * height)]
      const [x, y] = [Math.floor((rest % width) / factor), Math.floor(rest / width / factor)]
      return tensor!.data[(plane * down + y) * across + x] as number
    })
    return { out: { type: 'float32', data, dims: [1, 3, height, width] } }
  },
})

test('a picture is processed in tiles, reflected up to supported sides', async () => {
  const [width, height] = [21, 9]
  const data = Uint16Array.from({ length: width * height * 4 }, (_, at) => (at * 331) % 65536)
  const frame = { data, width, height, channels: 4, pageHeight: height } as unknown as Parameters<typeof inTiles>[0]
  const seen: Tensor[] = []
  const shares: number[] = []
  const network = { factor: 2, side: 12, overlap: 2, align: 8 }
  const large = await inTiles(frame, repeating(2, seen), network, (done) => shares.push(done))
  expect(seen.map(({ dims }) => dims)).toEqual([16, 16, 16, 8, 8, 8].map((down) => [1, 3, down, 16]))
  expect(shares).toEqual([0, 1 / 6, 2 / 6, 3 / 6, 4 / 6, 5 / 6])
  expect([large.width, large.height]).toEqual([42, 18])
  const wrong = Array.from(large.data).filter((value, at) => {
    const [pixel, channel] = [Math.floor(at / 4), at % 4]
    const [x, y] = [Math.floor((pixel % 42) / 2), Math.floor(pixel / 42 / 2)]
    return value !== (channel === 3 ? 0 : data[(y * width + x) * 4 + channel]!)
  })
  expect(wrong).toEqual([])
  // The first tile starts at the edge of the picture: the two columns before it are the reflected ones.
  const rows = Array.from({ length: 16 }, (_, y) =>
    Array.from(seen[0]!.data.slice(y * 16, y * 16 + 16) as Float32Array),
  )
  expect([rows[2]![0], rows[2]![1]]).toEqual([rows[2]![4], rows[2]![3]])
  expect([rows[0], rows[1]]).toEqual([rows[4], rows[3]])
  // The last tile ends at the edge: the missing part up to a multiple of 16 is reflected there, too.
  const last = Array.from(seen[5]!.data.slice(0, 16) as Float32Array)
  expect(last.slice(9, 12)).toEqual([last[7], last[6], last[5]])
})

test('alpha stays if the size stays, too', async () => {
  const data = Uint8Array.from([10, 20, 30, 40, 50, 60, 70, 80])
  const frame = { data, width: 2, height: 1, channels: 4 } as unknown as Parameters<typeof inTiles>[0]
  const network = { factor: 1, side: 8, overlap: 1, align: 4 }
  const same = await inTiles(frame, repeating(1, []), network, () => undefined)
  expect([...same.data]).toEqual([...data])
  expect(same.data).not.toBe(data)
})
