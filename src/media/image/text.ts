import type { OverlayOptions } from '../../engines/sharp.ts'
import { openSharp } from '../../engines/sharp.ts'

export interface TextLook {
  text: string
  /** A family name, or a generic one such as sans-serif. */
  font: string
  /** Height of the letters' em, px. */
  size: number
  /** #rrggbb */
  color: string
  bold?: boolean
  align?: 'left' | 'center' | 'right'
  /** Lines are broken to this width, px. */
  maxWidth?: number
  stroke?: { color: string; width: number }
}

/** Drawn text as a picture with transparent ground. */
export interface DrawnText {
  png: Buffer
  width: number
  height: number
}

const escapeMarkup = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')

/** One colour of the text, laid out by Pango: shaping, right-to-left scripts, font fallback and line breaks are its. */
async function layout(look: TextLook, color: string): Promise<DrawnText> {
  const { text, font, size, bold = false, align = 'center', maxWidth } = look
  const image = await openSharp(undefined, {
    text: {
      text: `<span foreground="${color}">${escapeMarkup(text)}</span>`,
      font: `${font}${bold ? ' Bold' : ''} ${size}`,
      // At 72 dots per inch a point is a pixel.
      dpi: 72,
      rgba: true,
      align: align === 'center' ? 'centre' : align,
      wrap: 'word-char',
      ...(maxWidth !== undefined && { width: Math.max(1, Math.round(maxWidth)) }),
    },
  })
  const { data, info } = await image.png({ compressionLevel: 0 }).toBuffer({ resolveWithObject: true })
  return { png: data, width: info.width, height: info.height }
}

/** Directions in which the outline is drawn; enough that round letters get a round outline. */
const DIRECTIONS = 24

/** Text as a picture, cut to its ink, with an outline of `stroke.width` pixels all around where asked for. */
export async function drawText(look: TextLook): Promise<DrawnText> {
  const { stroke } = look
  const fill = await layout(look, look.color)
  if (!stroke || stroke.width <= 0) return fill
  const outline = await layout(look, stroke.color)
  const edge = Math.ceil(stroke.width)
  const size = { width: fill.width + 2 * edge, height: fill.height + 2 * edge }
  const copies: OverlayOptions[] = Array.from({ length: DIRECTIONS }, (_, index) => {
    const angle = (2 * Math.PI * index) / DIRECTIONS
    return {
      input: outline.png,
      left: Math.round(edge + Math.cos(angle) * stroke.width),
      top: Math.round(edge + Math.sin(angle) * stroke.width),
    }
  })
  const canvas = await openSharp(undefined, {
    create: { ...size, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } },
  })
  const png = await canvas
    .composite([...copies, { input: fill.png, left: edge, top: edge }])
    .png({ compressionLevel: 0 })
    .toBuffer()
  return { png, ...size }
}
