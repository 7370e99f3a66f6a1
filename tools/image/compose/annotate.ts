import { openSharp } from '../../../src/engines/sharp.ts'
import type { ImageFrame, Size } from '../../../src/media/image/frame.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { boolean, color, list, number, text } from '../../../src/tool/settings.ts'
import { isGrey } from '../_shared/colour/colours.ts'
import { type Drawing, layOver, staysGrey } from '../_shared/layers/text-layer.ts'
import { hideAreas, onWholePixels } from './annotate/hidden.ts'
import { drawLabels } from './annotate/labels.ts'
import { type Mark, readMark } from './annotate/marks.ts'
import { drawShapes, HIGHLIGHT, type Style } from './annotate/shapes.ts'

/** Default sizes, as shares of the image's shorter side, and the least of them, px. */
const LINE = { share: 1 / 150, least: 2 }
const FONT = { share: 1 / 24, least: 12 }

const sizeFor = (image: Size, { share, least }: typeof LINE): number =>
  Math.max(least, Math.round(Math.min(image.width, image.height) * share))

const MARKS = 200

/** Whether a mark reaches into the image. */
function isSeen(drawing: Pick<Drawing, 'left' | 'top' | 'width' | 'height'>, image: Size): boolean {
  const { left, top, width, height } = drawing
  return left < image.width && top < image.height && left + width > 0 && top + height > 0
}

/** The rectangle around a mark, without its width. */
function extentOf(mark: Mark) {
  if ('area' in mark) return mark.area
  if ('at' in mark) return { left: mark.at.x, top: mark.at.y, width: 1, height: 1 }
  const { from, to } = mark
  const [left, top] = [Math.min(from.x, to.x), Math.min(from.y, to.y)]
  return { left, top, width: Math.abs(to.x - from.x) + 1, height: Math.abs(to.y - from.y) + 1 }
}

async function pageOf(svg: string, { width, height }: Size): Promise<Drawing> {
  const png = await (await openSharp(Buffer.from(svg))).png({ compressionLevel: 0 }).toBuffer()
  return { png, width, height, left: 0, top: 0 }
}

export default imageTool({
  id: 'annotate',
  summary: 'Point out and hide parts of a screenshot: arrows, boxes, numbers, text, blur, spotlight',
  suffix: 'annotated',
  settings: {
    marks: list(
      text('a mark: kind, position in px or % from the top left, options, words', {
        minLength: 1,
        maxLength: 600,
      }),
      'arrow and line X Y TO-X TO-Y; box, ellipse, highlight, spotlight, blur, pixelate and cover X Y WIDTH HEIGHT; ' +
        'number X Y; text X Y WORDS; with color=, width= and size= before the words',
      { required: true, minLength: 1, maxLength: MARKS, example: ['arrow 60% 70% 45% 45%', 'number 64% 74%'] },
    ),
    color: color('colour of lines, letters and numbers', { default: '#e11d48' }),
    lineWidth: number('width of lines; fitted to the image by default', { min: 1, max: 200, unit: 'px', example: 6 }),
    fontSize: number('size of letters and numbers; fitted to the image by default', {
      min: 8,
      max: 500,
      unit: 'px',
      example: 40,
    }),
    outline: boolean('a light or dark rim, so that marks show on every ground', { default: true }),
  },
  examples: [
    {
      title: 'point out and count',
      settings: {
        marks: ['arrow 62% 80% 46% 58%', 'number 62% 80%', 'box 8% 12% 30% 26%', 'text 8% 5% Look here'],
      },
    },
    {
      title: 'hide a name, and darken everything but what matters',
      inputs: ['portrait.jpg'],
      settings: { marks: ['spotlight 25% 10% 50% 55%', 'pixelate 30% 75% 40% 8%'] },
    },
  ],
  check: ({ marks }) => marks.forEach((mark, index) => void readMark(mark, index, { width: 1, height: 1 })),
  async transform(given, settings, context) {
    const { marks: written, color: colour, outline } = settings
    const image: Size = { width: given.width, height: given.height }
    const marks = written.map((mark, index) => onWholePixels(readMark(mark, index, image), image))
    const style: Style = {
      color: colour,
      width: settings.lineWidth ?? sizeFor(image, LINE),
      size: settings.fontSize ?? sizeFor(image, FONT),
      outline,
    }
    const frame: ImageFrame = await hideAreas(given, marks)
    marks.forEach((mark, index) => {
      if (!isSeen(extentOf(mark), image)) context.warn(`marks.${index}: ${mark.kind} is outside the image`)
    })
    const svg = drawShapes(marks, style, image)
    const labels = await drawLabels(marks, style, image.width)
    const drawings = [...(svg === undefined ? [] : [await pageOf(svg, image)]), ...labels]
    const colours = marks.map((mark) => mark.color ?? (mark.kind === 'highlight' ? HIGHLIGHT : style.color))
    const words = marks.map((mark) => (mark.kind === 'text' ? mark.text : '')).join('')
    const grey = colours.every(isGrey) && staysGrey(words)
    return drawings.length === 0 ? frame : layOver(frame, drawings, { opacity: 1, grey }, context)
  },
})
