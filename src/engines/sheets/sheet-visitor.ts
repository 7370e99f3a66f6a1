import { limitExceeded } from '../../limit-exceeded.ts'
import { numberText } from './cell-text.ts'
import type { MarkupVisitor } from './markup.ts'
import { unescaped, type Workbook } from './workbook.ts'

/**
 * Maximum number of empty cells written between non-empty ones: one cell in the far corner spans 17 thousand million.
 */
const MAX_EMPTY = 30_000_000

/** Notes collected while reading a sheet. */
export interface SheetNotes {
  /** Formulas without a cached result in the file. */
  uncomputed: number
}

/** Column and row index, from 0, of a reference such as `AB12`. */
function place(reference: string): { column: number; row: number } {
  let column = 0
  let at = 0
  for (; at < reference.length; at += 1) {
    const letter = reference.charCodeAt(at) & ~32
    if (letter < 65 || letter > 90) break
    column = column * 26 + letter - 64
  }
  return { column: column - 1, row: Number(reference.slice(at)) - 1 }
}

/** Converts the markup of a worksheet ([ECMA-376] 18.3.1) to rows of text. */
export class SheetVisitor implements MarkupVisitor {
  /** Complete rows that have not been consumed. */
  rows: string[][] = []
  readonly #book: Workbook
  readonly #name: string
  readonly #notes: SheetNotes
  #isData = false
  #row: string[] = []
  /** Position of the next row and cell without an explicit one. */
  #nextRow = 0
  #nextColumn = 0
  #width = 0
  #filled = 0
  #type = 'n'
  #style = 0
  #hasFormula = false
  #formula = ''
  #value = ''
  /** The current target of text. */
  #within: 'value' | 'formula' | undefined
  #isSpoken = false

  constructor(book: Workbook, name: string, notes: SheetNotes) {
    this.#book = book
    this.#name = name
    this.#notes = notes
  }

  takeRows(): string[][] {
    const rows = this.rows
    this.rows = []
    return rows
  }

  open(name: string, attributes: Record<string, string>): void {
    if (name === 'sheetData') this.#isData = true
    if (!this.#isData) return
    if (name === 'row') this.#beginRow(attributes.r)
    else if (name === 'c') {
      if (attributes.r !== undefined) this.#nextColumn = place(attributes.r).column
      this.#type = attributes.t ?? 'n'
      this.#style = Number(attributes.s ?? 0)
      this.#hasFormula = false
      this.#formula = ''
      this.#value = ''
    } else if (name === 'v' || (name === 't' && !this.#isSpoken)) this.#within = 'value'
    else if (name === 'f') {
      this.#hasFormula = true
      this.#within = 'formula'
    } else if (name === 'rPh') this.#isSpoken = true
  }

  text(text: string): void {
    if (this.#within === 'value') this.#value += text
    else if (this.#within === 'formula') this.#formula += text
  }

  close(name: string): void {
    this.#within = undefined
    if (name === 'sheetData') this.#isData = false
    if (!this.#isData) return
    if (name === 'c') this.#endCell()
    else if (name === 'row') this.rows.push(this.#row)
    else if (name === 'rPh') this.#isSpoken = false
  }

  #beginRow(reference: string | undefined): void {
    const row = reference === undefined ? this.#nextRow : Number(reference) - 1
    if (row > this.#nextRow) this.#checkExtent(row)
    for (; this.#nextRow < row; this.#nextRow += 1) this.rows.push([])
    this.#nextRow += 1
    this.#nextColumn = 0
    this.#row = []
  }

  #endCell(): void {
    const column = this.#nextColumn
    this.#nextColumn += 1
    const text = this.#cellText()
    if (text === '' || column < 0) return
    this.#filled += 1
    if (column >= this.#width) {
      this.#width = column + 1
      this.#checkExtent(this.#nextRow)
    }
    while (this.#row.length < column) this.#row.push('')
    this.#row[column] = text
  }

  /** All rows get the width of the widest. */
  #checkExtent(rows: number): void {
    if (rows * this.#width - this.#filled <= MAX_EMPTY) return
    throw limitExceeded(
      `The sheet of ${this.#name} spans ${rows} rows and ${this.#width} columns; at most ${MAX_EMPTY} empty cells are written`,
      { hint: 'Delete cells that are far away from the table.' },
    )
  }

  #cellText(): string {
    const value = this.#value
    if (this.#hasFormula && value === '' && this.#type !== 'str') {
      this.#notes.uncomputed += 1
      return this.#formula === '' ? '' : `=${this.#formula}`
    }
    switch (this.#type) {
      case 's':
        return this.#book.strings.get(Number(value))
      case 'b':
        return /^(1|true)$/i.test(value) ? 'TRUE' : 'FALSE'
      case 'n': {
        if (value === '') return ''
        const number = Number(value)
        if (!Number.isFinite(number)) return value
        const { styles, formats, date1904 } = this.#book
        return numberText({ value: number, format: styles[this.#style], source: value }, formats, date1904)
      }
      case 'd':
        return value.replace(/(?:T00:00:00(?:\.0+)?)?Z?$/, '')
      default:
        return unescaped(value)
    }
  }
}
