import type { PageText } from './lines.ts'

/** The columns of a page: their sides in points, from left to right. */
export type Columns = readonly { x0: number; x1: number }[]

/** Narrowest space between columns, points. */
const GAP = 6
/** Share of the lines that may cross it: titles, wide tables. */
const CROSSING = 0.12
/** A column of prose has this many lines, half of them nearly full. */
const LEAST_LINES = 5
const FULL = 0.7
const MOST_COLUMNS = 4

/** The columns of prose on a page; undefined where lines have the whole width, or several cells of a table. */
export function columnsOf({ lines, width }: PageText): Columns | undefined {
  const covered = new Uint16Array(Math.ceil(width) + 1)
  for (const { x0, x1 } of lines)
    for (let x = Math.max(0, Math.floor(x0)); x < Math.min(x1, width); x++) covered[x]! += 1
  const most = Math.max(...covered)
  const isBusy = (x: number): boolean => covered[x]! > most * CROSSING
  const columns: { x0: number; x1: number }[] = []
  for (let x = 0; x < covered.length; x++) {
    if (!isBusy(x)) continue
    const last = columns.at(-1)
    if (last && x - last.x1 < GAP) last.x1 = x + 1
    else columns.push({ x0: x, x1: x + 1 })
  }
  if (columns.length < 2 || columns.length > MOST_COLUMNS) return undefined
  const widths = columns.map(({ x0, x1 }) => x1 - x0)
  if (Math.min(...widths) < Math.max(...widths) * 0.75) return undefined
  const isProse = columns.every((column) => {
    const own = lines.filter((line) => columnOf([line], columns) === column)
    const full = own.filter(({ x0, x1 }) => x1 - x0 > (column.x1 - column.x0) * FULL)
    return full.length >= LEAST_LINES && full.length >= own.length / 2
  })
  return isProse ? columns : undefined
}

/** The column that holds all these boxes, if one does: they do not reach those beside it. */
export const columnOf = (
  boxes: readonly { x0: number; x1: number }[],
  columns: Columns | undefined,
): Columns[number] | undefined =>
  columns?.find((_, index) =>
    boxes.every(
      ({ x0, x1 }) =>
        x0 > (columns[index - 1]?.x1 ?? Number.NEGATIVE_INFINITY) &&
        x1 < (columns[index + 1]?.x0 ?? Number.POSITIVE_INFINITY),
    ),
  )
