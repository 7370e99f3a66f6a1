/** Areas on pages in the values of a form: as texts, or as objects with shares of the page. */
import type { SettingRow } from '../api/types.ts'
import type { Values } from '../forms/values.ts'
import { areaText, isOnPage, readArea, rectangleOf } from './page-area.ts'
import type { PdfFile } from './pdf.ts'
import type { Rectangle, Size } from './rectangle.ts'

/** One notation of areas. Pages count from 1, rectangles are in points. */
interface Notation {
  /** The rectangle of an item on a page; undefined if it is not there. */
  rectangleOn(item: unknown, page: number): Rectangle | undefined
  /** An item for a new rectangle. */
  created(page: number, rectangle: Rectangle): unknown
  changed(item: unknown, page: number, rectangle: Rectangle): unknown
}

const BLANK_PAGE: Size = { width: 595, height: 842 }

export const pageSizeOf = ({ pages }: PdfFile, page: number): Size => pages[page - 1] ?? BLANK_PAGE

const asText = (pdf: PdfFile): Notation => ({
  rectangleOn: (item, page) => {
    const area = readArea(item)
    return area && isOnPage(area, page, pdf.pages.length) ? rectangleOf(area, pageSizeOf(pdf, page)) : undefined
  },
  created: (page, rectangle) => areaText(String(page), rectangle),
  changed: (item, page, rectangle) => {
    const area = readArea(item)
    return area ? areaText(area.pages, rectangle, area, pageSizeOf(pdf, page)) : item
  },
})

const share = (part: number, of: number): number => Math.round((part / of) * 10_000) / 10_000

function asShares(pdf: PdfFile, fields: readonly SettingRow[]): Notation {
  const first = fields.find(({ name }) => name === 'page')?.min ?? 0
  const placed = (page: number, { left, top, width, height }: Rectangle): object => {
    const size = pageSizeOf(pdf, page)
    return {
      ...{ page: page - 1 + first, x: share(left, size.width), y: share(top, size.height) },
      ...{ w: share(width, size.width), h: share(height, size.height) },
    }
  }
  // Other fields that an item needs, such as the number of an image.
  const others = fields.filter(({ required, default: initial }) => required || initial !== undefined)
  const initial = Object.fromEntries(others.map((row) => [row.name, row.default ?? row.min]))
  return {
    rectangleOn: (item, page) => {
      const { page: number, x, y, w, h } = (item ?? {}) as Record<string, unknown>
      if (Number(number) !== page - 1 + first) return undefined
      const [left, top, width, height] = [x, y, w, h].map(Number) as [number, number, number, number]
      if (![left, top, width, height].every(Number.isFinite)) return undefined
      const size = pageSizeOf(pdf, page)
      return {
        ...{ left: left * size.width, top: top * size.height },
        ...{ width: width * size.width, height: height * size.height },
      }
    },
    created: (page, rectangle) => ({ ...initial, ...placed(page, rectangle) }),
    changed: (item, page, rectangle) => ({ ...(item as object), ...placed(page, rectangle) }),
  }
}

/** The areas of a row, and the values of the form after a change. */
export class AreaValues {
  readonly items: readonly unknown[]
  readonly #row: SettingRow
  readonly #values: Values
  readonly #notation: Notation

  constructor(row: SettingRow, values: Values, pdf: PdfFile) {
    this.#row = row
    this.#values = values
    this.#notation = row.items?.fields ? asShares(pdf, row.items.fields) : asText(pdf)
    const value = values[row.name]
    this.items = Array.isArray(value) ? value : value ? [value] : []
  }

  /** The place of a new area; an area of a row for one replaces it. */
  get next(): number {
    return this.#row.type === 'array' ? this.items.length : 0
  }

  get isFull(): boolean {
    return this.#row.type === 'array' && this.items.length >= (this.#row.maxLength ?? Number.POSITIVE_INFINITY)
  }

  on(page: number): { index: number; rectangle: Rectangle }[] {
    return this.items.flatMap((item, index) => {
      const rectangle = this.#notation.rectangleOn(item, page)
      return rectangle ? [{ index, rectangle }] : []
    })
  }

  /** Values with a new area at a place of the list, which ends there. */
  withNew(index: number, page: number, rectangle: Rectangle): Values {
    return this.#with([...this.items.slice(0, index), this.#notation.created(page, rectangle)])
  }

  withChanged(index: number, page: number, rectangle: Rectangle): Values {
    return this.#with(
      this.items.map((item, at) => (at === index ? this.#notation.changed(item, page, rectangle) : item)),
    )
  }

  without(index: number): Values {
    return this.#with(this.items.filter((_, at) => at !== index))
  }

  #with(items: readonly unknown[]): Values {
    const value = this.#row.type === 'array' ? (items.length > 0 ? items : undefined) : items[0]
    return { ...this.#values, [this.#row.name]: value }
  }
}
