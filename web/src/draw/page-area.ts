/** Areas on pages of a PDF: `PAGES X Y WIDTH HEIGHT`, in points or percent of the displayed page. */
import type { Rectangle, Size } from './rectangle.ts'

export interface PageArea {
  /** `2`, `z`, `r2` or `2-z`. */
  pages: string
  lengths: readonly string[]
}

const LENGTH = /^(-?(?:\d+\.?\d*|\.\d+))(?:pt|(%))?$/
const PAGES = /^(z|r?\d+)(?:-(z|r?\d+))?$/i

/** An area as it is written; undefined for other texts. */
export function readArea(text: unknown): PageArea | undefined {
  if (typeof text !== 'string') return undefined
  const [pages = '', ...lengths] = text.trim().split(/\s+/)
  return PAGES.test(pages) && lengths.length === 4 && lengths.every((one) => LENGTH.test(one))
    ? { pages, lengths }
    : undefined
}

/** The number of a page by its name: `z` is the last, `r2` the one before. */
function numberOf(name: string, count: number): number {
  if (name.toLowerCase() === 'z') return count
  return /^r/i.test(name) ? count + 1 - Number(name.slice(1)) : Number(name)
}

/** Whether the area is on a page. @param count pages of the document */
export function isOnPage({ pages }: PageArea, page: number, count: number): boolean {
  const [, first = '', last = first] = PAGES.exec(pages) ?? []
  const ends = [numberOf(first, count), numberOf(last, count)]
  return page >= Math.min(...ends) && page <= Math.max(...ends)
}

/** The area in points of the page. */
export function rectangleOf({ lengths }: PageArea, page: Size): Rectangle {
  const [left = 0, top = 0, width = 0, height = 0] = lengths.map((text, index) => {
    const [, number = '0', percent] = LENGTH.exec(text) ?? []
    return percent ? (Number(number) / 100) * (index % 2 === 0 ? page.width : page.height) : Number(number)
  })
  return { left, top, width, height }
}

const tenths = (points: number): number => Math.round(points * 10) / 10

/** An area in points, or in percent if it was written so. */
export function areaText(pages: string, { left, top, width, height }: Rectangle, like?: PageArea, page?: Size): string {
  const parts = [left, top, width, height].map((points, index) => {
    const of = index % 2 === 0 ? page?.width : page?.height
    if (!of || !like?.lengths[index]?.endsWith('%')) return String(tenths(points))
    return `${Math.round((points / of) * 10_000) / 100}%`
  })
  return [pages, ...parts].join(' ')
}
