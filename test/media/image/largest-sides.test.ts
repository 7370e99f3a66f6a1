/** The longest picture of each format is written and read back; one pixel more is refused with the limit and what to do. */
import { expect, test } from 'vitest'
import { encodeHeic } from '../../../src/engines/pictures/heif-enc.ts'
import { IMAGE_FORMATS } from '../../../src/media/image/formats.ts'
import convert from '../../../tools/image/convert/convert.ts'
import { difference, fromSamples, put, readRgba, type Samples } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** A line of one pixel: its first half dark, its second half light. */
function line(length: number, isTall: boolean): Samples & { data: Uint8Array } {
  const data = new Uint8Array(length * 3).fill(60)
  data.fill(200, Math.floor(length / 2) * 3)
  return { data, width: isTall ? 1 : length, height: isTall ? length : 1, channels: 3 }
}

const drawn = (samples: Samples): Promise<string> =>
  put(folder, `${samples.width}x${samples.height}.png`, fromSamples(samples).png())

/** A picture after it was written in a format and read again. */
async function throughFormat(path: string, format: string): Promise<Samples> {
  const { paths } = await run(convert, folder, [path], { format })
  return readRgba((await run(convert, folder, paths, { format: 'png' })).paths[0]!)
}

/** The numbers are the formats' own, from their standards and libraries, not read from the table that is tested. */
const LIMITS = [
  ['jpg', 65_500, 'JPG'],
  ['webp', 16_383, 'WEBP'],
  ['avif', 16_384, 'AVIF'],
  ['gif', 65_535, 'GIF'],
  ['heic', 16_888, 'HEIC'],
  ['heif', 16_888, 'HEIF'],
] as const

test.each(LIMITS)('%s holds %i pixels on a side', async (format, limit, name) => {
  for (const isTall of [false, true]) {
    const longest = await drawn(line(limit, isTall))
    const back = await throughFormat(longest, format)
    expect([back.width, back.height]).toEqual(isTall ? [1, limit] : [limit, 1])
    expect(difference(back, await readRgba(longest)).mean).toBeLessThan(1)
  }
  const longer = line(limit + 1, false)
  await expect(run(convert, folder, [await drawn(longer)], { format })).rejects.toMatchObject({
    code: 'TARGET_UNREACHABLE',
    message: `${limit + 1}x1.png would be ${limit + 1} x 1 pixels; ${name} holds at most ${limit} on a side`,
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

test.each(['jxl', 'png', 'tiff'] as const)('%s holds more than any of them', async (format) => {
  const long = await drawn(line(70_000, false))
  const back = await throughFormat(long, format)
  expect([back.width, back.height]).toEqual([70_000, 1])
  expect(difference(back, await readRgba(long)).mean).toBeLessThan(1)
  expect(IMAGE_FORMATS[format]).not.toHaveProperty('maxSide')
})

test('icodec, where heif-enc is missing, names what it cannot write', async () => {
  const pixels = (width: number) => ({ data: Buffer.alloc(width * 3, 60), width, height: 1, channels: 3 as const })
  expect((await encodeHeic(pixels(4216), 50)).subarray(4, 12).toString()).toBe('ftypheic')
  await expect(encodeHeic(pixels(4217), 50)).rejects.toMatchObject({
    code: 'TARGET_UNREACHABLE',
    message: expect.stringMatching(/4217 x 1 pixels; .* at most 4216/),
    hint: expect.stringContaining('heif-enc'),
  })
})
