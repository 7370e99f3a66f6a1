import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import lqip from '../../../tools/image/convert/lqip-placeholder.ts'
import { exifBlock, jpegWithExif } from '../../helpers/exif.ts'
import {
  animation,
  at,
  CORPUS,
  difference,
  fromSamples,
  jpegWithProfile,
  photo,
  plain,
  put,
  quarters,
  readPixels,
  readRgba,
  swappedProfile,
} from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const picture = () => put(folder, 'photo.png', fromSamples(photo(320, 200)).png())

async function made(path: string, settings: Record<string, unknown> = {}) {
  const { paths, names, report } = await run(lqip, folder, [path], settings)
  return { path: paths[0]!, name: names[0]!, report, metadata: await sharp(paths[0]!).metadata() }
}

test('the report describes the file, and how to embed it', async () => {
  const { path, name, report, metadata } = await made(await picture())
  const bytes = await readFile(path)
  const dataUri = `data:image/webp;base64,${bytes.toString('base64')}`
  expect([name, metadata.format, metadata.width, metadata.height]).toEqual(['photo_lqip.webp', 'webp', 16, 10])
  expect(report).toEqual({
    dataUri,
    width: 16,
    height: 10,
    bytes: bytes.length,
    strategy: 'blur',
    html: `<img src="${dataUri}" width="16" height="10" alt="">`,
    css: `background-image: url("${dataUri}"); background-size: cover; background-position: center;`,
  })
  expect(bytes.length).toBeLessThan(300)
})

test('the height is proportional, and never 0', async () => {
  const tall = await put(folder, 'tall.png', plain(30, 300, '#ff0000').png())
  const flat = await put(folder, 'flat.png', plain(1000, 3, '#ff0000').png())
  expect((await made(tall, { width: 4 })).report).toMatchObject({ width: 4, height: 40 })
  expect((await made(flat, { width: 64 })).report).toMatchObject({ width: 64, height: 1 })
})

test('formats', async () => {
  for (const [format, name, read] of [
    ['png', 'photo_lqip.png', 'png'],
    ['jpeg', 'photo_lqip.jpg', 'jpeg'],
    ['jpg', 'photo_lqip.jpg', 'jpeg'],
  ]) {
    const result = await made(await picture(), { format })
    expect([result.name, result.metadata.format]).toEqual([name, read])
    expect(String(result.report.dataUri)).toMatch(new RegExp(`^data:image/${read};base64,`))
  }
})

test('blur applies to the small picture; 0 disables it', async () => {
  const source = await picture()
  const small = await sharp(source).resize(16, 10, { fit: 'fill' }).png().toBuffer()
  for (const blur of [0, 2, 20]) {
    const wanted = blur === 0 ? small : await sharp(small).blur(blur).png().toBuffer()
    const { path } = await made(source, { blur, format: 'png' })
    expect(difference(await readRgba(path), await readRgba(wanted)).most, String(blur)).toBeLessThanOrEqual(1)
  }
  expect((await made(source, { blur: 0.1, format: 'png' })).report.width).toBe(16)
})

test('pixelate keeps pixels', async () => {
  const { path } = await made(await put(folder, 'four.png', await quarters(64, 64)), {
    strategy: 'pixelate',
    width: 4,
    format: 'png',
  })
  const pixels = await readPixels(path)
  expect([at(pixels, 1, 1), at(pixels, 2, 1), at(pixels, 1, 2), at(pixels, 2, 2)]).toEqual([
    [255, 0, 0],
    [0, 255, 0],
    [0, 0, 255],
    [255, 255, 255],
  ])
})

test('solid is a square of the mean colour', async () => {
  const source = await picture()
  const { data } = await readPixels(source)
  const mean = [0, 1, 2].map((channel) => {
    let sum = 0
    for (let index = channel; index < data.length; index += 3) sum += data[index]!
    return (sum * 3) / data.length
  })
  const { path, report } = await made(source, { strategy: 'solid', width: 5, format: 'png' })
  expect(report).toMatchObject({ width: 5, height: 5, strategy: 'solid' })
  const pixels = await readPixels(path)
  expect(
    new Set(Array.from({ length: 25 }, (_, index) => at(pixels, index % 5, Math.floor(index / 5)).join())).size,
  ).toBe(1)
  for (const [channel, value] of at(pixels, 0, 0).entries())
    expect(Math.abs(value - mean[channel]!), String(channel)).toBeLessThan(1)
})

test('the mean ignores transparent pixels, and its alpha is the mean alpha', async () => {
  const half = plain(40, 40, '#00000000').composite([
    { input: await plain(20, 40, '#ff8000').png().toBuffer(), left: 0, top: 0 },
  ])
  const { path } = await made(await put(folder, 'half.png', half.png()), { strategy: 'solid', format: 'png' })
  const [r, g, b, alpha] = at(await readRgba(path), 3, 3) as [number, number, number, number]
  expect([r, g, b]).toEqual([255, 128, 0])
  expect(Math.abs(alpha - 128)).toBeLessThanOrEqual(2)
})

test('is upright, in the displayed colours, without metadata', async () => {
  const jpeg = await sharp(await quarters(64, 48))
    .jpeg({ quality: 100 })
    .toBuffer()
  const path = await put(folder, 'full.jpg', jpegWithExif(jpegWithProfile(jpeg, swappedProfile()), exifBlock(6)))
  for (const strategy of ['blur', 'pixelate']) {
    const result = await made(path, { strategy, width: 12, blur: 0, format: 'png' })
    expect(result.report).toMatchObject({ width: 12, height: 16 })
    expect([result.metadata.exif, result.metadata.icc]).toEqual([undefined, undefined])
    const [r, g] = at(await readPixels(result.path), 10, 1) as [number, number]
    expect([r < 60, g > 200], strategy).toEqual([true, true])
  }
})

test('grey, CMYK and animated pictures', async () => {
  const grey = await put(
    folder,
    'grey.png',
    fromSamples(photo(40, 40, 1))
      .toColourspace('b-w')
      .png(),
  )
  const [r, g, b] = at(await readRgba((await made(grey, { strategy: 'solid', format: 'png' })).path), 1, 1)
  expect([r === g, g === b]).toEqual([true, true])
  const inks = await put(folder, 'inks.jpg', plain(32, 32, '#20a040').toColourspace('cmyk').jpeg({ quality: 95 }))
  const seen = at(await readRgba(inks), 5, 5)
  const solid = at(await readRgba((await made(inks, { strategy: 'solid', format: 'png' })).path), 5, 5)
  for (const [channel, value] of solid.entries()) expect(Math.abs(value - seen[channel]!)).toBeLessThan(6)
  const moving = await animation(join(folder, 'move.gif'), ['#ff0000', '#00ff00'])
  expect(at(await readRgba((await made(moving, { format: 'png' })).path), 3, 3)).toEqual([255, 0, 0])
})

test('refuses a picture of extreme shape', async () => {
  const path = await put(folder, 'thread.png', plain(1, 5000, '#ff0000').png())
  await expect(made(path, { width: 64 })).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
})

test.skipIf(!existsSync(CORPUS))('a photo', async () => {
  const { report } = await made(join(CORPUS, 'photos/landscape-2725x2225.jpg'))
  expect(report).toMatchObject({ width: 16, height: 13 })
})
