import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import replaceColor from '../../../tools/image/colour/replace-color.ts'
import {
  animation,
  at,
  fromSamples,
  plain,
  png16,
  pngWithProfile,
  put,
  quarters,
  read16,
  readRgba,
  swappedProfile,
} from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** One row of colours. */
const row = (name: string, ...colours: number[][]) =>
  put(
    folder,
    name,
    fromSamples({
      width: colours.length,
      height: 1,
      channels: colours[0]!.length,
      data: Uint8Array.from(colours.flat()),
    }).png(),
  )

test('weights decrease with the distance, and end at tolerance x sqrt(3)', async () => {
  // Limit 30 x sqrt(3) = 51.96: distances 0, 30, 51 and 52.
  const input = await row('row.png', [255, 0, 0], [225, 0, 0], [204, 0, 0], [203, 0, 0], [255, 30, 30])
  const found = await readRgba((await run(replaceColor, folder, [input], { targetColor: '#0000ff' })).paths[0]!)
  const blended = (colour: number[]) => {
    const distance = Math.hypot(colour[0]! - 255, colour[1]!, colour[2]!)
    const weight = 1 - distance / (30 * Math.sqrt(3))
    return colour.map((value, channel) => Math.round(value + ([0, 0, 255][channel]! - value) * weight))
  }
  expect(at(found, 0, 0)).toEqual([0, 0, 255])
  expect(at(found, 1, 0)).toEqual(blended([225, 0, 0]))
  expect(at(found, 2, 0)).toEqual(blended([204, 0, 0]))
  expect(at(found, 3, 0)).toEqual([203, 0, 0])
  expect(at(found, 4, 0)).toEqual(blended([255, 30, 30]))
})

test('tolerance 0 only matches the exact colour; 255 matches all', async () => {
  const input = await row('exact.png', [255, 0, 0], [254, 0, 0], [0, 255, 255])
  const none = await readRgba((await run(replaceColor, folder, [input], { tolerance: 0 })).paths[0]!)
  expect([0, 1, 2].map((x) => at(none, x, 0))).toEqual([
    [0, 255, 0],
    [254, 0, 0],
    [0, 255, 255],
  ])
  // The farthest colour has the distance 255 x sqrt(3): weight 0.
  const all = await readRgba((await run(replaceColor, folder, [input], { tolerance: 255 })).paths[0]!)
  expect([at(all, 0, 0), at(all, 2, 0)]).toEqual([
    [0, 255, 0],
    [0, 255, 255],
  ])
})

test('transparent without blending; ignores the target colour', async () => {
  const input = await row('clear.png', [255, 0, 0], [210, 0, 0], [0, 0, 255])
  const { paths } = await run(replaceColor, folder, [input], { makeTransparent: true, targetColor: '#123456' })
  const found = await readRgba(paths[0]!)
  expect([...found.data]).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255])
})

test('keeps existing alpha', async () => {
  const input = await row('alpha.png', [255, 0, 0, 80], [0, 0, 255, 120])
  const found = await readRgba((await run(replaceColor, folder, [input])).paths[0]!)
  expect([...found.data]).toEqual([0, 255, 0, 80, 0, 0, 255, 120])
  const clear = await readRgba((await run(replaceColor, folder, [input], { makeTransparent: true })).paths[0]!)
  expect([clear.data[3], clear.data[7]]).toEqual([0, 120])
})

test('formats without alpha become png, animations webp', async () => {
  const half = async (path: string, format: 'jpeg' | 'webp' | 'tiff' | 'avif' | 'gif') => {
    await sharp(await quarters(32, 32))
      .toFormat(format, { quality: 100 })
      .toFile(path)
    return path
  }
  const named: string[] = []
  for (const format of ['jpeg', 'webp', 'tiff', 'avif', 'gif'] as const) {
    const input = await half(join(folder, `in.${format}`), format)
    const { names, paths } = await run(replaceColor, folder, [input], { makeTransparent: true, tolerance: 40 })
    named.push(names[0]!)
    const found = await readRgba(paths[0]!)
    expect([at(found, 8, 8)[3], at(found, 24, 24)]).toEqual([0, [255, 255, 255]])
  }
  expect(named).toEqual(['png', 'webp', 'png', 'avif', 'png'].map((extension) => `in_replace-color.${extension}`))
  const moving = await animation(join(folder, 'moving.gif'), ['#ff0000', '#0000ff'], { delay: [60, 90], loop: 2 })
  const { names, paths } = await run(replaceColor, folder, [moving], { makeTransparent: true })
  expect(names).toEqual(['moving_replace-color.webp'])
  expect(await sharp(paths[0]!, { animated: true }).metadata()).toMatchObject({ pages: 2, delay: [60, 90], loop: 2 })
  expect(at(await readRgba(paths[0]!, 0), 5, 5)[3]).toBe(0)
  expect(at(await readRgba(paths[0]!, 1), 5, 5)).toHaveLength(3)
})

test('an opaque replacement keeps the format and every frame', async () => {
  const moving = await animation(join(folder, 'kept.gif'), ['#ff0000', '#0000ff'])
  const { names, paths } = await run(replaceColor, folder, [moving])
  expect(names).toEqual(['kept_replace-color.gif'])
  expect(at(await readRgba(paths[0]!, 0), 5, 5)).toEqual([0, 255, 0])
  expect(at(await readRgba(paths[0]!, 1), 5, 5)).toEqual([0, 0, 255])
})

test('16 bit: distances finer than the steps of 8 bit count', async () => {
  const data = Uint16Array.from([65535, 0, 0, 65535 - 100, 0, 0, 30000, 1, 2])
  const input = await put(folder, 'deep.png', await png16({ width: 3, height: 1, channels: 3, data }))
  const exact = await read16((await run(replaceColor, folder, [input], { tolerance: 0 })).paths[0]!)
  expect([...exact.data]).toEqual([0, 65535, 0, 65435, 0, 0, 30000, 1, 2])
  const near = await read16((await run(replaceColor, folder, [input], { tolerance: 1 })).paths[0]!)
  const weight = 1 - 100 / (257 * Math.sqrt(3))
  expect(Math.abs(near.data[4]! - 65535 * weight)).toBeLessThanOrEqual(1)
  const clear = await read16(
    (await run(replaceColor, folder, [input], { tolerance: 1, makeTransparent: true })).paths[0]!,
  )
  expect([3, 7, 11].map((index) => clear.data[index])).toEqual([0, 0, 65535])
})

test('grey pictures can get colour; applies profiles before', async () => {
  const grey = await put(folder, 'grey.png', plain(4, 4, '#808080').toColourspace('b-w').png())
  const found = (await run(replaceColor, folder, [grey], { sourceColor: '#808080' })).paths[0]!
  expect(at(await readRgba(found), 1, 1)).toEqual([0, 255, 0])
  const own = await put(folder, 'own.png', pngWithProfile(await quarters(16, 16), swappedProfile()))
  // The profile makes the file's red look green.
  const seen = (await run(replaceColor, folder, [own], { sourceColor: '#00ff00', targetColor: '#ffff00' })).paths[0]!
  const [r, g, b] = at(await readRgba(seen), 2, 2) as [number, number, number]
  expect([r > 220, g > 220, b < 40]).toEqual([true, true, true])
})
