import { TEXT_FONTS } from '../../../src/media/image/text/text-fonts.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { boolean, choice, color, number, text } from '../../../src/tool/settings.ts'
import { layOver, staysGrey } from '../_shared/layers/text-layer.ts'
import { drawBlock } from './text-overlay/block.ts'

export default imageTool({
  id: 'text-overlay',
  summary: 'Write styled text on an image with optional backing box',
  settings: {
    text: text('text to draw; line breaks start new lines', {
      group: 'Text',
      required: true,
      minLength: 1,
      maxLength: 500,
      example: 'A day at the lake',
    }),
    font: text('font; unknown names use sans-serif', {
      group: 'Text',
      default: 'sans-serif',
      enum: TEXT_FONTS,
      otherwise: 'sans-serif',
    }),
    fontSize: number('font size', { group: 'Text', default: 48, min: 8, max: 200, unit: 'px' }),
    color: color('text colour', { group: 'Text', default: '#ffffff' }),
    x: number('left edge of the text or its box; centred by default', { group: 'Position', unit: 'px', example: 40 }),
    y: number('top edge of the text or its box; set by position by default', {
      group: 'Position',
      unit: 'px',
      example: 40,
    }),
    background: color('colour of a box behind the text, or transparent for none; takes precedence over backgroundBox', {
      group: 'Background',
      example: '#dc2626cc',
      alpha: true,
      transparent: true,
      valueAliases: { none: 'transparent' },
    }),
    padding: number('padding of the box', {
      group: 'Background',
      default: 8,
      min: 0,
      max: 500,
      unit: 'px',
    }),
    borderRadius: number('corner radius of the box', {
      group: 'Background',
      default: 0,
      min: 0,
      max: 500,
      unit: 'px',
    }),
    position: choice(['top', 'center', 'bottom'], 'vertical position of the text if y is not set', {
      group: 'Position',
      default: 'bottom',
    }),
    backgroundBox: boolean('a band behind the text, as wide as the image', { group: 'Background', default: false }),
    backgroundColor: color('colour of the band', {
      group: 'Background',
      label: 'Band color',
      when: { backgroundBox: true },
      default: '#000000',
    }),
    shadow: boolean('a soft shadow under the letters', { group: 'Text', default: true }),
  },
  scalable: true,
  examples: [
    { title: 'a caption on a band', settings: { text: 'A day at the lake', backgroundBox: true } },
    {
      title: 'a label in a rounded box',
      settings: { text: 'New', font: 'anton', x: 40, y: 40, background: '#dc2626cc', padding: 20, borderRadius: 16 },
    },
  ],
  async transform(frame, { background, ...options }, context) {
    const box = background === 'transparent' ? undefined : background
    const block = await drawBlock(frame, { ...options, background: box })
    const behind = box ? [box] : options.backgroundBox ? [options.backgroundColor] : []
    return layOver(frame, [block], { opacity: 1, grey: staysGrey(options.text, options.color, ...behind) }, context)
  },
})
