import { limitExceeded } from '../../../src/limit-exceeded.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'
import { columnIndex } from './columns.ts'

/** Most characters of rows that are sorted in memory. */
const MAX_CHARACTERS = 256 * 1024 * 1024

/** Order of text in all languages (Unicode collation, without that of a country); equal letters stay equal. */
const collator = new Intl.Collator('und', { sensitivity: 'variant' })

const numberOf = (cell: string): number => (cell.trim() === '' ? Number.NaN : Number(cell))

/** Numbers by value, before text, before empty cells. */
export function compareCells(one: string, other: string): number {
  if (one === other) return 0
  const [first, second] = [numberOf(one), numberOf(other)]
  if (!Number.isNaN(first) && !Number.isNaN(second)) return first - second
  if (!Number.isNaN(first)) return -1
  if (!Number.isNaN(second)) return 1
  if (one === '' || other === '') return one === '' ? 1 : -1
  return collator.compare(one, other)
}

type Row = readonly string[]

/** Reads `column`, `column asc` or `column desc`. */
export function readOrder(text: string): { column: string; isDescending: boolean } {
  const [, column = '', direction] = /^(.*?)(?:\s+(asc|desc))?$/is.exec(text.trim()) ?? []
  if (column === '') throw invalidSettings('sort: a column is missing', 'For example: --sort "born desc,name"')
  return { column, isDescending: direction?.toLowerCase() === 'desc' }
}

/** The order of rows by columns, the first one first. Empty cells are last in both directions. */
export function rowOrder(orders: readonly string[], columns: readonly string[]): (one: Row, other: Row) => number {
  const keys = orders.map(readOrder).map(({ column, isDescending }) => ({
    index: columnIndex(columns, column, 'sort'),
    isDescending,
  }))
  return (one, other) => {
    for (const { index, isDescending } of keys) {
      const [first, second] = [one[index] ?? '', other[index] ?? '']
      const order = compareCells(first, second)
      if (order !== 0) return isDescending && first !== '' && second !== '' ? -order : order
    }
    return 0
  }
}

/** Collects rows for sorting. @throws MediaprocError LIMIT_EXCEEDED when they need too much memory */
export class SortedRows {
  readonly #rows: string[][] = []
  #characters = 0

  add(rows: readonly string[][]): void {
    for (const row of rows) {
      for (const cell of row) this.#characters += cell.length + 1
      this.#rows.push(row)
    }
    if (this.#characters > MAX_CHARACTERS)
      throw limitExceeded(
        `The rows have more than ${MAX_CHARACTERS / 1024 / 1024} million characters: too many to sort`,
        {
          hint: 'Filter them with where, or split the table.',
        },
      )
  }

  inOrder(order: (one: Row, other: Row) => number): string[][] {
    return this.#rows.sort(order)
  }
}
