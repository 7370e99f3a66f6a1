import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { hasExiftool } from '../../../src/engines/exiftool.ts'
import { hasPreview, withoutPreviews } from '../../../src/media/image/decode/previews.ts'
import { encodeImage } from '../../../src/media/image/encode/encode.ts'
import pixelate from '../../../tools/image/colour/pixelate.ts'
import convert from '../../../tools/image/convert/convert.ts'
import crop from '../../../tools/image/geometry/crop.ts'
import resize from '../../../tools/image/geometry/resize.ts'
import stripMetadata from '../../../tools/image/metadata/strip-metadata.ts'
import { ARTIST, exifBlock, GPS_DATUM, jpegWithExif } from '../../helpers/exif.ts'
import { frameOf, put } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** A colour that only occurs in the thumbnail. */
const SECRET = { r: 255, g: 0, b: 255 }
const MARK = 'THUMBNAIL-MARK'

/** A thumbnail with its own author tag. */
async function thumbnail(): Promise<Buffer> {
  const small = await sharp({ create: { width: 16, height: 16, channels: 3, background: SECRET } })
    .jpeg()
    .toBuffer()
  return jpegWithExif(small, Buffer.concat([exifBlock(), Buffer.from(MARK)]))
}

/** The EXIF block of the helpers with a second directory that contains a thumbnail. */
async function exifWithThumbnail(): Promise<Buffer> {
  const block = exifBlock()
  const jpeg = await thumbnail()
  const link = 8 + 2 + block.readUInt16LE(8) * 12
  const at = block.length
  const second = Buffer.alloc(2 + 3 * 12 + 4)
  second.writeUInt16LE(3, 0)
  const rows = [
    [0x0103, 3, 6],
    [0x0201, 4, at + second.length],
    [0x0202, 4, jpeg.length],
  ] as const
  for (const [index, [tag, type, value]] of rows.entries()) {
    second.writeUInt16LE(tag, 2 + index * 12)
    second.writeUInt16LE(type, 4 + index * 12)
    second.writeUInt32LE(1, 6 + index * 12)
    second.writeUInt32LE(value, 10 + index * 12)
  }
  const whole = Buffer.concat([block, second, jpeg])
  whole.writeUInt32LE(at, link)
  return whole
}

async function photo(): Promise<string> {
  const plain = await sharp({ create: { width: 64, height: 48, channels: 3, background: '#336699' } })
    .jpeg()
    .toBuffer()
  return put(folder, 'photo.jpg', jpegWithExif(plain, await exifWithThumbnail()))
}

const says = (bytes: Buffer, word: string): boolean => bytes.includes(Buffer.from(word))

test('the sample has a thumbnail with its own text', async () => {
  const bytes = await readFile(await photo())
  expect(says(bytes, MARK)).toBe(true)
  expect(hasPreview(await sharp(bytes).metadata())).toBe(true)
})

describe('a change of pixels removes the thumbnail and keeps the rest', () => {
  test.each([
    ['pixelate', pixelate, {}],
    ['crop', crop, { left: 0, top: 0, width: 20, height: 20 }],
    ['resize', resize, { width: 32 }],
    ['resize to webp', convert, { format: 'webp' }, resize],
  ] as const)('%s', async (_name, tool, settings, before?: typeof resize) => {
    const source = before ? (await run(before, folder, [await photo()], { width: 40 })).paths[0]! : await photo()
    const { paths } = await run(tool, folder, [source], settings)
    const bytes = await readFile(paths[0]!)
    expect(says(bytes, MARK)).toBe(false)
    const metadata = await sharp(bytes).metadata()
    expect(hasPreview(metadata)).toBe(false)
    expect(says(metadata.exif!, ARTIST)).toBe(true)
    expect(says(metadata.exif!, GPS_DATUM)).toBe(true)
  })

  test.each(['png', 'webp', 'avif', 'jpg'])('into %s', async (format) => {
    const small = sharp(await photo())
      .resize(20)
      .keepMetadata()
    const bytes = await small.toFormat(format as 'png').toBuffer()
    const blanked = await withoutPreviews(Buffer.from(bytes))
    expect(blanked.length).toBe(bytes.length)
    expect(says(blanked, MARK)).toBe(false)
    const metadata = await sharp(blanked).metadata()
    expect(says(metadata.exif!, ARTIST)).toBe(true)
    expect(await sharp(blanked).raw().toBuffer()).toEqual(await sharp(bytes).raw().toBuffer())
  })
})

/** A JPEG whose Photoshop resources contain a thumbnail. */
async function photoshopped(): Promise<string> {
  const plain = await sharp({ create: { width: 64, height: 48, channels: 3, background: '#336699' } })
    .jpeg()
    .toBuffer()
  const resource = Buffer.concat([Buffer.alloc(28), await thumbnail()])
  const head = Buffer.from('8BIM\x04\x0c\0\0\0\0\0\0', 'latin1')
  head.writeUInt32BE(resource.length, 8)
  const body = Buffer.concat([
    Buffer.from('Photoshop 3.0\0', 'latin1'),
    head,
    resource,
    Buffer.alloc(resource.length % 2),
  ])
  const marker = Buffer.from([0xff, 0xed, (body.length + 2) >> 8, (body.length + 2) & 255])
  return put(folder, 'photoshop.jpg', Buffer.concat([plain.subarray(0, 2), marker, body, plain.subarray(2)]))
}

test.each(['png', 'tiff', 'webp', 'jpg'] as const)('removes a thumbnail compressed by %s', async (format) => {
  const source = await photoshopped()
  expect(hasPreview(await sharp(source).metadata())).toBe(true)
  const frame = await (await frameOf(source)).apply((image) => image.blur(3))
  const path = join(folder, `packed.${format}`)
  await encodeImage(frame.withTarget({ format }), path)
  const bytes = await readFile(path)
  expect(hasPreview(await sharp(bytes).metadata())).toBe(false)
  expect(says(bytes, MARK)).toBe(false)
  expect(await sharp(bytes).metadata()).toMatchObject({ width: 64, height: 48 })
  // Nor is it anywhere in hexadecimal.
  expect(bytes.toString('latin1').toLowerCase()).not.toContain(Buffer.from(MARK).toString('hex'))
})

test('formats without metadata have no thumbnail', async () => {
  for (const format of ['qoi', 'bmp'] as const) {
    const frame = await (await frameOf(await photo())).apply((image) => image.blur(3))
    const path = join(folder, `bare.${format}`)
    await encodeImage(frame.withTarget({ format }), path)
    expect(says(await readFile(path), MARK)).toBe(false)
  }
})

test('a format conversion without changes keeps its thumbnail', async () => {
  const { paths } = await run(convert, folder, [await photo()], { format: 'webp' })
  expect(says(await readFile(paths[0]!), MARK)).toBe(true)
})

test.skipIf(!(await hasExiftool()))('the thumbnail loses removed coordinates, too', async () => {
  const { paths } = await run(stripMetadata, folder, [await photo()], { stripAll: false, stripGps: true })
  const bytes = await readFile(paths[0]!)
  expect(says(bytes, GPS_DATUM)).toBe(false)
  expect(says(bytes, MARK)).toBe(false)
  expect(says(bytes, ARTIST)).toBe(true)
})

test('removes thumbnails in Photoshop resources and XMP packets', async () => {
  const resource = (id: number, data: Buffer): Buffer => {
    const head = Buffer.from('8BIM\0\0\0\0\0\0\0\0', 'latin1')
    head.writeUInt16BE(id, 4)
    head.writeUInt32BE(data.length, 8)
    return Buffer.concat([head, data, Buffer.alloc(data.length % 2)])
  }
  const iptc = Buffer.concat([resource(1036, Buffer.from(MARK)), resource(1028, Buffer.from('kept-words'))])
  const xmp = Buffer.from(
    `<x><xmp:Thumbnails a="b"><rdf:Alt>${MARK}</rdf:Alt></xmp:Thumbnails><dc:title>kept</dc:title></x>`,
  )
  expect(hasPreview({ iptc })).toBe(true)
  expect(hasPreview({ xmp })).toBe(true)
  expect(hasPreview({ iptc: resource(1028, Buffer.from('x')), xmp: Buffer.from('<x/>') })).toBe(false)
})

test.each([0, 3, 9, 13, 40])('reads a block that ends after %i bytes safely', async (length) => {
  const block = (await exifWithThumbnail()).subarray(0, length)
  expect(() => hasPreview({ exif: block, iptc: block, xmp: block })).not.toThrow()
})

test('random changes of a block never throw', async () => {
  const block = await exifWithThumbnail()
  for (let seed = 1; seed < 2000; seed += 1) {
    const bent = Buffer.from(block)
    for (let change = 0; change < 4; change += 1)
      bent[(seed * 7919 + change * 104729) % 160] = (seed * 31 + change * 17) & 255
    expect(() => hasPreview({ exif: bent, iptc: bent })).not.toThrow()
  }
})
