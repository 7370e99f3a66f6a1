import { zip } from '../../../src/lists.ts'
import { stemOf } from '../../../src/media/file.ts'
import { outputName } from '../../../src/media/naming.ts'
import { uniqueNames } from '../../../src/media/unique-names.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { boolean, choice, group, number } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'
import { PAGE_SIZES, roomOf } from './image-to-pdf/page-layout.ts'
import { type Compression, losslessPdfs, pdfsWithin } from './image-to-pdf/pdf-of-images.ts'
import { lossOf, pagesOf } from './image-to-pdf/sources.ts'

/** Bytes per unit (catalogue: image-to-pdf). */
const UNITS = { KB: 1024, MB: 1024 * 1024 } as const

/** The smallest target, in bytes (catalogue). */
const MIN_TARGET = 50 * UNITS.KB

export default imageTool({
  id: 'image-to-pdf',
  summary: 'Put one or more images on PDF pages',
  input: { files: 'many', min: 1, max: 1000, accept: ['image'] },
  settings: {
    pageSize: choice(PAGE_SIZES, 'size of the pages', { default: 'A4' }),
    orientation: choice(['portrait', 'landscape'], 'page orientation', { default: 'portrait' }),
    margin: number('page margin', { default: 20, min: 0, max: 500, unit: 'pt' }),
    targetSize: group(
      {
        value: number('how many', { min: 0, required: true, example: 500 }),
        unit: choice(['KB', 'MB'], 'of 1024 or 1048576 bytes', { required: true }),
      },
      'maximum size of the result, at least 50 KB; images become JPEG if necessary',
      { example: { value: 500, unit: 'KB' } },
    ),
    collate: boolean('all images in one PDF; off: one PDF per image', { default: true }),
  },
  output: { kind: 'files+report', type: { is: 'pdf' }, set: { when: { collate: false }, name: 'images' } },
  conversion: true,
  engines: ['sharp', 'mupdf'],
  timeoutS: 300,
  heavy: true,
  examples: [
    { title: 'two photos in one PDF', inputs: ['photo.jpg', 'portrait.jpg'] },
    {
      title: 'landscape A5, small enough for email',
      inputs: ['photo.jpg', 'holiday.jpg'],
      settings: { pageSize: 'A5', orientation: 'landscape', targetSize: { value: 60, unit: 'KB' } },
    },
    { title: 'a PDF for each', inputs: ['photo.jpg', 'logo.svg'], settings: { collate: false, margin: 0 } },
  ],
  check(settings) {
    const { margin, pageSize, targetSize } = settings
    const room = roomOf(settings)
    if (room.width < 1 || room.height < 1)
      throw invalidSettings(`A margin of ${margin} points leaves no space on ${pageSize}`, 'Set a smaller margin.')
    if (targetSize && targetSize.value * UNITS[targetSize.unit] < MIN_TARGET)
      throw invalidSettings(
        `Expected a targetSize of at least 50 KB, got ${targetSize.value} ${targetSize.unit}`,
        'A PDF needs some space in addition to its images.',
      )
  },
  async produce(pictures, settings, context) {
    const { targetSize, collate } = settings
    const each = await Promise.all(
      pictures.map(({ named, file }) => named(async () => pagesOf(await file(), settings))),
    )
    const documents = collate ? [each.flat()] : each
    let compression: Compression | undefined
    let pdfs: Uint8Array[]
    if (targetSize) {
      const found = await pdfsWithin(documents, Math.floor(targetSize.value * UNITS[targetSize.unit]), context)
      compression = found.compression
      if (!compression.targetMet)
        context.warn(
          `The PDF is larger than the ${targetSize.value} ${targetSize.unit} requested, even at the lowest quality`,
        )
      pdfs = found.made.pdfs
    } else pdfs = (await losslessPdfs(documents, context)).pdfs
    const losses = (await Promise.all(each.map(([first]) => lossOf(first!)))).filter((loss) => loss !== undefined)
    for (const { sentence } of losses) context.warn(sentence)
    const stems = pictures.map(({ name }) => outputName(stemOf(name), '', 'pdf'))
    const names = collate ? ['images.pdf'] : uniqueNames(stems)
    const files = zip(names, pdfs).map(([name, data]) => ({ name, type: 'pdf', data }))
    const report = {
      pages: each.flat().length,
      ...(!collate && { collated: false }),
      ...(losses.some(({ truncated }) => truncated) && { truncated: true }),
      ...(compression && { compression }),
    }
    return { files, report, ...(!collate && { set: 'images' }) }
  },
})
