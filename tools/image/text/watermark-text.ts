import { TEXT_FONTS } from '../../../src/media/image/text/text-fonts.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { boolean, choice, color, number, text } from '../../../src/tool/settings.ts'
import { layOver, staysGrey } from '../_shared/layers/text-layer.ts'
import { groundOf } from './watermark-text/ground.ts'
import { BLACK, drawMarks } from './watermark-text/marks.ts'

export default imageTool({
  id: 'watermark-text',
  summary: 'Stamp text once or tiled over an image',
  settings: {
    text: text('text to draw', { required: true, minLength: 1, maxLength: 500, example: '© Example' }),
    font: text('font; unknown names use sans-serif', {
      default: 'sans-serif',
      enum: TEXT_FONTS,
      otherwise: 'sans-serif',
    }),
    fontSize: number('font size', { default: 48, min: 8, max: 1000, unit: 'px' }),
    color: color('text colour, with a contrasting outline; without one, black, and white on a dark background', {
      default: '#000000',
      filledByTool: true,
    }),
    opacity: number('opacity; 100 is opaque', { default: 50, min: 0, max: 100, unit: '%' }),
    position: choice(
      ['center', 'top-left', 'top-right', 'bottom-left', 'bottom-right', 'tiled'],
      'position of the text; in a corner, its distance from both edges is the font size',
      { default: 'center' },
    ),
    rotation: number('clockwise rotation around the corner or the centre of the text', {
      default: 0,
      min: -360,
      max: 360,
      unit: 'degrees',
    }),
    tile: boolean('same as position tiled: repeat across the whole image', { default: false }),
  },
  scalable: true,
  examples: [
    { title: 'a name in the corner', settings: { text: '© Example', position: 'bottom-right', color: '#ffffff' } },
    {
      title: 'tiled and slanted',
      settings: { text: 'DRAFT', position: 'tiled', rotation: -30, color: '#ffffff', opacity: 35, fontSize: 56 },
    },
  ],
  async transform(frame, { opacity, tile, color: given, ...options }, context) {
    const position = tile ? 'tiled' : options.position
    // For a colour that suits the page, the page is read twice: it is computed once.
    const page = given === undefined ? await frame.settled() : frame
    const ground = given === undefined ? await groundOf(page) : undefined
    const colour = given ?? BLACK
    const marks = await drawMarks(page, ground, { ...options, color: colour, position })
    const grey = staysGrey(options.text, colour)
    return layOver(page, marks, { opacity: opacity / 100, grey }, context)
  },
})
