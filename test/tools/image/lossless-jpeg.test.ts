import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { findJpegtran } from '../../../src/engines/pictures/jpegtran.ts'
import compress from '../../../tools/image/convert/compress.ts'
import crop from '../../../tools/image/geometry/crop.ts'
import rotate from '../../../tools/image/geometry/rotate.ts'
import { exifBlock } from '../../helpers/exif.ts'
import { photo, put } from '../../helpers/picture.ts'
import { fused } from '../../helpers/pipeline.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** A JPEG with colours reduced in both directions (blocks of 16 x 16 px), or grey (8 x 8). */
async function jpeg(name: string, width: number, height: number, { grey = false, orientation = 1 } = {}) {
  const { data, channels } = photo(width, height)
  const image = sharp(Buffer.from(data), { raw: { width, height, channels: channels as 3 } })
  if (grey) image.greyscale().toColourspace('b-w')
  const bytes = await image.jpeg({ quality: 83, chromaSubsampling: '4:2:0', optimiseCoding: false }).toBuffer()
  return put(folder, `${name}.jpg`, orientation === 1 ? bytes : withExif(bytes, orientation))
}

/** Puts an EXIF block after the start of a JPEG. */
function withExif(bytes: Buffer, orientation: number): Buffer {
  const body = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), exifBlock(orientation)])
  const head = Buffer.from([0xff, 0xe1, (body.length + 2) >> 8, (body.length + 2) & 255])
  return Buffer.concat([bytes.subarray(0, 2), head, body, bytes.subarray(2)])
}

/** The coefficients of a JPEG as bytes that only depend on them: after a further turn, without metadata. */
const coefficients = (path: string, ...turn: string[]): string =>
  execFileSync('jpegtran', ['-copy', 'none', '-optimize', ...turn, path]).toString('base64')

const pixels = async (path: string, upright = false) => {
  const image = upright ? sharp(path).autoOrient() : sharp(path)
  return image.raw().toBuffer({ resolveWithObject: true })
}

async function meanDifference(one: string, other: string): Promise<number> {
  const [first, second] = [await pixels(one, true), await pixels(other, true)]
  expect([second.info.width, second.info.height]).toEqual([first.info.width, first.info.height])
  return first.data.reduce((sum, value, at) => sum + Math.abs(value - (second.data[at] ?? 0)), 0) / first.data.length
}

describe.skipIf(!(await findJpegtran()))('with jpegtran', () => {
  test('a turn and its opposite give the same coefficients', async () => {
    const input = await jpeg('whole', 96, 64)
    const plain = coefficients(input)
    for (const [settings, opposite] of [
      [{ angle: 90 }, ['-rotate', '270']],
      [{ angle: 180 }, ['-rotate', '180']],
      [{ angle: -90 }, ['-rotate', '90']],
      [{ horizontal: true }, ['-flip', 'horizontal']],
      [{ vertical: true }, ['-flip', 'vertical']],
      [{ angle: 90, horizontal: true }, ['-transpose']],
      [{ angle: 90, vertical: true }, ['-transverse']],
    ] as const) {
      const { paths, warnings } = await run(rotate, folder, [input], { ...settings, lossless: true })
      expect(warnings).toEqual([])
      expect(coefficients(paths[0] ?? '', ...opposite), JSON.stringify(settings)).toBe(plain)
      // The turn is that of the tool without lossless.
      const encoded = await run(rotate, folder, [input], settings)
      expect(await meanDifference(paths[0] ?? '', encoded.paths[0] ?? ''), JSON.stringify(settings)).toBeLessThan(2)
    }
  })

  test('the orientation is applied and reset; other metadata is kept', async () => {
    for (const orientation of [2, 3, 4, 5, 6, 7, 8]) {
      const input = await jpeg(`turned-${orientation}`, 96, 64, { orientation })
      const { paths } = await run(rotate, folder, [input], { lossless: true })
      expect(await meanDifference(input, paths[0] ?? ''), String(orientation)).toBeLessThan(1)
      const { orientation: left, exif } = await sharp(paths[0]).metadata()
      expect(left ?? 1).toBe(1)
      expect(exif?.includes('Jane Q. Public')).toBe(true)
    }
  })

  test('blocks that are not whole are cut only where they are mirrored, with the numbers', async () => {
    const input = await jpeg('odd', 100, 70)
    const turned = await run(rotate, folder, [input], { angle: 90, lossless: true })
    expect(turned.warnings).toEqual([expect.stringMatching(/^6 of 70 rows .* blocks of 16 x 16 px/)])
    expect(await sharp(turned.paths[0]).metadata()).toMatchObject({ width: 64, height: 100 })
    const half = await run(rotate, folder, [input], { angle: 180, lossless: true })
    expect(half.warnings).toEqual([expect.stringMatching(/^4 of 100 columns and 6 of 70 rows/)])
    // Transposed, the incomplete blocks stay at the end.
    const transposed = await run(rotate, folder, [input], { angle: 90, horizontal: true, lossless: true })
    expect(transposed.warnings).toEqual([])
    await expect(run(rotate, folder, [input], { angle: 90, lossless: true }, { strict: true })).rejects.toMatchObject({
      message: expect.stringContaining('6 of 70 rows'),
    })
  })

  test('a crop has exactly the pixels of the input, and grows to whole blocks with a warning', async () => {
    const input = await jpeg('grey', 120, 90, { grey: true })
    const area = { left: 20, top: 27, width: 50, height: 40 }
    const { paths, warnings } = await run(crop, folder, [input], { ...area, lossless: true })
    expect(warnings).toEqual([
      expect.stringContaining('begins at 16, 24 instead of 20, 27 and is 54 x 43 instead of 50 x 40 px'),
    ])
    const wanted = await sharp(input).extract({ left: 16, top: 24, width: 54, height: 43 }).raw().toBuffer()
    expect((await pixels(paths[0] ?? '')).data.equals(wanted)).toBe(true)
  })

  test.each([2, 3, 4, 5, 6, 7, 8])(
    'a crop of a mirrored picture with cut blocks, orientation %i',
    async (orientation) => {
      // 200 x 120 px: half a block of 16 x 16 px is left over on both sides.
      const input = await jpeg(`cut-${orientation}`, 200, 120, { orientation })
      const { data, info } = await pixels(input, true)
      const area = { left: 35, top: 28, width: 40, height: 30 }
      const { paths, warnings } = await run(crop, folder, [input], { ...area, lossless: true })
      const found = await pixels(paths[0] ?? '')
      // Grown to the left and up only: the requested area is at its lower right.
      const [left, top] = [area.left + area.width - found.info.width, area.top + area.height - found.info.height]
      expect([left <= area.left, left > area.left - 16, top <= area.top, top > area.top - 16]).toEqual(
        Array(4).fill(true),
      )
      let sum = 0
      for (let y = 0; y < found.info.height; y++)
        for (let at = 0; at < found.info.width * 3; at++)
          sum += Math.abs(
            (found.data[y * found.info.width * 3 + at] ?? 0) - (data[((top + y) * info.width + left) * 3 + at] ?? 0),
          )
      expect(sum / found.data.length).toBeLessThan(1)
      const isMoved = left !== area.left || top !== area.top
      expect(warnings).toEqual(
        isMoved ? [expect.stringContaining(`The crop begins at ${left}, ${top} instead of 35, 28`)] : [],
      )
    },
  )

  test('what a crop loses of cut blocks is a warning with its numbers, or refused', async () => {
    const input = await jpeg('all', 208, 120, { orientation: 3 })
    const whole = { left: 0, top: 0, width: 208, height: 120 }
    const { paths, warnings } = await run(crop, folder, [input], { ...whole, lossless: true })
    expect(warnings).toEqual([expect.stringContaining('8 of 120 rows at an edge are cut')])
    const { data, info } = await pixels(paths[0] ?? '')
    expect([info.width, info.height]).toEqual([208, 112])
    const before = await pixels(input, true)
    const rest = before.data.subarray(8 * 208 * 3)
    expect(data.reduce((sum, value, at) => sum + Math.abs(value - (rest[at] ?? 0)), 0) / data.length).toBeLessThan(1)
    const lower = await run(crop, folder, [input], { ...whole, top: 56, height: 64, lossless: true })
    expect((await pixels(lower.paths[0] ?? '')).info.height).toBe(64)
    await expect(run(crop, folder, [input], { ...whole, height: 8, lossless: true })).rejects.toMatchObject({
      code: 'TARGET_UNREACHABLE',
    })
  })

  test('a crop is relative to the upright picture', async () => {
    const input = await jpeg('upright', 96, 64, { orientation: 6 })
    const area = { left: 16, top: 32, width: 40, height: 50 }
    const [lossless, encoded] = [
      await run(crop, folder, [input], { ...area, lossless: true }),
      await run(crop, folder, [input], area),
    ]
    expect(lossless.warnings).toEqual([])
    expect(await meanDifference(lossless.paths[0] ?? '', encoded.paths[0] ?? '')).toBeLessThan(3)
  })

  test('steps of a pipeline stay lossless; a step that needs pixels gets them', async () => {
    const input = await jpeg('chain', 96, 64)
    const area = { left: 16, top: 16, width: 32, height: 48, lossless: true }
    const both = await fused(
      [
        ['image/rotate', { angle: 90, lossless: true }],
        ['image/crop', area],
      ],
      folder,
      input,
    )
    const once = execFileSync('jpegtran', ['-copy', 'none', '-rotate', '90', input])
    const turned = await put(folder, 'once.jpg', once)
    expect(coefficients(both.paths[0] ?? '')).toBe(coefficients(turned, '-crop', '32x48+16+16'))
    const small = await fused(
      [
        ['image/rotate', { angle: 90, lossless: true }],
        ['image/resize', { width: 32 }],
      ],
      folder,
      input,
    )
    expect(await sharp(small.paths[0]).metadata()).toMatchObject({ width: 32, height: 48 })
    await expect(
      fused(
        [
          ['image/resize', { width: 80 }],
          ['image/crop', { ...area, left: 0, top: 0 }],
        ],
        folder,
        input,
      ),
    ).rejects.toMatchObject({ code: 'TARGET_UNREACHABLE', message: expect.stringContaining('earlier step') })
  })

  test('compress keeps every pixel, and the input itself if nothing is smaller', async () => {
    const input = await jpeg('large', 320, 240, { orientation: 6 })
    const { paths } = await run(compress, folder, [input], { lossless: true })
    const [before, after] = [await readFile(input), await readFile(paths[0] ?? '')]
    expect(after.length).toBeLessThan(before.length)
    expect((await pixels(paths[0] ?? '')).data.equals((await pixels(input)).data)).toBe(true)
    const { orientation, exif } = await sharp(paths[0]).metadata()
    expect([orientation, exif?.includes('Jane Q. Public')]).toEqual([6, true])
    const again = await run(compress, folder, paths, { lossless: true })
    expect((await readFile(again.paths[0] ?? '')).equals(after)).toBe(true)
  })

  test('what follows the picture is left out with a warning', async () => {
    const plain = await readFile(await jpeg('motion', 96, 64))
    const input = await put(folder, 'motion-photo.jpg', Buffer.concat([plain, Buffer.alloc(5000, 7)]))
    const { paths, warnings } = await run(rotate, folder, [input], { angle: 180, lossless: true })
    expect(warnings).toEqual([expect.stringMatching(/^5000 bytes after the picture/)])
    expect((await readFile(paths[0] ?? '')).length).toBeLessThan(plain.length + 500)
  })

  test('a damaged JPEG is an error of the file', async () => {
    const bytes = await readFile(await jpeg('good', 96, 64))
    const input = await put(folder, 'cut.jpg', bytes.subarray(0, bytes.length / 2))
    await expect(run(rotate, folder, [input], { angle: 90, lossless: true })).rejects.toMatchObject({ status: 400 })
  })
})

test('other types and other angles are refused', async () => {
  const png = await put(folder, 'plain.png', sharp(await jpeg('source', 32, 32)).png())
  await expect(run(rotate, folder, [png], { angle: 90, lossless: true })).rejects.toMatchObject({
    code: 'TARGET_UNREACHABLE',
    status: 400,
    message: expect.stringContaining('not a JPEG'),
  })
  await expect(run(rotate, folder, [png], { angle: 30, lossless: true })).rejects.toMatchObject({
    code: 'INVALID_SETTINGS',
  })
})

test('without jpegtran: an error with the install command', async () => {
  const input = await jpeg('missing', 32, 32)
  const path = process.env.PATH
  process.env.PATH = join(folder, 'nothing')
  try {
    await expect(run(rotate, folder, [input], { angle: 90, lossless: true })).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      hint: expect.stringContaining('libjpeg-turbo-progs'),
    })
  } finally {
    process.env.PATH = path
  }
})
