import { lastOf } from '../../lists.ts'
import type { ReadCharacter } from './ctc.ts'
import type { Picture } from './detect.ts'
import type { TurnedBox } from './geometry.ts'
import { shapesOf } from './regions.ts'
import { inkThreshold } from './spaces.ts'

/** Glyphs of these scripts are square and consist of several parts. */
const WIDE = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uffef]$/u

/** As shares of a strip's height: the minimum glyph width, and the reach of a wide character. */
const LEAST_GLYPH = 0.2
const WIDE_REACH = 0.7

/** Ranges of columns with ink, as [first, past the last]. */
function stretchesOf(inked: readonly boolean[]): [number, number][] {
  const stretches: [number, number][] = []
  for (let column = 0; column < inked.length; column += 1) {
    const last = stretches.at(-1)
    if (!inked[column]) continue
    if (last && last[1] === column) last[1] = column + 1
    else stretches.push([column, column + 1])
  }
  return stretches
}

/**
 * The number of glyphs in a strip without a recognised character: ink that is not near any character. A recogniser that
 * lacks a glyph (€ in PP-OCRv4) skips it, and its confidence in the others does not drop.
 * @param inked which columns of the strip contain ink
 * @param height height of the strip, px
 */
export function unreadGlyphs(characters: readonly ReadCharacter[], inked: readonly boolean[], height: number): number {
  const stretches = stretchesOf(inked)
  const distance = (middle: number, [from, to]: [number, number]): number => Math.max(0, from - middle, middle - to)
  const read = new Set<[number, number]>()
  for (const { text, at } of characters) {
    if (text.trim() === '' || stretches.length === 0) continue
    const middle = at * inked.length
    if (WIDE.test(text)) for (const one of stretches) if (distance(middle, one) <= WIDE_REACH * height) read.add(one)
    read.add(stretches.reduce((best, one) => (distance(middle, one) < distance(middle, best) ? one : best)))
  }
  return stretches.filter((one) => one[1] - one[0] >= LEAST_GLYPH * height && !read.has(one)).length
}

/**
 * Maximum share of ink on a page, and minimum grey difference between paper and ink: everything else is a photograph.
 */
const MOST_INK = 0.2
const LEAST_CONTRAST = 80

/** Letter height (px), letter width in heights, and the minimum number of letters in a line. */
const LEAST_LETTER = 8
const MOST_LETTER = 120
const WIDEST_LETTER = 2.5
const LEAST_LETTERS = 5
/** A page with more shapes than this is a pattern. */
const MOST_SHAPES = 50_000

interface Shape {
  left: number
  right: number
  top: number
  bottom: number
}

/** Ink shapes on a page that may be letters; empty for photographs. */
function letterShapes({ data, width, height }: Picture): Shape[] {
  const greys = new Uint8Array(width * height)
  for (let at = 0; at < greys.length; at += 1)
    greys[at] = (data[at * 3]! + 2 * data[at * 3 + 1]! + data[at * 3 + 2]!) / 4
  const threshold = inkThreshold(greys)
  let [dark, darkSum, sum] = [0, 0, 0]
  for (const grey of greys) {
    sum += grey
    if (grey > threshold) continue
    dark += 1
    darkSum += grey
  }
  if (dark === 0 || dark === greys.length) return []
  const contrast = (sum - darkSum) / (greys.length - dark) - darkSum / dark
  const isDarkInk = dark < greys.length / 2
  if (contrast < LEAST_CONTRAST || Math.min(dark, greys.length - dark) > MOST_INK * greys.length) return []
  const ink = greys.map((grey) => (grey <= threshold === isDarkInk ? 255 : 0))
  const shapes = shapesOf({ data: ink, width, height })
  if (shapes.length > MOST_SHAPES) return []
  return shapes
    .map((points) => {
      const shape = { left: width, right: 0, top: height, bottom: 0 }
      for (const { x, y } of points) {
        shape.left = Math.min(shape.left, x)
        shape.right = Math.max(shape.right, x)
        shape.top = Math.min(shape.top, y)
        shape.bottom = Math.max(shape.bottom, y)
      }
      return shape
    })
    .filter(({ left, right, top, bottom }) => {
      const high = bottom - top
      return high >= LEAST_LETTER && high <= MOST_LETTER && right - left <= WIDEST_LETTER * high
    })
}

/**
 * Rows of letter-like shapes outside the boxes that were read: lines that detection missed.
 * Images that are not print on paper have none.
 * @returns axis-aligned boxes, px of the image
 */
export function unreadLines(picture: Picture, boxes: readonly TurnedBox[]): TurnedBox[] {
  const isRead = ({ left, right, top, bottom }: Shape): boolean =>
    boxes.some((box) => {
      const [cos, sin] = [Math.cos(box.angle), Math.sin(box.angle)]
      const [x, y] = [(left + right) / 2 - box.centre.x, (top + bottom) / 2 - box.centre.y]
      const [along, beside] = [Math.abs(x * cos + y * sin), Math.abs(y * cos - x * sin)]
      const shorter = Math.min(box.width, box.height)
      return along <= (box.width + shorter / 2) / 2 && beside <= (box.height + shorter / 2) / 2
    })
  const left = letterShapes(picture).filter((shape) => !isRead(shape))
  const middle = ({ top, bottom }: Shape): number => (top + bottom) / 2
  const rows: Shape[][] = []
  for (const shape of left.sort((one, other) => middle(one) - middle(other))) {
    const row = rows.at(-1)
    const last = row?.at(-1)
    if (row && last && middle(shape) - middle(last) < 0.4 * Math.min(height(shape), height(last))) row.push(shape)
    else rows.push([shape])
  }
  return rows.flatMap((row) => piecesOf(row)).map(boxAround)
}

const height = ({ top, bottom }: Shape): number => bottom - top

/** The parts of a row, split at wide gaps, that have enough letters of similar height. */
function piecesOf(row: Shape[]): Shape[][] {
  const pieces: Shape[][] = []
  for (const shape of row.sort((one, other) => one.left - other.left)) {
    const piece = pieces.at(-1)
    if (piece && shape.left - Math.max(...piece.slice(-4).map(({ right }) => right)) < 1.2 * height(shape))
      piece.push(shape)
    else pieces.push([shape])
  }
  return pieces.filter((piece) => {
    const heights = piece.map(height).sort((one, other) => one - other)
    return piece.length >= LEAST_LETTERS && lastOf(heights) < 2.2 * heights[Math.floor(heights.length / 4)]!
  })
}

function boxAround(piece: readonly Shape[]): TurnedBox {
  const [left, right] = [Math.min(...piece.map((one) => one.left)), Math.max(...piece.map((one) => one.right))]
  const [top, bottom] = [Math.min(...piece.map((one) => one.top)), Math.max(...piece.map((one) => one.bottom))]
  const margin = (bottom - top) * 0.25
  const centre = { x: (left + right) / 2, y: (top + bottom) / 2 }
  return { centre, width: right - left + 2 * margin, height: bottom - top + 2 * margin, angle: 0 }
}
