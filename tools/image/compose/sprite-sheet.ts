import { firstOf, zip } from '../../../src/lists.ts'
import { IMAGE_FORMATS } from '../../../src/media/image/formats.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { choice, color, integer } from '../../../src/tool/settings.ts'
import { newSheet, putOn, sheetFrame, surveyed } from '../_shared/layout/sheet.ts'
import { cssMap, jsonMap, type SpriteSheet } from './sprite-sheet/maps.ts'

export default imageTool({
  id: 'sprite-sheet',
  summary: 'Pack images into one sheet and report frame coordinates',
  input: { files: 'many', min: 2, max: 64, accept: ['image'] },
  settings: {
    columns: integer('maximum number of images per row', { default: 4, min: 1, max: 16 }),
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
  ],
  async produce(given, { columns, padding, background, format: wanted, quality, map }, context) {
    const format = wanted === 'jpeg' ? 'jpg' : wanted
    const pictures = await surveyed(given, context)
    const { width: cellWidth, height: cellHeight } = firstOf(pictures)
    const cols = Math.min(columns, pictures.length)
    const rows = Math.ceil(pictures.length / cols)
    const canvas = {
      width: cols * cellWidth + (cols - 1) * padding,
      height: rows * cellHeight + (rows - 1) * padding,
    }
    const frames = pictures.map((_, index) => ({
      index,
      left: (index % cols) * (cellWidth + padding),
      top: Math.floor(index / cols) * (cellHeight + padding),
      width: cellWidth,
      height: cellHeight,
    }))
    const deep = IMAGE_FORMATS[format].depth === 16 && pictures.some(({ bits }) => bits === 16)
    const sheet = newSheet(canvas, background, deep)
    const size = { width: cellWidth, height: cellHeight }
    for (const [index, [{ open, named }, place]] of zip(pictures, frames).entries()) {
      context.progress(index / pictures.length, 'packing')
      await named(async () => {
        const frame = await open()
        const isSame = frame.width === cellWidth && frame.height === cellHeight
        const sized = isSame ? frame : await frame.apply((image) => image.resize({ ...size, fit: 'cover' }), { size })
        await putOn(sheet, sized, place, background)
      })
    }
    const image = `sprite.${IMAGE_FORMATS[format].extension}`
    const about: SpriteSheet = { image, ...canvas, frames, names: given.map(({ name }) => name) }
    const maps = [
      { name: 'sprite.json', type: 'json', data: jsonMap(about), field: 'jsonUrl' },
      { name: 'sprite.css', type: 'css', data: cssMap(about), field: 'cssUrl' },
    ]
    const files = maps.filter(({ type }) => map === type || map === 'both')
    const report = {
      frames,
      cols,
      rows,
      cellWidth,
      cellHeight,
      canvasWidth: canvas.width,
      canvasHeight: canvas.height,
    }
    return { name: image, frame: (await sheetFrame(sheet, image)).withTarget({ format, quality }), files, report }
  },
})
