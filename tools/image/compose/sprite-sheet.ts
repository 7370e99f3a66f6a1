import { zip } from '../../../src/lists.ts'
import { IMAGE_FORMATS } from '../../../src/media/image/formats.ts'
import type { ImageFrame, Size } from '../../../src/media/image/frame.ts'
import { imageTool, type StepContext } from '../../../src/tool/image-tool.ts'
import { boolean, choice, color, integer } from '../../../src/tool/settings.ts'
import { coverKeepingFaces } from '../_shared/faces/keep.ts'
import { scaled } from '../_shared/layout/fit.ts'
import { newSheet, putOn, type SurveyedPicture, sheetFrame, surveyed } from '../_shared/layout/sheet.ts'
import { cellOf, gridLayout, type Part, packedLayout, visiblePart } from './sprite-sheet/layout.ts'
import { cssMap, cssMention, jsonMap, jsonMention, type SpriteSheet } from './sprite-sheet/maps.ts'

export default imageTool({
  id: 'sprite-sheet',
  summary: 'Pack images into one sheet and report frame coordinates',
  input: { files: 'many', min: 2, max: 64, accept: ['image'] },
  settings: {
    columns: integer('maximum number of images per row', {
      when: { fit: ['cover', 'contain'] },
      default: 4,
      min: 1,
      max: 16,
    }),
    fit: choice(
      ['cover', 'contain', 'pack'],
      'how images that differ from the first are drawn: cropped to its size, whole inside it, or packed in their own sizes',
      { default: 'cover' },
    ),
    trim: boolean('remove transparent margins; the JSON map has the original sizes', {
      when: { fit: 'pack' },
      default: false,
    }),
    padding: integer('space between the images', { default: 0, min: 0, max: 64, unit: 'px' }),
    background: color('background colour, also behind transparent images; or transparent', {
      default: '#ffffff',
      transparent: true,
    }),
    format: choice(['png', 'webp', 'jpeg'], 'output format', { default: 'png', valueAliases: { jpg: 'jpeg' } }),
    quality: integer('100 is best', { default: 90, min: 1, max: 100, when: { format: ['webp', 'jpeg'] } }),
    map: choice(['none', 'json', 'css', 'both'], 'additional files with the position of each image', {
      default: 'none',
      label: 'Coordinates',
    }),
    density: integer('pixels of the images per CSS pixel: 2 for @2x images', {
      when: { map: ['json', 'css', 'both'] },
      default: 1,
      min: 1,
      max: 4,
    }),
  },
  output: { kind: 'file+report', type: { setting: 'format' } },
  examples: [
    {
      title: 'a sheet of four',
      inputs: ['logo.svg', 'photo.jpg', 'portrait.jpg', 'holiday.jpg'],
      settings: { columns: 2 },
    },
    {
      title: 'a transparent sheet with its style sheet',
      inputs: ['logo.svg', 'portrait.jpg', 'photo.jpg'],
      settings: { background: 'transparent', padding: 2, format: 'webp', map: 'both' },
    },
    {
      title: 'icons of any size, packed for screens of double density',
      inputs: ['logo.svg', 'drawing.png', 'animation.gif'],
      settings: { fit: 'pack', trim: true, padding: 2, background: 'transparent', map: 'css', density: 2 },
    },
  ],
  async produce(given, options, context) {
    const { fit, padding, background, quality, map, density } = options
    const format = options.format === 'jpeg' ? 'jpg' : options.format
    const pictures = await surveyed(given, context)
    const parts = fit === 'pack' ? await partsOf(pictures, options.trim, context) : undefined
    const { canvas, frames, grid } = parts
      ? await packedLayout(parts, padding)
      : gridLayout(pictures.length, cellOf(pictures), options.columns, padding)
    const deep = IMAGE_FORMATS[format].depth === 16 && pictures.some(({ bits }) => bits === 16)
    const sheet = newSheet(canvas, background, deep)
    for (const [index, [{ open, named }, place]] of zip(pictures, frames).entries()) {
      context.progress(index / pictures.length, 'packing')
      await named(async () => {
        const frame = await open()
        const part = parts?.[index]
        const drawn = part ? await cut(frame, part) : await fitted(frame, place, fit, context)
        const left = place.left + Math.floor((place.width - drawn.width) / 2)
        const top = place.top + Math.floor((place.height - drawn.height) / 2)
        await putOn(sheet, drawn, { left, top }, background)
      })
    }
    const image = `sprite.${IMAGE_FORMATS[format].extension}`
    const about: SpriteSheet = { image, ...canvas, frames, density, names: given.map(({ name }) => name) }
    const maps = [
      { name: 'sprite.json', type: 'json', data: jsonMap(about), field: 'jsonUrl', mention: jsonMention },
      { name: 'sprite.css', type: 'css', data: cssMap(about), field: 'cssUrl', mention: cssMention },
    ]
    const files = maps
      .filter(({ type }) => map === type || map === 'both')
      .map(({ mention, ...file }) => ({ ...file, mentions: { name: image, as: mention(image) } }))
    const report = {
      frames,
      ...(grid && { cols: grid.cols, rows: grid.rows, cellWidth: grid.cell.width, cellHeight: grid.cell.height }),
      canvasWidth: canvas.width,
      canvasHeight: canvas.height,
    }
    return { name: image, frame: (await sheetFrame(sheet, image)).withTarget({ format, quality }), files, report }
  },
})

/** The parts of the images that are packed. */
async function partsOf(pictures: readonly SurveyedPicture[], trim: boolean, context: StepContext): Promise<Part[]> {
  const parts: Part[] = []
  for (const { width, height, open, named } of pictures) {
    context.signal.throwIfAborted()
    await named(async () => {
      const area = trim ? await visiblePart(await open()) : { left: 0, top: 0, width, height }
      parts.push({ ...area, source: { width, height } })
    })
  }
  return parts
}

function cut(frame: ImageFrame, { source, ...area }: Part): ImageFrame | Promise<ImageFrame> {
  if (area.width === source.width && area.height === source.height) return frame
  return frame.apply((image) => image.extract(area), { size: { width: area.width, height: area.height } })
}

/** An image in the size of a cell: cropped to it, or whole inside it. */
function fitted(
  frame: ImageFrame,
  { width, height }: Size,
  fit: 'cover' | 'contain' | 'pack',
  context: StepContext,
): ImageFrame | Promise<ImageFrame> {
  if (frame.width === width && frame.height === height) return frame
  if (fit === 'cover') return coverKeepingFaces(frame, { width, height }, context)
  return scaled(frame, Math.min(width / frame.width, height / frame.height))
}
