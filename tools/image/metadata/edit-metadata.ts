import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { changeTags, readTags, type Tags } from '../../../src/engines/exiftool.ts'
import { MediaprocError } from '../../../src/errors.ts'
import { firstOf } from '../../../src/lists.ts'
import { type MediaFile, printableName } from '../../../src/media/file.ts'
import { dropCredentials, hasCredentials } from '../../../src/media/image/metadata/content-credentials.ts'
import { action, type Job, oneFile, tool } from '../../../src/tool/contract.ts'
import { boolean, choice, group, list, number, type SettingsOf, text } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'
import { exifMoment, shiftParts } from './edit-metadata/dates.ts'
import { editsFor, type MetadataOptions } from './edit-metadata/edit.ts'
import { reportOf } from './edit-metadata/report.ts'

/** Longer texts do not fit into the 64 KiB of a JPEG's EXIF next to everything else. In characters. */
const LONGEST = { maxLength: 8000 }

const MOMENT = { group: 'Dates', example: '2026:05:01 12:00:00' }

const settings = {
  title: text('XMP title; also the EXIF description where none is given', {
    ...LONGEST,
    group: 'Description',
    example: 'A landscape',
  }),
  description: text('EXIF description', {
    ...LONGEST,
    group: 'Description',
    example: 'Hills at dawn',
    aliases: ['imageDescription'],
  }),
  author: text('EXIF artist', { ...LONGEST, group: 'Description', example: 'Ada Lovelace' }),
  artist: text('alias of author; takes precedence over it', {
    ...LONGEST,
    group: 'Description',
    example: 'Ada Lovelace',
  }),
  copyright: text('EXIF copyright', { ...LONGEST, group: 'Description', example: '© 2026 Ada Lovelace' }),
  keywords: list(text('a keyword', { maxLength: 1000 }), 'IPTC keywords and XMP subjects', {
    group: 'Description',
    maxLength: 1000,
    example: ['hills', 'dawn'],
  }),
  keywordsMode: choice(['add', 'set'], 'whether existing keywords are kept', {
    group: 'Description',
    default: 'add',
  }),
  gps: group(
    {
      lat: number('latitude, south is negative', { label: 'Latitude', min: -90, max: 90, unit: 'degrees' }),
      lon: number('longitude, west is negative', { label: 'Longitude', min: -180, max: 180, unit: 'degrees' }),
      alt: number('altitude above sea level; negative below', { label: 'Altitude', unit: 'm' }),
    },
    'location of the photo',
    { group: 'Location', example: { lat: 46.55, lon: 8.55 } },
  ),
  gpsLatitude: number('as lat in gps', { group: 'Location', example: 46.55, min: -90, max: 90, unit: 'degrees' }),
  gpsLongitude: number('as lon in gps', { group: 'Location', example: 8.55, min: -180, max: 180, unit: 'degrees' }),
  gpsAltitude: number('as alt in gps', { group: 'Location', example: 1500, unit: 'm' }),
  clearGps: boolean('remove the location; takes precedence over coordinates', { group: 'Location', default: false }),
  dateTime: text('modification date: YYYY:MM:DD HH:MM:SS or ISO 8601', MOMENT),
  dateTimeOriginal: text('date taken, in the same format', MOMENT),
  setAllDates: text('dates taken, digitised and modified, in the same format', MOMENT),
  dateShift: text('shift all existing dates by hours and minutes: +1:30 or -10:00', {
    group: 'Dates',
    example: '+1:30',
  }),
  software: text('EXIF software', { ...LONGEST, group: 'Description', example: 'mediaproc' }),
  iptcTitle: text('IPTC object name', { ...LONGEST, group: 'IPTC', example: 'A landscape' }),
  iptcHeadline: text('IPTC headline', { ...LONGEST, group: 'IPTC', example: 'Spring in the hills' }),
  iptcCity: text('IPTC city', { ...LONGEST, group: 'IPTC', example: 'Andermatt' }),
  iptcState: text('IPTC province or state', { ...LONGEST, group: 'IPTC', example: 'Uri' }),
  iptcCountry: text('IPTC country', { ...LONGEST, group: 'IPTC', example: 'Switzerland' }),
  fieldsToRemove: list(
    text('a tag by its exiftool name, with or without a group', { maxLength: 100 }),
    'tags to remove',
    {
      group: 'Removal',
      example: ['Software', 'IPTC:City'],
      default: [],
      maxLength: 1000,
    },
  ),
}

type Settings = SettingsOf<typeof settings>

function optionsOf({
  gps,
  gpsLatitude,
  gpsLongitude,
  gpsAltitude,
  artist,
  author,
  ...others
}: Settings): MetadataOptions {
  return {
    ...others,
    author: artist?.trim() ? artist : author,
    latitude: gps?.lat ?? gpsLatitude,
    longitude: gps?.lon ?? gpsLongitude,
    altitude: gps?.alt ?? gpsAltitude,
  }
}

/** Properties of the file itself, not of its metadata, that every write changes. */
const OF_THE_FILE = /^(SourceFile$|XMP-x:XMPToolkit$|IFD1:Thumbnail|IFD\d:StripOffsets$|IFD\d:TileOffsets$|.*Offset$)/

const said = (tags: Tags): object =>
  Object.fromEntries(Object.entries(tags).filter(([name]) => !OF_THE_FILE.test(name)))

/** A copy of the file with the changes; undefined when there are none. */
async function edited(job: Job, file: MediaFile, options: MetadataOptions): Promise<string | undefined> {
  const { signal } = job
  const present =
    options.keywords?.length && options.keywordsMode === 'add'
      ? firstOf(await readTags([file.path], { scope: 'descriptive', signal }))
      : {}
  const runs = editsFor(options, file.type.id, present)
  if (runs.length === 0) return undefined
  // exiftool needs the correct extension.
  const copy = join(await job.scratch(), `copy.${file.type.extensions[0]}`)
  await copyFile(file.path, copy)
  const { before, after, warnings } = await changeTags({ original: file.path, copy }, runs, signal)
  for (const warning of new Set(warnings)) job.warn(`metadata: ${warning}`)
  if (isDeepStrictEqual(said(before), said(after))) return undefined
  if (await hasCredentials(copy, file.type.id)) job.warn(await dropCredentials(copy, file.type.id, file.name))
  return copy
}

export default tool({
  section: 'image',
  id: 'edit-metadata',
  summary: 'Write EXIF, IPTC, XMP and GPS fields without touching pixels',
  input: oneFile('jpg', 'png', 'webp', 'avif', 'tiff', 'gif', 'heic', 'heif'),
  settings,
  output: { kind: 'file', type: { same: true } },
  naming: { suffix: '' },
  engines: ['exiftool'],
  examples: [
    {
      title: 'set author and copyright',
      inputs: ['photo.jpg'],
      settings: { title: 'A landscape', author: 'Ada Lovelace', copyright: '© 2026 Ada Lovelace', keywords: ['hills'] },
    },
    { title: 'remove the location', inputs: ['holiday.jpg'], settings: { clearGps: true } },
    { title: 'the camera was an hour slow', inputs: ['holiday.jpg'], settings: { dateShift: '+1:00' } },
  ],
  check(given) {
    const { latitude, longitude } = optionsOf(given)
    if ((latitude === undefined) !== (longitude === undefined))
      throw invalidSettings(
        `Expected latitude and longitude together, got only the ${latitude === undefined ? 'longitude' : 'latitude'}`,
        'For example: --gps \'{"lat": 46.55, "lon": 8.55}\'',
      )
    for (const name of ['dateTime', 'dateTimeOriginal', 'setAllDates'] as const)
      if (given[name]?.trim()) exifMoment(given[name], name)
    if (given.dateShift?.trim()) shiftParts(given.dateShift)
  },
  async run(job, given) {
    const file = job.inputs[0]
    try {
      const copy = await edited(job, file, optionsOf(given))
      if (!copy) job.warn(`Nothing was changed: ${printableName(file.name)} already has these values`, 'advice')
      const path = await job.output(file.name)
      await copyFile(copy ?? file.path, path)
      return { files: [{ path, name: file.name, mime: file.type.mime }] }
    } catch (error) {
      if (!(error instanceof MediaprocError) || error.code !== 'INVALID_FILE') throw error
      const message = `${printableName(file.name)} is damaged: no metadata can be written`
      throw new MediaprocError('INVALID_FILE', message, { cause: error, ...(error.detail && { detail: error.detail }) })
    }
  },
  actions: [
    action({
      id: 'inspect',
      summary: 'Show the EXIF, IPTC, XMP and GPS fields that an image has',
      input: oneFile('image'),
      settings: {},
      output: { kind: 'report' },
      async run(job) {
        const file = job.inputs[0]
        const [tags] = await readTags([file.path], { scope: 'descriptive', signal: job.signal })
        return { files: [], report: { filename: file.name, fileSize: file.bytes, ...reportOf(tags!) } }
      },
    }),
  ],
})
