/** Minimum distance between the anchors of tiled copies, relative to the font size (catalogue). */
const TILE_STEP = { across: 6, down: 4 }

/** Maximum number of copies (catalogue). */
const MAX_COPIES = 500

/** Gap between two copies, relative to the font size. */
const GAP = 1

/** A drawn copy, px; rotated around its centre. */
export interface Mark {
  width: number
  height: number
  /** Degrees. */
  rotation: number
}

interface Step {
  across: number
  down: number
}

/** Whether no copies overlap: in its own rotated coordinates each is next to or below every other. */
function areApart(step: Step, { width, height, rotation }: Mark, gap: number): boolean {
  const radians = (rotation * Math.PI) / 180
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)]
  const reach = Math.hypot(width, height) + gap
  const [columns, rows] = [Math.ceil(reach / step.across), Math.ceil(reach / step.down)]
  for (let row = 0; row <= rows; row += 1)
    for (let column = -columns; column <= columns; column += 1) {
      if (row === 0 && column === 0) continue
      const [x, y] = [column * step.across, row * step.down]
      if (Math.abs(x * cos + y * sin) < width + gap && Math.abs(y * cos - x * sin) < height + gap) return false
    }
  return true
}

/** The catalogue's steps, widened where copies of this text would overlap: first horizontally, then vertically. */
function stepFor(size: number, mark: Mark): Step {
  const step = { across: TILE_STEP.across * size, down: TILE_STEP.down * size }
  const radians = (mark.rotation * Math.PI) / 180
  const [cos, sin] = [Math.abs(Math.cos(radians)), Math.abs(Math.sin(radians))]
  const [wide, high] = [mark.width + GAP * size, mark.height + GAP * size]
  step.across = Math.max(step.across, Math.min(wide / cos, high / sin))
  step.down = Math.max(step.down, Math.min(wide / sin, high / cos))
  while (!areApart(step, mark, (GAP * size) / 2)) {
    step.across *= 1.05
    step.down *= 1.05
  }
  return step
}

/**
 * The centres of tiled copies; the grid is centred on the page. If there would be more than MAX_COPIES, both steps grow
 * alike until there are not: this marks the whole page, not only its upper part.
 */
export function tileAnchors(
  page: { width: number; height: number },
  size: number,
  mark: Mark = { width: 0, height: 0, rotation: 0 },
): { x: number; y: number }[] {
  let step = stepFor(size, mark)
  const count = (): { columns: number; rows: number } => ({
    columns: Math.max(1, Math.ceil(page.width / step.across)),
    rows: Math.max(1, Math.ceil(page.height / step.down)),
  })
  while (count().columns * count().rows > MAX_COPIES) step = { across: step.across * 1.02, down: step.down * 1.02 }
  const { columns, rows } = count()
  const along = (side: number, index: number, steps: number, length: number): number =>
    Math.round(side / 2 + (index - (steps - 1) / 2) * length)
  return Array.from({ length: columns * rows }, (_, index) => ({
    x: along(page.width, index % columns, columns, step.across),
    y: along(page.height, Math.floor(index / columns), rows, step.down),
  }))
}
