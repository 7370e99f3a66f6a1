import type { CellObject, WorkBook, WorkSheet } from '@e965/xlsx'
import type { NumberFormats } from './number-formats.ts'
import { NoFormula, odsFormula } from './ods-formula.ts'
import { escapedText, odsMarkup, paragraphs } from './ods-markup.ts'
import { type NumberStyle, numberStyle } from './ods-number-style.ts'
import { emptyRows, type Merge, type Place, placeOf, type Row, rowsOf } from './ods-rows.ts'
import { type Calendar, cellValue, linked } from './ods-values.ts'
import { DECLARATION } from './sheet-markup.ts'

const NAMESPACES = [
  ...['office', 'table', 'text', 'style'].map((name) => [name, `urn:oasis:names:tc:opendocument:xmlns:${name}:1.0`]),
  ['number', 'urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0'],
  ['fo', 'urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0'],
  ['of', 'urn:oasis:names:tc:opendocument:xmlns:of:1.2'],
  ['calcext', 'urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0'],
  ['xlink', 'http://www.w3.org/1999/xlink'],
]
  .map(([name, address]) => `xmlns:${name}="${address}"`)
  .join(' ')

/** Centimetres per pixel at 96 dpi. */
const PIXEL = 2.54 / 96

/** Notes collected while writing a workbook. */
export interface BookNotes {
  /** Formulas without a cached result; the opening program computes them. */
  uncomputed: number
  /** Formulas that OpenDocument does not support; their results are kept. */
  dropped: number
}

/** Writes all sheets of a workbook as OpenDocument 1.3 (part 3, 9): values, formulas, formats, widths, hidden parts. */
export class OdsBook {
  readonly notes: BookNotes = { uncomputed: 0, dropped: 0 }
  readonly #book: WorkBook
  readonly #calendar: Calendar
  readonly #styles = new Map<string, NumberStyle & { cell: string }>()
  readonly #columns = new Map<string, string>()

  constructor(book: WorkBook, formats: NumberFormats) {
    this.#book = book
    this.#calendar = { formats, date1904: book.Workbook?.WBProps?.date1904 === true }
  }

  /** The parts of the package, in order. */
  parts(): Map<string, Uint8Array> {
    const tables = this.#book.SheetNames.map((name, index) => this.#table(name, index))
    const styles = [...this.#styles.values()].map(
      ({ markup, cell }) =>
        `${markup}<style:style style:name="${cell}" style:family="table-cell" style:data-style-name="N${cell}"/>`,
    )
    const content = [
      `${DECLARATION}<office:document-content ${NAMESPACES} office:version="1.3"><office:automatic-styles>`,
      ...['shown', 'hidden'].map(
        (name) =>
          `<style:style style:name="${name}" style:family="table"><style:table-properties table:display="${name === 'shown'}"/></style:style>`,
      ),
      ...[...this.#columns].map(
        ([width, name]) =>
          `<style:style style:name="${name}" style:family="table-column"><style:table-column-properties style:column-width="${width}"/></style:style>`,
      ),
      ...styles,
      '</office:automatic-styles><office:body><office:spreadsheet>',
      ...tables,
      this.#names(),
      '</office:spreadsheet></office:body></office:document-content>',
    ]
    return new Map(
      [...odsMarkup.parts(''), [odsMarkup.sheetPart, content.join('')] as const].map(([name, text]) => [
        name,
        Buffer.from(text),
      ]),
    )
  }

  #table(name: string, index: number): string {
    const sheet = this.#book.Sheets[name]!
    const rows = rowsOf(sheet)
    const width = Math.max(
      1,
      ...rows.map(({ cells }) => (cells.at(-1)?.column ?? -1) + 1),
      (sheet['!cols'] ?? []).length,
    )
    const style = this.#book.Workbook?.Sheets?.[index]?.Hidden ? 'hidden' : 'shown'
    const columns = Array.from({ length: width }, (_, column) => this.#column(sheet, column))
    const body: string[] = []
    let next = 0
    for (const one of rows) {
      const { row } = one
      if (row > next) body.push(emptyRows(row - next))
      next = row + 1
      const hidden = sheet['!rows']?.[row]?.hidden ? ' table:visibility="collapse"' : ''
      body.push(`<table:table-row${hidden}>${this.#cells(one)}</table:table-row>`)
    }
    if (rows.length === 0) body.push(emptyRows(1))
    return `<table:table table:name="${escapedText(name)}" table:style-name="${style}">${columns.join('')}${body.join('')}</table:table>`
  }

  #column(sheet: WorkSheet, column: number): string {
    const { hidden, wpx } = sheet['!cols']?.[column] ?? {}
    let style = ''
    if (wpx !== undefined) {
      const width = `${(wpx * PIXEL).toFixed(2)}cm`
      if (!this.#columns.has(width)) this.#columns.set(width, `co${this.#columns.size}`)
      style = ` table:style-name="${this.#columns.get(width)}"`
    }
    return `<table:table-column${style}${hidden ? ' table:visibility="collapse"' : ''}/>`
  }

  #cells({ row, cells }: Row): string {
    const parts: string[] = []
    let next = 0
    for (const { column, cell, merge } of cells) {
      if (column > next)
        parts.push(`<table:table-cell${column - next > 1 ? ` table:number-columns-repeated="${column - next}"` : ''}/>`)
      next = column + 1
      parts.push(this.#cell({ row, column }, cell, merge))
    }
    return parts.join('') || '<table:table-cell/>'
  }

  #cell(place: Place, cell: CellObject | undefined, merge: Merge | undefined): string {
    if (merge && (merge.s.r !== place.row || merge.s.c !== place.column)) return '<table:covered-table-cell/>'
    const span = merge
      ? ` table:number-columns-spanned="${merge.e.c - merge.s.c + 1}" table:number-rows-spanned="${merge.e.r - merge.s.r + 1}"`
      : ''
    if (!cell) return `<table:table-cell${span}/>`
    const style = this.#style(cell)
    const named = style === undefined ? '' : ` table:style-name="${style.cell}"`
    const formula = this.#formula(cell, place)
    const { attributes, text } = cellValue(cell, style, this.#calendar)
    const note = (cell.c ?? []).map(({ t = '' }) => paragraphs(t)).join('')
    const annotation = note === '' ? '' : `<office:annotation>${note}</office:annotation>`
    const shown = text === undefined ? '' : linked(paragraphs(text), cell.l?.Target)
    return `<table:table-cell${named}${span}${formula}${attributes}>${annotation}${shown}</table:table-cell>`
  }

  #style(cell: CellObject): (NumberStyle & { cell: string }) | undefined {
    const code = cell.z
    if (typeof code !== 'string' || /^general$/i.test(code)) return undefined
    const known = this.#styles.get(code)
    if (known) return known
    const name = `ce${this.#styles.size}`
    const style = { ...numberStyle(code, `N${name}`), cell: name }
    this.#styles.set(code, style)
    return style
  }

  #formula(cell: CellObject, { row, column }: Place): string {
    if (cell.f === undefined) return ''
    try {
      const formula = ` table:formula="${escapedText(odsFormula(cell.f))}"`
      if (cell.v === undefined || cell.t === 'z') this.notes.uncomputed += 1
      const [from, to = from] = (cell.F ?? '').split(':').map(placeOf)
      if (!from || !to || from.row !== row || from.column !== column) return formula
      return `${formula} table:number-matrix-columns-spanned="${to.column - column + 1}" table:number-matrix-rows-spanned="${to.row - row + 1}"`
    } catch (error) {
      if (!(error instanceof NoFormula)) throw error
      this.notes.dropped += 1
      // Text is better than nothing.
      if (cell.v === undefined || cell.t === 'z') Object.assign(cell, { t: 's', v: `=${cell.f}` })
      return ''
    }
  }

  #names(): string {
    const names = (this.#book.Workbook?.Names ?? []).flatMap(({ Name, Ref, Sheet }) => {
      // Excel's built-in names, such as print areas, and names local to a sheet.
      if (/^_xlnm\./i.test(Name) || Sheet !== undefined) return []
      try {
        return [
          `<table:named-expression table:name="${escapedText(Name)}" table:expression="${escapedText(odsFormula(Ref))}"/>`,
        ]
      } catch {
        return []
      }
    })
    return names.length === 0 ? '' : `<table:named-expressions>${names.join('')}</table:named-expressions>`
  }
}
