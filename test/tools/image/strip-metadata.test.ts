import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { hasExiftool } from '../../../src/engines/exiftool.ts'
import crop from '../../../tools/image/crop.ts'
import strip from '../../../tools/image/strip-metadata.ts'
import { ARTIST, exifBlock, GPS_DATUM, jpegWithExif, jpegWithXmp } from '../../helpers/exif.ts'
import {
  at,
  difference,
  fromSamples,
  jpegWithProfile,
  photo,
  put,
  quarters,
  readPixels,
  readRgba,
  swappedProfile,
} from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const XMP_WORD = 'secret-source'
const profile = swappedProfile()

async function source(orientation = 1): Promise<string> {
  const jpeg = await sharp(await quarters(64, 48))
    .jpeg({ quality: 100, chromaSubsampling: '4:4:4' })
    .toBuffer()
  const full = jpegWithExif(jpegWithXmp(jpegWithProfile(jpeg, profile), XMP_WORD), exifBlock(orientation))
  return put(folder, 'full.jpg', full)
}

async function stripped(settings: Record<string, unknown>, orientation = 1) {
  const { paths } = await run(strip, folder, [await source(orientation)], settings)
  const bytes = await readFile(paths[0]!)
  const has = (text: string) => bytes.includes(text)
  const { icc } = await sharp(bytes).metadata()
  return {
    path: paths[0]!,
    artist: has(ARTIST),
    place: has(GPS_DATUM),
    xmp: has(XMP_WORD),
    icc: icc?.equals(profile) ?? false,
  }
}

test('the source has all of it', async () => {
  const bytes = await readFile(await source())
  for (const text of [ARTIST, GPS_DATUM, XMP_WORD]) expect(bytes.includes(text)).toBe(true)
})

test('everything goes by default; the colours are those that were seen', async () => {
  const { path, ...found } = await stripped({})
  expect(found).toEqual({ artist: false, place: false, xmp: false, icc: false })
  const { exif, icc, xmp, iptc } = await sharp(path).metadata()
  expect([exif, icc, xmp, iptc]).toEqual([undefined, undefined, undefined, undefined])
  // In the profile red and green are exchanged: what said red was green to the eye.
  const [r, g, b] = at(await readPixels(path), 5, 5) as [number, number, number]
  expect([r < 40, g > 235, b < 40]).toEqual([true, true, true])
})

test('the orientation is in the pixels before it goes', async () => {
  const { path } = await stripped({}, 6)
  const pixels = await readPixels(path)
  expect(pixels).toMatchObject({ width: 48, height: 64 })
  // Turned clockwise, the blue quarter (bottom left) stands top left.
  expect(at(pixels, 5, 5)[2]).toBeGreaterThan(230)
})

test('stripAll wins over the others', async () => {
  expect(await stripped({ stripAll: true, stripIcc: true })).toMatchObject({ artist: false, xmp: false, icc: false })
})

test('only the profile', async () => {
  const { path, ...found } = await stripped({ stripAll: false, stripIcc: true })
  expect(found).toEqual({ artist: true, place: true, xmp: true, icc: false })
  expect(at(await readPixels(path), 5, 5)[1]).toBeGreaterThan(235)
})

test('nothing chosen is refused', async () => {
  await expect(stripped({ stripAll: false })).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
})

describe.skipIf(!(await hasExiftool()))('single kinds, by exiftool', () => {
  test('only the place', async () => {
    const { path, ...found } = await stripped({ stripAll: false, stripGps: true })
    expect(found).toEqual({ artist: true, place: false, xmp: true, icc: true })
    expect((await run(strip, folder, [path], {}, { action: 'inspect' })).report.gps).toBeUndefined()
  })

  test('EXIF with the place, and XMP', async () => {
    const { path, ...found } = await stripped({ stripAll: false, stripExif: true, stripXmp: true })
    expect(found).toEqual({ artist: false, place: false, xmp: false, icc: true })
    expect(at(await readPixels(path), 5, 5)[0]).toBeGreaterThan(235)
  })

  test('pixels of a lossless file are not touched', async () => {
    const picture = fromSamples(photo(40, 30))
      .withExif({ IFD0: { Artist: ARTIST } })
      .png()
    const path = await put(folder, 'lossless.png', picture)
    const { paths } = await run(strip, folder, [path], { stripAll: false, stripExif: true })
    expect((await readFile(paths[0]!)).includes(ARTIST)).toBe(false)
    expect(difference(await readRgba(paths[0]!), await readRgba(path)).most).toBe(0)
  })
})

test('PNG and WebP lose everything, too, and nothing of the pixels where that is lossless', async () => {
  for (const format of ['png', 'webp', 'tiff', 'avif'] as const) {
    const image = fromSamples(photo(40, 30))
      .withExif({ IFD0: { Artist: ARTIST } })
      .withXmp(`<x:xmpmeta xmlns:x="adobe:ns:meta/">${XMP_WORD}</x:xmpmeta>`)
    const path = await put(
      folder,
      `meta.${format}`,
      format === 'tiff' ? image.tiff({ compression: 'lzw' }) : image.toFormat(format),
    )
    const before = await sharp(path).metadata()
    // sharp writes no EXIF into TIFF.
    expect([before.xmp?.includes(XMP_WORD), before.exif?.includes(ARTIST)], format).toEqual([
      true,
      format === 'tiff' ? undefined : true,
    ])
    const { paths } = await run(strip, folder, [path], {})
    const bytes = await readFile(paths[0]!)
    const { exif, xmp } = await sharp(bytes).metadata()
    expect([exif, xmp, bytes.includes(ARTIST), bytes.includes(XMP_WORD)], format).toEqual([
      undefined,
      undefined,
      false,
      false,
    ])
    if (format === 'png' || format === 'tiff')
      expect(difference(await readRgba(paths[0]!), await readRgba(path)).most, format).toBe(0)
  }
})

test('other tools keep it, with orientation 1', async () => {
  const { paths } = await run(crop, folder, [await source(6)], { left: 0, top: 0, width: 20, height: 20 })
  const bytes = await readFile(paths[0]!)
  expect([ARTIST, GPS_DATUM, XMP_WORD].map((text) => bytes.includes(text))).toEqual([true, true, true])
  const { icc, orientation } = await sharp(bytes).metadata()
  expect(icc?.equals(profile)).toBe(true)
  expect(orientation).toBe(1)
})

test('inspect tells what is there', async () => {
  const { report } = await run(strip, folder, [await source(6)], {}, { action: 'inspect' })
  expect(report).toMatchObject({
    filename: 'full.jpg',
    exif: { Orientation: 6, Artist: ARTIST },
    gps: { GPSLatitudeRef: 'N', GPSMapDatum: GPS_DATUM },
    icc: {
      'Profile Size': `${profile.length} bytes`,
      'Color Space': 'RGB',
      'Connection Space': 'XYZ',
      'Device Class': 'mntr',
      Version: '2.1',
      Description: 'Swapped',
    },
    xmp: { 'dc:source': XMP_WORD },
  })
  const gps = report.gps as { _latitude: number; _longitude: number }
  expect(gps._latitude).toBeCloseTo(52.52, 6)
  expect(gps._longitude).toBeCloseTo(-13.405, 6)
})

test('inspect of a picture without metadata has no such keys', async () => {
  const path = await put(folder, 'bare.png', fromSamples(photo(5, 5)).png())
  const { report } = await run(strip, folder, [path], {}, { action: 'inspect' })
  expect(Object.keys(report).sort()).toEqual(['fileSize', 'filename'])
})
