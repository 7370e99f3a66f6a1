import { firstOf, lastOf } from '../../lists.ts'
import { median } from '../../median.ts'
import type { TurnedBox } from './geometry.ts'

/** Anything with a position. */
export interface Placed {
  box: TurnedBox
}

/** A piece of text in deskewed coordinates. */
interface Piece<T> {
  item: T
  left: number
  right: number
  top: number
  bottom: number
}

const middle = ({ top, bottom }: Piece<unknown>): number => (top + bottom) / 2
const height = ({ top, bottom }: Piece<unknown>): number => bottom - top

/** The skew of a page: the angle of its lines, weighted by length. */
export function skewOf(boxes: readonly TurnedBox[]): number {
  const sorted = [...boxes].sort((one, other) => one.angle - other.angle)
  const half = sorted.reduce((sum, { width }) => sum + width, 0) / 2
  let sum = 0
  for (const { angle, width } of sorted) {
    sum += width
    if (sum >= half) return angle
  }
  return 0
}

/** Pieces in the coordinates of the deskewed page. */
function levelled<T extends Placed>(items: readonly T[]): Piece<T>[] {
  const skew = skewOf(items.map(({ box }) => box))
  const [cos, sin] = [Math.cos(skew), Math.sin(skew)]
  return items.map((item) => {
    const { centre, width, height: high, angle } = item.box
    const [x, y] = [centre.x * cos + centre.y * sin, centre.y * cos - centre.x * sin]
    const tilt = angle - skew
    const across = Math.abs(width * Math.cos(tilt)) + Math.abs(high * Math.sin(tilt))
    const down = Math.abs(width * Math.sin(tilt)) + Math.abs(high * Math.cos(tilt))
    return { item, left: x - across / 2, right: x + across / 2, top: y - down / 2, bottom: y + down / 2 }
  })
}

/** Two pieces belong to one line if the centre of each is within the height of the other. */
function inOneLine(one: Piece<unknown>, other: Piece<unknown>): boolean {
  const [a, b] = [middle(one), middle(other)]
  return a > other.top && a < other.bottom && b > one.top && b < one.bottom
}

/** Lines from top to bottom, their pieces from left to right. */
function linesOf<T>(pieces: readonly Piece<T>[]): Piece<T>[][] {
  const lines: Piece<T>[][] = []
  for (const piece of [...pieces].sort((one, other) => middle(one) - middle(other))) {
    // Compared with the nearest piece of a line, so that lines on a curved page do not break.
    const line = lines.findLast((candidates) => {
      const nearest = candidates.reduce((best, next) => (gap(next, piece) < gap(best, piece) ? next : best))
      return inOneLine(nearest, piece) && gap(nearest, piece) > -Math.min(width(nearest), width(piece)) / 2
    })
    if (line) line.push(piece)
    else lines.push([piece])
  }
  for (const line of lines) line.sort((one, other) => one.left - other.left)
  return lines.sort((one, other) => median(one.map(middle)) - median(other.map(middle)))
}

const width = ({ left, right }: Piece<unknown>): number => right - left
const gap = (one: Piece<unknown>, other: Piece<unknown>): number =>
  Math.max(one.left, other.left) - Math.min(one.right, other.right)

/** Running text fills its column with long lines without wide gaps; table cells are shorter, and read across. */
const COLUMN_LINES = 3
const LEAST_FILLED = 0.6
const LEAST_ASPECT = 8
const MOST_BROKEN = 0.3

function isRunningText(pieces: readonly Piece<unknown>[]): boolean {
  const lines = linesOf(pieces)
  if (lines.length < COLUMN_LINES) return false
  const across = Math.max(...pieces.map(({ right }) => right)) - Math.min(...pieces.map(({ left }) => left))
  const high = median(pieces.map(height))
  const widths = lines.map((line) => lastOf(line).right - firstOf(line).left)
  const isBroken = (line: Piece<unknown>[]): boolean =>
    line.some((piece, at) => at > 0 && piece.left - line[at - 1]!.right > high)
  const broken = lines.filter(isBroken).length / lines.length
  return median(widths) >= Math.max(LEAST_FILLED * across, LEAST_ASPECT * high) && broken <= MOST_BROKEN
}

/** A vertical strip without any piece. */
interface Gutter {
  left: number
  right: number
}

/** The gutter, narrowed by the pieces of another line; undefined if one of them crosses it. */
function narrowed({ left, right }: Gutter, line: readonly Piece<unknown>[], least: number): Gutter | undefined {
  const centre = (left + right) / 2
  if (line.some((piece) => piece.left < centre && piece.right > centre)) return undefined
  const from = Math.max(left, ...line.filter((piece) => piece.right <= centre).map((piece) => piece.right))
  const to = Math.min(right, ...line.filter((piece) => piece.left >= centre).map((piece) => piece.left))
  return to - from < least ? undefined : { left: from, right: to }
}

/** Splits lines into three parts: above two columns, the columns, and below them. */
interface Cut<T> {
  above: Piece<T>[]
  columns: [Piece<T>[], Piece<T>[]]
  below: Piece<T>[]
}

/**
 * Looks for two adjacent columns of running text, starting at each gap within a line. The second one can be several
 * columns, which are cut again.
 */
function cutOf<T>(lines: readonly Piece<T>[][], least: number): Cut<T> | undefined {
  const tried = new Set<string>()
  for (const [index, line] of lines.entries())
    for (let at = 1; at < line.length; at += 1) {
      let gutter: Gutter | undefined = { left: line[at - 1]!.right, right: line[at]!.left }
      if (gutter.right - gutter.left < least) continue
      let [from, to] = [index, index + 1]
      for (let next: Gutter | undefined = gutter; from > 0; from -= 1, gutter = next) {
        next = narrowed(gutter, lines[from - 1]!, least)
        if (!next) break
      }
      for (let next: Gutter | undefined = gutter; to < lines.length; to += 1, gutter = next) {
        next = narrowed(gutter, lines[to]!, least)
        if (!next) break
      }
      const centre = (gutter.left + gutter.right) / 2
      const key = [from, to, Math.round(centre / least)].join()
      if (tried.has(key)) continue
      tried.add(key)
      const inner = lines.slice(from, to).flat()
      const [before, behind] = [inner.filter(({ right }) => right < centre), inner.filter(({ left }) => left > centre)]
      if (!isRunningText(before) || !(isRunningText(behind) || cutOf(linesOf(behind), least))) continue
      return { above: lines.slice(0, from).flat(), columns: [before, behind], below: lines.slice(to).flat() }
    }
  return undefined
}

function ordered<T>(pieces: readonly Piece<T>[]): Piece<T>[][] {
  const lines = linesOf(pieces)
  const cut = cutOf(lines, median(pieces.map(height)))
  if (!cut) return lines
  // Each side of a cut has fewer pieces than the whole, so the recursion ends.
  return [cut.above, ...cut.columns, cut.below].flatMap((part) => ordered(part))
}

/**
 * The lines of a page in reading order, each from left to right: a slightly skewed page is deskewed, columns of running
 * text are read one after the other, and table cells along their rows.
 */
export function readingOrder<T extends Placed>(items: readonly T[]): T[][] {
  return ordered(levelled(items)).map((line) => line.map(({ item }) => item))
}

/** Whether two pieces of a line are separated by a wide gap, like table cells. */
export function isApart(one: TurnedBox, other: TurnedBox): boolean {
  const between = Math.hypot(other.centre.x - one.centre.x, other.centre.y - one.centre.y)
  return between - (one.width + other.width) / 2 > 1.5 * Math.max(one.height, other.height)
}
