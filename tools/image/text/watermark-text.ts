import { TEXT_FONTS } from '../../../src/media/image/text/text-fonts.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { boolean, choice, color, number, text } from '../../../src/tool/settings.ts'
import { layOver, staysGrey } from '../_shared/layers/text-layer.ts'
import { drawMarks } from './watermark-text/marks.ts'

export default imageTool({
  id: 'watermark-text',
  summary: 'Stamp text once or tiled over an image',
  settings: {
    text: text('what to write', { required: true, minLength: 1, maxLength: 500, example: '© Example' }),
    font: text('the letters; any other name is sans-serif', {
      default: 'sans-serif',
      enum: TEXT_FONTS,
      otherwise: 'sans-serif',
    }),
    fontSize: number('size of the letters', { default: 48, min: 8, max: 1000, unit: 'px' }),
    color: color('colour of the letters', { default: '#000000' }),
    opacity: number('100 covers fully', { default: 50, min: 0, max: 100, unit: '%' }),
    position: choice(
      ['center', 'top-left', 'top-right', 'bottom-left', 'bottom-right', 'tiled'],
      'where the text stands; a corner is as far from both edges as the letters are high',
      { default: 'center' },
    ),
    rotation: number('clockwise, about the corner or the middle of the text', {
      default: 0,
      min: -360,
      max: 360,
      unit: 'degrees',
    }),
    tile: boolean('as position tiled: all over the image', { default: false }),
  },
  examples: [
    { title: 'a name in the corner', settings: { text: '© Example', position: 'bottom-right', color: '#ffffff' } },
    {
      title: 'tiled and slanted',
      settings: { text: 'DRAFT', position: 'tiled', rotation: -30, color: '#ffffff', opacity: 35, fontSize: 56 },
    },
  ],
  async transform(frame, { opacity, tile, ...options }, context) {
    const position = tile ? 'tiled' : options.position
    const marks = await drawMarks(frame, { ...options, position })
    const grey = staysGrey(options.text, options.color)
    return layOver(frame, marks, { opacity: opacity / 100, grey }, context)
  },
})
