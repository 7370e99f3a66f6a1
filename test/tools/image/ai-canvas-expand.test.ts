import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { replaceModel } from '../../../src/models/store/installed.ts'
import type { Area } from '../../../src/models/tiles.ts'
import { bandTiles } from '../../../tools/image/_shared/inpaint/bands.ts'
import aiCanvasExpand from '../../../tools/image/restore/ai-canvas-expand.ts'
import { FILLING, lamaStandIn } from '../../helpers/inpainting-stubs.ts'
import { stubModel } from '../../helpers/models.ts'
import { at, fromSamples, photo, png16, put, read16, readPixels } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** Number of samples of the picture that changed in the middle of the larger one. */
function changed(
  larger: { data: ArrayLike<number>; width: number },
  given: ReturnType<typeof photo> | Awaited<ReturnType<typeof read16>>,
  left: number,
  top: number,
): number {
  const { width, height, channels, data } = given
  let count = 0
  for (let y = 0; y < height; y += 1)
    for (let index = 0; index < width * channels; index += 1)
      if (larger.data[((top + y) * larger.width + left) * channels + index] !== data[y * width * channels + index])
        count += 1
  return count
}

const room = { extendTop: 9, extendRight: 30, extendBottom: 20, extendLeft: 11 }

describe('with a network', () => {
  beforeAll(() => {
    replaceModel('migan-512-places2', 'absent')
    stubModel(folder, 'lama', lamaStandIn())
  })

  test.each(['fast', 'high'])('%s: exact size, filled border, unchanged picture', async (tier) => {
    const picture = photo(80, 60)
    const input = await put(folder, 'picture.png', fromSamples(picture).png())
    const { paths, names, report, warnings } = await run(aiCanvasExpand, folder, [input], { ...room, tier })
    expect(names).toEqual(['picture_extended.png'])
    expect(report).toEqual({ method: 'lama' })
    expect(warnings).toEqual([])
    const result = await readPixels(paths[0]!)
    expect([result.width, result.height]).toEqual([121, 89])
    expect(changed(result, picture, 11, 9)).toBe(0)
    for (const [x, y] of [
      [0, 0],
      [120, 88],
      [91, 40],
      [50, 8],
    ] as const)
      expect(at(result, x, y)).toEqual([...FILLING])
  })

  test('keeps 16 bit and alpha', async () => {
    const { data, ...shape } = photo(40, 30, 4)
    const opaque = Uint16Array.from(data, (value, index) => (index % 4 === 3 ? 65535 : value * 257))
    const input = await put(folder, 'deep.png', await png16({ ...shape, data: opaque }))
    const { paths } = await run(aiCanvasExpand, folder, [input], { extendRight: 10 })
    const result = await read16(paths[0]!)
    expect([result.width, result.channels]).toEqual([50, 4])
    expect(changed(result, { ...shape, data: opaque }, 0, 0)).toBe(0)
    expect(at(result, 45, 10)).toEqual([...FILLING.map((value) => value * 257), 65535])
  })
})

describe('without a model', () => {
  beforeAll(() => {
    for (const id of ['lama', 'migan-512-places2']) replaceModel(id, 'absent')
  })

  test('fast extrapolates the picture, and the report says how', async () => {
    const bars = (width: number) =>
      Uint8Array.from({ length: width * 48 * 3 }, (_, index) => {
        const row = Math.floor(index / 3 / width)
        return Math.floor(row / 6) % 2 === 0 ? 200 - 2 * row : 40 + (index % 3) * 30
      })
    const input = await put(
      folder,
      'bars.png',
      fromSamples({ width: 60, height: 48, channels: 3, data: bars(60) }).png(),
    )
    const { paths, report, warnings } = await run(aiCanvasExpand, folder, [input], { extendRight: 24, tier: 'fast' })
    expect(report).toEqual({ method: 'exemplar' })
    expect(warnings).toEqual([expect.stringContaining('object-eraser-colorize')])
    const { data } = await readPixels(paths[0]!)
    const wanted = bars(84)
    expect(data.reduce((most, value, index) => Math.max(most, Math.abs(value - wanted[index]!)), 0)).toBeLessThan(12)
  })

  test("uses the full-size picture for an input larger than the method's window", async () => {
    // Fine noise: made smaller it would be grey.
    const { data } = photo(1100, 24, 1)
    const noise = Uint8Array.from(data, (_, index) => ((index * 2654435761) >>> 24) & 255)
    const input = await put(
      folder,
      'noise.png',
      fromSamples({ width: 1100, height: 24, channels: 1, data: noise }).toColourspace('b-w').png(),
    )
    const { paths } = await run(aiCanvasExpand, folder, [input], { extendRight: 100, tier: 'fast' })
    const { entropy, channels } = await sharp(
      await sharp(paths[0]!).extract({ left: 1110, top: 0, width: 80, height: 24 }).png().toBuffer(),
    ).stats()
    expect(entropy).toBeGreaterThan(6)
    expect(channels[0]!.stdev).toBeGreaterThan(40)
  })

  test('the other tiers require the models; refuses an empty extension', async () => {
    const input = await put(folder, 'small.png', fromSamples(photo(20, 16)).png())
    for (const tier of ['balanced', 'high'])
      await expect(run(aiCanvasExpand, folder, [input], { extendTop: 5, tier })).rejects.toMatchObject({
        code: 'FEATURE_NOT_INSTALLED',
      })
    await expect(run(aiCanvasExpand, folder, [input])).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
  })
})

describe('steps', () => {
  const sight = { least: 512, most: 512, context: 3, tiles: 64 }
  const picture = { left: 300, top: 0, width: 800, height: 600 }
  const canvas = { width: 1400, height: 600 }
  const reach = ({ left, width }: Area) => [left, left + width]

  test('fills a wide border from the picture outwards, each step within its own band', () => {
    const { bands, seams } = bandTiles(canvas, picture, { band: 128, strip: 24 }, sight)
    const ofLeft = bands.filter(({ part }) => part.left < 300).map(({ part }) => reach(part))
    expect(ofLeft.filter((_, index) => index % 3 === 0)).toEqual([
      [172, 300],
      [44, 172],
      [0, 44],
    ])
    // Tiles do not include missing parts, and more than half of a tile is known.
    expect(
      bands.slice(0, 6).every(({ seen }) => seen.left >= 172 && seen.left + seen.width <= 1228 && seen.width === 512),
    ).toBe(true)
    expect(seams.map(({ part }) => reach(part)).slice(0, 3)).toEqual([
      [276, 300],
      [276, 300],
      [276, 300],
    ])
  })

  test('tiers differ in steps; scales down a border that needs too many', () => {
    const count = (band: number) => bandTiles(canvas, picture, { band, strip: 0 }, sight).bands.length
    expect(count(192)).toBeLessThan(count(128))
    expect(count(128)).toBeLessThan(count(72))
    const huge = bandTiles(
      { width: 9000, height: 7000 },
      { left: 3000, top: 3000, width: 2000, height: 1000 },
      { band: 72, strip: 36 },
      sight,
    )
    expect(huge.bands.length + huge.seams.length).toBeLessThanOrEqual(64)
    const area = huge.bands.reduce((sum, { part }) => sum + part.width * part.height, 0)
    expect(area).toBe(9000 * 7000 - 2000 * 1000)
  })
})
