import { writeFile } from 'node:fs/promises'
import { encodeImage } from '../../src/media/image/encode.ts'
import { imageError } from '../../src/media/image/errors.ts'
import { IMAGE_FORMATS } from '../../src/media/image/formats.ts'
import { type OutputFile, tool } from '../../src/tool/contract.ts'
import { choice, color, integer } from '../../src/tool/settings.ts'
import { newSheet, putOn, sheetFrame, surveyed } from './_shared/layout/sheet.ts'
import { cssMap, jsonMap, type SpriteSheet } from './sprite-sheet/maps.ts'

export default tool({
  section: 'image',
  id: 'sprite-sheet',
  summary: 'Pack images into one sheet and report frame coordinates',
  input: { files: 'many', min: 2, max: 64, accept: ['image'] },
  settings: {
    columns: integer('most images in a row', { default: 4, min: 1, max: 16 }),
    padding: integer('space between the images', { default: 0, min: 0, max: 64, unit: 'px' }),
    background: color('colour of free space and behind clear images; or transparent', {
      default: '#ffffff',
      transparent: true,
    }),
    format: choice(['png', 'webp', 'jpeg'], 'the format to write', { default: 'png', valueAliases: { jpg: 'jpeg' } }),
    quality: integer('lossy formats: 100 is best', { default: 90, min: 1, max: 100 }),
    map: choice(['none', 'json', 'css', 'both'], 'further files that tell where each image is', { default: 'none' }),
  },
  output: { kind: 'file+report', type: { setting: 'format' } },
  engines: ['sharp'],
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
  async run(job, { columns, padding, background, format: wanted, quality, map }) {
    const format = wanted === 'jpeg' ? 'jpg' : wanted
    const pictures = await surveyed(job, job.inputs)
    const { width: cellWidth, height: cellHeight } = pictures[0]!
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
    for (const [index, { name, open }] of pictures.entries()) {
      job.progress(index / pictures.length, 'packing')
      try {
        const frame = await open()
        const isSame = frame.width === cellWidth && frame.height === cellHeight
        const sized = isSame ? frame : await frame.apply((image) => image.resize({ ...size, fit: 'cover' }), { size })
        await putOn(sheet, sized, frames[index]!, background)
      } catch (error) {
        throw imageError(error, name)
      }
      job.signal.throwIfAborted()
    }
    const image = `sprite.${IMAGE_FORMATS[format].extension}`
    const path = await job.output(image)
    await encodeImage((await sheetFrame(sheet, image)).withTarget({ format, quality }), path)
    const files: OutputFile[] = [{ path, name: image, mime: `image/${wanted}` }]
    const about: SpriteSheet = { image, ...canvas, frames, names: job.inputs.map(({ name }) => name) }
    const write = async (extension: 'json' | 'css', mime: string, text: string): Promise<void> => {
      const name = `sprite.${extension}`
      const to = await job.output(name)
      await writeFile(to, text)
      files.push({ path: to, name, mime, field: `${extension}Url` })
    }
    if (map === 'json' || map === 'both') await write('json', 'application/json', jsonMap(about))
    if (map === 'css' || map === 'both') await write('css', 'text/css', cssMap(about))
    const report = {
      frames,
      cols,
      rows,
      cellWidth,
      cellHeight,
      canvasWidth: canvas.width,
      canvasHeight: canvas.height,
    }
    return { files, report }
  },
})
