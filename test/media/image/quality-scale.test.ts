import { statSync } from 'node:fs'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { openMediaFile } from '../../../src/media/file.ts'
import { decodeImage } from '../../../src/media/image/decode/decode.ts'
import { encodeToBuffer } from '../../../src/media/image/encode/encode.ts'
import { encoderQuality, statedQuality } from '../../../src/media/image/encode/quality-scale.ts'
import compress from '../../../tools/image/convert/compress.ts'
import convert from '../../../tools/image/convert/convert.ts'
import { fromSamples, photo, put } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const QUALITIES = Array.from({ length: 100 }, (_, index) => index + 1)

test("the scale of AVIF rises from 1 to 100, and others are their encoders' own", () => {
  const requested = QUALITIES.map((quality) => encoderQuality('avif', quality))
  expect(requested).toEqual(requested.toSorted((one, other) => one - other))
  expect([requested[0], requested[49], requested[79], requested[99]]).toEqual([1, 50, 65, 100])
  expect(QUALITIES.map((quality) => encoderQuality('webp', quality))).toEqual(QUALITIES)
})

test('the reported quality gives at most the written size, and no other is closer', () => {
  for (const format of ['avif', 'jxl'])
    for (const requested of QUALITIES) {
      const quality = statedQuality(format, requested)
      expect(encoderQuality(format, quality)).toBeLessThanOrEqual(requested)
      if (quality < 100) expect(encoderQuality(format, quality + 1)).toBeGreaterThan(requested)
    }
})

const samplesOf = (path: string): Promise<Buffer> => sharp(path).removeAlpha().raw().toBuffer()

/** Mean squared error of 8 bit samples. */
function meanError(one: Buffer, other: Buffer): number {
  let sum = 0
  for (let index = 0; index < one.length; index += 1) sum += (one[index]! - other[index]!) ** 2
  return sum / one.length
}

test('at one quality AVIF looks like JPEG with fewer bytes', async () => {
  const source = await put(folder, 'photo.png', fromSamples(photo(320, 240)).png())
  const original = await samplesOf(source)
  const made = async (format: 'jpg' | 'avif') => {
    const { paths } = await run(convert, folder, [source], { format, quality: 80 })
    return { bytes: statSync(paths[0]!).size, error: meanError(original, await samplesOf(paths[0]!)) }
  }
  const [jpeg, avif] = [await made('jpg'), await made('avif')]
  expect(avif.bytes).toBeLessThan(0.7 * jpeg.bytes)
  expect(avif.error / jpeg.error).toBeGreaterThan(0.7)
  expect(avif.error / jpeg.error).toBeLessThan(1.4)
})

test('the quality reported by compress gives at most the same size', async () => {
  const source = await put(folder, 'photo.avif', fromSamples(photo(128, 96)).avif({ quality: 100, effort: 0 }))
  const { paths, report } = await run(compress, folder, [source], { mode: 'targetSize', targetSizeKb: 3 })
  const { quality } = report as { quality: number }
  const again = await run(compress, folder, [source], { mode: 'quality', quality })
  expect(statSync(again.paths[0]!).size).toBeLessThanOrEqual(statSync(paths[0]!).size)
  expect(statSync(again.paths[0]!).size).toBeGreaterThan(0.8 * statSync(paths[0]!).size)
})

test('reports a requested quality unchanged', async () => {
  const source = await put(folder, 'asked.avif', fromSamples(photo(64, 48)).avif({ quality: 100, effort: 0 }))
  for (const quality of [61, 62, 90])
    expect((await run(compress, folder, [source], { quality })).report).toMatchObject({ quality })
})

test('lossless AVIF is lossless', async () => {
  const source = await put(folder, 'exact.png', fromSamples(photo(64, 48)).png())
  const frame = await decodeImage(await openMediaFile(source))
  const bytes = await encodeToBuffer(frame.withTarget({ format: 'avif', lossless: true }))
  expect(await sharp(bytes).removeAlpha().raw().toBuffer()).toEqual(await samplesOf(source))
})
