import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mainVideo } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { videoCodecFor } from '../../../src/media/av/codecs.ts'
import { overlayColour } from '../../../src/media/av/filters/colour.ts'
import { overlayOn } from '../../../src/media/av/picture/overlay.ts'
import { drawText } from '../../../src/media/image/text/text.ts'
import { avTool } from '../../../src/tool/av-tool.ts'
import { choice, color, integer, number, text } from '../../../src/tool/settings.ts'
import { PICTURE_SETTINGS, pictureOf } from '../_shared/picture-settings.ts'
import { shownSize, squarePixels } from '../_shared/square-pixels.ts'

/** Distance of the text from the edges, pixels (catalogue). */
const MARGIN = 24

const ACROSS = { l: String(MARGIN), c: '(W-w)/2', r: `W-w-${MARGIN}` } as const
const DOWN = { t: String(MARGIN), m: '(H-h)/2', b: `H-h-${MARGIN}` } as const
const ALIGN = { l: 'left', c: 'center', r: 'right' } as const

const POSITIONS = {
  tl: ['l', 't'],
  tc: ['c', 't'],
  tr: ['r', 't'],
  l: ['l', 'm'],
  c: ['c', 'm'],
  r: ['r', 'm'],
  bl: ['l', 'b'],
  bc: ['c', 'b'],
  br: ['r', 'b'],
} as const

export default avTool({
  section: 'video',
  id: 'watermark-video',
  summary: 'Draw a text watermark on every frame',
  suffix: 'watermarked',
  settings: {
    text: text('text to draw', { required: true, minLength: 1, maxLength: 200, example: '© Example' }),
    position: choice(
      ['tl', 'tc', 'tr', 'l', 'c', 'r', 'bl', 'bc', 'br'],
      'position: top, middle or bottom, left, centre or right',
      { default: 'br' },
    ),
    fontSize: integer('font size', { default: 36, min: 8, max: 120, unit: 'px' }),
    opacity: number('opacity; 1 is opaque', { default: 0.5, min: 0.05, max: 1 }),
    color: color('text colour', { default: '#ffffff' }),
    ...PICTURE_SETTINGS,
  },
  examples: [
    { title: 'a name in the corner', settings: { text: '© Example' } },
    { title: 'a draft', settings: { text: 'DRAFT', position: 'c', fontSize: 64, opacity: 0.8, color: '#ff0000' } },
  ],
  async plan(source, { text, position, fontSize, opacity, color: colour, ...rest }, { scratch, warn }) {
    const [across, down] = POSITIONS[position]
    const frame = shownSize(source)
    // Text wider than the frame is broken into lines, so that all of it is readable.
    const maxWidth = Math.max(fontSize, frame.width - 2 * MARGIN)
    const drawn = await drawText({
      text,
      font: 'sans-serif',
      size: fontSize,
      color: colour,
      align: ALIGN[across],
      maxWidth,
    })
    if (drawn.width > frame.width || drawn.height > frame.height)
      warn(`the text is larger than the frame of ${frame.width}x${frame.height}: a part of it is not visible`)
    const path = join(await scratch(), 'text.png')
    await writeFile(path, drawn.png)
    const [stream, codec] = [mainVideo(source.info), videoCodecFor(source.extension)]
    const { isHdr, format = 'auto' } = await overlayOn(source, rest, codec)
    const mark = ['format=rgba', `colorchannelmixer=aa=${opacity}`, ...overlayColour(stream, isHdr)]
    return {
      videoFilters: squarePixels(source),
      inputs: [{ path }],
      complexFilter: (input, [number]) =>
        `[${number}:v]${mark.join(',')}[mark];${input}[mark]overlay=${ACROSS[across]}:${DOWN[down]}:format=${format}[v]`,
      // The text covers rows of both fields alike.
      keepsRows: true,
      ...pictureOf(rest),
      singleVideo: true,
      encode: { video: codec },
    }
  },
})
