import { zip } from '../../../src/lists.ts'
import { IMAGE_FORMATS } from '../../../src/media/image/formats.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { choice, color, integer, number } from '../../../src/tool/settings.ts'
import { coverKeepingFaces } from '../_shared/faces/keep.ts'
import { roundCorners } from '../_shared/layers/round-corners.ts'
import { newSheet, putOn, sheetFrame, surveyed } from '../_shared/layout/sheet.ts'
import { preparedSizes, stitchLayout } from './stitch/layout.ts'

export default imageTool({
  id: 'stitch',
  summary: 'Join images in a row, a column or a grid',
  input: { files: 'many', min: 2, max: 1000, accept: ['image'] },
  settings: {
    direction: choice(['horizontal', 'vertical', 'grid'], 'a row, a column or a grid', {
      group: 'Layout',
      default: 'horizontal',
    }),
    gridColumns: integer('how many in a row', {
      group: 'Layout',
      when: { direction: 'grid' },
      default: 2,
      min: 2,
      max: 100,
    }),
    resizeMode: choice(
      ['fit', 'original', 'stretch', 'crop', 'justify'],
      'how images get the same height (or width): scaled, not at all, stretched, cropped, or in a grid scaled to rows of one width',
      { default: 'fit', group: 'Layout' },
    ),
    alignment: choice(['start', 'center', 'end'], 'alignment of images that are smaller than the others', {
      group: 'Layout',
      default: 'center',
    }),
    gap: number('space between the images', { group: 'Layout', default: 0, min: 0, max: 1000, unit: 'px' }),
    border: number('space around them', { group: 'Layout', default: 0, min: 0, max: 500, unit: 'px' }),
    cornerRadius: number('corner radius of the whole result', {
      group: 'Style',
      default: 0,
      min: 0,
      max: 500,
      unit: 'px',
    }),
    backgroundColor: color('colour of gaps, border and free areas', { group: 'Style', default: '#ffffff' }),
    format: choice(['png', 'jpeg', 'webp', 'avif', 'jxl'], 'output format', {
      group: 'Output',
      default: 'png',
      valueAliases: { jpg: 'jpeg' },
    }),
    quality: number('100 is best', {
      group: 'Output',
      when: { format: ['jpeg', 'webp', 'avif', 'jxl'] },
      default: 90,
      min: 1,
      max: 100,
    }),
  },
  output: { kind: 'file', type: { setting: 'format' } },
  heavy: true,
  examples: [
    { title: 'three photos in a row', inputs: ['photo.jpg', 'holiday.jpg', 'portrait.jpg'] },
    {
      title: 'a grid with gaps and round corners',
      inputs: ['photo.jpg', 'holiday.jpg', 'portrait.jpg', 'photo.jpg'],
      settings: { direction: 'grid', resizeMode: 'crop', gap: 16, border: 16, cornerRadius: 40, format: 'webp' },
    },
    {
      title: 'a gallery of even rows, with nothing cropped',
      inputs: ['photo.jpg', 'holiday.jpg', 'portrait.jpg', 'photo.jpg', 'holiday.jpg'],
      settings: { direction: 'grid', gridColumns: 3, resizeMode: 'justify', gap: 16, border: 16, format: 'webp' },
    },
    {
      title: 'one below the other',
      inputs: ['photo.jpg', 'portrait.jpg'],
      settings: { direction: 'vertical', gap: 24, backgroundColor: '#1e3a8a', format: 'jpeg' },
    },
  ],
  async produce(given, options, context) {
    const { resizeMode, cornerRadius, backgroundColor, quality } = options
    const format = options.format === 'jpeg' ? 'jpg' : options.format
    const pictures = await surveyed(given, context)
    const { canvas, places } = stitchLayout(preparedSizes(pictures, options), options)
    const deep = IMAGE_FORMATS[format].depth === 16 && pictures.some(({ bits }) => bits === 16)
    const sheet = newSheet(canvas, backgroundColor, deep)
    for (const [index, [{ open, named }, place]] of zip(pictures, places).entries()) {
      const { left, top, width, height } = place
      context.progress(index / pictures.length, 'placing')
      await named(async () => {
        const frame = await open()
        const size = { width, height }
        const isSame = frame.width === width && frame.height === height
        const sized = isSame
          ? frame
          : resizeMode === 'crop'
            ? await coverKeepingFaces(frame, size, context)
            : await frame.apply((image) => image.resize({ ...size, fit: 'fill' }), { size })
        await putOn(sheet, sized, { left, top }, backgroundColor)
      })
    }
    const name = `stitch.${options.format}`
    const rounded = await roundCorners(await sheetFrame(sheet, name), cornerRadius)
    return { name, frame: rounded.withTarget({ format, quality, background: backgroundColor }) }
  },
})
