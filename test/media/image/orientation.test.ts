import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import type { Tool } from '../../../src/tool/contract.ts'
import convert from '../../../tools/image/convert/convert.ts'
import crop from '../../../tools/image/geometry/crop.ts'
import resize from '../../../tools/image/geometry/resize.ts'
import rotate from '../../../tools/image/geometry/rotate.ts'
import { exifBlock, jpegWithExif, STORED } from '../../helpers/exif.ts'
import { difference, put, quarters, readPixels } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** The same upright picture, stored as a camera does for each orientation; lossless except for JPEG itself. */
async function stored(orientation: number): Promise<string> {
  const { flop = false, flip = false, rotate: turn = 0 } = STORED[orientation]!
  let image = sharp(await quarters(64, 48))
  if (flip) image = image.flip()
  if (flop) image = image.flop()
  const jpeg = await image.rotate(turn).jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer()
  return put(folder, `held-${orientation}.jpg`, jpegWithExif(jpeg, exifBlock(orientation)))
}

const cases: [string, Tool, Record<string, unknown>, { width: number; height: number }][] = [
  ['resize', resize, { width: 32 }, { width: 32, height: 24 }],
  ['crop', crop, { left: 8, top: 16, width: 40, height: 24 }, { width: 40, height: 24 }],
  ['rotate', rotate, { angle: 90 }, { width: 48, height: 64 }],
  ['convert', convert, { format: 'png' }, { width: 64, height: 48 }],
]

describe.each(cases)('%s', (_name, tool, settings, size) => {
  test('all eight orientations give the upright picture, and report it', async () => {
    const upright = await run(tool, folder, [await stored(1)], settings)
    const wanted = await readPixels(upright.paths[0]!)
    expect(wanted).toMatchObject(size)
    for (let orientation = 2; orientation <= 8; orientation++) {
      const { paths } = await run(tool, folder, [await stored(orientation)], settings)
      const { mean } = difference(await readPixels(paths[0]!), wanted)
      expect(mean, `orientation ${orientation}`).toBeLessThan(2)
      expect((await sharp(paths[0]!).metadata()).orientation ?? 1).toBe(1)
    }
  })
})

test('the references differ: an unrotated picture would be detected', async () => {
  const wanted = await readPixels(await stored(1))
  for (const orientation of [2, 3, 4])
    expect(difference(await readPixels(await stored(orientation)), wanted).mean).toBeGreaterThan(40)
})

test('sharp interprets the stored pictures identically', async () => {
  const wanted = await readPixels(await stored(1))
  for (let orientation = 2; orientation <= 8; orientation++) {
    const upright = await sharp(await stored(orientation))
      .autoOrient()
      .png()
      .toBuffer()
    expect(difference(await readPixels(upright), wanted).mean, `orientation ${orientation}`).toBeLessThan(2)
  }
})

test('processing twice rotates once', async () => {
  const first = await run(rotate, folder, [await stored(6)], { angle: 0 })
  const second = await run(rotate, folder, first.paths, { angle: 0 })
  expect(difference(await readPixels(second.paths[0]!), await readPixels(first.paths[0]!)).mean).toBeLessThan(2)
})

test.each(['webp', 'tiff', 'avif', 'png'] as const)('applies the orientation in %s, too', async (format) => {
  const image = sharp(await quarters(64, 48))
    .rotate(270)
    .withMetadata({ orientation: 6 })
  const path = join(folder, `held.${format}`)
  await (format === 'webp'
    ? image.webp({ lossless: true })
    : format === 'avif'
      ? image.avif({ quality: 90 })
      : image.toFormat(format)
  ).toFile(path)
  const { paths } = await run(resize, folder, [path], { width: 64 })
  const { width, height, orientation } = await sharp(paths[0]!).metadata()
  expect({ width, height, orientation: orientation ?? 1 }).toEqual({ width: 64, height: 48, orientation: 1 })
  const { mean } = difference(await readPixels(paths[0]!), await readPixels(await quarters(64, 48)))
  expect(mean).toBeLessThan(6)
})
