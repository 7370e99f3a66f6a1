import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import pixelate from '../../../tools/image/colour/pixelate.ts'
import {
  animation,
  at,
  fromSamples,
  photo,
  png16,
  pngWithProfile,
  put,
  quarters,
  ramp16,
  read16,
  readPixels,
  type Samples,
  swappedProfile,
} from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** Mean of the rectangle that a block covers. */
function meanOf(
  { data, width, channels }: Samples,
  left: number,
  top: number,
  right: number,
  bottom: number,
): number[] {
  const sums = new Array(channels).fill(0)
  for (let y = top; y < bottom; y++)
    for (let x = left; x < right; x++)
      for (let channel = 0; channel < channels; channel++) sums[channel] += data[(y * width + x) * channels + channel]!
  return sums.map((sum) => Math.round(sum / ((right - left) * (bottom - top))))
}

test('blocks have the mean colour of their area', async () => {
  const given = photo(96, 48)
  const { paths, names } = await run(pixelate, folder, [await put(folder, 'photo.png', fromSamples(given).png())])
  expect(names).toEqual(['photo_pixelated.png'])
  const found = await readPixels(paths[0]!)
  for (let top = 0; top < 48; top += 12)
    for (let left = 0; left < 96; left += 12) {
      const mean = meanOf(given, left, top, left + 12, top + 12)
      for (const [x, y] of [
        [0, 0],
        [11, 0],
        [0, 11],
        [11, 11],
      ] as const)
        expect(at(found, left + x, top + y)).toEqual(mean)
    }
})

test('round(side / blockSize) cells, at least one', async () => {
  const given = photo(50, 37)
  const input = await put(folder, 'odd.png', fromSamples(given).png())
  // 50 / 7 rounds to 7 cells, 37 / 7 to 5.
  const found = await readPixels((await run(pixelate, folder, [input], { blockSize: 7 })).paths[0]!)
  const edges = (side: number, cells: number) =>
    Array.from({ length: side }, (_, place) => Math.floor(((place + 0.5) * cells) / side))
  const [columns, rows] = [edges(50, 7), edges(37, 5)]
  for (const [x, y] of [
    [0, 0],
    [7, 7],
    [25, 20],
    [49, 36],
  ] as const) {
    const [left, right] = [columns.indexOf(columns[x]!), columns.lastIndexOf(columns[x]!) + 1]
    const [top, bottom] = [rows.indexOf(rows[y]!), rows.lastIndexOf(rows[y]!) + 1]
    expect(at(found, x, y)).toEqual(meanOf(given, left, top, right, bottom))
  }
  const one = await readPixels((await run(pixelate, folder, [input], { blockSize: 128 })).paths[0]!)
  expect([at(one, 0, 0), at(one, 49, 36)]).toEqual(Array(2).fill(meanOf(given, 0, 0, 50, 37)))
  const fine = await readPixels((await run(pixelate, folder, [input], { blockSize: 2 })).paths[0]!)
  expect(at(fine, 0, 0)).toEqual(at(fine, 1, 0))
})

test('a region only; cuts it at the edge', async () => {
  const given = photo(60, 40)
  const input = await put(folder, 'region.png', fromSamples(given).png())
  const settings = { blockSize: 10, region: { left: 40, top: 20, width: 1000, height: 1000 } }
  const found = await readPixels((await run(pixelate, folder, [input], settings)).paths[0]!)
  expect(at(found, 45, 25)).toEqual(meanOf(given, 40, 20, 50, 30))
  expect(at(found, 59, 39)).toEqual(meanOf(given, 50, 30, 60, 40))
  for (const [x, y] of [
    [39, 30],
    [50, 19],
    [0, 0],
  ] as const)
    expect(at(found, x, y)).toEqual(at(given, x, y))
})

test.each([
  { left: 60, top: 0, width: 1, height: 1 },
  { left: 0, top: 40, width: 5, height: 5 },
])('refuses a region that starts outside: %j', async (region) => {
  const input = await put(folder, 'outside.png', fromSamples(photo(60, 40)).png())
  await expect(run(pixelate, folder, [input], { region })).rejects.toMatchObject({
    code: 'INVALID_SETTINGS',
    status: 400,
    message: expect.stringContaining('60 x 40'),
  })
})

test('the region refers to the upright picture', async () => {
  const input = await put(
    folder,
    'turned.jpg',
    sharp(await quarters(64, 32))
      .withMetadata({ orientation: 6 })
      .jpeg({ quality: 100 }),
  )
  // Upright it is 32 wide and 64 high; red is at the top right.
  const settings = { blockSize: 128, region: { left: 0, top: 0, width: 32, height: 32 } }
  const found = await readPixels((await run(pixelate, folder, [input], settings)).paths[0]!)
  expect([found.width, found.height]).toEqual([32, 64])
  // Blue and red, half and half.
  const [r, g, b] = at(found, 5, 5) as [number, number, number]
  expect([Math.abs(r - 128) < 5, g < 5, Math.abs(b - 128) < 5]).toEqual([true, true, true])
})

test('transparent pixels leave no trace', async () => {
  const data = new Uint8Array(8 * 8 * 4)
  for (let pixel = 0; pixel < 64; pixel++) {
    const column = pixel % 8
    // Left block: secret colours, all transparent. Right block: semi-transparent green, half opaque red.
    data.set(column < 4 ? [pixel, 99, 7, 0] : column < 6 ? [0, 255, 0, 0] : [255, 0, 0, 255], pixel * 4)
  }
  const input = await put(folder, 'clear.png', fromSamples({ width: 8, height: 8, channels: 4, data }).png())
  const found = await readPixels((await run(pixelate, folder, [input], { blockSize: 4 })).paths[0]!)
  expect([at(found, 1, 1), at(found, 3, 7)]).toEqual(Array(2).fill([0, 0, 0, 0]))
  expect(at(found, 4, 0)).toEqual([255, 0, 0, 128])
})

test('keeps 16 bit and grey', async () => {
  const ramp = ramp16(64, 8)
  const found = await read16(
    (await run(pixelate, folder, [await put(folder, 'deep.png', await png16(ramp))], { blockSize: 4 })).paths[0]!,
  )
  expect(found.channels).toBe(1)
  expect(at(found, 5, 3)).toEqual(meanOf(ramp, 4, 0, 8, 4))
  expect(new Set(found.data).size).toBe(16)
})

test('keeps a profile', async () => {
  const own = await put(folder, 'own.png', pngWithProfile(await quarters(16, 16), swappedProfile()))
  const { paths } = await run(pixelate, folder, [own], { blockSize: 8 })
  expect((await sharp(paths[0]!).metadata()).icc).toBeDefined()
  expect(at(await readPixels(paths[0]!), 3, 3)).toEqual([255, 0, 0])
})

test('every frame of an animation separately', async () => {
  const input = await animation(join(folder, 'moving.webp'), ['#ff0000', '#0000ff'], { width: 20, height: 10, loop: 2 })
  const { paths } = await run(pixelate, folder, [input], { blockSize: 128 })
  expect(await sharp(paths[0]!, { animated: true }).metadata()).toMatchObject({ pages: 2, loop: 2 })
  expect([
    at(await readPixels(paths[0]!, 0), 5, 5)[0]! > 250,
    at(await readPixels(paths[0]!, 1), 5, 5)[2]! > 250,
  ]).toEqual([true, true])
})
