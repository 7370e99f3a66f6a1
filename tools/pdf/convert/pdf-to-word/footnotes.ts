import { type Line, lineText, type PageText, type Span } from './lines.ts'

/** A number or sign, as marks of footnotes are written. */
const MARK = /^\s*(\d{1,3}|[*\u2020\u2021\u00a7])\s*$/u
/** Notes are below this share of the page. */
const ZONE = 0.4
/** Distance of lines of one note, relative to their size. */
const LEADING = 1.8

const isRaised = ({ size, baseline }: Span, line: Line): boolean =>
  size < line.size * 0.85 && line.baseline - baseline > line.size * 0.15

const markOf = (span: Span | undefined, line: Line): string | undefined =>
  span && isRaised(span, line) ? MARK.exec(span.text)?.[1] : undefined

/** Attaches the notes at the foot of a page to their marks in its text. Removes their lines and the rule above them. */
export function attachNotes(page: PageText): void {
  const starts = page.lines.filter(
    (line) => line.y0 > page.height * ZONE && line.spans.length > 1 && markOf(line.spans[0], line) !== undefined,
  )
  for (const start of starts) {
    const mark = markOf(start.spans[0], start)
    const references = page.lines.flatMap((line) =>
      starts.includes(line) || line.baseline > start.baseline
        ? []
        : line.spans.flatMap((span, index) =>
            markOf(span, line) === mark ? [{ span, before: line.spans[index - 1] }] : [],
          ),
    )
    const reference = references.length === 1 ? references[0] : references.find(isAfterWord)
    if (!reference) continue
    const lines = linesOf(start, page, starts)
    page.lines = page.lines.filter((line) => !lines.includes(line))
    const [first, ...others] = lines.map((line) => ({ ...line }))
    if (!first) continue
    reference.span.note = [{ ...first, spans: first.spans.slice(1) }, ...others]
    const rule = page.vectors.findIndex(
      ({ x0, x1, y0, y1 }) =>
        y1 - y0 < 2 && x1 - x0 < page.width / 2 && Math.abs(x0 - start.x0) < 12 && y1 < start.y1 && y0 > start.y0 - 24,
    )
    if (rule >= 0) page.vectors.splice(rule, 1)
  }
}

/** An exponent follows a single letter or a bracket; the mark of a note follows a word. */
const isAfterWord = ({ span, before }: { span: Span; before: Span | undefined }): boolean =>
  span.link !== undefined || /(?:\p{L}{3}|[.,;:!?])["'\u201d\u2019)]?\s*$/u.test(before?.text ?? '')

/** The lines of a note: until the next one or a gap. */
function linesOf(start: Line, { lines }: PageText, starts: readonly Line[]): Line[] {
  const result = [start]
  let last = start
  for (const line of lines.slice(lines.indexOf(start) + 1)) {
    const step = line.baseline - last.baseline
    const isSameRow = Math.abs(step) < line.size * 0.3
    const isBelow = step > 0 && step < line.size * LEADING && line.x0 < start.x1
    if (starts.includes(line) || !(isSameRow || isBelow) || lineText(line).trim() === '') break
    if (Math.abs(line.size - start.size) > start.size * 0.2) break
    result.push(line)
    last = line
  }
  return result
}
