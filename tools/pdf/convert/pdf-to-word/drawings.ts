import type { PageText } from './lines.ts'
import { type Box, isWithin, type Vector } from './lines.ts'
import type { PlacedGrid } from './tables.ts'

/** Anything smaller is a frame, a bar or a flourish. */
const LEAST = { parts: 6, side: 40 }
/** Maximum distance between parts of a drawing, points. */
const NEAR = 8

/** With more parts it counts as one drawing. */
const MOST = 3000

/** Charts and other vector drawings: their positions, and the words in and next to them. */
export function drawingsOf({ vectors, lines, width, height }: PageText, grids: readonly PlacedGrid[]): Box[] {
  const isBackground = ({ x0, y0, x1, y1 }: Vector): boolean => x1 - x0 > width * 0.9 && y1 - y0 > height * 0.5
  const own = vectors.filter((vector) => !isBackground(vector) && !grids.some(({ grid }) => isWithin(vector, grid, 3)))
  // A map or a plan: comparing its parts with each other would take too long.
  if (own.length > MOST) return [withLabels(around(own), lines)]
  const groups: (Box & { parts: number })[] = []
  for (const { x0, y0, x1, y1 } of own) {
    let group = { x0, y0, x1, y1, parts: 1 }
    for (let index = groups.length - 1; index >= 0; index--) {
      const other = groups[index]!
      if (
        other.x0 > group.x1 + NEAR ||
        other.x1 < group.x0 - NEAR ||
        other.y0 > group.y1 + NEAR ||
        other.y1 < group.y0 - NEAR
      )
        continue
      groups.splice(index, 1)
      group = {
        x0: Math.min(group.x0, other.x0),
        y0: Math.min(group.y0, other.y0),
        x1: Math.max(group.x1, other.x1),
        y1: Math.max(group.y1, other.y1),
        parts: group.parts + other.parts,
      }
    }
    groups.push(group)
  }
  return (
    groups
      .filter(({ x0, y0, x1, y1, parts }) => parts >= LEAST.parts && x1 - x0 >= LEAST.side && y1 - y0 >= LEAST.side)
      // With much more text than drawing, it is a frame or a background of body text.
      .filter(
        (group) =>
          lines
            .filter((line) => isWithin(line, group))
            .reduce((sum, line) => sum + (line.x1 - line.x0) * (line.y1 - line.y0), 0) <
          (group.x1 - group.x0) * (group.y1 - group.y0) * 0.3,
      )
      .map((group) => withLabels(group, lines))
  )
}

const around = (boxes: readonly Box[]): Box =>
  boxes.reduce(({ x0, y0, x1, y1 }, box) => ({
    x0: Math.min(x0, box.x0),
    y0: Math.min(y0, box.y0),
    x1: Math.max(x1, box.x1),
    y1: Math.max(y1, box.y1),
  }))

/** Words that overlap a drawing are its labels. */
function withLabels(group: Box, lines: PageText['lines']): Box {
  const box = { x0: group.x0 - 1, y0: group.y0 - 1, x1: group.x1 + 1, y1: group.y1 + 1 }
  for (const line of lines)
    if (isWithin(line, box, 4) && line.x1 - line.x0 < (group.x1 - group.x0) * 0.8) {
      box.x0 = Math.min(box.x0, line.x0)
      box.y0 = Math.min(box.y0, line.y0)
      box.x1 = Math.max(box.x1, line.x1)
      box.y1 = Math.max(box.y1, line.y1)
    }
  return box
}
