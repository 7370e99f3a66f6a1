import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp, { type JpegOptions } from 'sharp'
import { expect, test } from 'vitest'
import { jpegFileQuality } from '../../../src/media/codecs/jpeg/jpeg-quality.ts'
import optimizeForWeb from '../../../tools/image/convert/optimize-for-web.ts'
import crop from '../../../tools/image/geometry/crop.ts'
import upscale from '../../../tools/image/restore/upscale.ts'
import { fromSamples, photo, put } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const picture = () => fromSamples(photo(96, 64))
const jpeg = (name: string, options: JpegOptions) => put(folder, name, picture().jpeg(options))
const AREA = { left: 0, top: 0, width: 64, height: 48 }

/** The result of an edit: the quality of its tables, and its chroma. */
async function edited(path: string): Promise<[number | undefined, string | undefined]> {
  const { paths } = await run(crop, folder, [path], AREA)
  return [await jpegFileQuality(paths[0]!), (await sharp(paths[0]!).metadata()).chromaSubsampling]
}

test.each([
  ['its own quality and chroma', { quality: 87, chromaSubsampling: '4:2:0' }, [87, '4:2:0']],
  ['full chroma stays', { quality: 85, chromaSubsampling: '4:4:4' }, [85, '4:4:4']],
  ['a poor one is not spoilt further', { quality: 30, chromaSubsampling: '4:2:0' }, [80, '4:2:0']],
  ['a perfect one is not blown up', { quality: 100, chromaSubsampling: '4:4:4' }, [95, '4:4:4']],
])('an edit keeps the quality of its JPEG: %s', async (_, options, expected) => {
  expect(await edited(await jpeg(`q${options.quality}.jpg`, options))).toEqual(expected)
})

test('finds the tables after a header longer than the first read', async () => {
  const plain = await picture().jpeg({ quality: 88 }).toBuffer()
  // Two comments of 60 KB each (FF FE).
  const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0xea, 0x62]), Buffer.alloc(60_000, 32)])
  const path = join(folder, 'long.jpg')
  await writeFile(path, Buffer.concat([plain.subarray(0, 2), comment, comment, plain.subarray(2)]))
  expect(await jpegFileQuality(path)).toBe(88)
})

test("estimates other programs' tables by their mean; a cut header has none", async () => {
  const whole = await picture().jpeg({ quality: 80, quantisationTable: 3 }).toBuffer()
  const path = join(folder, 'other.jpg')
  await writeFile(path, whole)
  // This table cuts fine detail more than the standard one of 80 does.
  expect(await jpegFileQuality(path)).toBe(69)
  await writeFile(path, whole.subarray(0, 40))
  expect(await jpegFileQuality(path)).toBeUndefined()
})

test.each([
  ['optimize-for-web takes the tables of MozJPEG', 80, 69],
  ['and the standard ones where they are better', 90, 90],
])('%s, %d', async (_, quality, tables) => {
  const path = await put(folder, 'drawn.png', picture().png())
  const { paths } = await run(optimizeForWeb, folder, [path], { format: 'jpeg', quality })
  expect(await jpegFileQuality(paths[0]!)).toBe(tables)
})

test('keeps a requested quality', async () => {
  const path = await jpeg('named.jpg', { quality: 85, chromaSubsampling: '4:2:0' })
  const { paths } = await run(upscale, folder, [path], { model: 'lanczos', quality: 95 })
  expect(await jpegFileQuality(paths[0]!)).toBe(95)
})
