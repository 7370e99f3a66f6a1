import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { heifEnc } from '../../../src/engines/pictures/heif-enc.ts'
import { runnable } from '../../../src/pipeline/run/run-alone.ts'
import convert from '../../../tools/image/convert/convert.ts'
import toBase64 from '../../../tools/image/convert/image-to-base64.ts'
import { exifBlock, jpegWithExif } from '../../helpers/exif.ts'
import { animation, at, CORPUS, fromSamples, photo, plain, put, quarters, readRgba } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

interface Result {
  filename: string
  mimeType: string
  width: number
  height: number
  originalSize: number
  encodedSize: number
  overheadPercent: number
  base64: string
  dataUri: string
  data: string
}

async function made(paths: string[], settings: Record<string, unknown> = {}) {
  const { report, warnings } = await run(toBase64, folder, paths, settings)
  const { results, errors } = report as { results: Result[]; errors: { filename: string; error: string }[] }
  return { results, errors, warnings, bytes: results.map(({ base64 }) => Buffer.from(base64, 'base64')) }
}

const SVG = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="100" height="50"><rect width="50" height="50"/></svg>',
)

test('keeps the bytes; reports correct numbers', async () => {
  const path = await put(folder, 'photo.png', fromSamples(photo(64, 40)).png())
  const original = await readFile(path)
  const { results, bytes, errors } = await made([path])
  expect(bytes[0]!.equals(original)).toBe(true)
  const base64 = original.toString('base64')
  expect([results, errors]).toEqual([
    [
      {
        filename: 'photo.png',
        mimeType: 'image/png',
        width: 64,
        height: 40,
        originalSize: original.length,
        encodedSize: base64.length,
        overheadPercent: Number((((base64.length - original.length) / original.length) * 100).toFixed(1)),
        base64,
        dataUri: `data:image/png;base64,${base64}`,
        data: `data:image/png;base64,${base64}`,
      },
    ],
    [],
  ])
  const plainText = await made([path], { format: 'plain' })
  expect(plainText.results[0]!.data).toBe(base64)
})

test('a drawing, compressed or not, is kept as text', async () => {
  const { results, bytes } = await made([await put(folder, 'a.svg', SVG), await put(folder, 'b.svgz', gzipSync(SVG))])
  for (const [index, one] of bytes.entries()) {
    expect(one.equals(SVG)).toBe(true)
    expect(results[index]).toMatchObject({ mimeType: 'image/svg+xml', width: 100, height: 50 })
  }
})

// The encoder in WebAssembly writes an alpha plane, which JPEG cannot keep.
test.skipIf((await heifEnc.probe()).source !== 'path')('HEIC becomes JPEG', async () => {
  const png = await put(folder, 'camera.png', fromSamples(photo(64, 48)).png())
  const heic = (await run(convert, folder, [png], { format: 'heic' })).paths[0]!
  const { results, bytes } = await made([heic])
  expect(results[0]).toMatchObject({ filename: 'camera.heic', mimeType: 'image/jpeg', width: 64, height: 48 })
  expect((await sharp(bytes[0]!).metadata()).format).toBe('jpeg')
})

test.each([
  [{ outputFormat: 'jpeg' }, 'image/jpeg', 'jpeg'],
  [{ outputFormat: 'jpg' }, 'image/jpeg', 'jpeg'],
  [{ mimeType: 'image/webp' }, 'image/webp', 'webp'],
  [{ mimeType: 'image/avif', outputFormat: 'avif' }, 'image/avif', 'heif'],
  [{ outputFormat: 'png' }, 'image/png', 'png'],
])('%j', async (settings, mimeType, format) => {
  const path = await put(folder, 'again.webp', fromSamples(photo(40, 30)).webp())
  const { results, bytes } = await made([path], settings)
  expect(results[0]).toMatchObject({ mimeType, width: 40, height: 30 })
  expect(results[0]!.dataUri.startsWith(`data:${mimeType};base64,`)).toBe(true)
  expect((await sharp(bytes[0]!).metadata()).format).toBe(format)
})

test('quality determines the size', async () => {
  const path = await put(folder, 'quality.png', fromSamples(photo(200, 150)).png())
  const sizes: number[] = []
  for (const quality of [1, 50, 100])
    sizes.push((await made([path], { outputFormat: 'jpeg', quality })).results[0]!.encodedSize)
  expect([...sizes].sort((a, b) => a - b)).toEqual(sizes)
  expect(new Set(sizes).size).toBe(3)
})

test('the size cap reduces, never enlarges, and keeps the type', async () => {
  const path = await put(folder, 'cap.jpg', fromSamples(photo(100, 50)).jpeg())
  const small = await made([path], { maxWidth: 40 })
  expect(small.results[0]).toMatchObject({ mimeType: 'image/jpeg', width: 40, height: 20 })
  expect(await sharp(small.bytes[0]!).metadata()).toMatchObject({ format: 'jpeg', width: 40, height: 20 })
  expect((await made([path], { maxHeight: 10, maxWidth: 90 })).results[0]).toMatchObject({ width: 20, height: 10 })
  const same = await made([path], { maxWidth: 100, maxHeight: 50 })
  expect(same.bytes[0]!.equals(await readFile(path))).toBe(true)
})

test('draws a large drawing at that size', async () => {
  const { results, bytes } = await made([await put(folder, 'c.svg', SVG)], { maxWidth: 20 })
  expect(results[0]).toMatchObject({ mimeType: 'image/png', width: 20, height: 10 })
  const pixels = await readRgba(bytes[0]!)
  expect([at(pixels, 9, 5), at(pixels, 10, 5)[3]]).toEqual([[0, 0, 0], 0])
})

test('width and height are the displayed ones', async () => {
  const jpeg = await sharp(await quarters(64, 48))
    .jpeg()
    .toBuffer()
  const path = await put(folder, 'turned.jpg', jpegWithExif(jpeg, exifBlock(6)))
  const whole = await made([path])
  expect([whole.results[0]!.width, whole.results[0]!.height, whole.bytes[0]!.equals(await readFile(path))]).toEqual([
    48,
    64,
    true,
  ])
  const small = await made([path], { maxWidth: 24 })
  expect(await sharp(small.bytes[0]!).metadata()).toMatchObject({ width: 24, height: 32, orientation: 1 })
})

test('an animation stays one', async () => {
  const path = await animation(join(folder, 'move.gif'), ['#ff0000', '#00ff00', '#0000ff'])
  expect((await made([path])).bytes[0]!.equals(await readFile(path))).toBe(true)
  const { bytes, results } = await made([path], { maxWidth: 20 })
  expect(results[0]).toMatchObject({ mimeType: 'image/gif', width: 20, height: 12 })
  expect((await sharp(bytes[0]!, { animated: true }).metadata()).pages).toBe(3)
})

test('a transparent background becomes white in JPEG', async () => {
  const path = await put(folder, 'clear.png', plain(8, 8, '#ff000000').png())
  const { bytes } = await made([path], { outputFormat: 'jpeg' })
  expect(at(await readRgba(bytes[0]!), 4, 4)).toEqual([255, 255, 255])
})

test('an invalid file does not stop the others, in their order', async () => {
  const good = await put(folder, 'good.png', plain(4, 4, '#ff0000').png())
  const whole = await fromSamples(photo(200, 200)).jpeg().toBuffer()
  const bad = await put(folder, 'bad.jpg', whole.subarray(0, 150))
  const other = await put(folder, 'other.png', plain(5, 5, '#ff0000').png())
  const { results, errors, warnings } = await made([good, bad, other])
  expect(results.map(({ filename }) => filename)).toEqual(['good.png', 'other.png'])
  expect(errors).toEqual([{ filename: 'bad.jpg', error: expect.stringContaining('bad.jpg cannot be read') }])
  expect(warnings).toEqual([errors[0]!.error])
})

test('refuses two contradictory types', async () => {
  const path = await put(folder, 'two.png', plain(4, 4, '#ff0000').png())
  await expect(made([path], { mimeType: 'image/png', outputFormat: 'webp' })).rejects.toMatchObject({
    code: 'INVALID_SETTINGS',
  })
})

test('the command line prints only the texts', async () => {
  const paths = [
    await put(folder, 'one.png', plain(4, 4, '#ff0000').png()),
    await put(folder, 'two.png', plain(4, 4, '#00ff00').png()),
  ]
  const { openMediaFile } = await import('../../../src/media/file.ts')
  const job = {
    inputs: await Promise.all(paths.map((path) => openMediaFile(path))),
    secondary: {},
    signal: new AbortController().signal,
    scratch: async () => folder,
    output: async (name: string) => join(folder, name),
    progress: () => {},
    moreTime: () => {},
    warn: () => {},
  }
  const settings = { format: 'plain', outputFormat: 'original', quality: 80, maxWidth: 0, maxHeight: 0 }
  const { lines } = await runnable(toBase64).run(job, settings)
  expect(lines).toEqual(await Promise.all(paths.map((path) => readFile(path, 'base64'))))
})

test.skipIf(!existsSync(CORPUS))('a photo', async () => {
  const path = join(CORPUS, 'photos/iphone-img-5195.heic')
  const { results } = await made([path], { maxWidth: 100, outputFormat: 'webp' })
  expect(results[0]).toMatchObject({ width: 100, mimeType: 'image/webp' })
})
