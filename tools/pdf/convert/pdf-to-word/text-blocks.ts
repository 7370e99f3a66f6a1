import type { Code, Inline, TextRun } from '../../../../src/engines/documents/rich-text.ts'
import { firstOf, lastOf } from '../../../../src/lists.ts'
import { addText } from '../../../../src/media/rich-text/inlines.ts'
import { type Line, lineText, mainSize, type Span } from './lines.ts'
import { isDarkGround } from './shading.ts'

/** A paragraph as found on the page, before the document is analysed. */
export interface TextBlock {
  kind: 'text'
  lines: Line[]
  /** The sides of its column. */
  left: number
  right: number
  /** The right end of the page's longest line. */
  pageRight: number
  list?: Omit<Marker, 'length'> & { x: number }
  /** Page of the document, from 0; set once all pages are read. */
  page?: number
  /** Of a paragraph that continues in another column or page: its longest part. */
  shape?: Pick<TextBlock, 'lines' | 'left' | 'right' | 'list'>
}

/**
 * Joins words of one row that the library splits into several lines; a wide gap between them becomes a tab.
 * @param widest gap that is closed, relative to the font size
 */
export function joinRows(lines: readonly Line[], widest = Number.POSITIVE_INFINITY): Line[] {
  const rows: Line[] = []
  for (const line of lines) {
    const last = rows.at(-1)
    const gap = last ? line.x0 - last.x1 : 0
    const isSame = last && Math.abs(last.baseline - line.baseline) < Math.max(last.size, line.size) * 0.35 && gap > -1
    if (!isSame || gap > Math.max(line.size, last.size) * widest) {
      rows.push({ ...line, spans: [...line.spans] })
      continue
    }
    const end = lastOf(last.spans)
    const isOpen = !/\s$/.test(end.text) && !/^\s/.test(firstOf(line.spans).text)
    const isCode = end.mono && firstOf(line.spans).mono
    const columns = isCode ? Math.round(gap / ((end.x1 - end.x0) / end.text.length)) : 0
    const space = isCode
      ? ' '.repeat(Math.max(0, columns))
      : gap > line.size * 2.5
        ? '\t'
        : isOpen && gap > line.size * 0.12
          ? ' '
          : ''
    if (space) last.spans[last.spans.length - 1] = { ...end, text: (isCode ? end.text : end.text.trimEnd()) + space }
    last.spans.push(...line.spans)
    last.x1 = Math.max(last.x1, line.x1)
    last.y0 = Math.min(last.y0, line.y0)
    last.y1 = Math.max(last.y1, line.y1)
    if (line.size > last.size) [last.size, last.baseline] = [line.size, line.baseline]
  }
  return rows
}

/** Within a column, upper lines come first, regardless of content order. */
function readingOrder(rows: readonly Line[]): Line[] {
  const result: Line[] = []
  for (const row of rows) {
    let at = result.length
    while (at > 0 && isAbove(row, result[at - 1]!)) at -= 1
    result.splice(at, 0, row)
  }
  return result
}

function isAbove(one: Line, other: Line): boolean {
  const overlap = Math.min(one.x1, other.x1) - Math.max(one.x0, other.x0)
  return (
    one.baseline < other.baseline - other.size * 0.5 && overlap > Math.min(one.x1 - one.x0, other.x1 - other.x0) * 0.3
  )
}

const BULLET =
  /^\s*[\u2022\u25e6\u25aa\u25ab\u2023\u2219\u25cf\u25cb\u25a0\u25a1\u2043\uf0b7\uf0a7\u2013\u2014*-](?=\s)\s*/u
const NUMBER = /^\s*\(?(\d{1,3}|[a-z])[.)](?=\s)\s*/

interface Marker {
  style: 'bullet' | 'number' | 'letter'
  number: number
  /** As written on the page. */
  mark: string
  length: number
}

/** The bullet, number or letter at the start of a line. */
function marker(line: Line): Marker | undefined {
  const text = lineText(line)
  const bullet = BULLET.exec(text)
  if (bullet && bullet[0].length < text.length)
    return { style: 'bullet', number: 0, mark: bullet[0].trim(), length: bullet[0].length }
  const [whole, value] = NUMBER.exec(text) ?? []
  if (whole === undefined || value === undefined || whole.length === text.length) return undefined
  const isNumber = /\d/.test(value)
  const number = isNumber ? Number(value) : value.charCodeAt(0) - 96
  return { style: isNumber ? 'number' : 'letter', number, mark: whole.trim(), length: whole.length }
}

/** Removes characters from the start of a line. */
function without(line: Line, length: number): Line {
  const spans: Span[] = []
  let rest = length
  for (const span of line.spans) {
    if (rest >= span.text.length) {
      rest -= span.text.length
      continue
    }
    const width = (span.x1 - span.x0) / span.text.length
    spans.push({ ...span, text: span.text.slice(rest), x0: span.x0 + width * rest })
    rest = 0
  }
  return { ...line, spans, x0: spans[0]?.x0 ?? line.x1 }
}

const firstWordWidth = (line: Line): number => {
  const text = lineText(line)
  const word = /^\s*\S+/.exec(text)?.[0].length ?? 0
  return ((line.x1 - line.x0) * word) / Math.max(1, text.length)
}

/** Lines of one column, from top to bottom. */
function columns(lines: readonly Line[]): Line[][] {
  const result: Line[][] = []
  for (const line of lines) {
    const column = result.at(-1)
    const last = column?.at(-1)
    const overlaps = column?.some(({ x0, x1 }) => line.x0 < x1 && line.x1 > x0)
    const below = last && line.baseline > last.baseline
    const near = last && line.baseline - last.baseline < Math.max(line.size, last.size) * 4
    if (column && overlaps && below && near) column.push(line)
    else result.push([line])
  }
  return result
}

/**
 * Converts lines to paragraphs and list items.
 * @param pageRight right end of the page's longest line
 */
export function textBlocks(lines: readonly Line[], pageRight = 0): TextBlock[] {
  return columns(readingOrder(joinRows(lines))).flatMap((column) => {
    const left = Math.min(...column.map(({ x0 }) => x0))
    const right = Math.max(...column.map(({ x1 }) => x1))
    const leading = typicalLeading(column)
    const blocks: TextBlock[] = []
    for (const line of column) {
      const last = blocks.at(-1)
      const mark = marker(line)
      // A number starts an item if it is the first or the next one: 2024. can be at the start of any line.
      if (
        mark &&
        (mark.style === 'bullet' ||
          mark.number === 1 ||
          isNext(blocks, mark) ||
          (mark.style === 'number' && isNewParagraph(last, line, leading)))
      ) {
        const { length, ...list } = mark
        blocks.push({
          kind: 'text',
          lines: [without(line, length)],
          left,
          right,
          pageRight,
          list: { ...list, x: line.x0 },
        })
      } else if (last && !isNewParagraph(last, line, leading)) last.lines.push(line)
      else blocks.push({ kind: 'text', lines: [line], left, right, pageRight })
    }
    return blocks
  })
}

/** Whether a number continues the sequence of an earlier one. */
const isNext = (blocks: readonly TextBlock[], { style, number }: Marker): boolean =>
  blocks.some(({ list }) => list?.style === style && list.number === number - 1)

function typicalLeading(lines: readonly Line[]): number {
  const steps = lines.slice(1).map((line, index) => (line.baseline - lines[index]!.baseline) / line.size)
  const sorted = steps.filter((step) => step < 2.5).sort((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? 1.2
}

function isNewParagraph(block: TextBlock | undefined, line: Line, leading: number): boolean {
  const last = block?.lines.at(-1)
  if (!block || !last) return true
  const [before, size] = [mainSize([last]), mainSize([line])]
  if (Math.abs(before - size) > Math.max(before, size) * 0.12) return true
  if ((line.baseline - last.baseline) / line.size > leading * 1.25) return true
  if (isBold(last) !== isBold(line) && block.lines.every((one) => isBold(one) === isBold(last)) && !endsOpen(last))
    return true
  // Lines of a table of contents, and notes.
  const isEntry = /\t|\.{4,}/.test(lineText(last)) || /\t|\.{4,}/.test(lineText(line))
  if (isEntry || firstOf(line.spans).size < size * 0.75) return true
  const em = line.size
  if (block.list) {
    // Text that continues below an item's text belongs to it; text further left does not.
    const text = firstOf(block.lines).x0
    if (line.x0 < text - em) return true
  } else if (line.x0 > last.x0 + em * 0.8 && last.x0 < block.left + em * 0.5 && !isCentred(block, last)) return true
  // A sentence that ends with space left, compared with the longest line of the column.
  const isSentence =
    /[.!?:]["')\u201d\u2019]*\s*$/.test(lineText(last)) && /^\s*[\p{Lu}\p{N}"'\u201c(]/u.test(lineText(line))
  if (
    isSentence &&
    !block.list &&
    last.x1 + firstWordWidth(line) + em < block.pageRight - (block.pageRight - block.left) * 0.1
  ) {
    const isWrapped = block.lines.filter(({ x1 }) => Math.abs(x1 - block.right) < 3).length > 2
    if (!isWrapped) return true
  }
  // The first word would have fitted on the previous line.
  return last.x1 + firstWordWidth(line) + em * 0.4 < block.right - em * 0.5
}

const isBold = (line: Line): boolean => line.spans.every(({ bold, text }) => bold || text.trim() === '')
const endsOpen = (line: Line): boolean => /[,\u00ad-]\s*$/.test(lineText(line))
const isCentred = ({ left, right }: TextBlock, { x0, x1 }: Line): boolean =>
  Math.abs(x0 - left - (right - x1)) < 6 && x0 > left + 10

/** Whether the text continues in the next column or on the next page. */
export function goesOn(one: TextBlock, next: TextBlock): boolean {
  const [last, first] = [lastOf(one.lines), firstOf(next.lines)]
  const isFull = last.x1 > one.right - last.size * 1.5
  return (
    isFull &&
    !next.list &&
    Math.abs(last.size - first.size) < 0.6 &&
    !/[.!?:;]['")\]\u201d\u2019]*\s*$/.test(lineText(last)) &&
    /^\s*\p{Ll}/u.test(lineText(first))
  )
}

/** The alignment of a paragraph in its column. */
export function alignOf(
  { lines, left, right, list }: Pick<TextBlock, 'lines' | 'left' | 'right' | 'list'>,
  page: { left: number; right: number; middle?: number },
  room = 3,
): 'center' | 'right' | 'justify' | undefined {
  if (list) return undefined
  const isColumn = lines.length > 1 && right - left > (page.right - page.left) * 0.3
  const [from, to] = isColumn ? [left, right] : [page.left, page.right]
  const middle = isColumn ? (left + right) / 2 : (page.middle ?? (from + to) / 2)
  const isAround = (centre: number): boolean =>
    lines.every(({ x0, x1 }) => Math.abs((x0 + x1) / 2 - centre) < 4 && x0 > from + 15)
  // Margins of bound pages differ, so that the text is centred between them and not on the page.
  if (isAround(middle) || isAround((from + to) / 2)) return 'center'
  if (lines.every(({ x0, x1 }) => Math.abs(to - x1) < room && x0 > (from + to) / 2)) return 'right'
  const body = lines.slice(0, -1)
  if (body.length > 1 && body.every(({ x1, x0 }) => Math.abs(right - x1) < 1.5 && x0 < left + 30)) return 'justify'
  return undefined
}

const CJK = /[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]/u

/** The base style of a document: equal text needs no formatting of its own. */
export interface BaseLook {
  font: string
  size: number
}

interface InlineOptions {
  isHeading?: boolean
  /** Spaces at both ends are kept. */
  isVerbatim?: boolean
  /** The background; absent: white. */
  ground?: string | undefined
}

/** The words of a paragraph with its lines joined; rejoins hyphenated words. */
export function inlinesOf(
  lines: readonly Line[],
  base: BaseLook,
  { isHeading = false, isVerbatim = false, ground }: InlineOptions = {},
): Inline[] {
  const inlines: Inline[] = []
  for (const [index, line] of lines.entries()) {
    if (index > 0) joinLine(inlines, line)
    for (const span of line.spans) {
      const run = runOf(span, line, base, { isHeading, ground })
      if (span.note) inlines.push({ ...run, footnote: inlinesOf(span.note, base) })
      else addText(inlines, run)
    }
  }
  return isVerbatim ? inlines : trimmedText(inlines)
}

function joinLine(inlines: Inline[], line: Line): void {
  const last = inlines.at(-1)
  if (last?.kind !== 'text') return
  const next = lineText(line).trimStart()
  const text = last.text.trimEnd()
  const isParted = /\p{L}[-\u00ad\u2010]$/u.test(text) && /^\p{Ll}/u.test(next)
  const joined = isParted ? text.slice(0, -1) : CJK.test(text.slice(-1)) && CJK.test(next[0] ?? '') ? text : `${text} `
  inlines[inlines.length - 1] = { ...last, text: joined }
}

/** In headings, whose style has a size, a weight and a colour of its own, all of them are explicit. */
function runOf(
  span: Span,
  line: Line,
  base: BaseLook,
  { isHeading, ground }: { isHeading: boolean; ground: string | undefined },
): TextRun {
  const { text, bold, italic, mono, size, font, color, underline, strike, link, baseline } = span
  const rise = (line.baseline - baseline) / line.size
  const position =
    size < line.size * 0.85 && rise > 0.15 ? 'super' : size < line.size * 0.85 && rise < -0.08 ? 'sub' : undefined
  const rounded = Math.round(size * 2) / 2
  return {
    kind: 'text',
    text: text.replace(/[\u00a0\u2002-\u200a]/g, ' '),
    ...((bold || isHeading) && { bold }),
    ...(italic && { italic }),
    ...(underline && link === undefined && { underline }),
    ...(strike && { strike }),
    ...(position && { position }),
    ...(link !== undefined && { link }),
    ...(mono && base.font !== font && { font }),
    ...(!mono && font !== base.font && { font }),
    ...(!position && (isHeading || Math.abs(rounded - base.size) >= 0.5) && { size: rounded }),
    ...(link === undefined && isVisible(color, ground) && { color }),
  }
}

/** Nearly black becomes black, and white letters would be invisible on white paper. */
function isVisible(color: string, ground: string | undefined): boolean {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as [
    number,
    number,
    number,
  ]
  const isWhite = Math.min(red, green, blue) > 245
  return Math.max(red, green, blue) >= 50 && (!isWhite || (ground !== undefined && isDarkGround(ground)))
}

function trimmedText(inlines: readonly Inline[]): Inline[] {
  const result = [...inlines]
  const first = result[0]
  if (first?.kind === 'text') result[0] = { ...first, text: first.text.trimStart() }
  const last = result.at(-1)
  if (last?.kind === 'text') result[result.length - 1] = { ...last, text: last.text.trimEnd() }
  return result.filter((inline) => inline.kind !== 'text' || inline.text !== '')
}

/** Monospaced lines are code or data: they are kept as they are, with their indents and empty lines. */
export function codeOf(lines: readonly Line[]): Code | undefined {
  const spans = lines.flatMap((line) => line.spans)
  if (spans.some(({ mono, text }) => !mono && text.trim() !== '') || spans.every(({ text }) => text.trim() === ''))
    return undefined
  const [first] = spans
  const width = (first!.x1 - first!.x0) / Math.max(1, first!.text.length)
  const left = Math.min(...lines.map(({ x0 }) => x0))
  const leading = Math.min(
    ...lines
      .slice(1)
      .map((line, index) => line.baseline - lines[index]!.baseline)
      .filter((step) => step > 0),
  )
  const text = lines.flatMap((line, index) => {
    const step = index === 0 ? 0 : (line.baseline - lines[index - 1]!.baseline) / leading
    const empty = new Array<string>(step > 0 && step < 6 ? Math.max(0, Math.round(step) - 1) : 0).fill('')
    const indent = ' '.repeat(Math.max(0, Math.round((line.x0 - left) / width)))
    return [
      ...empty,
      indent +
        lineText(line)
          .trimEnd()
          .replace(/\u00a0/g, ' '),
    ]
  })
  return { kind: 'code', text: text.join('\n') }
}
