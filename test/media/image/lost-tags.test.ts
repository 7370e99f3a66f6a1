/** Metadata in formats whose encoders take only pixels. */
import { stat } from 'node:fs/promises'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { hasExiftool, readTags } from '../../../src/engines/exiftool.ts'
import { heifEnc } from '../../../src/engines/pictures/heif-enc.ts'
import compress from '../../../tools/image/convert/compress.ts'
import convert from '../../../tools/image/convert/convert.ts'
import strip from '../../../tools/image/metadata/strip-metadata.ts'
import { ARTIST, exifBlock, GPS_DATUM, jpegWithExif } from '../../helpers/exif.ts'
import { fromSamples, photo, put } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const LABEL =
  '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Label="Keep me"/></rdf:RDF></x:xmpmeta>'

/** A rotated picture with an artist, coordinates and XMP. */
async function described(): Promise<string> {
  const jpeg = await fromSamples(photo(40, 30)).withXmp(LABEL).jpeg().toBuffer()
  return put(folder, 'described.jpg', jpegWithExif(jpeg, exifBlock(6)))
}

const FORMATS = ['jxl', 'jp2', ...((await heifEnc.probe()).source === 'path' ? ['heic'] : [])]

describe.skipIf(!(await hasExiftool()))('by exiftool', () => {
  test.each(FORMATS)(
    '%s keeps people, places and texts; the rotation is applied and its tag removed',
    async (format) => {
      const { paths, warnings } = await run(convert, folder, [await described()], { format })
      const [tags] = await readTags([paths[0]!], { scope: 'descriptive' })
      expect(tags).toMatchObject({ 'IFD0:Artist': ARTIST, 'GPS:GPSMapDatum': GPS_DATUM, 'XMP-xmp:Label': 'Keep me' })
      expect(tags!['IFD0:Orientation'] ?? 1).toBe(1)
      expect(warnings).toEqual([])
    },
  )

  test('reads XMP of a HEIC, too', async () => {
    const heic = await run(convert, folder, [await described()], { format: 'heic' })
    const { paths, warnings } = await run(convert, folder, heic.paths, { format: 'jpg' })
    const [tags] = await readTags([paths[0]!], { scope: 'descriptive' })
    expect(tags).toMatchObject({ 'IFD0:Artist': ARTIST, 'XMP-xmp:Label': 'Keep me' })
    expect(warnings).toEqual([])
  })

  test('stripped metadata does not return', async () => {
    const { paths } = await run(convert, folder, [await described()], { format: 'jxl' })
    const stripped = await run(strip, folder, paths)
    const [tags] = await readTags(stripped.paths, { scope: 'descriptive' })
    for (const word of [ARTIST, GPS_DATUM, 'Keep me']) expect(JSON.stringify(tags)).not.toContain(word)
  })
})

describe.skipIf(!(await hasExiftool()))('XMP in several segments of a JPEG', () => {
  const NAMESPACES = [
    'xmlns:dc="http://purl.org/dc/elements/1.1/"',
    'xmlns:crs="http://ns.adobe.com/camera-raw-settings/1.0/"',
    'xmlns:xmp="http://ns.adobe.com/xap/1.0/"',
    'xmlns:xmpGImg="http://ns.adobe.com/xap/1.0/g/img/"',
    'xmlns:exif="http://ns.adobe.com/exif/1.0/"',
  ].join(' ')
  const SETTINGS = `${'tone curve '.repeat(8000)}end`
  const THUMBNAIL = 'c21hbGwgY29weQ=='
  const packet = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" ${NAMESPACES} xmp:Label="Keep me" crs:Saturation="+17" crs:CameraProfile="${SETTINGS}" exif:GPSLatitude="52,30.0N"><dc:subject><rdf:Bag><rdf:li>lake</rdf:li></rdf:Bag></dc:subject><xmp:Thumbnails><rdf:Alt><rdf:li rdf:parseType="Resource"><xmpGImg:format>JPEG</xmpGImg:format><xmpGImg:image>${THUMBNAIL}</xmpGImg:image></rdf:li></rdf:Alt></xmp:Thumbnails></rdf:Description></rdf:RDF></x:xmpmeta>`
  const KEPT = {
    'XMP-xmp:Label': 'Keep me',
    'XMP-crs:Saturation': '+17',
    'XMP-crs:CameraProfile': SETTINGS,
    'XMP-dc:Subject': 'lake',
  }
  const png = () => put(folder, 'long.png', fromSamples(photo(40, 30)).withXmp(packet).png())
  const tagsOf = async ([path]: string[]) => (await readTags([path!], { scope: 'descriptive' }))[0]!

  test('is written to a JPEG, and from there to other pictures; thumbnails are not', async () => {
    const jpeg = await run(convert, folder, [await png()], { format: 'jpg' })
    expect(await tagsOf(jpeg.paths)).toMatchObject(KEPT)
    expect(JSON.stringify(await tagsOf(jpeg.paths))).not.toContain('Thumbnails')
    for (const format of ['jpg', 'webp']) {
      const again = await run(convert, folder, jpeg.paths, { format })
      const tags = await tagsOf(again.paths)
      expect(tags).toMatchObject(KEPT)
      expect(JSON.stringify(tags)).not.toContain('Thumbnails')
      expect([...jpeg.warnings, ...again.warnings]).toEqual([])
    }
  })

  test('is written to a format whose encoder takes only pixels, each property in its namespace', async () => {
    const { paths } = await run(convert, folder, [await png()], { format: 'jxl' })
    const tags = await tagsOf(paths)
    expect(tags).toMatchObject(KEPT)
    expect(JSON.stringify(tags)).not.toContain('Thumbnails')
  })

  test('is omitted with its kind, and coordinates with GPS', async () => {
    const jpeg = await run(convert, folder, [await png()], { format: 'jpg' })
    const bare = await run(strip, folder, jpeg.paths, { stripXmp: true, stripAll: false })
    expect(JSON.stringify(await tagsOf(bare.paths))).not.toContain('tone curve')
    const nowhere = await run(strip, folder, jpeg.paths, { stripGps: true, stripAll: false })
    const tags = await tagsOf(nowhere.paths)
    expect(tags).toMatchObject(KEPT)
    expect(JSON.stringify(tags)).not.toContain('GPSLatitude')
  })

  test('is omitted for a target size, with a warning', async () => {
    const { paths, warnings } = await run(compress, folder, [await photoJpeg()], {
      mode: 'targetSize',
      targetSizeKb: 20,
    })
    expect(warnings).toEqual([expect.stringContaining('more XMP than one segment of a JPEG holds')])
    expect((await stat(paths[0]!)).size).toBeLessThan(20_001)
  })

  async function photoJpeg(): Promise<string> {
    const large = await put(folder, 'large.png', fromSamples(photo(400, 300)).withXmp(packet).png())
    return (await run(convert, folder, [large], { format: 'jpg', quality: 95 })).paths[0]!
  }
})

test('writes JPEG 2000 without transparency, with a warning', async () => {
  const png = await sharp({ create: { width: 8, height: 8, channels: 4, background: '#ff000000' } })
    .png()
    .toBuffer()
  const { warnings } = await run(convert, folder, [await put(folder, 'clear.png', png)], { format: 'jp2' })
  expect(warnings).toEqual([expect.stringContaining('JPEG 2000 is written without them, on white')])
})
