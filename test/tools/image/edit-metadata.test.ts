import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { hasExiftool } from '../../../src/engines/exiftool.ts'
import convert from '../../../tools/image/convert/convert.ts'
import edit from '../../../tools/image/metadata/edit-metadata.ts'
import { ARTIST, exifBlock, GPS_DATUM, jpegWithExif } from '../../helpers/exif.ts'
import {
  animation,
  CORPUS,
  difference,
  frameOf,
  fromSamples,
  jpegWithProfile,
  photo,
  put,
  swappedProfile,
} from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** exiftool directly, with its readable values. */
function read(path: string, ...tags: string[]): Record<string, unknown> {
  const script = join(createRequire(import.meta.url).resolve('exiftool-vendored.pl/package.json'), '../bin/exiftool')
  const said = execFileSync('perl', [script, '-config', '', '-j', '-n', '-G1', ...tags, path], { encoding: 'utf8' })
  const { SourceFile: _file, ...found } = JSON.parse(said)[0]
  return found
}

async function source(name: string): Promise<string> {
  const jpeg = await fromSamples(photo(48, 32)).jpeg({ quality: 90 }).toBuffer()
  return put(folder, name, jpegWithExif(jpegWithProfile(jpeg, swappedProfile()), exifBlock(6)))
}

async function edited(path: string, settings: Record<string, unknown>) {
  return run(edit, folder, [path], settings)
}

/** Everything from the start of the scan: the encoded pixels. */
const scanOf = (jpeg: Buffer): Buffer => jpeg.subarray(jpeg.indexOf(Buffer.from([0xff, 0xda])))

describe('refuses settings before any work', () => {
  const photoFile = source('refused.jpg')
  test.each([
    [{ gps: { lat: 10 } }, /only the latitude/],
    [{ gpsLongitude: 10 }, /only the longitude/],
    [{ gps: { lat: 91, lon: 0 } }, /from -90 to 90/],
    [{ gpsLongitude: -180.5, gpsLatitude: 0 }, /from -180 to 180/],
    [{ dateTime: 'yesterday' }, /for dateTime, got yesterday/],
    [{ setAllDates: '2026:02:30 10:00:00' }, /for setAllDates/],
    [{ dateTimeOriginal: '2026:02:03 25:00:00' }, /for dateTimeOriginal/],
    [{ dateShift: '90' }, /for dateShift, got 90/],
    [{ dateShift: '1:30' }, /for dateShift/],
  ])('%j', async (settings, message) => {
    await expect(edited(await photoFile, settings)).rejects.toMatchObject({ code: 'INVALID_SETTINGS', message })
  })
})

describe.skipIf(!(await hasExiftool()))('by exiftool', () => {
  test('writes texts where readers expect them; keeps name, pixels, profile and orientation', async () => {
    const path = await source('texts.jpg')
    const { paths, names, warnings } = await edited(path, {
      title: 'A title',
      description: 'Ein Haus in Köln',
      author: 'nobody',
      artist: 'Ada',
      copyright: '© Ada',
      software: 'mediaproc',
      keywords: ['one', ' two ', '', 'Łódź'],
      iptcTitle: 'object',
      iptcHeadline: 'head',
      iptcCity: 'Łódź',
      iptcState: 'state',
      iptcCountry: 'country',
    })
    expect([names, warnings]).toEqual([['texts.jpg'], []])
    expect(read(paths[0]!, '-EXIF:all', '-IPTC:all', '-XMP:all')).toMatchObject({
      'IFD0:Artist': 'Ada',
      'IFD0:Orientation': 6,
      'IFD0:ImageDescription': 'Ein Haus in Köln',
      'IFD0:Copyright': '© Ada',
      'IFD0:Software': 'mediaproc',
      'IPTC:Keywords': ['one', 'two', 'Łódź'],
      'IPTC:ObjectName': 'object',
      'IPTC:Headline': 'head',
      'IPTC:City': 'Łódź',
      'IPTC:Province-State': 'state',
      'IPTC:Country-PrimaryLocationName': 'country',
      'XMP-dc:Subject': ['one', 'two', 'Łódź'],
      'XMP-dc:Title': 'A title',
    })
    const [before, after] = [await readFile(path), await readFile(paths[0]!)]
    expect(scanOf(after).equals(scanOf(before))).toBe(true)
    expect((await sharp(after).metadata()).icc?.equals(swappedProfile())).toBe(true)
  })

  test('a title alone is also the description', async () => {
    const { paths } = await edited(await source('title.jpg'), { title: 'Only this' })
    expect(read(paths[0]!, '-EXIF:ImageDescription', '-XMP:Title')).toEqual({
      'IFD0:ImageDescription': 'Only this',
      'XMP-dc:Title': 'Only this',
    })
  })

  test('adds or sets keywords without duplicates', async () => {
    const first = (await edited(await source('keywords.jpg'), { keywords: 'a,b' })).paths[0]!
    const added = (await edited(first, { keywords: ['b', 'c'] })).paths[0]!
    expect((await run(edit, folder, [added], {}, { action: 'inspect' })).report.keywords).toEqual(['a', 'b', 'c'])
    const set = (await edited(added, { keywords: ['d'], keywordsMode: 'set' })).paths[0]!
    expect(read(set, '-IPTC:Keywords', '-XMP:Subject')).toEqual({ 'IPTC:Keywords': 'd', 'XMP-dc:Subject': 'd' })
  })

  test('keeps Latin-1 keywords correct when Unicode ones are added', async () => {
    const first = (await edited(await source('latin.jpg'), { keywords: ['Köln'] })).paths[0]!
    const { paths } = await edited(first, { keywords: ['Łódź'] })
    expect(read(paths[0]!, '-IPTC:Keywords')).toEqual({ 'IPTC:Keywords': ['Köln', 'Łódź'] })
  })

  test('coordinates, south, west and below sea level', async () => {
    const { paths } = await edited(await source('place.jpg'), { gps: { lat: -33.5, lon: -70.25, alt: -12.5 } })
    expect(read(paths[0]!, '-Composite:GPSLatitude', '-Composite:GPSLongitude', '-Composite:GPSAltitude')).toEqual({
      'Composite:GPSLatitude': -33.5,
      'Composite:GPSLongitude': -70.25,
      'Composite:GPSAltitude': -12.5,
    })
    const flat = await edited(paths[0]!, { gpsLatitude: 89.5, gpsLongitude: 180, gpsAltitude: 10 })
    expect((await run(edit, folder, [flat.paths[0]!], {}, { action: 'inspect' })).report.gps).toMatchObject({
      GPSLatitude: 89.5,
      GPSLongitude: 180,
      GPSAltitude: 10,
      GPSPosition: '89.5 180',
    })
  })

  test('clearGps removes every byte of the coordinates, and overrides given ones', async () => {
    const path = await source('clear.jpg')
    expect((await readFile(path)).includes(GPS_DATUM)).toBe(true)
    const { paths, warnings } = await edited(path, { clearGps: true, gps: { lat: 1, lon: 2 } })
    expect(warnings).toEqual([])
    const bytes = await readFile(paths[0]!)
    expect([bytes.includes(GPS_DATUM), bytes.includes(ARTIST)]).toEqual([false, true])
    expect(read(paths[0]!, '-*:GPS*')).toEqual({})
  })

  test('dates: rewrites ISO, keeps offsets, shifts existing dates and not given ones', async () => {
    const all = (await edited(await source('dates.jpg'), { setAllDates: '2026-06-21T23:30:00+02:00' })).paths[0]!
    const tags = ['-EXIF:AllDates', '-EXIF:OffsetTime*']
    expect(read(all, ...tags)).toEqual({
      'IFD0:ModifyDate': '2026:06:21 23:30:00',
      'ExifIFD:DateTimeOriginal': '2026:06:21 23:30:00',
      'ExifIFD:CreateDate': '2026:06:21 23:30:00',
      'ExifIFD:OffsetTime': '+02:00',
      'ExifIFD:OffsetTimeOriginal': '+02:00',
      'ExifIFD:OffsetTimeDigitized': '+02:00',
    })
    const moved = (await edited(all, { dateShift: '+1:30', dateTime: '2026:07:01' })).paths[0]!
    expect(read(moved, ...tags)).toMatchObject({
      'IFD0:ModifyDate': '2026:07:01 00:00:00',
      'ExifIFD:DateTimeOriginal': '2026:06:22 01:00:00',
      'ExifIFD:CreateDate': '2026:06:22 01:00:00',
    })
    const back = (await edited(moved, { dateShift: '-01:30', dateTimeOriginal: '2020:02:29 12:00:01' })).paths[0]!
    expect(read(back, '-EXIF:AllDates')).toEqual({
      'IFD0:ModifyDate': '2026:06:30 22:30:00',
      'ExifIFD:DateTimeOriginal': '2020:02:29 12:00:01',
      'ExifIFD:CreateDate': '2026:06:21 23:30:00',
    })
  })

  test('removes fields by name; ignores unknown names, and passes no option to exiftool', async () => {
    const secret = await put(folder, 'secret.txt', Buffer.from('secret'))
    const path = await source('remove.jpg')
    const { paths, warnings } = await edited(path, {
      fieldsToRemove: ['Artist', 'GPS:all', '-csv', 'csv', 'execute', `Comment<=${secret}`, 'No Such'],
    })
    const bytes = await readFile(paths[0]!)
    expect([bytes.includes(ARTIST), bytes.includes(GPS_DATUM), bytes.includes('secret')]).toEqual([false, false, false])
    expect((await sharp(bytes).metadata()).orientation).toBe(6)
    expect(warnings).toEqual(["metadata: Tag 'csv' is not defined", "metadata: Tag 'execute' is not defined"])
  })

  test('removes a profile by name', async () => {
    const { paths } = await edited(await source('profile.jpg'), { fieldsToRemove: ['ICC_Profile:all'] })
    expect((await sharp(paths[0]!).metadata()).icc).toBeUndefined()
  })

  test('values are never options, files or code', async () => {
    const value = '<=/etc/hostname\n-execute $Artist & @'
    const { paths } = await edited(await source('values.jpg'), { author: value, title: '-o x' })
    expect(read(paths[0]!, '-EXIF:Artist', '-XMP:Title')).toEqual({ 'IFD0:Artist': value, 'XMP-dc:Title': '-o x' })
  })

  test('without an effective change returns the same bytes', async () => {
    const path = await source('same.jpg')
    for (const settings of [
      {},
      { title: '  ', keywords: ['', ' '] },
      { artist: ARTIST },
      { fieldsToRemove: ['XMP:all'] },
    ]) {
      const { paths, warnings } = await edited(path, settings)
      expect((await readFile(paths[0]!)).equals(await readFile(path)), JSON.stringify(settings)).toBe(true)
      expect(warnings).toContain('Nothing was changed: same.jpg already has these values')
    }
  })

  test.each(['png', 'webp', 'avif', 'tiff', 'heic'])(
    '%s: writes texts and coordinates, keeps pixels',
    async (format) => {
      const png = await put(folder, `plain-${format}.png`, fromSamples(photo(64, 48)).png())
      const path = format === 'png' ? png : (await run(convert, folder, [png], { format })).paths[0]!
      const { paths } = await edited(path, {
        artist: 'Ada',
        iptcCity: 'Łódź',
        gps: { lat: 1.5, lon: -2.5 },
        keywords: ['k'],
      })
      const { report } = await run(edit, folder, [paths[0]!], {}, { action: 'inspect' })
      expect(report).toMatchObject({
        exif: { Artist: 'Ada' },
        gps: { GPSLatitude: 1.5, GPSLongitude: -2.5 },
        keywords: ['k'],
      })
      expect(JSON.stringify([report.iptc, report.xmp])).toContain('Łódź')
      const [after, before] = await Promise.all([paths[0]!, path].map(async (one) => (await frameOf(one)).pixels()))
      expect(difference(after!, before!).most).toBe(0)
      const { paths: cleared } = await edited(paths[0]!, { clearGps: true })
      expect(read(cleared[0]!, '-*:GPS*')).toEqual({})
    },
  )

  test('an animation keeps its frames; GIF only supports XMP', async () => {
    const path = await animation(join(folder, 'move.gif'), ['#ff0000', '#00ff00', '#0000ff'])
    const { paths } = await edited(path, {
      title: 'moving',
      description: 'three colours',
      author: 'Ada',
      iptcCity: 'Rome',
      gps: { lat: -1, lon: 2 },
      dateTime: '2026-01-02T03:04:05Z',
    })
    expect(read(paths[0]!, '-XMP:all')).toMatchObject({
      'XMP-dc:Title': 'moving',
      'XMP-dc:Description': 'three colours',
      'XMP-dc:Creator': 'Ada',
      'XMP-photoshop:City': 'Rome',
      'XMP-exif:GPSLatitude': -1,
      'XMP-exif:GPSLongitude': 2,
      'XMP-xmp:ModifyDate': '2026:01:02 03:04:05+00:00',
    })
    const [before, after] = await Promise.all([path, paths[0]!].map((one) => sharp(one, { animated: true }).metadata()))
    expect([after!.pages, after!.delay, after!.loop]).toEqual([before!.pages, before!.delay, before!.loop])
  })

  test('a wrong extension does not matter; keeps the name', async () => {
    const path = await put(folder, 'really-png.jpg', fromSamples(photo(8, 8)).png())
    const { names, paths } = await edited(path, { artist: 'Ada' })
    expect(names).toEqual(['really-png.jpg'])
    expect((await sharp(paths[0]!).metadata()).format).toBe('png')
    expect((await run(edit, folder, [paths[0]!], {}, { action: 'inspect' })).report.exif).toMatchObject({
      Artist: 'Ada',
    })
  })

  test('inspect: missing kinds are null', async () => {
    const path = await put(folder, 'bare.png', fromSamples(photo(5, 5)).png())
    const { report } = await run(edit, folder, [path], {}, { action: 'inspect' })
    expect(report).toEqual({
      filename: 'bare.png',
      fileSize: (await readFile(path)).length,
      exif: null,
      iptc: null,
      xmp: null,
      gps: null,
      keywords: [],
    })
  })

  test('inspect: raw values by name, coordinates with their signs', async () => {
    const { report } = await run(edit, folder, [await source('seen.jpg')], {}, { action: 'inspect' })
    expect(report).toMatchObject({ exif: { Orientation: 6, Artist: ARTIST }, gps: { GPSMapDatum: GPS_DATUM } })
    const { GPSLatitude, GPSLongitude } = report.gps as Record<string, number>
    expect(GPSLatitude).toBeCloseTo(52.52, 6)
    expect(GPSLongitude).toBeCloseTo(-13.405, 6)
  })

  test('refuses a damaged file by name', async () => {
    const path = await source('broken.jpg')
    await writeFile(path, (await readFile(path)).subarray(0, 60))
    await expect(edited(path, { artist: 'Ada' })).rejects.toMatchObject({
      code: 'INVALID_FILE',
      message: 'broken.jpg is damaged: no metadata can be written',
    })
  })

  test.skipIf(!existsSync(CORPUS))('a photo from a phone: keeps HEIC pixels and orientation', async () => {
    const path = join(CORPUS, 'photos/iphone-img-5195.heic')
    const { paths } = await edited(path, { artist: 'Ada', clearGps: true })
    const [before, after] = [read(path, '-Orientation', '-ImageSize'), read(paths[0]!, '-Orientation', '-ImageSize')]
    expect(after).toEqual(before)
    expect(read(paths[0]!, '-*:GPS*', '-EXIF:Artist')).toEqual({ 'IFD0:Artist': 'Ada' })
  })
})

test('refuses other types', async () => {
  const path = await put(
    folder,
    'drawing.svg',
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>'),
  )
  await expect(edited(path, { title: 'x' })).rejects.toMatchObject({ code: 'UNSUPPORTED_FILE_TYPE' })
})
