import { firstOf, lastOf } from '../../../../src/lists.ts'
import { type Box, isWithin, type Line, type Vector } from './lines.ts'

export interface GridCell extends Box {
  columnSpan: number
  rowSpan: number
  lines: Line[]
}

export interface Grid extends Box {
  rows: GridCell[][]
  /** Shares of the width. */
  widths: number[]
}

/** A table and its index in the page's content. */
export interface PlacedGrid {
  grid: Grid
  order: number
}

/** Thicker rules are bars. */
const THIN = 3
/** More rules belong to a drawing. */
const MOST_RULES = 4000
/** Tolerance for rules that meet or continue each other; points. */
const NEAR = 3

interface Rule {
  /** Its position across its direction. */
  at: number
  from: number
  to: number
}

/** Thin lines and the sides of rectangles. */
function rulesOf(vectors: readonly Vector[]): { across: Rule[]; down: Rule[] } {
  const across: Rule[] = []
  const down: Rule[] = []
  for (const { x0, y0, x1, y1 } of vectors) {
    const [width, height] = [x1 - x0, y1 - y0]
    if (height <= THIN && width > THIN) across.push({ at: (y0 + y1) / 2, from: x0, to: x1 })
    else if (width <= THIN && height > THIN) down.push({ at: (x0 + x1) / 2, from: y0, to: y1 })
    else if (width > 8 && height > 8) {
      across.push({ at: y0, from: x0, to: x1 }, { at: y1, from: x0, to: x1 })
      down.push({ at: x0, from: y0, to: y1 }, { at: x1, from: y0, to: y1 })
    }
  }
  return { across, down }
}

/** Groups of rules that cross or touch. */
function groups(across: readonly Rule[], down: readonly Rule[]): { across: Rule[]; down: Rule[] }[] {
  const left = new Set(down)
  const rest = new Set(across)
  const result: { across: Rule[]; down: Rule[] }[] = []
  const touch = (one: Rule, other: Rule): boolean =>
    other.at >= one.from - NEAR && other.at <= one.to + NEAR && one.at >= other.from - NEAR && one.at <= other.to + NEAR
  for (const first of across) {
    if (!rest.delete(first)) continue
    const group = { across: [first], down: [] as Rule[] }
    for (let a = 0, d = 0; a < group.across.length || d < group.down.length; ) {
      if (a < group.across.length) {
        const rule = group.across[a++]!
        for (const other of left) if (touch(rule, other) && left.delete(other)) group.down.push(other)
      } else {
        const rule = group.down[d++]!
        for (const other of rest) if (touch(other, rule) && rest.delete(other)) group.across.push(other)
      }
    }
    result.push(group)
  }
  return result
}

/** Merges positions that are almost equal. */
function places(rules: readonly Rule[]): number[] {
  const sorted = rules.map(({ at }) => at).sort((one, other) => one - other)
  const result: number[] = []
  for (const at of sorted) if (result.length === 0 || at - lastOf(result) > NEAR) result.push(at)
  return result
}

/** Whether a rule separates two cells along the middle of their common side. */
const parts = (rules: readonly Rule[], at: number, middle: number): boolean =>
  rules.some((rule) => Math.abs(rule.at - at) <= NEAR && rule.from <= middle && rule.to >= middle)

/** Tables with drawn rules. Removes the lines in them from `lines`. */
export function ruledTables(
  lines: Line[],
  vectors: readonly Vector[],
  page: { width: number; height: number },
): PlacedGrid[] {
  const rules = rulesOf(
    vectors.filter(({ x0, y0, x1, y1 }) => x1 - x0 < page.width * 0.98 || y1 - y0 < page.height * 0.9),
  )
  const tables: PlacedGrid[] = []
  if (rules.across.length + rules.down.length > MOST_RULES) return tables
  for (const { across, down } of groups(rules.across, rules.down)) {
    const [xs, ys] = [places(down), places(across)]
    if (xs.length < 3 || ys.length < 2 || (xs.length - 1) * (ys.length - 1) < 2 || xs.length > 64 || ys.length > 300)
      continue
    const box = { x0: firstOf(xs), x1: lastOf(xs), y0: firstOf(ys), y1: lastOf(ys) }
    const within = lines.filter((line) => isWithin(line, box))
    // A box around everything, or a drawing without words, is not a table.
    const filled = new Set(within.map((line) => `${columnOf(xs, line)} ${columnOf(ys, { x0: line.y0, x1: line.y1 })}`))
    const count = (xs.length - 1) * (ys.length - 1)
    if (filled.size < Math.max(2, count * (ys.length === 2 ? 1 : 0.3))) continue
    for (const line of within) lines.splice(lines.indexOf(line), 1)
    tables.push({ grid: gridOf(xs, ys, across, down, within), order: firstOf(within).order })
  }
  return tables
}

const columnOf = (edges: readonly number[], { x0, x1 }: { x0: number; x1: number }): number => {
  const middle = (x0 + x1) / 2
  return Math.max(
    0,
    edges.findLastIndex((edge) => edge <= middle),
  )
}

function gridOf(
  xs: readonly number[],
  ys: readonly number[],
  across: readonly Rule[],
  down: readonly Rule[],
  lines: readonly Line[],
): Grid {
  const [columns, rowCount] = [xs.length - 1, ys.length - 1]
  const taken = new Set<number>()
  const rows: GridCell[][] = []
  for (let row = 0; row < rowCount; row++) {
    const cells: GridCell[] = []
    for (let column = 0; column < columns; column++) {
      if (taken.has(row * columns + column)) continue
      let [columnSpan, rowSpan] = [1, 1]
      const middleY = (ys[row]! + ys[row + 1]!) / 2
      while (
        column + columnSpan < columns &&
        !taken.has(row * columns + column + columnSpan) &&
        !parts(down, xs[column + columnSpan]!, middleY)
      )
        columnSpan += 1
      const middleX = (xs[column]! + xs[column + 1]!) / 2
      while (row + rowSpan < rowCount && !parts(across, ys[row + rowSpan]!, middleX)) rowSpan += 1
      for (let r = 0; r < rowSpan; r++) for (let c = 0; c < columnSpan; c++) taken.add((row + r) * columns + column + c)
      const box = { x0: xs[column]!, x1: xs[column + columnSpan]!, y0: ys[row]!, y1: ys[row + rowSpan]! }
      cells.push({ ...box, columnSpan, rowSpan, lines: lines.filter((line) => isWithin(line, box)) })
    }
    rows.push(cells)
  }
  const width = lastOf(xs) - firstOf(xs)
  return {
    ...{ x0: firstOf(xs), x1: lastOf(xs), y0: firstOf(ys), y1: lastOf(ys) },
    rows: rows.filter((cells) => cells.length > 0),
    widths: Array.from({ length: columns }, (_, column) => (xs[column + 1]! - xs[column]!) / width),
  }
}
