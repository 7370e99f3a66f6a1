import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { hasExiftool } from '../../../src/engines/exiftool.ts'
import crop from '../../../tools/image/geometry/crop.ts'
import strip from '../../../tools/image/metadata/strip-metadata.ts'
import { ARTIST, exifBlock, GPS_DATUM, jpegWithExif, jpegWithXmp } from '../../helpers/exif.ts'
import {
  animation,
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
const isExiftoolHere = await hasExiftool()
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

test('the source has all kinds', async () => {
  const bytes = await readFile(await source())
  for (const text of [ARTIST, GPS_DATUM, XMP_WORD]) expect(bytes.includes(text)).toBe(true)
})

test('removes everything by default; keeps the displayed colours', async () => {
  const { path, ...found } = await stripped({})
  expect(found).toEqual({ artist: false, place: false, xmp: false, icc: false })
  const { exif, icc, xmp, iptc } = await sharp(path).metadata()
  expect([exif, icc, xmp, iptc]).toEqual([undefined, undefined, undefined, undefined])
  // In the profile red and green are exchanged: stored red looked green.
  const [r, g, b] = at(await readPixels(path), 5, 5) as [number, number, number]
  expect([r < 40, g > 235, b < 40]).toEqual([true, true, true])
})

test('applies the orientation before it is removed', async () => {
  const { path } = await stripped({}, 6)
  const pixels = await readPixels(path)
  expect(pixels).toMatchObject({ width: 48, height: 64 })
  // Rotated clockwise, the blue quarter (bottom left) is at the top left.
  expect(at(pixels, 5, 5)[2]).toBeGreaterThan(230)
})

test('stripAll overrides the others', async () => {
  expect(await stripped({ stripAll: true, stripIcc: true })).toMatchObject({ artist: false, xmp: false, icc: false })
})

test('the profile only', async () => {
  const { path, ...found } = await stripped({ stripAll: false, stripIcc: true })
  expect(found).toEqual({ artist: true, place: true, xmp: true, icc: false })
  expect(at(await readPixels(path), 5, 5)[1]).toBeGreaterThan(235)
})

test('refuses no selection', async () => {
  await expect(stripped({ stripAll: false })).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
})

describe.skipIf(!isExiftoolHere)('single kinds, by exiftool', () => {
  test('the coordinates only', async () => {
    const { path, ...found } = await stripped({ stripAll: false, stripGps: true })
    expect(found).toEqual({ artist: true, place: false, xmp: true, icc: true })
    expect((await run(strip, folder, [path], {}, { action: 'inspect' })).report.gps).toBeUndefined()
  })

  test('EXIF with the coordinates, and XMP', async () => {
    const { path, ...found } = await stripped({ stripAll: false, stripExif: true, stripXmp: true })
    expect(found).toEqual({ artist: false, place: false, xmp: false, icc: true })
    expect(at(await readPixels(path), 5, 5)[0]).toBeGreaterThan(235)
  })

  test('keeps the pixels of a lossless file', async () => {
    const picture = fromSamples(photo(40, 30))
      .withExif({ IFD0: { Artist: ARTIST } })
      .png()
    const path = await put(folder, 'lossless.png', picture)
    const { paths } = await run(strip, folder, [path], { stripAll: false, stripExif: true })
    expect((await readFile(paths[0]!)).includes(ARTIST)).toBe(false)
    expect(difference(await readRgba(paths[0]!), await readRgba(path)).most).toBe(0)
  })
})

test('PNG and WebP lose everything, too, without changing lossless pixels', async () => {
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

test('inspect lists it', async () => {
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

/** A grey TIFF of 8 x 8 for every page, each with an artist; the bytes of the second start where the first end. */
function pagedTiff(pages: number): Buffer {
  const artist = Buffer.from(`${ARTIST}\0`, 'latin1')
  const file = Buffer.alloc(8 + pages * 256)
  file.write('II*\0', 0, 'latin1')
  for (let page = 0; page < pages; page += 1) {
    const at = 8 + page * 256
    const [pixelsAt, artistAt] = [at + 128, at + 192]
    const rows: [number, number, number, number][] = [
      ...([
        [256, 3, 1, 8],
        [257, 3, 1, 8],
        [258, 3, 1, 8],
        [259, 3, 1, 1],
        [262, 3, 1, 1],
      ] as const),
      ...([
        [273, 4, 1, pixelsAt],
        [277, 3, 1, 1],
        [278, 3, 1, 8],
        [279, 4, 1, 64],
      ] as const),
      [315, 2, artist.length, artistAt],
    ].map((row) => [...row] as [number, number, number, number])
    file.writeUInt16LE(rows.length, at)
    rows.forEach(([tag, type, count, value], index) => {
      const entry = at + 2 + index * 12
      file.writeUInt16LE(tag, entry)
      file.writeUInt16LE(type, entry + 2)
      file.writeUInt32LE(count, entry + 4)
      file.writeUInt32LE(value, entry + 8)
    })
    if (page + 1 < pages) file.writeUInt32LE(at + 256, at + 2 + rows.length * 12)
    for (let pixel = 0; pixel < 64; pixel += 1) file[pixelsAt + pixel] = pixel * 3 + page
    artist.copy(file, artistAt)
  }
  file.writeUInt32LE(8, 4)
  return file
}

/** A GIF comment, and the container of XMP: an application block with a trailer that block readers skip. */
function gifWithText(gif: Buffer): Buffer {
  const comment = Buffer.concat([Buffer.from([0x21, 0xfe, ARTIST.length]), Buffer.from(ARTIST), Buffer.alloc(1)])
  const trailer = Buffer.from([1, ...Array.from({ length: 256 }, (_, index) => 255 - index), 0])
  const packet = Buffer.from(`<x:xmpmeta xmlns:x="adobe:ns:meta/">${XMP_WORD}</x:xmpmeta>`)
  const xmp = Buffer.concat([Buffer.from('\x21\xff\x0bXMP DataXMP', 'latin1'), packet, trailer])
  const behind = 13 + (gif[10]! & 0x80 ? 3 << ((gif[10]! & 7) + 1) : 0)
  return Buffer.concat([gif.subarray(0, behind), comment, xmp, gif.subarray(behind), Buffer.from('behind the end')])
}

describe('without re-encoding', () => {
  test('a TIFF keeps its pages and every byte of their pixels', async () => {
    const source = await put(folder, 'pages.tif', pagedTiff(3))
    const { paths, warnings } = await run(strip, folder, [source], {})
    const [before, after] = [await readFile(source), await readFile(paths[0]!)]
    expect([before.includes(ARTIST), after.includes(ARTIST), warnings]).toEqual([true, false, []])
    expect(after.length).toBeLessThanOrEqual(before.length)
    for (const page of [0, 1, 2]) {
      const [one, other] = await Promise.all(
        [before, after].map((bytes) => sharp(bytes, { page }).raw().toBuffer({ resolveWithObject: true })),
      )
      expect([one!.info.width, other!.data.equals(one!.data)]).toEqual([8, true])
    }
    expect((await sharp(after).metadata()).pages).toBe(3)
  })

  test('re-encodes a TIFF whose values share bytes with pixels, with a note', async () => {
    const tiff = pagedTiff(1)
    // The offset of the artist is that of the pixels.
    tiff.writeUInt32LE(8 + 128, 8 + 2 + 9 * 12 + 8)
    const { paths, warnings } = await run(strip, folder, [await put(folder, 'shared.tif', tiff)], {})
    expect(warnings).toEqual(['shared.tif was encoded again'])
    expect([...(await sharp(paths[0]!).toColourspace('b-w').raw().toBuffer()).subarray(0, 4)]).toEqual([0, 3, 6, 9])
  })

  test('a GIF keeps its frames, delays and loop', async () => {
    const moving = await animation(join(folder, 'plain.gif'), ['#ff0000', '#00ff00'], { width: 20, height: 10 })
    const source = await put(folder, 'said.gif', gifWithText(await readFile(moving)))
    const { paths } = await run(strip, folder, [source], {})
    expect((await readFile(paths[0]!)).equals(await readFile(moving))).toBe(true)
    const some = await readFile((await run(strip, folder, [source], { stripAll: false, stripXmp: true })).paths[0]!)
    expect([some.includes(ARTIST), some.includes(XMP_WORD)]).toEqual([true, false])
  })

  test('an AVIF keeps every pixel and does not grow', async () => {
    const picture = fromSamples(photo(64, 48))
      .withExif({ IFD0: { Artist: ARTIST } })
      .withXmp(`<x:xmpmeta xmlns:x="adobe:ns:meta/">${XMP_WORD}</x:xmpmeta>`)
    const source = await put(folder, 'said.avif', picture.avif({ quality: 40 }))
    const { paths, warnings } = await run(strip, folder, [source], {})
    const [before, after] = [await readFile(source), await readFile(paths[0]!)]
    expect([after.includes(ARTIST), after.includes(XMP_WORD), warnings]).toEqual([false, false, []])
    expect(after.length).toBeLessThanOrEqual(before.length)
    expect((await sharp(after).raw().toBuffer()).equals(await sharp(before).raw().toBuffer())).toBe(true)
    const { exif, xmp } = await sharp(after).metadata()
    expect([exif, xmp]).toEqual([undefined, undefined])
    const one = await readFile((await run(strip, folder, [source], { stripAll: false, stripExif: true })).paths[0]!)
    expect([one.includes(ARTIST), (await sharp(one).metadata()).xmp?.includes(XMP_WORD)]).toEqual([false, true])
  })

  test.skipIf(!isExiftoolHere)('removes only the coordinates without re-encoding', async () => {
    const jpeg = await fromSamples(photo(40, 30)).jpeg({ quality: 60 }).toBuffer()
    const source = await put(folder, 'place.jpg', jpegWithExif(jpeg, exifBlock()))
    const { paths } = await run(strip, folder, [source], { stripAll: false, stripGps: true })
    const after = await readFile(paths[0]!)
    expect([after.includes(ARTIST), after.includes(GPS_DATUM)]).toEqual([true, false])
    expect(difference(await readRgba(paths[0]!), await readRgba(source)).most).toBe(0)
  })
})

test('if colours must be converted to sRGB, re-encodes the file: not larger, and with a note', async () => {
  const poor = await fromSamples(photo(200, 150)).jpeg({ quality: 55 }).toBuffer()
  const source = await put(folder, 'wide.jpg', jpegWithProfile(poor, profile))
  const { paths, warnings } = await run(strip, folder, [source], {})
  expect(warnings).toEqual(['wide.jpg was encoded again because its colours had to be converted to sRGB'])
  expect((await readFile(paths[0]!)).length).toBeLessThanOrEqual((await readFile(source)).length)
})
