import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import imagePad from '../../../tools/image/geometry/image-pad.ts'
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
const base = (width = 60, height = 40) => put(folder, `base-${width}.png`, fromSamples(photo(width, height)).png())

async function padded(settings: Record<string, unknown> = {}, input?: string) {
  const { paths, names } = await run(imagePad, folder, [input ?? (await base())], settings)
  return { path: paths[0]!, name: names[0]! }
}

const cut = (path: string, left: number, top: number, width: number, height: number) =>
  sharp(path).extract({ left, top, width, height }).png().toBuffer()

describe('size', () => {
  test.each([
    [{}, 60, 60],
    [{ target: '16:9' }, 71, 40],
    [{ target: '9:16' }, 60, 107],
    [{ target: '4:3' }, 60, 45],
    [{ target: '3:4' }, 60, 80],
    [{ target: 'custom' }, 60, 60],
    [{ target: 'custom', ratioW: 3, ratioH: 2 }, 60, 40],
    [{ target: 'custom', ratioW: 100, ratioH: 1 }, 4000, 40],
    [{ target: 'custom', ratioW: 1, ratioH: 100 }, 60, 6000],
  ])('%j: %i x %i', async (settings, width, height) => {
    expect(await sharp((await padded(settings)).path).metadata()).toMatchObject({ width, height, channels: 3 })
  })

  test('centred, not scaled; the odd pixel is on the right and bottom', async () => {
    const input = await base(21, 40)
    const { path, name } = await padded({ color: '#ff0000' }, input)
    expect(name).toBe('base-21_padded.png')
    const pixels = await readRgba(path)
    expect(pixels).toMatchObject({ width: 40, height: 40 })
    expect([at(pixels, 8, 20), at(pixels, 30, 20)]).toEqual([
      [255, 0, 0],
      [255, 0, 0],
    ])
    expect(difference(await readPixels(await cut(path, 9, 0, 21, 40)), await readPixels(input)).most).toBe(0)
  })

  test.each([
    [10, 6],
    [50, 30],
  ])('padding of %i %% of the longer side, on all sides', async (padding, edge) => {
    const { path } = await padded({ padding })
    expect(await sharp(path).metadata()).toMatchObject({ width: 60 + 2 * edge, height: 60 + 2 * edge })
    const inner = await readPixels(await cut(path, edge, edge + 10, 60, 40))
    expect(difference(inner, await readPixels(await base())).most).toBe(0)
    expect(at(await readRgba(path), edge - 1, edge + 20)).toEqual([255, 255, 255])
  })
})

describe('background', () => {
  const clear = () => put(folder, 'clear.png', plain(30, 20, '#0000ff80').png())

  test('a colour is also behind transparent parts', async () => {
    const pixels = await readRgba((await padded({ color: '#ff0000' }, await clear())).path)
    expect(at(pixels, 15, 1)).toEqual([255, 0, 0])
    const [red, green, blue] = at(pixels, 15, 15) as [number, number, number]
    expect([Math.abs(red - 127) < 2, green, Math.abs(blue - 128) < 2]).toEqual([true, 0, true])
  })

  test.each([
    ['nothing', {}, true],
    ['a colour', { color: '#ffffff' }, false],
    ['transparent', { background: 'transparent' }, false],
    ['blur', { background: 'blur' }, false],
  ])('with %s requested, warns that transparent parts are filled: %j %s', async (_what, settings, isWarned) => {
    const { paths, warnings } = await run(imagePad, folder, [await clear()], settings)
    const filled =
      'clear.png has transparent parts, which are filled with white; use background transparent to keep them'
    expect(warnings).toEqual(isWarned ? [filled] : [])
    expect((await sharp(paths[0]!).stats()).isOpaque).toBe('color' in settings || isWarned)
    const opaque = await put(folder, 'opaque.png', plain(30, 20, '#0000ffff').ensureAlpha().png())
    expect((await run(imagePad, folder, [opaque], settings)).warnings).toEqual([])
  })

  test('transparent makes a PNG', async () => {
    const jpeg = await put(folder, 'photo.jpg', fromSamples(photo(60, 40)).jpeg())
    const { path, name } = await padded({ background: 'transparent' }, jpeg)
    expect(name).toBe('photo_padded.png')
    const pixels = await readRgba(path)
    expect(at(pixels, 30, 3)[3]).toBe(0)
    expect(at(pixels, 30, 30)).toEqual(at(await readRgba(jpeg), 30, 20))
    const kept = await readRgba((await padded({ background: 'transparent' }, await clear())).path)
    expect(at(kept, 15, 15)).toEqual([0, 0, 255, 128])
  })

  test('blur: the picture itself, covering, with sigma 20; the original is sharp', async () => {
    const input = await base(300, 200)
    const { path } = await padded({ background: 'blur' }, input)
    expect(difference(await readPixels(await cut(path, 0, 50, 300, 200)), await readPixels(input)).most).toBe(0)
    const expected = await sharp(input)
      .resize(300, 300, { fit: 'cover' })
      .blur({ sigma: 20, precision: 'float', minAmplitude: 0.001 })
      .png()
      .toBuffer()
    for (const top of [0, 250]) {
      const apart = difference(
        await readPixels(await cut(path, 0, top, 300, 50)),
        await readPixels(await cut2(expected, top)),
      )
      expect(apart.most).toBeLessThan(6)
      expect(apart.mean).toBeLessThan(1.5)
    }
  })

  test('blur is visible through transparent parts', async () => {
    const pixels = await readRgba((await padded({ background: 'blur' }, await clear())).path)
    const [red, green, blue, alpha] = at(pixels, 15, 15) as [number, number, number, number]
    expect([red, green, blue > 250]).toEqual([0, 0, true])
    // 0.5 over 0.5 is 0.75.
    expect(Math.abs(alpha - 191)).toBeLessThan(4)
  })
})

const cut2 = (picture: Buffer, top: number) =>
  sharp(picture).extract({ left: 0, top, width: 300, height: 50 }).png().toBuffer()

describe('types of pictures', () => {
  test('applies EXIF orientation first', async () => {
    const turned = await put(
      folder,
      'turned.jpg',
      sharp(await quarters(40, 60))
        .rotate(-90)
        .jpeg({ quality: 100 })
        .withMetadata({ orientation: 6 }),
    )
    const pixels = await readRgba((await padded({}, turned)).path)
    expect(pixels).toMatchObject({ width: 60, height: 60 })
    expect(at(pixels, 15, 10)[0]).toBeGreaterThan(240)
    expect(at(pixels, 45, 10)[1]).toBeGreaterThan(240)
    expect(at(pixels, 15, 50)[2]).toBeGreaterThan(240)
  })

  test.each(['color', 'transparent', 'blur'])('keeps 16 bit with %s', async (background) => {
    const deep = await put(folder, 'deep.png', await png16(ramp16(300, 20, 3)))
    const samples = await read16((await padded({ background }, deep)).path)
    expect(samples).toMatchObject({ width: 300, height: 300, channels: background === 'transparent' ? 4 : 3 })
    const [red] = samples.data.subarray((150 * 300 + 77) * samples.channels)
    expect(red).toBe(ramp16(300, 1).data[77])
    const corner = [...samples.data.subarray(0, samples.channels)]
    if (background === 'color') expect(corner).toEqual([65535, 65535, 65535])
    else if (background === 'transparent') {
      expect(corner[3]).toBe(0)
      expect(samples.data[(150 * 300 + 77) * 4 + 3]).toBe(65535)
    } else expect(Math.abs(corner[0]! - ramp16(300, 1).data[142]!)).toBeLessThan(3000)
  })

  test('keeps grey with a grey colour', async () => {
    const grey = await put(folder, 'grey.png', plain(40, 30, '#505050').toColourspace('b-w').png())
    for (const background of ['color', 'blur']) {
      const { path } = await padded({ background }, grey)
      expect((await sharp(path).metadata()).channels).toBe(1)
      expect(at(await readRgba(path), 20, 20)).toEqual([0x50, 0x50, 0x50])
    }
    expect(at(await readRgba((await padded({ color: '#ff0000' }, grey)).path), 20, 1)).toEqual([255, 0, 0])
  })

  test('converts CMYK to RGB', async () => {
    const inks = await put(folder, 'inks.jpg', plain(40, 30, '#4080c0').toColourspace('cmyk').jpeg({ quality: 95 }))
    const { path } = await padded({ color: '#ff0000' }, inks)
    expect((await sharp(path).metadata()).space).toBe('srgb')
    expect(at(await readRgba(path), 20, 1)[0]).toBeGreaterThan(250)
  })

  test('keeps a profile, and draws the colour correctly in it', async () => {
    const profile = swappedProfile()
    const own = await put(folder, 'own.png', pngWithProfile(await plain(60, 40, '#204060').png().toBuffer(), profile))
    const { path } = await padded({ color: '#c06020' }, own)
    expect((await sharp(path).metadata()).icc?.equals(profile)).toBe(true)
    expect(at(await readPixels(path), 30, 30)).toEqual([0x20, 0x40, 0x60])
    const seen = at(await readRgba(await sharp(path).toColourspace('srgb').png().toBuffer()), 30, 2)
    seen.forEach((value, index) => {
      expect(Math.abs(value - [0xc0, 0x60, 0x20][index]!)).toBeLessThan(8)
    })
  })

  test.each([
    ['color', 'gif'],
    ['blur', 'gif'],
    ['transparent', 'webp'],
  ])('every frame of an animation, with %s as %s', async (background, format) => {
    const moving = await animation(join(folder, 'moving.gif'), ['#0000ff', '#00ff00'])
    const { path, name } = await padded({ background, color: '#ff0000' }, moving)
    expect(name).toBe(`moving_padded.${format}`)
    const about = await sharp(path, { animated: true }).metadata()
    expect(about).toMatchObject({ pages: 2, delay: [50, 80], loop: 3 })
    for (const [page, colour] of [
      [0, [0, 0, 255]],
      [1, [0, 255, 0]],
    ] as const) {
      const pixels = await readRgba(path, page)
      expect(pixels).toMatchObject({ width: 40, height: 40 })
      const near = (found: number[], wanted: readonly number[]) =>
        wanted.forEach((value, index) => {
          expect(Math.abs(found[index]! - value)).toBeLessThan(8)
        })
      near(at(pixels, 20, 20), colour)
      if (background === 'transparent') expect(at(pixels, 20, 2)[3]).toBe(0)
      else near(at(pixels, 20, 2), background === 'blur' ? colour : [255, 0, 0])
    }
  })
})

test.each([{ target: '5:4' }, { ratioW: 0 }, { ratioH: 101 }, { padding: 51 }, { padding: -1 }, { color: 'reddish' }])(
  'refused: %j',
  async (settings) => {
    await expect(padded(settings)).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
  },
)
