/** Writes and reads the longest picture of each format; one pixel more is refused with the limit and what to do. */
import { expect, test } from 'vitest'
import { encodeHeic, hasHeifEnc } from '../../../src/engines/pictures/heif-enc.ts'
import { IMAGE_FORMATS } from '../../../src/media/image/formats.ts'
import convert from '../../../tools/image/convert/convert.ts'
import { difference, fromSamples, put, readRgba, type Samples } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** A line: its left half dark, its right half light; for a tall one the upper and the lower half. */
function line(length: number, isTall: boolean, thickness = 1): Samples & { data: Uint8Array } {
  const [width, height] = isTall ? [thickness, length] : [length, thickness]
  const data = new Uint8Array(width * height * 3).fill(60)
  for (let pixel = 0; pixel < width * height; pixel++) {
    const along = isTall ? Math.floor(pixel / width) : pixel % width
    if (along >= Math.floor(length / 2)) data.fill(200, pixel * 3, pixel * 3 + 3)
  }
  return { data, width, height, channels: 3 }
}

const drawn = (samples: Samples): Promise<string> =>
  put(folder, `${samples.width}x${samples.height}.png`, fromSamples(samples).png())

/** A picture after a round trip through a format. */
async function throughFormat(path: string, format: string): Promise<Samples> {
  const { paths } = await run(convert, folder, [path], { format })
  return readRgba((await run(convert, folder, paths, { format: 'png' })).paths[0]!)
}

/**
 * The limits are the formats' own, from their standards and libraries, not read from the table that is tested; then the
 * thickness of the line. icodec, which writes HEIC where heif-enc is missing, needs 32 px.
 */
const LIMITS = [
  ['jpg', 65_500, 'JPG', 1],
  ['webp', 16_383, 'WEBP', 1],
  ['avif', 16_384, 'AVIF', 1],
  ['gif', 65_535, 'GIF', 1],
  ['heic', 16_888, 'HEIC', 32],
  ['heif', 16_888, 'HEIF', 32],
] as const

test.each(LIMITS)('%s supports sides of %i pixels', async (format, limit, name, thickness) => {
  for (const isTall of [false, true]) {
    const longest = await drawn(line(limit, isTall, thickness))
    const back = await throughFormat(longest, format)
    expect([back.width, back.height]).toEqual(isTall ? [thickness, limit] : [limit, thickness])
    expect(difference(back, await readRgba(longest)).mean).toBeLessThan(1)
  }
  const longer = line(limit + 1, false, thickness)
  await expect(run(convert, folder, [await drawn(longer)], { format })).rejects.toMatchObject({
    code: 'TARGET_UNREACHABLE',
    message: `${limit + 1}x${thickness}.png would be ${limit + 1} x ${thickness} pixels; ${name} holds at most ${limit} on a side`,
    hint: 'Make it smaller, or choose another format such as png.',
  })
})

test.each([
  ['tga', 65_535, /TGA picture has at most 65535 pixels on a side/, /PNG/],
  ['psd', 30_000, /PSD picture has at most 30000 pixels on a side/, /TIFF/],
] as const)('%s, which we write ourselves, names its limit of %i, too', async (format, limit, message, hint) => {
  const { names } = await run(convert, folder, [await drawn(line(limit, false))], { format })
  expect(names).toHaveLength(1)
  const longer = run(convert, folder, [await drawn(line(limit + 1, false))], { format })
  await expect(longer).rejects.toMatchObject({
    code: 'TARGET_UNREACHABLE',
    message: expect.stringMatching(message),
    hint: expect.stringMatching(hint),
  })
})

test.each(['jxl', 'png', 'tiff'] as const)('%s supports more than any of them', async (format) => {
  const long = await drawn(line(70_000, false))
  const back = await throughFormat(long, format)
  expect([back.width, back.height]).toEqual([70_000, 1])
  expect(difference(back, await readRgba(long)).mean).toBeLessThan(1)
  expect(IMAGE_FORMATS[format]).not.toHaveProperty('maxSide')
})

test.skipIf(!(await hasHeifEnc()))('heif-enc writes the longest picture with one pixel on the other side', async () => {
  for (const isTall of [false, true]) {
    const longest = await drawn(line(16_888, isTall))
    const back = await throughFormat(longest, 'heic')
    expect([back.width, back.height]).toEqual(isTall ? [1, 16_888] : [16_888, 1])
    expect(difference(back, await readRgba(longest)).mean).toBeLessThan(1)
  }
})

test('icodec, used without heif-enc, reports sizes that it cannot write', async () => {
  const pixels = (width: number) => ({ data: Buffer.alloc(width * 3, 60), width, height: 1, channels: 3 as const })
  expect((await encodeHeic(pixels(4216), 50)).subarray(4, 12).toString()).toBe('ftypheic')
  await expect(encodeHeic(pixels(4217), 50)).rejects.toMatchObject({
    code: 'TARGET_UNREACHABLE',
    message: expect.stringMatching(/4217 x 1 pixels; .* at most 4216/),
    hint: expect.stringContaining('heif-enc'),
  })
})
