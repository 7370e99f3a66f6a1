import { firstOf, lastOf } from '../../../../src/lists.ts'
import { type Line, lineText } from './lines.ts'
import type { Grid, GridCell, PlacedGrid } from './tables.ts'
import { joinRows } from './text-blocks.ts'

/** Gaps between words of one cell are smaller than this; relative to the font size. */
const GAP = 1.5
/** Minimum number of rows of a table without rules. */
const LEAST_ROWS = 3

interface Row {
  first: number
  cells: Line[]
}

/** Lines that are side by side and consecutive in the page's content; those of two columns of prose are not. */
function rowsOf(lines: readonly Line[]): Row[] {
  const rows: Row[] = []
  for (const [index, line] of lines.entries()) {
    const last = rows.at(-1)
    const before = last?.cells.at(-1)
    const isSameRow =
      before && Math.abs(before.baseline - line.baseline) < before.size * 0.3 && line.x0 > before.x1 + before.size * GAP
    if (isSameRow) last!.cells.push(line)
    else rows.push({ first: index, cells: [line] })
  }
  return rows
}

/** Columns that hold every cell of some rows, each in exactly one; undefined if cells overlap several columns. */
function columnsOf(rows: readonly Row[]): { x0: number; x1: number }[] | undefined {
  const cells = rows.flatMap((row) => row.cells).sort((one, other) => one.x0 - other.x0)
  const columns: { x0: number; x1: number }[] = []
  for (const { x0, x1 } of cells) {
    const last = columns.at(-1)
    if (last && x0 < last.x1 + 4) last.x1 = Math.max(last.x1, x1)
    else columns.push({ x0, x1 })
  }
  const fits = rows.every((row) => new Set(row.cells.map((cell) => columnAt(columns, cell))).size === row.cells.length)
  return fits && columns.length > 1 ? columns : undefined
}

const columnAt = (columns: readonly { x0: number; x1: number }[], { x0 }: { x0: number }): number =>
  columns.findLastIndex((column) => column.x0 <= x0 + 0.1)

/** Tables without rules: at least three rows with aligned cells. Removes their lines from `lines`. */
export function alignedTables(lines: Line[]): PlacedGrid[] {
  const tables: PlacedGrid[] = []
  lines.splice(0, lines.length, ...joinRows(lines, GAP))
  const rows = rowsOf(lines)
  let taken = 0
  for (let from = 0; from < rows.length; from++) {
    let to = from
    let columns: { x0: number; x1: number }[] | undefined
    while (
      to < rows.length &&
      rows[to]!.cells.length > 1 &&
      !isCode(rows[to]!) &&
      isNext(rows[to - 1], rows[to]!, to > from)
    ) {
      const wider = columnsOf(rows.slice(from, to + 1))
      if (!wider) break
      columns = wider
      to += 1
    }
    if (to - from < LEAST_ROWS || !columns) continue
    const some = rows.slice(from, to)
    if (isList(some, columns.length) || isContents(some, columns.length)) continue
    const before = firstOf(some).first - taken
    const count = some.reduce((sum, { cells }) => sum + cells.length, 0)
    lines.splice(before, count)
    taken += count
    tables.push({ grid: gridOf(some, columns), order: firstOf(firstOf(some).cells).order })
    from = to - 1
  }
  return tables
}

const isNext = (before: Row | undefined, row: Row, isInside: boolean): boolean => {
  if (!isInside || !before) return true
  const distance = firstOf(row.cells).baseline - firstOf(before.cells).baseline
  return distance > 0 && distance < firstOf(row.cells).size * 3.5
}

/** Code is often aligned in columns; its lines stay lines. */
const isCode = ({ cells }: Row): boolean => cells.every(({ spans }) => spans.every(({ mono }) => mono))

/** Bullets or numbers followed by text also look like two columns. */
const isList = (rows: readonly Row[], columns: number): boolean =>
  columns === 2 &&
  rows.every(
    ({ cells }) =>
      /^\W{0,2}\w{0,3}[.)]?$/u.test(lineText(firstOf(cells)).trim()) &&
      firstOf(cells).x1 - firstOf(cells).x0 < firstOf(cells).size * 2,
  )

/** Table of contents: titles with page numbers. */
const isContents = (rows: readonly Row[], columns: number): boolean =>
  columns === 2 &&
  rows.every(
    ({ cells }) =>
      /^\d{1,4}$/.test(lineText(cells[1]!).trim()) && cells[1]!.x0 - firstOf(cells).x1 > firstOf(cells).size * 6,
  )

function gridOf(rows: readonly Row[], columns: readonly { x0: number; x1: number }[]): Grid {
  const edges = [
    firstOf(columns).x0,
    ...columns.slice(1).map((column, index) => (column.x0 + columns[index]!.x1) / 2),
    lastOf(columns).x1,
  ]
  const all = rows.flatMap(({ cells }) => cells)
  const [y0, y1] = [Math.min(...all.map((cell) => cell.y0)), Math.max(...all.map((cell) => cell.y1))]
  const width = lastOf(edges) - firstOf(edges)
  return {
    ...{ x0: firstOf(edges), x1: lastOf(edges), y0, y1 },
    widths: columns.map((_, index) => (edges[index + 1]! - edges[index]!) / width),
    rows: rows.map(({ cells }) =>
      columns.map((_, column): GridCell => {
        const own = cells.filter((cell) => columnAt(columns, cell) === column)
        const box = { x0: edges[column]!, x1: edges[column + 1]!, y0: firstOf(cells).y0, y1: firstOf(cells).y1 }
        return { ...box, columnSpan: 1, rowSpan: 1, lines: own }
      }),
    ),
  }
}
