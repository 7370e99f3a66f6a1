import { suffixedName } from '../../../src/media/naming.ts'
import { oneFile } from '../../../src/tool/contract.ts'
import { imageAction, imageTool } from '../../../src/tool/image-tool.ts'
import { boolean, choice, color, integer, number, text } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'
import { editAnimation } from './gif-tools/actions.ts'
import { extractFrames } from './gif-tools/frames.ts'

const ACTIONS = ['resize', 'optimize', 'reverse', 'speed', 'extract-frames', 'rotate', 'add-text'] as const

const RESIZE = { group: 'Size', when: { action: 'resize' } } as const
const OPTIMIZE = { group: 'Output', when: { action: 'optimize' } } as const
const RANGE = { group: 'Frames', when: { action: 'extract-frames', extractMode: 'range' } } as const
const ROTATE = { group: 'Rotation', when: { action: 'rotate' } } as const
const ADD_TEXT = { group: 'Text', when: { action: 'add-text' } } as const

export default imageTool({
  id: 'gif-tools',
  summary: 'Resize, optimise, retime, reverse, extract, rotate or caption an animated GIF',
  settings: {
    action: choice(ACTIONS, 'what to do', {
      default: 'resize',
      aliases: ['mode'],
      valueAliases: { extract: 'extract-frames' },
    }),
    width: integer('fits inside this width', { short: 'w', ...RESIZE, min: 1, max: 16383, unit: 'px', example: 320 }),
    height: integer('fits inside this height', { short: 'H', ...RESIZE, min: 1, max: 16383, unit: 'px', example: 240 }),
    percentage: number('scales both sides; takes precedence over width and height', {
      ...RESIZE,
      min: 1,
      max: 500,
      unit: '%',
      example: 50,
    }),
    colors: integer('colours of the palette, rounded up to 2, 4, 16 or 256', {
      ...OPTIMIZE,
      default: 256,
      min: 2,
      max: 256,
    }),
    dither: number('0 none, 1 full', { ...OPTIMIZE, default: 1, min: 0, max: 1 }),
    effort: integer('more is smaller and slower', { ...OPTIMIZE, default: 7, min: 1, max: 10 }),
    speedFactor: number('over 1 is faster', {
      group: 'Frames',
      when: { action: ['reverse', 'speed'] },
      default: 1,
      min: 0.1,
      max: 10,
    }),
    extractMode: choice(['single', 'range', 'all'], 'which frames', {
      group: 'Frames',
      when: { action: 'extract-frames' },
      default: 'single',
    }),
    frameNumber: integer('the frame, counted from 0', {
      group: 'Frames',
      when: { action: 'extract-frames', extractMode: 'single' },
      default: 0,
      min: 0,
    }),
    frameStart: integer('the first frame', { ...RANGE, default: 0, min: 0 }),
    frameEnd: integer('the last frame; by default the last of all', { ...RANGE, min: 0, example: 10 }),
    extractFormat: choice(['png', 'webp'], 'output format', {
      group: 'Output',
      when: { action: 'extract-frames' },
      default: 'png',
    }),
    angle: choice([90, 180, 270], 'clockwise', { short: 'a', ...ROTATE, unit: 'degrees' }),
    flipH: boolean('mirror left and right', { ...ROTATE, label: 'Mirror left and right', default: false }),
    flipV: boolean('mirror top and bottom', { ...ROTATE, label: 'Mirror top and bottom', default: false }),
    text: text('text to draw', { ...ADD_TEXT, example: 'Hello' }),
    font: text('the font family', { ...ADD_TEXT, default: 'sans-serif' }),
    fontSize: integer('font size', { ...ADD_TEXT, default: 32, min: 8, max: 400, unit: 'px' }),
    color: color('text colour', { ...ADD_TEXT, default: '#ffffff' }),
    strokeColor: color('outline colour', { ...ADD_TEXT, default: '#000000' }),
    strokeWidth: integer('outline width', { ...ADD_TEXT, default: 2, min: 0, max: 20, unit: 'px' }),
    position: choice(['top', 'center', 'bottom'], 'vertical position of the text if y is not set', {
      ...ADD_TEXT,
      default: 'bottom',
    }),
    x: integer('left edge of the text; centred by default', { ...ADD_TEXT, unit: 'px', example: 20 }),
    y: integer('top edge of the text; set by position by default', { ...ADD_TEXT, unit: 'px', example: 20 }),
    loop: integer('number of plays; 0 = forever; by default an animation keeps its own', {
      group: 'Frames',
      when: { action: ACTIONS.filter((one) => one !== 'extract-frames') },
      default: 0,
      filledByTool: true,
      min: 0,
      max: 100,
    }),
  },
  output: {
    kind: 'files',
    type: [{ when: { action: 'extract-frames' }, setting: 'extractFormat' }, { is: 'gif' }],
    set: { when: { action: 'extract-frames', extractMode: ['range', 'all'] }, name: '{stem}_frames' },
  },
  examples: [
    { title: 'half the size', inputs: ['animation.gif'], settings: { percentage: 50 } },
    { title: 'fewer bytes', inputs: ['animation.gif'], settings: { action: 'optimize', colors: 64 } },
    { title: 'a caption', inputs: ['animation.gif'], settings: { action: 'add-text', text: 'Hello' } },
    { title: 'backwards, twice as fast', inputs: ['animation.gif'], settings: { action: 'reverse', speedFactor: 2 } },
  ],
  check(settings) {
    const { action: wanted } = settings
    if (wanted === 'resize' && !settings.width && !settings.height && !settings.percentage)
      throw invalidSettings(
        'Expected at least one of width, height and percentage for resize',
        'For example: --percentage 50',
      )
    if (wanted === 'rotate' && !settings.angle && !settings.flipH && !settings.flipV)
      throw invalidSettings('Expected at least one of angle, flipH and flipV for rotate', 'For example: --angle 90')
    if (wanted === 'add-text' && !settings.text?.trim())
      throw invalidSettings('Expected text for add-text, got nothing', 'For example: --text "Hello"')
    if (settings.frameEnd !== undefined && settings.frameEnd < settings.frameStart)
      throw invalidSettings(
        `Expected frameEnd to be at least frameStart (${settings.frameStart}), got ${settings.frameEnd}`,
      )
  },
  async produce([picture], settings, context) {
    const given = await picture.open()
    if (settings.action === 'extract-frames') return extractFrames(given, picture, context, settings)
    const edited = await editAnimation(given, settings)
    const timed = settings.loop === undefined ? edited : edited.withTiming({ loop: settings.loop })
    return { name: suffixedName(picture, settings.action, 'gif'), frame: timed.withTarget({ format: 'gif' }) }
  },
  actions: [
    imageAction({
      id: 'info',
      summary: 'Report size, frames and timing of an animated GIF',
      input: oneFile('image'),
      settings: {},
      output: { kind: 'report' },
      async produce([picture]) {
        const file = await picture.file()
        const frame = await picture.open()
        const delay = [...frame.delays]
        const report = {
          width: frame.width,
          height: frame.height,
          pages: frame.pages,
          delay,
          loop: frame.loop,
          fileSize: file.bytes,
          duration: delay.reduce((sum, one) => sum + one, 0),
        }
        return { report }
      },
    }),
  ],
})
