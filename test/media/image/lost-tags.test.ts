/** Metadata in formats whose encoders are given pixels only. */
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { hasExiftool, readTags } from '../../../src/engines/exiftool.ts'
import { heifEnc } from '../../../src/engines/pictures/heif-enc.ts'
import convert from '../../../tools/image/convert.ts'
import strip from '../../../tools/image/strip-metadata.ts'
import { ARTIST, exifBlock, GPS_DATUM, jpegWithExif } from '../../helpers/exif.ts'
import { fromSamples, photo, put } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const LABEL =
  '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Label="Keep me"/></rdf:RDF></x:xmpmeta>'

/** A picture on its side, with an artist, a place and XMP. */
async function described(): Promise<string> {
  const jpeg = await fromSamples(photo(40, 30)).withXmp(LABEL).jpeg().toBuffer()
  return put(folder, 'described.jpg', jpegWithExif(jpeg, exifBlock(6)))
}

const FORMATS = ['jxl', 'jp2', ...((await heifEnc.probe()).source === 'path' ? ['heic'] : [])]

describe.skipIf(!(await hasExiftool()))('by exiftool', () => {
  test.each(FORMATS)('%s keeps who, where and words; the turn is done and not said again', async (format) => {
    const { paths, warnings } = await run(convert, folder, [await described()], { format })
    const [tags] = await readTags([paths[0]!], { scope: 'descriptive' })
    expect(tags).toMatchObject({ 'IFD0:Artist': ARTIST, 'GPS:GPSMapDatum': GPS_DATUM, 'XMP-xmp:Label': 'Keep me' })
    expect(tags!['IFD0:Orientation'] ?? 1).toBe(1)
    expect(warnings).toEqual([])
  })

  test('what is stripped does not come back', async () => {
    const { paths } = await run(convert, folder, [await described()], { format: 'jxl' })
    const stripped = await run(strip, folder, paths)
    const [tags] = await readTags(stripped.paths, { scope: 'descriptive' })
    for (const word of [ARTIST, GPS_DATUM, 'Keep me']) expect(JSON.stringify(tags)).not.toContain(word)
  })
})

test('JPEG 2000 is written without transparency, and says so', async () => {
  const png = await sharp({ create: { width: 8, height: 8, channels: 4, background: '#ff000000' } })
    .png()
    .toBuffer()
  const { warnings } = await run(convert, folder, [await put(folder, 'clear.png', png)], { format: 'jp2' })
  expect(warnings).toEqual([expect.stringContaining('JPEG 2000 is written without them, on white')])
})
