import { type Line, lineText, type PageText } from './lines.ts'

/** Header and footer areas as shares of the page height. */
const ZONE = 0.11
/** Text on this many pages, and on this share of them, is a header or footer. */
const LEAST = { pages: 3, part: 0.4 }

/** Tolerance of their positions, points. */
const NEAR = 8

const keyOf = (line: Line, { height, lines }: PageText): string | undefined => {
  const middle = (line.y0 + line.y1) / 2 / height
  const text = lineText(line)
    .trim()
    .replace(/\d+|\b[ivxlc]+\b/g, '#')
  // A page number alone can be higher than other footers, as the last line of its page.
  const isNumber =
    /^\W*#\W*$/.test(text) && (lines.every(({ y0 }) => y0 <= line.y0) || lines.every(({ y0 }) => y0 >= line.y0))
  const zone = isNumber ? ZONE * 2 : ZONE
  if (middle > zone && middle < 1 - zone) return undefined
  // From the edge, which is the same on pages of another size.
  const place =
    middle < 0.5 ? `top-${Math.round(line.baseline / NEAR)}` : `bottom-${Math.round((height - line.baseline) / NEAR)}`
  return `${place} ${text}`
}

const rowOf = (key: string | undefined): string => key?.split(' ')[0] ?? ''

/** Removes headers, footers and page numbers, which repeat on most pages; returns the lines by page. */
export function withoutRunningLines(pages: readonly PageText[]): Line[][] {
  const counts = new Map<string, number>()
  for (const page of pages)
    for (const key of new Set(page.lines.map((line) => keyOf(line, page))))
      if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1)
  const isRunning = (key: string | undefined): boolean => {
    const count = key === undefined ? 0 : (counts.get(key) ?? 0)
    // Headers with the chapter title occur only on its pages.
    const isWords = /\p{L}{3}/u.test(key ?? '')
    return count >= LEAST.pages && (isWords || count >= pages.length * LEAST.part)
  }
  // If most pages have headers, a single occurrence in that position is one too: a chapter can have one page.
  const rows = new Map<string, number>()
  for (const page of pages)
    for (const row of new Set(
      page.lines
        .map((line) => keyOf(line, page))
        .filter(isRunning)
        .map(rowOf),
    ))
      rows.set(row, (rows.get(row) ?? 0) + 1)
  const isHead = (line: Line, page: PageText): boolean => {
    const key = keyOf(line, page)
    if (key === undefined || isRunning(key)) return key !== undefined
    const isCommon = (rows.get(rowOf(key)) ?? 0) >= Math.max(LEAST.pages, pages.length * LEAST.part)
    return (
      isCommon &&
      page.lines.every(
        (other) =>
          other === line ||
          Math.abs(other.baseline - line.baseline) < 2 ||
          Math.abs(other.baseline - line.baseline) > line.size * 2,
      )
    )
  }
  const kept = pages.map((page) => page.lines.filter((line) => !isHead(line, page)))
  // If the pages contain hardly anything else, it is their text.
  if (kept.filter(({ length }) => length > 0).length < pages.length / 2) return pages.map(() => [])
  return pages.map((page, index) => {
    const own = kept[index]!
    const removed = page.lines.filter((line) => !own.includes(line))
    page.lines = own
    return removed
  })
}
