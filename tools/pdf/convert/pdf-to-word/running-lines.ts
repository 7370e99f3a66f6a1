import type { PageText } from './lines.ts'
import { type Line, lineText } from './lines.ts'

/** Parts of the height of a page, at its top and bottom. */
const ZONE = 0.11
/** What stands on so many pages, and on this part of them, belongs to the paper. */
const LEAST = { pages: 3, part: 0.4 }

const keyOf = (line: Line, { height, lines }: PageText): string | undefined => {
  const middle = (line.y0 + line.y1) / 2 / height
  const text = lineText(line)
    .trim()
    .replace(/\d+|\b[ivxlc]+\b/g, '#')
  // A number alone may stand higher than any other foot, as the last thing on its page.
  const isNumber =
    /^\W*#\W*$/.test(text) && (lines.every(({ y0 }) => y0 <= line.y0) || lines.every(({ y0 }) => y0 >= line.y0))
  const zone = isNumber ? ZONE * 2 : ZONE
  return middle > zone && middle < 1 - zone ? undefined : `${Math.round(middle * 100)} ${text}`
}

const rowOf = (key: string | undefined): string => key?.split(' ')[0] ?? ''

/** Takes heads, feet and numbers of pages, which come again on most pages, out of them; tells on how many pages. */
export function withoutRunningLines(pages: readonly PageText[]): number {
  const counts = new Map<string, number>()
  for (const page of pages)
    for (const key of new Set(page.lines.map((line) => keyOf(line, page))))
      if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1)
  const isRunning = (key: string | undefined): boolean => {
    const count = key === undefined ? 0 : (counts.get(key) ?? 0)
    // Heads that name the chapter stand on its pages only.
    const isWords = /\p{L}{3}/u.test(key ?? '')
    return count >= LEAST.pages && (isWords || count >= pages.length * LEAST.part)
  }
  // Where heads stand on most pages, what stands there alone is one, too: a chapter may be of one page.
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
  // Where hardly anything else stands on the pages, that is their text.
  if (kept.filter(({ length }) => length > 0).length < pages.length / 2) return 0
  let affected = 0
  for (const [index, page] of pages.entries()) {
    if (kept[index]!.length < page.lines.length) affected += 1
    page.lines = kept[index]!
  }
  return affected
}
