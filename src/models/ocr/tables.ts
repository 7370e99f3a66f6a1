import { firstOf, lastOf } from '../../lists.ts'
import type { Cell } from './cells.ts'

export interface Table {
  /** As many texts in every row; empty ones where a row has no cell. */
  rows: string[][]
  /** The index of the line after the table. */
  end: number
}

/** The fewest lines of several cells that are a table. */
const LEAST_ROWS = 2
/** Distance of two lines of a table, at most, in heights: a larger one ends it. */
const MOST_STEP = 4
/** The distance up to which a line of one cell continues the cell above it, in heights. */
const CONTINUES = 2

interface Column {
  left: number
  right: number
}

const shared = (one: Column, other: Column): number => Math.min(one.right, other.right) - Math.max(one.left, other.left)

/** The column with the largest overlap; -1 for none. */
function columnOf(cell: Column, columns: readonly Column[]): number {
  let best = -1
  for (const [at, column] of columns.entries())
    if (shared(cell, column) > (best < 0 ? 0 : shared(cell, columns[best]!))) best = at
  return best
}

/** The columns of a table: cells that are above each other, beginning with the fullest row. */
function columnsOf(rows: readonly (readonly Cell[])[]): Column[] {
  const columns: Column[] = []
  for (const row of [...rows].sort((one, other) => other.length - one.length)) {
    // Two cells of a row are in two columns, even where a wider cell of another row is above both.
    const taken = new Set<Column>()
    for (const cell of row) {
      const column = columns[columnOf(cell, columns)]
      if (column && !taken.has(column)) taken.add(column)
      else if (!column) {
        const made = { left: cell.left, right: cell.right }
        columns.push(made)
        taken.add(made)
      }
      // A heading can be wider than the cells below it, and reaches into no other column.
      if (column && columns.every((other) => other === column || shared(cell, other) <= 0)) {
        column.left = Math.min(column.left, cell.left)
        column.right = Math.max(column.right, cell.right)
      }
    }
  }
  return columns.sort((one, other) => one.left - other.left)
}

/** The texts of a cell and their columns: words that are close to each other can be in several columns. */
function placed(cell: Cell, columns: readonly Column[]): { text: string; at: number }[] {
  const isWide = columns.filter((column) => shared(cell, column) > 0).length > 1
  if (!isWide || cell.words.length < 2) return [{ text: cell.text, at: columnOf(cell, columns) }]
  return cell.words.map((word) => {
    const nearest = columns.reduce((best, one) => (shared(word, one) > shared(word, best) ? one : best))
    return { text: word.text, at: columns.indexOf(nearest) }
  })
}

/** Whether a line of one cell is the rest of a cell of the row above it, not of the first column. */
function continues(cell: Cell, above: readonly Cell[]): boolean {
  const over = above.slice(1).find((one) => shared(cell, one) > 0)
  return over !== undefined && shared(cell, firstOf(above)) <= 0 && cell.middle - over.middle < CONTINUES * cell.height
}

/** The table that starts with a line; undefined if fewer than two lines of several cells are below each other. */
export function tableAt(lines: readonly (readonly Cell[])[], start: number): Table | undefined {
  const kept: (readonly Cell[])[] = []
  let end = start
  for (; end < lines.length; end += 1) {
    const [line, above] = [lines[end]!, kept.at(-1)]
    if (above) {
      const step = firstOf(line).middle - lastOf(above).middle
      if (step <= 0 || step > MOST_STEP * firstOf(line).height) break
    }
    const isRest = above !== undefined && line.length === 1 && continues(firstOf(line), above)
    if (line.length < 2 && !isRest) break
    kept.push(line)
  }
  if (kept.filter((line) => line.length > 1).length < LEAST_ROWS) return undefined
  const columns = columnsOf(kept)
  const rows: string[][] = []
  for (const line of kept) {
    const row = line.length === 1 ? rows.at(-1)! : columns.map(() => '')
    for (const { text, at } of line.flatMap((cell) => placed(cell, columns)))
      row[at] = row[at] ? `${row[at]} ${text}` : text
    if (line.length > 1) rows.push(row)
  }
  return { rows, end }
}
