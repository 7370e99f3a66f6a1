import { formatOf } from '../../../src/media/image/encode/fit-to-format.ts'
import { action, oneFile } from '../../../src/tool/contract.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { boolean } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'
import { inspectMetadata } from './strip-metadata/inspect.ts'

/** Qualities of the re-encode (catalogue: strip-metadata). */
const QUALITY: Record<string, number> = { jpg: 90, webp: 85, avif: 50 }

export default imageTool({
  id: 'strip-metadata',
  summary: 'Remove EXIF, GPS, ICC and XMP data from an image',
  settings: {
    stripAll: boolean('remove all metadata except the orientation; overrides the other four', { default: true }),
    stripExif: boolean('remove EXIF, which includes GPS', { default: false }),
    stripGps: boolean('remove only the location', { default: false }),
    stripIcc: boolean('remove the colour profile; colours are converted to sRGB first', { default: false }),
    stripXmp: boolean('remove XMP and IPTC', { default: false }),
  },
  examples: [
    { title: 'before publishing a photo', inputs: ['holiday.jpg'] },
    { title: 'only the location', inputs: ['holiday.jpg'], settings: { stripAll: false, stripGps: true } },
  ],
  check({ stripAll, stripExif, stripGps, stripIcc, stripXmp }) {
    if (!stripAll && !stripExif && !stripGps && !stripIcc && !stripXmp)
      throw invalidSettings(
        'Expected stripAll, or at least one of stripExif, stripGps, stripIcc and stripXmp',
        'For example: --strip-gps',
      )
  },
  transform(frame, { stripAll, stripExif, stripGps, stripIcc, stripXmp }) {
    const quality = QUALITY[formatOf(frame).id]
    const drop = [
      ...(stripExif ? (['exif', 'gps'] as const) : []),
      ...(stripGps && !stripExif ? (['gps'] as const) : []),
      ...(stripIcc ? (['icc'] as const) : []),
      ...(stripXmp ? (['xmp'] as const) : []),
    ]
    return frame.withTarget({
      metadata: stripAll ? 'none' : { drop },
      keepsPixels: true,
      ...(quality !== undefined && { quality }),
      thorough: formatOf(frame).id === 'png',
    })
  },
  actions: [
    action({
      id: 'inspect',
      summary: 'Show the metadata of an image',
      input: oneFile('image'),
      settings: {},
      output: { kind: 'report' },
      async run(job) {
        return { files: [], report: await inspectMetadata(job.inputs[0]) }
      },
    }),
  ],
})
