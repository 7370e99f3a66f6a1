import { suffixedName } from '../../src/media/naming.ts'
import { oneFile } from '../../src/tool/contract.ts'
import { imageAction, imageTool } from '../../src/tool/image-tool.ts'
import { boolean, choice, color, integer, number, text } from '../../src/tool/settings.ts'
import { invalidSettings } from '../../src/tool/validate.ts'
import { editAnimation } from './gif-tools/actions.ts'
import { extractFrames } from './gif-tools/frames.ts'

const ACTIONS = ['resize', 'optimize', 'reverse', 'speed', 'extract-frames', 'rotate', 'add-text'] as const

export default imageTool({
  id: 'gif-tools',
  summary: 'Resize, optimise, retime, reverse, extract, rotate or caption an animated GIF',
  settings: {
    action: choice(ACTIONS, 'what to do', {
      default: 'resize',
      aliases: ['mode'],
      valueAliases: { extract: 'extract-frames' },
    }),
    width: integer('resize: fits inside this width', { min: 1, max: 16383, unit: 'px' }),
    height: integer('resize: fits inside this height', { min: 1, max: 16383, unit: 'px' }),
    percentage: number('resize: scales both sides; wins over width and height', { min: 1, max: 500, unit: '%' }),
    colors: integer('optimize: colours of the palette, rounded up to 2, 4, 16 or 256', {
      default: 256,
      min: 2,
      max: 256,
    }),
    dither: number('optimize: 0 none, 1 full', { default: 1, min: 0, max: 1 }),
    effort: integer('optimize: more is smaller and slower', { default: 7, min: 1, max: 10 }),
    speedFactor: number('speed and reverse: over 1 is faster', { default: 1, min: 0.1, max: 10 }),
    extractMode: choice(['single', 'range', 'all'], 'extract-frames: which frames', { default: 'single' }),
    frameNumber: integer('extract-frames single: the frame, counted from 0', { default: 0, min: 0 }),
    frameStart: integer('extract-frames range: the first frame', { default: 0, min: 0 }),
    frameEnd: integer('extract-frames range: the last frame; by default the last of all', { min: 0 }),
    extractFormat: choice(['png', 'webp'], 'extract-frames: the format to write', { default: 'png' }),
    angle: choice([90, 180, 270], 'rotate: clockwise', { unit: 'degrees' }),
    flipH: boolean('rotate: mirror left and right', { default: false }),
    flipV: boolean('rotate: mirror top and bottom', { default: false }),
    text: text('add-text: what to write'),
    font: text('add-text: the font family', { default: 'sans-serif' }),
    fontSize: integer('add-text: size of the letters', { default: 32, min: 8, max: 400, unit: 'px' }),
    color: color('add-text: colour of the letters', { default: '#ffffff' }),
    strokeColor: color('add-text: colour of their outline', { default: '#000000' }),
    strokeWidth: integer('add-text: width of their outline', { default: 2, min: 0, max: 20, unit: 'px' }),
    position: choice(['top', 'center', 'bottom'], 'add-text: where; ignored when x and y are given', {
      default: 'bottom',
    }),
    x: integer('add-text: left edge of the text', { unit: 'px' }),
    y: integer('add-text: top edge of the text', { unit: 'px' }),
    loop: integer('how often it plays; 0 = forever; an animation keeps its own unless this is given', {
      default: 0,
      filledByTool: true,
      min: 0,
      max: 100,
    }),
  },
  output: { kind: 'files', type: [{ when: { action: 'extract-frames' }, setting: 'extractFormat' }, { is: 'gif' }] },
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
    const given = await picture!.open()
    if (settings.action === 'extract-frames') return extractFrames(given, picture!, context, settings)
    const edited = await editAnimation(given, settings)
    const timed = settings.loop === undefined ? edited : edited.withTiming({ loop: settings.loop })
    return { name: suffixedName(picture!, settings.action, 'gif'), frame: timed.withTarget({ format: 'gif' }) }
  },
  actions: [
    imageAction({
      id: 'info',
      summary: 'Report size, frames and timing of an animated GIF',
      input: oneFile('image'),
      settings: {},
      output: { kind: 'report' },
      async produce([picture]) {
        const file = await picture!.file()
        const frame = await picture!.open()
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
