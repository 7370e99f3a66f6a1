import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import circleCrop from '../../../tools/image/geometry/circle-crop.ts'
import {
  animation,
  at,
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
const lossless = () => put(folder, 'base.png', fromSamples(photo(100, 60)).png())

async function cropped(settings: Record<string, unknown> = {}, input?: string) {
  const { paths, names, warnings } = await run(circleCrop, folder, [input ?? (await lossless())], settings)
  return { path: paths[0]!, name: names[0]!, warnings, pixels: await readRgba(paths[0]!) }
}

test('the largest circle in the middle, transparent outside', async () => {
  const { pixels, name } = await cropped()
  expect(name).toBe('base_circle.png')
  expect(pixels).toMatchObject({ width: 60, height: 60 })
  const source = await readRgba(await lossless())
  for (let y = 0; y < 60; y++)
    for (let x = 0; x < 60; x++) {
      const distance = Math.hypot(x + 0.5 - 30, y + 0.5 - 30)
      const [alpha] = pixels.data.subarray((y * 60 + x) * 4 + 3)
      if (distance < 29) expect(at(pixels, x, y)).toEqual(at(source, x + 20, y))
      else if (distance > 31) expect(alpha).toBe(0)
    }
  // The area of a circle, edges included.
  const area = pixels.data.filter((_, index) => index % 4 === 3).reduce((sum, alpha) => sum + alpha / 255, 0)
  expect(Math.abs(area / (Math.PI * 30 * 30) - 1)).toBeLessThan(0.003)
})

describe('position and size', () => {
  test.each([
    [{ offsetX: 0 }, 60, 0, 0],
    [{ offsetX: 1 }, 60, 40, 0],
    [{ zoom: 2 }, 30, 35, 15],
    [{ zoom: 2, offsetX: 0, offsetY: 0 }, 30, 0, 0],
    [{ zoom: 2, offsetX: 1, offsetY: 1 }, 30, 70, 30],
    [{ zoom: 5, offsetX: 0.25, offsetY: 0.75 }, 12, 22, 36],
  ])('%j', async (settings, side, left, top) => {
    const { pixels } = await cropped(settings)
    expect(pixels).toMatchObject({ width: side, height: side })
    const source = await readRgba(await lossless())
    const middle = side / 2
    expect(at(pixels, middle, middle)).toEqual(at(source, left + middle, top + middle))
  })

  test('at least 8 pixels, and within the picture', async () => {
    const small = await put(folder, 'small.png', plain(20, 12, '#ff0000').png())
    expect((await cropped({ zoom: 5 }, small)).pixels).toMatchObject({ width: 8, height: 8 })
    const tiny = await put(folder, 'tiny.png', plain(20, 5, '#ff0000').png())
    expect((await cropped({ zoom: 5 }, tiny)).pixels).toMatchObject({ width: 5, height: 5 })
  })

  test.each([16, 200, 4096])('outputSize %i', async (outputSize) => {
    const { pixels } = await cropped({ outputSize, borderWidth: 10, borderColor: '#ff0000' })
    expect(pixels).toMatchObject({ width: outputSize, height: outputSize })
    expect(at(pixels, 0, 0)[3]).toBe(0)
    const edge = Math.round((outputSize * 5) / 80)
    expect(at(pixels, Math.floor(outputSize / 2), edge)[0]).toBeGreaterThan(200)
  })
})

describe('ring and background', () => {
  test('the ring is outside of the circle', async () => {
    const { pixels } = await cropped({ borderWidth: 10, borderColor: '#ff0000' })
    expect(pixels).toMatchObject({ width: 80, height: 80 })
    for (const [x, y] of [
      [1, 40],
      [8, 40],
      [78, 40],
      [40, 2],
      [40, 77],
    ] as const)
      expect(at(pixels, x, y)).toEqual([255, 0, 0])
    expect(at(pixels, 11, 40)).toEqual(at(await readRgba(await lossless()), 21, 30))
    expect(at(pixels, 0, 0)[3]).toBe(0)
    // The background is invisible where circle and ring meet.
    for (let x = 1; x < 79; x++) expect(at(pixels, x, 40)).toHaveLength(3)
  })

  test('never wider than half the circle', async () => {
    const { pixels } = await cropped({ zoom: 5, borderWidth: 200 })
    expect(pixels).toMatchObject({ width: 24, height: 24 })
  })

  test('a background behind everything', async () => {
    const { pixels, path } = await cropped({ background: '#00FF00', borderWidth: 4, borderColor: '#ff0000' })
    expect((await sharp(path).metadata()).channels).toBe(3)
    expect(at(pixels, 0, 0)).toEqual([0, 255, 0])
    expect(at(pixels, 1, 34)).toEqual([255, 0, 0])
    const clear = await put(folder, 'clear.png', plain(60, 60, '#0000ff00').png())
    expect(at((await cropped({ background: '#00ff00' }, clear)).pixels, 30, 30)).toEqual([0, 255, 0])
    const ringed = (await cropped({ borderWidth: 10, borderColor: '#ff0000' }, clear)).pixels
    expect(at(ringed, 40, 40)[3]).toBe(0)
  })

  test.each(['reddish', '#ffff0', '', '#11223344'])('refuses the background %j', async (background) => {
    await expect(cropped({ background })).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
  })
})

describe('types of pictures', () => {
  test('always PNG; applies EXIF orientation first', async () => {
    const turned = await put(
      folder,
      'turned.jpg',
      sharp(await quarters(60, 60))
        .rotate(-90)
        .jpeg({ quality: 100 })
        .withMetadata({ orientation: 6 }),
    )
    const { name, pixels } = await cropped({}, turned)
    expect(name).toBe('turned_circle.png')
    expect(at(pixels, 20, 20)[0]).toBeGreaterThan(240)
    expect(at(pixels, 40, 20)[1]).toBeGreaterThan(240)
  })

  test.each(['transparent', '#ffffff'])('keeps 16 bit on %s', async (background) => {
    const deep = await put(folder, 'deep.png', await png16(ramp16(300, 300, 3)))
    const samples = await read16((await cropped({ background, borderWidth: 10 }, deep)).path)
    const { channels } = samples
    expect(channels).toBe(background === 'transparent' ? 4 : 3)
    const middle = [...samples.data.subarray((160 * 320 + 10 + 77) * channels).subarray(0, channels)]
    expect([middle[0], middle[3] ?? 65535]).toEqual([ramp16(300, 1).data[77], 65535])
    const ring = [...samples.data.subarray((160 * 320 + 4) * channels).subarray(0, 3)]
    expect(ring).toEqual([65535, 65535, 65535])
  })

  test('keeps grey', async () => {
    const grey = await put(folder, 'grey.png', plain(40, 30, '#505050').toColourspace('b-w').png())
    const { path, pixels } = await cropped({ borderWidth: 4 }, grey)
    expect((await sharp(path).metadata()).channels).toBe(2)
    expect(at(pixels, 19, 19)).toEqual([0x50, 0x50, 0x50])
    expect(at((await cropped({ borderWidth: 4, borderColor: '#ff0000' }, grey)).pixels, 1, 19)).toEqual([255, 0, 0])
  })

  test('converts CMYK to RGB', async () => {
    const inks = await put(folder, 'inks.jpg', plain(40, 30, '#ff0000').toColourspace('cmyk').jpeg({ quality: 95 }))
    const { path, pixels } = await cropped({}, inks)
    expect((await sharp(path).metadata()).space).toBe('srgb')
    expect(at(pixels, 15, 15)[0]).toBeGreaterThan(200)
    expect(at(pixels, 0, 0)[3]).toBe(0)
  })

  test('keeps a profile, and draws the ring correctly in it', async () => {
    const profile = swappedProfile()
    const own = await put(folder, 'own.png', pngWithProfile(await plain(60, 60, '#204060').png().toBuffer(), profile))
    const { path } = await cropped({ borderWidth: 10, borderColor: '#c06020' }, own)
    expect((await sharp(path).metadata()).icc?.equals(profile)).toBe(true)
    expect(at(await readPixels(path), 40, 40)).toEqual([0x20, 0x40, 0x60])
    const seen = at(await readRgba(await sharp(path).toColourspace('srgb').png().toBuffer()), 4, 40)
    seen.forEach((value, index) => {
      expect(Math.abs(value - [0xc0, 0x60, 0x20][index]!)).toBeLessThan(8)
    })
  })

  test('the first frame of an animation, with a note', async () => {
    const moving = await animation(join(folder, 'moving.gif'), ['#0000ff', '#00ff00'])
    const { pixels, warnings } = await cropped({}, moving)
    expect(at(pixels, 12, 12)).toEqual([0, 0, 255])
    expect(warnings.join()).toContain('2 frames')
  })
})

test.each([
  { zoom: 0.9 },
  { zoom: 5.1 },
  { offsetX: -0.1 },
  { offsetY: 1.1 },
  { borderWidth: 201 },
  { outputSize: 15 },
  { outputSize: 4097 },
])('refused: %j', async (settings) => {
  await expect(cropped(settings)).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
})
