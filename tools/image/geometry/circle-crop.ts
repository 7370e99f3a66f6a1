import type { OverlayOptions } from '../../../src/engines/sharp.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { color, integer, number } from '../../../src/tool/settings.ts'
import { inColoursOf, paintable } from '../_shared/layers/ground.ts'
import { CLEAR, evenEdges } from '../_shared/layout/edges.ts'
import { onlyFirstPage } from '../_shared/layout/pages.ts'

/** The smallest circle, px (catalogue). */
const LEAST = 8

const drawing = (side: number, shape: string): Buffer =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}">${shape}</svg>`)

/** A disc in the centre of a square. */
const disc = (side: number, diameter: number): Buffer =>
  drawing(side, `<circle cx="${side / 2}" cy="${side / 2}" r="${diameter / 2}"/>`)

/**
 * A ring up to the edges of a square. It starts a pixel inside the circle, so that nothing shows through between them.
 */
function ring(side: number, diameter: number, colour: string): Buffer {
  const inner = diameter / 2 - 1
  const width = side / 2 - inner
  return drawing(
    side,
    `<circle cx="${side / 2}" cy="${side / 2}" r="${inner + width / 2}" fill="none" stroke="${colour}" stroke-width="${width}"/>`,
  )
}

export default imageTool({
  id: 'circle-crop',
  summary: 'Crop to a circle with optional ring and corner colour',
  suffix: 'circle',
  output: { kind: 'file', type: { is: 'png' } },
  settings: {
    zoom: number('1 is the largest circle; more shows less of the image', { default: 1, min: 1, max: 5 }),
    offsetX: number('horizontal position of the circle: 0 left, 1 right', { default: 0.5, min: 0, max: 1 }),
    offsetY: number('vertical position of the circle: 0 top, 1 bottom', { default: 0.5, min: 0, max: 1 }),
    borderWidth: integer('width of a ring around the circle', { default: 0, min: 0, max: 200, unit: 'px' }),
    borderColor: color('colour of the ring', { default: '#ffffff' }),
    background: color('background colour around and behind the circle', { default: 'transparent', transparent: true }),
    outputSize: integer('side of the result; by default the native size', {
      min: 16,
      max: 4096,
      unit: 'px',
      example: 400,
    }),
  },
  scalable: true,
  examples: [
    { title: 'a profile picture', inputs: ['portrait.jpg'], settings: { offsetY: 0.2, outputSize: 400 } },
    {
      title: 'with a ring, on a colour',
      inputs: ['portrait.jpg'],
      settings: { zoom: 1.4, offsetY: 0.3, borderWidth: 24, borderColor: '#1e3a8a', background: '#fef3c7' },
    },
  ],
  async transform(given, settings, context) {
    const { zoom, offsetX, offsetY, borderWidth, borderColor, background, outputSize } = settings
    const first = await onlyFirstPage(given, context, 'png')
    const frame = await paintable(first, background, borderWidth > 0 ? borderColor : 'transparent')
    const shorter = Math.min(frame.width, frame.height)
    const diameter = Math.min(shorter, Math.max(LEAST, Math.round(shorter / zoom)))
    const left = Math.round((frame.width - diameter) * offsetX)
    const top = Math.round((frame.height - diameter) * offsetY)
    const cut = await frame.apply((image) => image.extract({ left, top, width: diameter, height: diameter }), {
      size: { width: diameter, height: diameter },
    })
    const edge = Math.min(borderWidth, Math.floor(diameter / 2))
    const side = diameter + 2 * edge
    const layers: OverlayOptions[] = [{ input: disc(side, diameter), blend: 'dest-in' }]
    if (edge > 0) {
      const colour = await inColoursOf(frame, borderColor, context)
      layers.push({ input: ring(side, diameter, colour), blend: 'dest-over' })
    }
    const clear = background === 'transparent'
    if (!clear) {
      const ground = await inColoursOf(frame, background, context)
      const dot = { create: { width: 1, height: 1, channels: 3 as const, background: ground } }
      layers.push({ input: dot, tile: true, blend: 'dest-over' })
    }
    const drawn = await cut.apply(
      (image) => {
        const circle = image.extend({ ...evenEdges(edge), background: CLEAR }).composite(layers)
        return clear ? circle : circle.removeAlpha()
      },
      { size: { width: side, height: side }, alpha: clear },
    )
    const size = { width: outputSize ?? side, height: outputSize ?? side }
    const sized = outputSize ? await drawn.apply((image) => image.resize({ ...size, fit: 'fill' }), { size }) : drawn
    return sized.withTarget({ format: 'png' })
  },
})
