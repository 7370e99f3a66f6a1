import type { MemeBox } from '../../../../src/media/image/decode/memes.ts'
import { type DrawnText, drawText, fitTextSize } from '../../../../src/media/image/text/text.ts'
import { type TextFace, textFace } from '../../../../src/media/image/text/text-fonts.ts'
import { croppedTo, type Drawing } from '../../_shared/layers/text-layer.ts'

export interface CaptionOptions {
  textBoxes: readonly { id: string; text: string }[]
  fontFamily: string
  fontSize?: number | undefined
  textColor: string
  strokeColor: string
  textAlign: 'left' | 'center' | 'right'
  allCaps: boolean
}

export const MEME_FONTS = [
  'anton',
  'arial-black',
  'comic-sans',
  'montserrat',
  'bebas-neue',
  'permanent-marker',
  'roboto',
] as const

/** Memes use the boldest weight of these fonts. */
const BLACK: Readonly<Record<string, TextFace>> = {
  montserrat: { family: 'Montserrat', weight: 900 },
  roboto: { family: 'Roboto', weight: 900 },
}

/** Text positions on a custom image: boxes in percent (catalogue). */
export const TEXT_LAYOUTS = {
  'top-bottom': [
    { id: 'top', x: 5, y: 2, width: 90, height: 20 },
    { id: 'bottom', x: 5, y: 78, width: 90, height: 20 },
  ],
  'top-only': [{ id: 'top', x: 5, y: 2, width: 90, height: 25 }],
  'bottom-only': [{ id: 'bottom', x: 5, y: 75, width: 90, height: 23 }],
  center: [{ id: 'center', x: 10, y: 35, width: 80, height: 30 }],
  'side-by-side': [
    { id: 'left', x: 2, y: 35, width: 46, height: 30 },
    { id: 'right', x: 52, y: 35, width: 46, height: 30 },
  ],
} as const satisfies Record<string, readonly MemeBox[]>

/**
 * Letters fill their box, as usual in memes: minimum px, and maximum share of the image's height, so that a short text
 * does not fill the image.
 */
const SIZES = { smallest: 8, ofPage: 1 / 8 }

/**
 * Inner margin of a box: px, or a share of its side if that is more; above and below a share of the height, since that
 * of a wide box's width would leave no room. Outline: px, or a share of the font size (catalogue).
 */
const PADDING = { least: 8, ofSide: 0.05 }
const OUTLINE = { least: 1, ofSize: 0.04 }

/**
 * Captions at the top and bottom start at the edge of their box, whatever their number of lines; others are in the middle.
 * @param inner height without the margins, px
 */
function topOf(id: string, drawn: DrawnText, outer: { top: number; height: number }, inner: number): number {
  const margin = (outer.height - inner) / 2
  if (id === 'top') return outer.top + margin
  if (id === 'bottom') return outer.top + outer.height - margin - drawn.height
  return outer.top + outer.height / 2 - drawn.middle
}

async function drawCaption(
  text: string,
  box: MemeBox,
  page: { width: number; height: number },
  options: CaptionOptions,
): Promise<Drawing> {
  const { fontFamily, textColor, strokeColor, textAlign } = options
  const outer = {
    left: (box.x / 100) * page.width,
    top: (box.y / 100) * page.height,
    width: (box.width / 100) * page.width,
    height: (box.height / 100) * page.height,
  }
  const inner = (side: number): number => Math.max(1, side - 2 * Math.max(PADDING.least, PADDING.ofSide * side))
  const width = inner(outer.width)
  const height = inner(outer.height)
  const font = BLACK[fontFamily] ?? textFace(fontFamily)
  const bounds = { smallest: SIZES.smallest, largest: Math.max(SIZES.smallest, page.height * SIZES.ofPage) }
  const size = options.fontSize ?? (await fitTextSize(text, font, { width, height }, bounds))
  const drawn = await drawText({
    ...{ text, font, size, color: textColor, align: textAlign, maxWidth: width },
    stroke: { color: strokeColor, width: Math.max(OUTLINE.least, OUTLINE.ofSize * size) },
  })
  const free = width - drawn.width
  const left =
    outer.left + (outer.width - width) / 2 + (textAlign === 'left' ? 0 : textAlign === 'right' ? free : free / 2)
  return { ...drawn, left, top: topOf(box.id, drawn, outer, height) }
}

/** The texts, each in the box of its id; ids without a box and empty texts are skipped. */
export async function drawCaptions(
  page: { width: number; height: number },
  boxes: readonly MemeBox[],
  options: CaptionOptions,
): Promise<Drawing[]> {
  const drawings: Drawing[] = []
  for (const { id, text } of options.textBoxes) {
    const box = boxes.find((one) => one.id === id)
    if (!box || text.trim() === '') continue
    const caption = await drawCaption(options.allCaps ? text.toUpperCase() : text, box, page, options)
    const shown = await croppedTo(caption, page)
    if (shown) drawings.push(shown)
  }
  return drawings
}
