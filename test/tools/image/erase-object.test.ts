import { join } from 'node:path'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Size } from '../../../src/media/image/frame.ts'
import { replaceModel } from '../../../src/models/store/installed.ts'
import { fillByExemplar } from '../../../tools/image/_shared/inpaint/exemplar.ts'
import { areasOf, depthOf, tilesFor } from '../../../tools/image/_shared/inpaint/plan.ts'
import { viewOf } from '../../../tools/image/_shared/inpaint/view.ts'
import eraseObject from '../../../tools/image/restore/erase-object.ts'
import { FILLING, lamaStandIn, MIGAN_STAND_IN } from '../../helpers/inpainting-stubs.ts'
import { stubModel } from '../../helpers/models.ts'
import { animation, at, fromSamples, photo, png16, put, read16, readPixels } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

interface Rectangle {
  left: number
  top: number
  width: number
  height: number
}

const inside = ({ left, top, width, height }: Rectangle, x: number, y: number): boolean =>
  x >= left && x < left + width && y >= top && y < top + height

/** White rectangles on black. */
const mask = (name: string, width: number, height: number, ...areas: Rectangle[]): Promise<string> => {
  const data = Uint8Array.from({ length: width * height }, (_, pixel) =>
    areas.some((area) => inside(area, pixel % width, Math.floor(pixel / width))) ? 255 : 0,
  )
  return put(folder, name, sharp(data, { raw: { width, height, channels: 1 } }).png())
}

const HOLE = { left: 20, top: 15, width: 30, height: 24 }

/** Every sample outside of the areas is unchanged. */
function expectKept(
  result: { data: ArrayLike<number> },
  given: typeof result,
  width: number,
  channels: number,
  ...areas: Rectangle[]
) {
  let changed = 0
  for (let index = 0; index < given.data.length; index += 1) {
    const pixel = Math.floor(index / channels)
    if (areas.some((area) => inside(area, pixel % width, Math.floor(pixel / width)))) continue
    if (result.data[index] !== given.data[index]) changed += 1
  }
  expect(changed).toBe(0)
  expect(result.data.length).toBe(given.data.length)
}

describe('with a network', () => {
  beforeAll(() => {
    stubModel(folder, 'lama', lamaStandIn())
    stubModel(folder, 'migan-512-places2', MIGAN_STAND_IN)
  })

  test.each([
    ['lama', 'lama'],
    ['migan-512-places2', 'migan'],
  ])('%s fills the hole and changes nothing else', async (id, method) => {
    if (id !== 'lama') replaceModel('lama', 'absent')
    const picture = photo(120, 90)
    const input = await put(folder, 'picture.png', fromSamples(picture).png())
    const { paths, names, report, warnings } = await run(
      eraseObject,
      folder,
      [input],
      {},
      {
        secondary: { mask: await mask('mask.png', 120, 90, HOLE) },
      },
    )
    expect(names).toEqual(['picture_erased.png'])
    expect(report).toEqual({ method })
    expect(warnings).toEqual([])
    const result = await readPixels(paths[0]!)
    expect(at(result, 35, 27)).toEqual([...FILLING])
    expect(at(result, 20, 15)).toEqual([...FILLING])
    expectKept(result, picture, 120, 3, HOLE)
    if (id !== 'lama') stubModel(folder, 'lama', lamaStandIn())
  })

  test("subtracts the network's offset next to the hole from its inside, decreasing with every pixel", async () => {
    stubModel(join(folder, 'brighter'), 'lama', lamaStandIn(10))
    const input = await put(
      folder,
      'flat.png',
      sharp({ create: { width: 120, height: 90, channels: 3, background: '#646464' } }).png(),
    )
    const { paths } = await run(
      eraseObject,
      folder,
      [input],
      {},
      {
        secondary: { mask: await mask('mask.png', 120, 90, HOLE) },
      },
    )
    const result = await readPixels(paths[0]!)
    // The network outputs 110 around: 10 too much. At a depth of 1 to 4 pixels four fifths to one fifth of it are subtracted.
    expect([19, 20, 21, 22, 23, 24, 35].map((x) => at(result, x, 27)[0])).toEqual([100, 32, 34, 36, 38, 40, 40])
    stubModel(folder, 'lama', lamaStandIn())
  })

  test('keeps 16 bit, grey and alpha; fills alpha as well if it varies', async () => {
    const { data, ...shape } = photo(120, 90, 4)
    const deep = { ...shape, data: Uint16Array.from(data, (value) => value * 257) }
    const input = await put(folder, 'deep.png', await png16(deep))
    const secondary = { mask: await mask('mask.png', 120, 90, HOLE) }
    const { paths } = await run(eraseObject, folder, [input], {}, { secondary })
    const result = await read16(paths[0]!)
    expectKept(result, deep, 120, 4, HOLE)
    // Alpha is the mean of the network's output, 120 of 255, and colours are multiplied by it in the network's input.
    const filled = at(result, 35, 27)
    expect(filled[3]! / 257).toBeCloseTo(120, 1)
    expect(filled[0]! / 257).toBeCloseTo((40 / 120) * 255, 0)
    const grey = await put(
      folder,
      'grey.png',
      fromSamples(photo(120, 90, 1))
        .toColourspace('b-w')
        .png(),
    )
    const plain = await run(eraseObject, folder, [grey], {}, { secondary })
    expect(at(await readPixels(plain.paths[0]!), 35, 27)[0]).toBe(120)
    expect(await sharp(plain.paths[0]!).metadata()).toMatchObject({ space: 'b-w' })
  })

  test('scales a mask of another size by nearest neighbour; reports other proportions', async () => {
    const picture = photo(120, 90)
    const input = await put(folder, 'picture.png', fromSamples(picture).png())
    const small = await mask('small.png', 12, 9, { left: 2, top: 3, width: 4, height: 2 })
    const { paths, warnings } = await run(eraseObject, folder, [input], {}, { secondary: { mask: small } })
    const hole = { left: 20, top: 30, width: 40, height: 20 }
    const result = await readPixels(paths[0]!)
    expectKept(result, picture, 120, 3, hole)
    expect([at(result, 20, 30), at(result, 59, 49)]).toEqual([[...FILLING], [...FILLING]])
    expect(warnings).toEqual([])
    const square = await mask('square.png', 9, 9, { left: 2, top: 3, width: 2, height: 2 })
    const reported = await run(eraseObject, folder, [input], {}, { secondary: { mask: square } })
    expect(reported.warnings).toEqual([expect.stringContaining('stretched')])
  })

  test('fills every frame of an animation', async () => {
    const moving = await animation(`${folder}/moving.gif`, ['#ff0000', '#00ff00'])
    const { width, height } = await sharp(moving).metadata()
    const hole = { left: 1, top: 1, width: 3, height: 3 }
    const secondary = { mask: await mask('frames.png', width, height, hole) }
    const { paths } = await run(eraseObject, folder, [moving], {}, { secondary })
    expect(await sharp(paths[0]!, { animated: true }).metadata()).toMatchObject({ format: 'gif', pages: 2 })
    for (const page of [0, 1])
      for (const [channel, value] of at(await readPixels(paths[0]!, page), 2, 2)
        .slice(0, 3)
        .entries())
        expect(Math.abs(value - FILLING[channel]!)).toBeLessThan(8)
  })
})

describe('without a model', () => {
  beforeAll(() => {
    for (const id of ['lama', 'migan-512-places2']) replaceModel(id, 'absent')
  })

  test('fills a small hole from the rest of the picture, and the report says so', async () => {
    // Stripes that each of their patches continues.
    const stripes = (x: number, y: number) => [((x + y) % 12 < 6 ? 200 : 60) + (x % 3), 100, 40]
    const [width, height] = [110, 100]
    const data = Uint8Array.from({ length: width * height * 3 }, (_, index) => {
      const pixel = Math.floor(index / 3)
      return stripes(pixel % width, Math.floor(pixel / width))[index % 3]!
    })
    const picture = { width, height, channels: 3, data }
    const painted = { ...picture, data: data.slice() }
    const hole = { left: 40, top: 40, width: 24, height: 20 }
    for (let y = 40; y < 60; y += 1) painted.data.fill(0, (y * width + 40) * 3, (y * width + 64) * 3)
    const input = await put(folder, 'stripes.png', fromSamples(painted).png())
    const { paths, report, warnings } = await run(
      eraseObject,
      folder,
      [input],
      {},
      {
        secondary: { mask: await mask('hole.png', width, height, hole) },
      },
    )
    expect(report).toEqual({ method: 'exemplar' })
    expect(warnings).toContainEqual(expect.stringContaining('object-eraser-colorize'))
    const result = await readPixels(paths[0]!)
    expectKept(result, picture, width, 3, hole)
    let sum = 0
    for (let index = 0; index < data.length; index += 1) sum += (result.data[index]! - data[index]!) ** 2
    // In the hole only; black, or the mean of all, would be 90 and 57 off.
    expect(Math.sqrt(sum / (24 * 20 * 3))).toBeLessThan(8)
  })

  test('a large one requires the models', async () => {
    const input = await put(folder, 'picture.png', fromSamples(photo(120, 90)).png())
    const secondary = { mask: await mask('large.png', 120, 90, { left: 10, top: 10, width: 60, height: 60 }) }
    await expect(run(eraseObject, folder, [input], {}, { secondary })).rejects.toMatchObject({
      code: 'FEATURE_NOT_INSTALLED',
    })
  })

  test('a mask without white changes nothing; refuses a completely white one', async () => {
    const picture = photo(40, 30)
    const input = await put(folder, 'small-picture.png', fromSamples(picture).png())
    const none = await run(eraseObject, folder, [input], {}, { secondary: { mask: await mask('none.png', 40, 30) } })
    expect(none.report).toEqual({ method: 'none' })
    expect(none.warnings).toEqual([expect.stringContaining('unchanged')])
    expectKept(await readPixels(none.paths[0]!), picture, 40, 3)
    const all = await mask('all.png', 40, 30, { left: 0, top: 0, width: 40, height: 30 })
    await expect(run(eraseObject, folder, [input], {}, { secondary: { mask: all } })).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
    })
    // Transparent white is not white.
    const clear = sharp({
      create: { width: 40, height: 30, channels: 4, background: { r: 255, g: 255, b: 255, alpha: 0 } },
    })
    const secondary = { mask: await put(folder, 'clear.png', clear.png()) }
    expect((await run(eraseObject, folder, [input], {}, { secondary })).report).toEqual({ method: 'none' })
  })

  test('is reproducible, also for a picture smaller than a patch', () => {
    const data = Float32Array.from({ length: 20 * 20 }, (_, index) => ((index * 37) % 11) / 11)
    const holes = new Uint8Array(400)
    holes.fill(1, 205, 212)
    const view = { data, holes, width: 20, height: 20, channels: 1 as const }
    expect(fillByExemplar(view)).toEqual(fillByExemplar(view))
    const tiny = {
      data: Float32Array.of(0.25, 0),
      holes: Uint8Array.of(0, 1),
      width: 2,
      height: 1,
      channels: 1 as const,
    }
    expect([...fillByExemplar(tiny).data]).toEqual([0.25, 0.25])
  })
})

describe('tiles', () => {
  const size = { width: 3000, height: 2000 }
  const holesIn = (size: Size, ...areas: Rectangle[]): Uint8Array => {
    const holes = new Uint8Array(size.width * size.height)
    for (const { left, top, width, height } of areas)
      for (let y = top; y < top + height; y += 1) holes.fill(1, y * size.width + left, y * size.width + left + width)
    return holes
  }
  const holesWith = (...areas: Rectangle[]) => holesIn(size, ...areas)
  const sight = { least: 512, most: 512, context: 3, tiles: 64 }

  test('processes separate areas in full size, each with its surroundings', () => {
    const holes = holesWith(
      { left: 100, top: 100, width: 60, height: 40 },
      { left: 2000, top: 1500, width: 50, height: 50 },
    )
    expect(areasOf(holes, size)).toEqual([
      { left: 100, top: 100, width: 60, height: 40 },
      { left: 2000, top: 1500, width: 50, height: 50 },
    ])
    expect(tilesFor(holes, size, sight)).toEqual([
      { part: { left: 100, top: 100, width: 60, height: 40 }, seen: { left: 0, top: 0, width: 512, height: 512 } },
      {
        part: { left: 2000, top: 1500, width: 50, height: 50 },
        seen: { left: 1769, top: 1269, width: 512, height: 512 },
      },
    ])
  })

  test('uses a view of three times the width of a thick hole; fills a long scratch in pieces, not reduced', () => {
    const thick = holesWith({ left: 1200, top: 700, width: 400, height: 400 })
    expect(depthOf(thick, size.width, { left: 1200, top: 700, width: 400, height: 400 })).toBe(200)
    expect(tilesFor(thick, size, sight).map(({ seen }) => seen)).toEqual([
      { left: 800, top: 300, width: 1200, height: 1200 },
    ])
    const scratch = tilesFor(holesWith({ left: 0, top: 900, width: 3000, height: 6 }), size, sight)
    expect(scratch.length).toBeGreaterThan(11)
    expect(scratch.every(({ seen }) => seen.width === 512 && seen.height === 512)).toBe(true)
    expect(scratch.reduce((sum, { part }) => sum + part.width * part.height, 0)).toBe(3000 * 6)
  })

  test('merges many specks into fewer, larger tiles', () => {
    const specks = Array.from({ length: 300 }, (_, index) => ({
      left: (index % 20) * 30,
      top: Math.floor(index / 20) * 40,
      width: 4,
      height: 4,
    }))
    const small = { width: 600, height: 600 }
    const tiles = tilesFor(holesIn(small, ...specks), small, { least: 16, most: 16, context: 3, tiles: 64 })
    expect(tiles.length).toBeLessThanOrEqual(64)
    const isSeen = (x: number, y: number): boolean => tiles.some(({ part }) => inside(part, x, y))
    const covered = specks.every(({ left, top }) => isSeen(left, top) && isSeen(left + 3, top + 3))
    expect(covered).toBe(true)
  })

  test('a pixel of a reduced view is the mean of the known ones, and missing if any is', () => {
    const samples = {
      data: Uint8Array.of(0, 51, 102, 255, 153, 204, 255, 255),
      width: 4,
      height: 2,
      channels: 1 as const,
      pages: 1,
    }
    const { data, holes } = viewOf(
      samples,
      Uint8Array.of(0, 0, 0, 1, 0, 0, 0, 0),
      { left: 0, top: 0, width: 4, height: 2 },
      2,
    )
    expect([...holes]).toEqual([0, 1])
    expect(data[0]).toBeCloseTo(102 / 255)
    expect(data[1]).toBe(0)
  })
})
