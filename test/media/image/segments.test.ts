import { readFile, stat } from 'node:fs/promises'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { pngChunk } from '../../../src/media/codecs/png-chunks.ts'
import strip from '../../../tools/image/metadata/strip-metadata.ts'
import { ARTIST, exifBlock, GPS_DATUM, jpegWithExif, jpegWithXmp } from '../../helpers/exif.ts'
import { difference, fromSamples, photo, put, readPixels, readRgba } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const WORD = 'secret-source'
const XMP = `<x:xmpmeta xmlns:x="adobe:ns:meta/">${WORD}</x:xmpmeta>`
const SECRETS = [ARTIST, GPS_DATUM, WORD]
const bytesOf = async (path: string): Promise<number> => (await stat(path)).size
const picture = () => fromSamples(photo(160, 120))

/** A picture with EXIF, XMP and a profile of sRGB. */
const SOURCES: Record<string, () => Promise<Buffer>> = {
  jpg: async () => {
    const jpeg = await picture().withIccProfile('srgb').jpeg({ quality: 40, progressive: true }).toBuffer()
    const more = Buffer.from('\xff\xfe\x00\x0esecret-sourc', 'latin1')
    const tagged = jpegWithExif(jpegWithXmp(jpeg, WORD), exifBlock(6))
    return Buffer.concat([tagged.subarray(0, 2), more, tagged.subarray(2), Buffer.from(`behind the picture: ${WORD}`)])
  },
  png: async () => {
    const png = await picture()
      .withIccProfile('srgb')
      .withXmp(XMP)
      .png({ compressionLevel: 9, palette: true })
      .toBuffer()
    const eXIf = pngChunk('eXIf', exifBlock(6))
    const note = pngChunk('tEXt', Buffer.from(`Comment\0${WORD}`, 'latin1'))
    return Buffer.concat([png.subarray(0, 33), eXIf, note, png.subarray(33)])
  },
  webp: async () => {
    const exif = { IFD0: { Artist: ARTIST, Orientation: '6' }, IFD3: { GPSMapDatum: GPS_DATUM } }
    return picture()
      .withIccProfile('srgb')
      .withExif(exif)
      .withXmp(XMP)
      .withMetadata({ orientation: 6 })
      .webp({ quality: 30 })
      .toBuffer()
  },
}

test.each(Object.keys(SOURCES))(
  '%s: removes all, changes no pixel, shrinks the file and keeps the rotation',
  async (format) => {
    const source = await put(folder, `full.${format}`, await SOURCES[format]!())
    const { paths } = await run(strip, folder, [source])
    const bytes = await readFile(paths[0]!)
    expect(SECRETS.filter((secret) => bytes.includes(secret))).toEqual([])
    const { icc, xmp, iptc, exif, orientation } = await sharp(bytes).metadata()
    expect([icc, xmp, iptc, orientation]).toEqual([undefined, undefined, undefined, 6])
    // Only the one tag.
    expect(exif!.length).toBeLessThan(40)
    expect(await bytesOf(paths[0]!)).toBeLessThan(await bytesOf(source))
    expect(difference(await readPixels(bytes), await readPixels(source)).most).toBe(0)
    const turned = async (input: string) => readRgba(await sharp(input).autoOrient().png().toBuffer())
    expect(await turned(paths[0]!)).toMatchObject({ width: 120, height: 160 })
  },
)

test.each(Object.keys(SOURCES))('%s: removes single kinds and keeps the others', async (format) => {
  const source = await put(folder, `some.${format}`, await SOURCES[format]!())
  const before = await sharp(source).metadata()
  const { paths } = await run(strip, folder, [source], { stripAll: false, stripXmp: true })
  const after = await sharp(paths[0]!).metadata()
  expect([after.xmp, after.icc?.equals(before.icc!)]).toEqual([undefined, true])
  expect((await readFile(paths[0]!)).includes(ARTIST)).toBe(true)
  const noExif = await run(strip, folder, [source], { stripAll: false, stripExif: true })
  const bytes = await readFile(noExif.paths[0]!)
  expect([bytes.includes(ARTIST), bytes.includes(GPS_DATUM), bytes.includes(WORD)]).toEqual([false, false, true])
  expect((await sharp(bytes).metadata()).orientation).toBe(6)
  expect(difference(await readPixels(bytes), await readPixels(source)).most).toBe(0)
})

test('returns a small picture without metadata byte for byte', async () => {
  for (const format of ['jpeg', 'png', 'webp'] as const) {
    const source = await put(folder, `bare.${format}`, fromSamples(photo(30, 20)).toFormat(format, { quality: 20 }))
    const { paths } = await run(strip, folder, [source])
    expect(await bytesOf(paths[0]!), format).toBeLessThanOrEqual(await bytesOf(source))
    expect(difference(await readPixels(paths[0]!), await readPixels(source)).most, format).toBe(0)
  }
})

test('still reports a damaged file', async () => {
  const jpeg = await SOURCES.jpg!()
  const source = await put(folder, 'cut.jpg', jpeg.subarray(0, jpeg.length >> 1))
  await expect(run(strip, folder, [source])).rejects.toMatchObject({ code: 'INVALID_FILE' })
})
