import type { CellObject, WorkSheet } from '@e965/xlsx'

/** A cell by its row and column, from 0. */
export interface Place {
  row: number
  column: number
}
interface RowCell {
  column: number
  cell: CellObject | undefined
  merge: Merge | undefined
}
/** A non-empty row. */
export interface Row {
  row: number
  cells: RowCell[]
}
/** The first and the last cell of a merged area. */
export interface Merge {
  s: { r: number; c: number }
  e: { r: number; c: number }
}

/** Limit for merged areas: whole merged columns would become a million elements. */
const MAX_MERGED = 100_000

/** Markup of empty rows. */
export const emptyRows = (count: number): string =>
  `<table:table-row${count > 1 ? ` table:number-rows-repeated="${count}"` : ''}><table:table-cell/></table:table-row>`

/** Column and row index, from 0, of a reference such as `AB12`. */
export function placeOf(reference: string): Place | undefined {
  const [, letters, row] = /^([A-Z]+)(\d+)$/.exec(reference.replaceAll('$', '')) ?? []
  if (letters === undefined) return undefined
  const column = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
  return { row: Number(row) - 1, column }
}

/** Non-empty rows in order: cells, cells covered by merged ones, and hidden rows. */
export function rowsOf(sheet: WorkSheet): Row[] {
  const rows = new Map<number, Map<number, Omit<RowCell, 'column'>>>()
  const at = (row: number, column: number): Omit<RowCell, 'column'> => {
    const cells = rows.get(row) ?? new Map<number, Omit<RowCell, 'column'>>()
    const cell = cells.get(column) ?? { cell: undefined, merge: undefined }
    rows.set(row, cells.set(column, cell))
    return cell
  }
  for (const [reference, cell] of Object.entries(sheet)) {
    const place = reference.startsWith('!') ? undefined : placeOf(reference)
    if (place) at(place.row, place.column).cell = cell as CellObject
  }
  for (const merge of (sheet['!merges'] ?? []) as Merge[]) {
    const { s, e } = merge
    if ((e.r - s.r + 1) * (e.c - s.c + 1) > MAX_MERGED) continue
    for (let row = s.r; row <= e.r; row += 1)
      for (let column = s.c; column <= e.c; column += 1) at(row, column).merge = merge
  }
  for (const [row, { hidden } = {}] of (sheet['!rows'] ?? []).entries())
    if (hidden && !rows.has(row)) rows.set(row, new Map())
  return [...rows]
    .sort(([one], [other]) => one - other)
    .map(([row, cells]) => ({
      row,
      cells: [...cells].sort(([one], [other]) => one - other).map(([column, cell]) => ({ column, ...cell })),
    }))
}
