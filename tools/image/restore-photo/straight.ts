import { DIRECTIONS, type Direction, linesOf, type Plane } from './lines.ts'

/** Angles at which straight pieces are looked for, over half a turn. */
const ANGLES = 16

/** So much of a piece must be thin: where it crosses something else it is not. */
const THIN_PART = 0.8

/** How long the run of what is set is at each pixel, in a direction; at most 255. */
function runsOf(plane: Plane, direction: Direction): Uint8Array {
  const { data, width } = plane
  const result = new Uint8Array(data.length)
  const step = direction[1] * width + direction[0]
  for (const { start, count } of linesOf(plane, direction)) {
    let from = 0
    for (let index = 0; index <= count; index += 1) {
      if (index < count && data[start + index * step] === 1) continue
      for (let inside = from; inside < index; inside += 1) result[start + inside * step] = Math.min(255, index - from)
      from = index + 1
    }
  }
  return result
}

/** What a straight piece must be, px. */
export interface PieceWishes {
  /** At least so long. */
  length: number
  /** At most so thick. */
  thickness: number
}

/** Marks straight pieces of what is set, whatever their angle: scratches are made of them, and textures are not. */
export function straightPieces(plane: Plane, wishes: PieceWishes): Uint8Array {
  const marked = new Uint8Array(plane.data.length)
  const across = DIRECTIONS.map((direction) => runsOf(plane, direction))
  for (let angle = 0; angle < ANGLES; angle += 1) {
    // By the direction of the grid that is nearest to the perpendicular.
    const nearest = Math.round((4 * angle) / ANGLES + 2) % 4
    markPieces(plane, (angle * Math.PI) / ANGLES, across[nearest]!, wishes, marked)
  }
  return marked
}

/** Goes along all lines of one angle, a column (or, where they are steep, a row) at a time. */
function markPieces(
  { data, width, height }: Plane,
  angle: number,
  widths: Uint8Array,
  { length, thickness }: PieceWishes,
  marked: Uint8Array,
): void {
  const [dx, dy] = [Math.cos(angle), -Math.sin(angle)]
  const isFlat = Math.abs(dx) >= Math.abs(dy)
  const slope = isFlat ? dy / dx : dx / dy
  const [count, sides] = isFlat ? [width, height] : [height, width]
  const [along, aside] = isFlat ? [1, width] : [width, 1]
  const shifts = Int32Array.from({ length: count }, (_, index) => Math.round(index * slope))
  const drift = shifts[count - 1]!
  const least = length / Math.hypot(1, slope)
  for (let line = Math.min(0, -drift); line < sides + Math.max(0, -drift); line += 1) {
    let [from, thin] = [-1, 0]
    for (let index = 0; index <= count; index += 1) {
      const side = index < count ? line + shifts[index]! : -1
      const at = side * aside + index * along
      if (side >= 0 && side < sides && data[at] === 1) {
        if (from < 0) [from, thin] = [index, 0]
        if (widths[at]! <= thickness) thin += 1
        continue
      }
      if (from >= 0 && index - from >= least && thin >= THIN_PART * (index - from))
        for (let inside = from; inside < index; inside += 1)
          marked[(line + shifts[inside]!) * aside + inside * along] = 1
      from = -1
    }
  }
}
