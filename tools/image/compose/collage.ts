import type { OverlayOptions } from '../../../src/engines/sharp.ts'
import { openSharp } from '../../../src/engines/sharp.ts'
import { IMAGE_FORMATS } from '../../../src/media/image/formats.ts'
import { ImageFrame } from '../../../src/media/image/frame.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { choice, color, group, integer, list, number } from '../../../src/tool/settings.ts'
import { sharpColour } from '../_shared/colour/colours.ts'
import { drawCell } from './collage/cell.ts'
import { CANVASES, cellBoxes, templateFor } from './collage/layout.ts'
import { TEMPLATES, type TemplateName } from './collage/templates.ts'

export default imageTool({
  id: 'collage',
  summary: 'Place several images into a named grid template on one canvas',
  input: { files: 'many', min: 1, max: 100, accept: ['image'] },
  settings: {
    template: choice(Object.keys(TEMPLATES) as TemplateName[], 'the layout; by default one for the number of images', {
      aliases: ['templateId'],
    }),
    cells: list(
      group(
        {
          imageIndex: integer('which image the cell shows, counted from 0', { min: 0, required: true, example: 0 }),
          panX: number('shifts the visible part, as a percentage of the overflow', {
            default: 0,
            min: -200,
            max: 200,
            unit: '%',
          }),
          panY: number('like panX, vertically', { default: 0, min: -200, max: 200, unit: '%' }),
          zoom: number('enlarges the image within its cell', { default: 1, min: 1, max: 10 }),
          objectFit: choice(['cover', 'contain'], 'fill the cell, or show the whole image', { default: 'cover' }),
        },
        'how one cell is filled',
      ),
      'settings of the cells, in the order of the template',
    ),
    gap: number('space between the cells and around them', { default: 8, min: 0, max: 500, unit: 'px' }),
    borderRadius: number('corner radius of every cell', {
      default: 0,
      min: 0,
      max: 500,
      unit: 'px',
      aliases: ['cornerRadius'],
    }),
    backgroundColor: color('behind and between the images', { default: '#FFFFFF', transparent: true }),
    aspectRatio: choice(['free', '1:1', '4:3', '3:2', '16:9', '9:16', '4:5'], 'shape of the canvas', {
      default: 'free',
    }),
    outputFormat: choice(['png', 'jpeg', 'webp', 'avif', 'jxl'], 'output format', {
      default: 'png',
      valueAliases: { jpg: 'jpeg' },
    }),
    quality: number('100 is best', {
      default: 90,
      min: 1,
      max: 100,
      when: { outputFormat: ['jpeg', 'webp', 'avif', 'jxl'] },
    }),
  },
  output: { kind: 'file', type: { setting: 'outputFormat' }, name: 'collage' },
  heavy: true,
  examples: [
    { title: 'three photos', inputs: ['photo.jpg', 'holiday.jpg', 'portrait.jpg'] },
    {
      title: 'four in a square with round corners',
      inputs: ['photo.jpg', 'holiday.jpg', 'portrait.jpg', 'photo.jpg'],
      settings: { template: '4-grid', aspectRatio: '1:1', borderRadius: 40, gap: 24, outputFormat: 'jpeg' },
    },
  ],
  decode: () => ({ firstPage: true, dpi: 300 }),
  async produce(pictures, settings, context) {
    const { gap, borderRadius, backgroundColor, aspectRatio, outputFormat, quality } = settings
    const template = TEMPLATES[settings.template ?? templateFor(pictures.length)]
    const canvas = CANVASES[aspectRatio]
    const boxes = cellBoxes(template, canvas, gap)
    const background = sharpColour(backgroundColor.toLowerCase())
    const layers: OverlayOptions[] = []
    for (const [index, box] of boxes.entries()) {
      const options = settings.cells?.[index]
      const picture = pictures[options?.imageIndex ?? index]
      if (!picture) continue
      context.progress(index / boxes.length, 'placing')
      await picture.named(async () => {
        const input = await drawCell(
          await picture.open(),
          box,
          { ...options, radius: borderRadius, background },
          context,
        )
        layers.push({ input, left: box.left, top: box.top })
      })
    }
    const drawn = await (await openSharp(undefined, { create: { ...canvas, channels: 4, background } }))
      .composite(layers)
      .png({ compressionLevel: 0 })
      .toBuffer()
    const format = outputFormat === 'jpeg' ? 'jpg' : outputFormat
    const name = `collage.${IMAGE_FORMATS[format].extension}`
    const frame = await ImageFrame.fromPng(drawn, name)
    return { name, frame: frame.withTarget({ format, quality }) }
  },
})
