import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import border from '../../../tools/image/compose/border.ts'
import imagePad from '../../../tools/image/geometry/image-pad.ts'
import rotate from '../../../tools/image/geometry/rotate.ts'
import {
  animation,
  at,
  difference,
  fromSamples,
  photo,
  plain,
  png16,
  pngWithProfile,
  put,
  quarters,
  ramp16,
  read16,
  readPixels,
  readRgba,
  swappedProfile,
} from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const whole = photo(31, 20)
const source = () => put(folder, 'whole.png', fromSamples(whole).png())
const turned = async (settings: Record<string, unknown>) =>
  readPixels((await run(rotate, folder, [await source()], settings)).paths[0]!)

describe('right angles and mirrors move pixels without changing them', () => {
  const { width, height } = whole
  test.each([
    [{ angle: 90 }, [20, 31], (x: number, y: number) => [y, height - 1 - x]],
    [{ angle: 180 }, [31, 20], (x: number, y: number) => [width - 1 - x, height - 1 - y]],
    [{ angle: 270 }, [20, 31], (x: number, y: number) => [width - 1 - y, x]],
    [{ angle: -90 }, [20, 31], (x: number, y: number) => [width - 1 - y, x]],
    [{ angle: 450 }, [20, 31], (x: number, y: number) => [y, height - 1 - x]],
    [{ angle: 720 }, [31, 20], (x: number, y: number) => [x, y]],
    [{ horizontal: true }, [31, 20], (x: number, y: number) => [width - 1 - x, y]],
    [{ vertical: true }, [31, 20], (x: number, y: number) => [x, height - 1 - y]],
    // Turn first, then mirror.
    [{ angle: 90, horizontal: true }, [20, 31], (x: number, y: number) => [y, x]],
    [{ angle: 90, vertical: true }, [20, 31], (x: number, y: number) => [width - 1 - y, height - 1 - x]],
    [{ angle: 90, horizontal: true, vertical: true }, [20, 31], (x: number, y: number) => [width - 1 - y, x]],
  ] as const)('%j', async (settings, size, from) => {
    const result = await turned(settings)
    expect([result.width, result.height]).toEqual(size)
    for (let y = 0; y < result.height; y += 3)
      for (let x = 0; x < result.width; x += 3) {
        const [sourceX, sourceY] = from(x, y) as [number, number]
        expect(at(result, x, y)).toEqual(at(whole, sourceX, sourceY))
      }
  })
})

describe('other angles', () => {
  test('the canvas grows, corners are transparent in PNG and black in JPEG', async () => {
    const square = plain(100, 100, '#c86432')
    const png = await run(rotate, folder, [await put(folder, 'square.png', square.clone().png())], { angle: 45 })
    const clear = await readRgba(png.paths[0]!)
    // 100 times the root of 2, approximately as libvips rounds a box.
    expect(Math.abs(clear.width - 141.4)).toBeLessThan(2)
    expect(at(clear, 1, 1)[3]).toBe(0)
    expect(at(clear, Math.floor(clear.width / 2), Math.floor(clear.height / 2))).toEqual([200, 100, 50])
    const jpeg = await run(rotate, folder, [await put(folder, 'square.jpg', square.clone().jpeg())], { angle: 45 })
    expect(at(await readPixels(jpeg.paths[0]!), 2, 2).every((value) => value < 6)).toBe(true)
  })

  test('clockwise', async () => {
    const { paths } = await run(rotate, folder, [await put(folder, 'quarters.png', await quarters(100, 100))], {
      angle: 30,
    })
    const pixels = await readRgba(paths[0]!)
    // Red is at the top left; rotated by 30 degrees its middle moves up to the top.
    const [x, y] = [
      pixels.width / 2 - 25 * Math.cos(Math.PI / 6) + 25 * Math.sin(Math.PI / 6),
      pixels.height / 2 - 25 * Math.sin(Math.PI / 6) - 25 * Math.cos(Math.PI / 6),
    ]
    expect(at(pixels, Math.round(x), Math.round(y))).toEqual([255, 0, 0])
  })

  test('keeps depth, grey and profile', async () => {
    const deep = await run(rotate, folder, [await put(folder, 'deep.png', await png16(ramp16(600, 100)))], { angle: 1 })
    expect(await sharp(deep.paths[0]!).metadata()).toMatchObject({ depth: 'ushort', space: 'grey16', hasAlpha: true })
    expect(new Set((await read16(deep.paths[0]!)).data).size).toBeGreaterThan(600)
    const profile = swappedProfile()
    const own = await run(
      rotate,
      folder,
      [await put(folder, 'own.png', pngWithProfile(await quarters(60, 60), profile))],
      { angle: 10 },
    )
    expect((await sharp(own.paths[0]!).metadata()).icc?.equals(profile)).toBe(true)
    const centre = await readPixels(own.paths[0]!)
    expect(at(centre, 22, 25)).toEqual([255, 0, 0])
  })

  test('rotates a CMYK JPEG by any angle', async () => {
    const inks = await put(folder, 'inks.jpg', fromSamples(photo(64, 48)).toColourspace('cmyk').jpeg({ quality: 95 }))
    const { paths } = await run(rotate, folder, [inks], { angle: 20 })
    const pixels = await readPixels(paths[0]!)
    const [x, y] = [Math.floor(pixels.width / 2), Math.floor(pixels.height / 2)]
    const wanted = at(await readRgba(inks), 32, 24)
    at(pixels, x, y).forEach((value, index) => {
      expect(Math.abs(value - wanted[index]!)).toBeLessThan(16)
    })
    expect(at(pixels, 1, 1).every((value) => value < 10)).toBe(true)
  })
})

describe('animations', () => {
  test.each([
    [90, 24, 40],
    [180, 40, 24],
  ])('by %i degrees: every frame, delays and loop', async (angle, width, pageHeight) => {
    for (const format of ['gif', 'webp']) {
      const input = await animation(join(folder, `moving.${format}`), ['#ff0000', '#00ff00', '#0000ff'], {
        delay: [50, 80, 120],
        loop: 2,
      })
      const { paths } = await run(rotate, folder, [input], { angle })
      expect(await sharp(paths[0]!, { animated: true }).metadata()).toMatchObject({
        pages: 3,
        width,
        pageHeight,
        delay: [50, 80, 120],
        loop: 2,
      })
      expect(at(await readRgba(paths[0]!, 2), 5, 5)[2]).toBeGreaterThan(250)
    }
  })

  test('any angle, with transparent corners in every frame', async () => {
    const input = await animation(join(folder, 'tilted.webp'), ['#ff0000', '#00ff00'])
    const { paths } = await run(rotate, folder, [input], { angle: 45 })
    for (const page of [0, 1]) expect(at(await readRgba(paths[0]!, page), 1, 1)[3]).toBe(0)
  })
})

test('four rotations give the original picture', async () => {
  let path = await source()
  for (let turn = 0; turn < 4; turn++) path = (await run(rotate, folder, [path], { angle: 90 })).paths[0]!
  expect(difference(await readPixels(path), whole).most).toBe(0)
})

test.each([
  ['rotate', rotate, { angle: 45 }],
  ['border', border, { width: 200 }],
  ['image-pad', imagePad, { target: '1:1' }],
])('%s refuses a result that is too large to decode, before any work', async (_, tool, settings) => {
  process.env.MAX_MEGAPIXELS = '0.05'
  try {
    const source = await put(folder, 'long.png', plain(600, 40, '#336699').png())
    await expect(run(tool as typeof rotate, folder, [source], settings)).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: expect.stringMatching(
        /^The result for long\.png would be \d+ x \d+ pixels .* limit is 0\.05 megapixels$/,
      ),
      hint: expect.stringContaining('MAX_MEGAPIXELS'),
    })
  } finally {
    delete process.env.MAX_MEGAPIXELS
  }
})
