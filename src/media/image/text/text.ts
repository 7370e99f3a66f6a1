import type { RawPixels } from '../../../engines/sharp.ts'
import { openRawPixels } from '../../../engines/sharp.ts'
import { MediaprocError } from '../../../errors.ts'
import { MAX_RESULT_PIXELS, MAX_SIDE } from '../../limits.ts'
import { breakLines, cutLine, ownLines } from './text-breaks.ts'
import { faceFor, type TextFace, textFace } from './text-fonts.ts'
import { capHeight, type DrawnLine, drawLine, hasInk } from './text-line.ts'
import { withOutline } from './text-outline.ts'

export interface TextLook {
  text: string
  /** The name of a setting (text-fonts.ts) or a family, or a face. */
  font: string | TextFace
  /** Height of the letters' em, px. */
  size: number
  /** #rrggbb */
  color: string
  bold?: boolean
  align?: 'left' | 'center' | 'right'
  /** Lines are wrapped at this width, px; otherwise only at explicit line breaks. */
  maxWidth?: number
  /** For a line wider than this, px, the part beyond is not drawn, because it would not be visible. */
  reach?: number
  /** Which part of such a line is kept; the start by default. */
  keep?: 'start' | 'middle' | 'end'
  stroke?: { color: string; width: number }
}

/** Drawn text as an image with transparent background, cropped to its ink (and outline). */
export interface DrawnText {
  png: Buffer
  width: number
  height: number
  /**
   * Distance from the top of the image to the middle of the text, px: halfway between the cap height of the first line
   * and the last baseline.
   */
  middle: number
  lines: number
}

/** Distance between baselines, as a factor of the size (catalogue). */
export const LINE_HEIGHT = 1.2

/** Maximum length of text, in UTF-16 units. */
const MAX_LENGTH = 5000

/** Below this size, px, letters are drawn larger and scaled down, because Pango aligns them to whole pixels. */
const SMOOTH_FROM = 96

const CLEAR: RawPixels = { data: Buffer.alloc(4), width: 1, height: 1, channels: 4 }

interface Placed extends DrawnLine {
  left: number
  /** Px from the first baseline. */
  at: number
}

async function linesOf(look: TextLook, face: TextFace): Promise<string[]> {
  const { text, size, maxWidth, reach = MAX_SIDE, keep = 'start' } = look
  const lines = maxWidth === undefined ? ownLines(text) : (await breakLines(text, face, maxWidth / size)).lines
  const width = Math.min(reach, MAX_SIDE)
  return Promise.all(lines.map((line) => (hasInk(line) ? cutLine(line, face, width / size, keep) : '')))
}

/** Composites the ink of all lines on one canvas; later lines cover earlier ones. */
function joined(lines: readonly Placed[], canvas: { width: number; height: number; top: number }): RawPixels {
  const { width, height } = canvas
  const data = Buffer.alloc(width * height * 4)
  for (const line of lines)
    for (let y = 0; y < line.height; y++)
      for (let x = 0; x < line.width; x++) {
        const from = (y * line.width + x) * 4
        const over = line.data[from + 3]! / 255
        if (over === 0) continue
        const to = ((line.at + line.top - canvas.top + y) * width + line.left + x) * 4
        const under = (data[to + 3]! / 255) * (1 - over)
        for (let channel = 0; channel < 3; channel++)
          data[to + channel] = Math.round(
            (line.data[from + channel]! * over + data[to + channel]! * under) / (over + under),
          )
        data[to + 3] = Math.round((over + under) * 255)
      }
  return { data, width, height, channels: 4 }
}

function checkSize(width: number, height: number, size: number): void {
  if (width * height <= MAX_RESULT_PIXELS) return
  throw new MediaprocError(
    'INVALID_SETTINGS',
    `The text would be ${Math.ceil(width)} x ${Math.ceil(height)} pixels at size ${size}`,
    {
      hint: 'Make the text shorter or its size smaller.',
    },
  )
}

const toPng = async (pixels: RawPixels, size?: { width: number; height: number }): Promise<Buffer> => {
  const image = await openRawPixels(pixels)
  return (size ? image.resize({ ...size, fit: 'fill' }) : image).png({ compressionLevel: 0 }).toBuffer()
}

/**
 * Draws text as an image. Letters that a font lacks come from other bundled fonts, so that the result does not depend
 * on the machine; markup characters are drawn literally. Text without ink gives one transparent pixel.
 * @throws MediaprocError INVALID_SETTINGS when the text is too long or the image would be too large
 */
export async function drawText(look: TextLook): Promise<DrawnText> {
  const { text, font, size, color, bold, align = 'center', stroke } = look
  if (text.length > MAX_LENGTH)
    throw new MediaprocError(
      'INVALID_SETTINGS',
      `The text has ${text.length} characters; at most ${MAX_LENGTH} are drawn`,
      {
        hint: 'Make the text shorter.',
      },
    )
  const face = faceFor(typeof font === 'string' ? textFace(font, bold) : font, text)
  const texts = await linesOf(look, face)
  const cap = await capHeight(face)
  checkSize(size, texts.length * LINE_HEIGHT * size, size)
  const fine = Math.max(1, Math.ceil(SMOOTH_FROM / size))
  const scaled = size * fine
  const lines: DrawnLine[] = []
  for (const line of texts) lines.push(hasInk(line) ? await drawLine(line, face, scaled, color) : { ...CLEAR, top: 0 })
  const widest = Math.max(...lines.map(({ width }) => width))
  const placed = lines.map((line, index): Placed => {
    const free = widest - line.width
    const left = align === 'left' ? 0 : align === 'right' ? free : Math.floor(free / 2)
    return { ...line, left, at: Math.round(index * LINE_HEIGHT * scaled) }
  })
  // Whole pixels of the result: the baseline of the first line must be at a pixel boundary.
  const whole = (pixels: number): number => Math.ceil(pixels / fine) * fine
  const edge = stroke ? Math.ceil(stroke.width) * fine : 0
  const above = whole(Math.max(...placed.map(({ at, top }) => -at - top))) + edge
  const below = whole(Math.max(...placed.map(({ at, top, height }) => at + top + height))) + edge
  const canvas = { width: whole(widest) + 2 * edge, height: above + below, top: -above }
  checkSize(canvas.width, canvas.height, size)
  const ink = joined(
    placed.map((line) => ({ ...line, left: line.left + edge })),
    canvas,
  )
  const drawn = { width: canvas.width / fine, height: canvas.height / fine }
  const middle = above / fine + ((texts.length - 1) * LINE_HEIGHT - cap) * (size / 2)
  const facts = { ...drawn, middle, lines: texts.length }
  if (!stroke || stroke.width <= 0) return { png: await toPng(ink, fine > 1 ? drawn : undefined), ...facts }
  return { png: await outlined(ink, drawn, stroke), ...facts }
}

async function outlined(
  ink: RawPixels,
  size: { width: number; height: number },
  { color, width }: NonNullable<TextLook['stroke']>,
): Promise<Buffer> {
  const image = (await openRawPixels(ink)).resize({ ...size, fit: 'fill' })
  const data = await image.raw({ depth: 'uchar' }).toBuffer()
  const [r, g, b] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as [number, number, number]
  return toPng(withOutline({ ...size, data, channels: 4 }, [r, g, b], width))
}

/**
 * The largest integer size, px from `smallest` to `largest`, at which the text fits a box of this size, px, without
 * breaking a word; `smallest` if none does.
 * @param box the box, or a function that returns it for a font size
 */
export async function fitTextSize(
  text: string,
  font: string | TextFace,
  box: { width: number; height: number } | ((size: number) => { width: number; height: number }),
  { smallest, largest }: { smallest: number; largest: number },
): Promise<number> {
  const face = faceFor(typeof font === 'string' ? textFace(font) : font, text)
  const fits = async (size: number): Promise<boolean> => {
    const { width, height } = typeof box === 'function' ? box(size) : box
    if (width <= 0) return false
    const { lines, split } = await breakLines(text, face, width / size)
    return !split && lines.length * LINE_HEIGHT * size <= height
  }
  let [low, high] = [smallest, Math.floor(largest)]
  while (low < high) {
    const size = Math.ceil((low + high) / 2)
    if (await fits(size)) low = size
    else high = size - 1
  }
  return low
}
