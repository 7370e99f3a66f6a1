/** A rectangle of a picture, px. */
export interface Area {
  left: number
  top: number
  width: number
  height: number
}

export interface Tile {
  /** What the model sees: the part with its surroundings, as far as there is picture. */
  seen: Area
  /** What is taken of its answer. The parts of all tiles cover the picture once. */
  part: Area
}

/**
 * A picture cut for a model: every part is seen with `overlap` pixels around it. Where the overlap is no less than the
 * model's receptive field, what comes out is equal to a run over the whole picture.
 * @param side the longest side of what the model sees, px; more than twice the overlap
 */
export function tilesOf(width: number, height: number, side: number, overlap: number): Tile[] {
  const across = cuts(width, side, overlap)
  const down = cuts(height, side, overlap)
  return down.flatMap(([top, bottom]) =>
    across.map(([left, right]) => {
      const part = { left, top, width: right - left, height: bottom - top }
      const seenLeft = Math.max(0, left - overlap)
      const seenTop = Math.max(0, top - overlap)
      const seen = {
        left: seenLeft,
        top: seenTop,
        width: Math.min(width, right + overlap) - seenLeft,
        height: Math.min(height, bottom + overlap) - seenTop,
      }
      return { seen, part }
    }),
  )
}

/** Even parts of a length, none longer than the side leaves beside its overlaps. */
function cuts(length: number, side: number, overlap: number): [number, number][] {
  if (length <= side) return [[0, length]]
  const count = Math.ceil(length / (side - 2 * overlap))
  return Array.from({ length: count }, (_, index) => [
    Math.round((index * length) / count),
    Math.round(((index + 1) * length) / count),
  ])
}
