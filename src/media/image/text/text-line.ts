import type { RawPixels } from '../../../engines/sharp.ts'
import { openSharp } from '../../../engines/sharp.ts'
import { pangoFont, type TextFace } from './text-fonts.ts'

/** Font size for measuring text, px: other sizes scale proportionally, except for hinting. */
const MEASURED = 100

const escapeMarkup = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')

/** Pango attributes come only from here, never from the text itself. */
function markup(text: string, face: TextFace, extra = ''): string {
  const font = pangoFont(face)
  const family = escapeMarkup(font.face).replace(/"/g, '&quot;')
  return `<span face="${family}" weight="${font.weight}" lang="${font.lang}" ${extra}>${escapeMarkup(text)}</span>`
}

/** At 72 dots per inch, a point is a pixel. */
const pipeline = (pango: string, size: number) =>
  openSharp(undefined, { text: { text: pango, font: `Noto Sans ${size}`, dpi: 72, rgba: true } })

/** Width and height of the ink at MEASURED; zero if there is none. */
async function inkSize(pango: string): Promise<{ width: number; height: number }> {
  const { width, height } = await (await pipeline(pango, MEASURED)).metadata()
  return { width, height }
}

/** Whether a text has visible ink: libvips refuses to draw text without any. */
export function hasInk(text: string): boolean {
  return /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Z}]/u.test(text)
}

/**
 * A letter on the baseline, raised by three times the size: it is above everything, so that only its bottom edge
 * matters.
 */
const raised = (): string => `<span face="Noto Sans" weight="400" rise="${3 * MEASURED * 1024}">H</span>`

const known = new Map<string, Promise<number>>()
const MAX_KNOWN = 5000

/** Caches measurements: the same words recur while sizes are tried. */
function remembered(key: string, measure: () => Promise<number>): Promise<number> {
  const found = known.get(key)
  if (found) return found
  if (known.size >= MAX_KNOWN) known.clear()
  const value = measure()
  known.set(key, value)
  // A failure is reported to the caller and not cached.
  value.catch(() => known.delete(key))
  return value
}

const keyOf = (what: string, { family, weight, language }: TextFace, text: string): string =>
  `${what}|${family}|${weight}|${language ?? ''}|${text}`

/** The advance width of a piece of one line, in em (parts of the size). Spaces count. */
export function advance(text: string, face: TextFace): Promise<number> {
  return remembered(keyOf('advance', face, text), async () => {
    const [bars, all] = await Promise.all([inkSize(markup('||', face)), inkSize(markup(`|${text}|`, face))])
    return (all.width - bars.width) / MEASURED
  })
}

/** Height of a capital letter, in em. */
export function capHeight(face: TextFace): Promise<number> {
  return remembered(keyOf('capital', face, 'H'), async () => (await inkSize(markup('H', face))).height / MEASURED)
}

/** How far the ink extends below the baseline, in em; negative if it ends above it. */
function depth(text: string, face: TextFace): Promise<number> {
  return remembered(keyOf('depth', face, text), async () => {
    const [base, all] = await Promise.all([inkSize(`H${raised()}`), inkSize(markup(text, face) + raised())])
    return (all.height - base.height) / MEASURED
  })
}

/** A line as pixels, cropped to its ink, and the top of its ink: px from the baseline, downwards positive. */
export interface DrawnLine extends RawPixels {
  top: number
}

/**
 * Draws one line; Pango handles shaping, right-to-left order and font selection.
 * @param color #rrggbb; colour emoji keep their own colours
 * @param size px
 */
export async function drawLine(text: string, face: TextFace, size: number, color: string): Promise<DrawnLine> {
  const [image, below] = await Promise.all([
    pipeline(markup(text, face, `foreground="${color}"`), size),
    depth(text, face),
  ])
  const { data, info } = await image.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height, channels: 4, top: Math.round(below * size) - info.height }
}
