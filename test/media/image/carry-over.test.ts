/** Metadata that sharp does not copy: it is written nevertheless, or the output's warning names it. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { hasExiftool, readTags } from '../../../src/engines/exiftool.ts'
import { jpegSegments } from '../../../src/media/codecs/jpeg/jpeg-segments.ts'
import { pngChunk } from '../../../src/media/codecs/png-chunks.ts'
import { encodeImage } from '../../../src/media/image/encode/encode.ts'
import { iptcSegment } from '../../../src/media/image/metadata/iptc.ts'
import pixelate from '../../../tools/image/colour/pixelate.ts'
import convert from '../../../tools/image/convert/convert.ts'
import resize from '../../../tools/image/geometry/resize.ts'
import { exifBlock, jpegWithExif } from '../../helpers/exif.ts'
import { frameOf, fromSamples, photo, png16, put, ramp16 } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** A dataset of IIM with a text in UTF-8. */
function dataset(record: number, number: number, text: string): Buffer {
  const value = Buffer.from(text, 'utf8')
  return Buffer.concat([Buffer.from([0x1c, record, number, 0, value.length]), value])
}

const RECORDS = Buffer.concat([dataset(1, 90, '\x1b%G'), dataset(2, 80, 'Юлия'), dataset(2, 25, 'harbour')])

const plainJpeg = () => fromSamples(photo(40, 30)).jpeg().toBuffer()

async function withIptc(name: string): Promise<string> {
  const jpeg = await plainJpeg()
  return put(folder, name, Buffer.concat([jpeg.subarray(0, 2), iptcSegment(RECORDS)!, jpeg.subarray(2)]))
}

/** A PNG with a text chunk of every kind. */
async function withTexts(): Promise<string> {
  const png = await fromSamples(photo(40, 30)).png().toBuffer()
  const chunks = [
    pngChunk('tEXt', Buffer.from('Author\0Ada', 'latin1')),
    pngChunk('zTXt', Buffer.concat([Buffer.from('parameters\0\0', 'latin1'), deflateSync('a cat')])),
    pngChunk('iTXt', Buffer.from('Comment\0\0\0\0\0Юлия', 'utf8')),
  ]
  return put(folder, 'texts.png', Buffer.concat([png.subarray(0, 33), ...chunks, png.subarray(33)]))
}

describe.skipIf(!(await hasExiftool()))('IPTC', () => {
  const KEPT = { 'IPTC:By-line': 'Юлия', 'IPTC:Keywords': 'harbour' }

  test('is kept if pixels are computed', async () => {
    const { paths, warnings } = await run(pixelate, folder, [await withIptc('computed.jpg')], {})
    expect((await readTags(paths, { scope: 'descriptive' }))[0]).toMatchObject(KEPT)
    expect(warnings).toEqual([])
  })

  test.each(['png', 'tiff'])('is kept in %s', async (format) => {
    const { paths, warnings } = await run(convert, folder, [await withIptc('kept.jpg')], { format })
    expect((await readTags(paths, { scope: 'descriptive' }))[0]).toMatchObject(KEPT)
    expect(warnings).toEqual([])
  })
})

test('reports IPTC that a format does not support, unless XMP has the same', async () => {
  const path = await withIptc('named.jpg')
  const webp = await run(convert, folder, [path], { format: 'webp' })
  expect(webp.warnings).toEqual(['WEBP holds no IPTC: the author and keywords of named.jpg are left out'])
  const packet =
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator>Юлия</dc:creator><dc:subject>harbour</dc:subject></rdf:Description></rdf:RDF></x:xmpmeta>'
  const said = await put(folder, 'said.jpg', await sharp(path).keepMetadata().withXmp(packet).jpeg().toBuffer())
  expect((await sharp(said).metadata()).iptc).toBeDefined()
  expect((await run(convert, folder, [said], { format: 'webp' })).warnings).toEqual([])
})

test('GIF reports the EXIF that it does not support', async () => {
  const path = await put(folder, 'exif.jpg', jpegWithExif(await plainJpeg(), exifBlock()))
  const { warnings } = await run(convert, folder, [path], { format: 'gif' })
  expect(warnings).toEqual(['GIF holds no EXIF: the place and author of exif.jpg are left out'])
})

test('keeps text chunks in PNG; other formats report them', async () => {
  const path = await withTexts()
  const { paths, warnings } = await run(resize, folder, [path], { width: 20 })
  expect((await sharp(paths[0]!).metadata()).comments).toEqual([
    { keyword: 'Author', text: 'Ada' },
    { keyword: 'parameters', text: 'a cat' },
    { keyword: 'Comment', text: 'Юлия' },
  ])
  expect(warnings).toEqual([])
  const webp = await run(convert, folder, [path], { format: 'webp' })
  expect(webp.warnings).toEqual(['WEBP holds no text chunks: the comments of texts.png are left out'])
})

test('reports colours outside sRGB and print colours if the result is in sRGB', async () => {
  const p3 = await put(
    folder,
    'p3.jpg',
    await sharp(await plainJpeg())
      .withIccProfile('p3')
      .jpeg()
      .toBuffer(),
  )
  expect((await run(convert, folder, [p3], { format: 'webp' })).warnings).toEqual([])
  expect((await run(convert, folder, [p3], { format: 'gif' })).warnings).toEqual([
    expect.stringMatching(/^p3\.jpg has the colours of .*P3.*; the result is in sRGB/),
  ])
  const cmyk = await put(
    folder,
    'cmyk.jpg',
    await sharp(await plainJpeg())
      .toColourspace('cmyk')
      .jpeg()
      .toBuffer(),
  )
  expect((await run(convert, folder, [cmyk], { format: 'png' })).warnings).toEqual([
    'cmyk.jpg has colours for print (CMYK); the result is in sRGB, where some look different',
  ])
})

test('reports lost bits that the format could store', async () => {
  const deep = await put(folder, 'deep.png', await png16(ramp16(40, 30, 3)))
  expect((await run(resize, folder, [deep], { width: 20 })).warnings).toEqual([])
  const frame = await frameOf(deep)
  const eight = await frame.withPixels(await frame.pixels())
  const { loss } = await encodeImage(eight, join(folder, 'eight.png'))
  expect(loss).toBe('deep.png has 16 bits per channel; the result has 8')
})

test.each(['gif', 'webp', 'png'])('a picture without losses causes no warning in %s', async (format) => {
  const jpeg = await sharp(await plainJpeg())
    .withIccProfile('srgb')
    .withDensity(300)
    .jpeg()
    .toBuffer()
  const { warnings } = await run(convert, folder, [await put(folder, 'nothing.jpg', jpeg)], { format })
  expect(warnings).toEqual([])
})

describe('the comment of a JPEG', () => {
  const commented = async (text: string): Promise<string> => {
    const jpeg = await fromSamples(photo(40, 30)).jpeg().toBuffer()
    const body = Buffer.from(text)
    const head = Buffer.from([0xff, 0xfe, 0, body.length + 2])
    return put(folder, 'commented.jpg', Buffer.concat([jpeg.subarray(0, 2), head, body, jpeg.subarray(2)]))
  }

  test('is kept in a JPEG', async () => {
    const { paths, warnings } = await run(resize, folder, [await commented('The lake at dawn')], { width: 20 })
    const segments = jpegSegments(await readFile(paths[0]!))!
    const jpeg = await readFile(paths[0]!)
    const found = segments
      .filter(({ marker }) => marker === 0xfe)
      .map(({ at, end }) => jpeg.toString('utf8', at + 4, end))
    expect([found, warnings]).toEqual([['The lake at dawn'], []])
    expect((await sharp(paths[0]!).metadata()).width).toBe(20)
  })

  test('is reported if another format does not support it, unless it names a program', async () => {
    const said = await run(convert, folder, [await commented('The lake at dawn')], { format: 'webp' })
    expect(said.warnings).toEqual(['WEBP holds no JPEG comment: that of commented.jpg is left out'])
    const program = await run(convert, folder, [await commented('Created with GIMP')], { format: 'webp' })
    expect(program.warnings).toEqual([])
  })
})
