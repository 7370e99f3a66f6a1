import { join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { expect, test } from 'vitest'
import { encodeImage } from '../../../src/media/image/encode/encode.ts'
import { ARTIST, exifBlock, jpegWithExif } from '../../helpers/exif.ts'
import {
  animation,
  frameOf,
  fromSamples,
  photo,
  png16,
  pngWithProfile,
  put,
  quarters,
  ramp16,
  read16,
  readPixels,
  swappedProfile,
} from '../../helpers/picture.ts'
import { temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** Every sample one step less, and written. */
async function lowered(input: string, output: string): Promise<string> {
  const frame = await frameOf(input)
  const samples = await frame.samples()
  const colours = samples.channels - (samples.channels % 2 === 0 ? 1 : 0)
  samples.data.forEach((value, index) => {
    if (index % samples.channels < colours) samples.data[index] = Math.max(0, value - 1)
  })
  const path = join(folder, output)
  await encodeImage(await frame.withSamples(samples), path)
  return path
}

test.each([3, 4] as const)('8 bit with %i channels', async (channels) => {
  const given = photo(30, 20, channels)
  const output = await lowered(await put(folder, 'in.png', fromSamples(given).png()), 'out.png')
  const wanted = given.data.map((value, index) => (index % channels < 3 ? Math.max(0, value - 1) : value))
  expect([...(await readPixels(output)).data]).toEqual([...wanted])
})

test.each([1, 3] as const)('16 bit with %i channels', async (channels) => {
  const given = ramp16(500, 2, channels)
  const output = await lowered(await put(folder, 'deep.png', await png16(given)), 'deepout.png')
  const found = await read16(output)
  expect(found.channels).toBe(channels)
  expect([...found.data]).toEqual([...given.data.map((value) => value - 1)])
})

test('the numbers of a profile are not converted, and it is kept', async () => {
  const own = await put(folder, 'own.png', pngWithProfile(await quarters(8, 8), swappedProfile()))
  const output = await lowered(own, 'ownout.png')
  expect((await sharp(output).metadata()).icc?.equals(swappedProfile())).toBe(true)
  expect([...(await readPixels(output)).data.subarray(0, 3)]).toEqual([254, 0, 0])
})

test('all frames of an animation, and only the first', async () => {
  const input = await animation(join(folder, 'moving.webp'), ['#101010', '#808080'], { delay: [60, 90], loop: 2 })
  const frame = await frameOf(input)
  const samples = await frame.samples()
  expect(samples).toMatchObject({ width: 40, height: 24, pages: 2 })
  samples.data.fill(7, 0, samples.data.length / 2)
  const changed = await frame.withSamples(samples)
  expect(changed).toMatchObject({ pages: 2, delays: [60, 90], loop: 2, height: 24 })
  const first = await (await changed.firstPage()).samples()
  expect([first.pages, new Set(first.data)]).toEqual([1, new Set([7])])
  const second = (await changed.samples()).data.subarray(samples.data.length / 2)
  expect(second[0]).toBe(0x80)
})

const KINDS: [string, () => Promise<Buffer>][] = [
  [
    'grey',
    () =>
      fromSamples(photo(9, 7, 1))
        .toColourspace('b-w')
        .png()
        .toBuffer(),
  ],
  [
    'grey with alpha',
    () =>
      fromSamples(photo(9, 7, 2))
        .toColourspace('b-w')
        .png()
        .toBuffer(),
  ],
  [
    'RGB',
    () =>
      fromSamples(photo(9, 7, 3))
        .png()
        .toBuffer(),
  ],
  [
    'RGB with alpha',
    () =>
      fromSamples(photo(9, 7, 4))
        .png()
        .toBuffer(),
  ],
  ['grey of 16 bit', () => png16(ramp16(9, 7, 1))],
  ['RGB of 16 bit', () => png16(ramp16(9, 7, 3))],
  ['RGB with a profile', async () => pngWithProfile(await quarters(9, 7), swappedProfile())],
]

test.each(KINDS)('computed pixels are the same for an encoder and for an operation: %s', async (name, make) => {
  const frame = await frameOf(await put(folder, `${name}.png`, await make()))
  const computed = await frame.withSamples(await frame.samples())
  const depth = computed.bits === 16 ? 'ushort' : 'uchar'
  const read = async (of: Promise<Sharp>) => (await of).raw({ depth }).toBuffer({ resolveWithObject: true })
  const [finished, open] = [await read(computed.pipeline({ isLast: true })), await read(computed.pipeline())]
  expect(finished.info).toEqual(open.info)
  expect(finished.data.equals(open.data)).toBe(true)
  expect(finished.data.equals((await read(frame.pipeline())).data)).toBe(true)
})

test('computed pixels keep EXIF and resolution, and can be cut and scaled', async () => {
  const jpeg = jpegWithExif(await fromSamples(photo(40, 30)).withDensity(144).jpeg().toBuffer(), exifBlock(6))
  const frame = await frameOf(await put(folder, 'exif.jpg', jpeg))
  const samples = await frame.samples()
  const computed = await frame.withSamples(samples)
  const whole = join(folder, 'whole.png')
  await encodeImage(computed.withTarget({ format: 'png' }), whole)
  const { width, height, exif, orientation } = await sharp(whole).metadata()
  expect([width, height, orientation, exif?.includes(ARTIST)]).toEqual([30, 40, 1, true])
  expect([...(await readPixels(whole)).data]).toEqual([...samples.data])
  const cut = await computed.apply((image) => image.extract({ left: 3, top: 5, width: 8, height: 6 }), {
    size: { width: 8, height: 6 },
  })
  const part = join(folder, 'part.png')
  await encodeImage(cut.withTarget({ format: 'png' }), part)
  expect((await sharp(part).metadata()).exif?.includes(ARTIST)).toBe(true)
  const first = (5 * 30 + 3) * 3
  expect([...(await readPixels(part)).data.subarray(0, 24)]).toEqual([...samples.data.subarray(first, first + 24)])
})
