import type { Inline, PageLayout, Paragraph, TextRun } from '../../../../src/engines/documents/rich-text.ts'
import { firstOf, lastOf } from '../../../../src/lists.ts'
import { addText } from '../../../../src/media/rich-text/inlines.ts'
import { type Line, lineText, type PageText } from './lines.ts'
import { alignOf, type BaseLook, inlinesOf } from './text-blocks.ts'

/** Header and footer of pages of one size. */
export interface Running {
  header?: Paragraph[]
  footer?: Paragraph[]
  headerDistance?: number
  footerDistance?: number
}

/** Lines that repeat on this share of the pages are kept. */
const LEAST = 0.5
/** Lines at almost the same height are one row, points. */
const NEAR = 4

const numbersOf = (line: Line): number[] =>
  line.spans.flatMap(({ text }) => [...text.matchAll(/\d+/g)].map(([digits]) => Number(digits)))

/** Number of the first page, if a number on the pages counts them. */
export function firstNumber(removed: readonly (readonly Line[])[]): number | undefined {
  const counts = new Map<number, number>()
  for (const [page, lines] of removed.entries())
    for (const first of new Set(lines.flatMap(numbersOf).map((number) => number - page)))
      counts.set(first, (counts.get(first) ?? 0) + 1)
  const [best] = [...counts].sort(([, one], [, other]) => other - one)
  return best && best[1] >= Math.max(2, removed.filter(({ length }) => length > 0).length * LEAST) ? best[0] : undefined
}

interface Group {
  isHeader: boolean
  /** The line on each of its pages. */
  lines: Map<number, Line>
}

/**
 * The header and footer of some pages, from lines that `withoutRunningLines` removed; `kept` receives those that they
 * represent.
 */
export function runningText(
  pages: readonly PageText[],
  removed: readonly (readonly Line[])[],
  members: readonly number[],
  { base, layout, first, kept }: { base: BaseLook; layout: PageLayout; first: number | undefined; kept: Set<Line> },
): Running {
  const groups = new Map<string, Group>()
  for (const page of members)
    for (const line of removed[page] ?? []) {
      const { height } = pages[page] ?? layout
      const isHeader = line.y0 < height / 2
      const row = Math.round((isHeader ? line.baseline : height - line.baseline) / NEAR)
      const key = `${isHeader} ${row} ${lineText(line).trim().replace(/\d+/g, '#')}`
      const group = groups.get(key) ?? { isHeader, lines: new Map() }
      group.lines.set(page, line)
      groups.set(key, group)
    }
  const affected = members.filter((page) => (removed[page]?.length ?? 0) > 0).length
  const chosen = [...groups.values()].flatMap(({ isHeader, lines }) => {
    const fields = lines.size >= affected * LEAST ? fieldsOf(lines, first, pages.length) : undefined
    if (!fields) return []
    for (const line of lines.values()) kept.add(line)
    return [{ isHeader, line: firstOf([...lines.values()]), fields }]
  })
  const part = (isHeader: boolean): Paragraph[] =>
    rowsOf(chosen.filter((one) => one.isHeader === isHeader)).map((row) => paragraphOf(row, base, layout))
  const [header, footer] = [part(true), part(false)]
  const ends = chosen.map(({ isHeader, line }) => (isHeader ? line.y0 : layout.height - line.y1))
  const distance = (isHeader: boolean): number =>
    Math.max(0, Math.min(...ends.filter((_, index) => chosen[index]?.isHeader === isHeader)))
  return {
    ...(header.length > 0 && { header, headerDistance: distance(true) }),
    ...(footer.length > 0 && { footer, footerDistance: distance(false) }),
  }
}

type Field = TextRun['field']

/** What each number of a line is; undefined if one differs between pages without counting them. */
function fieldsOf(lines: ReadonlyMap<number, Line>, first: number | undefined, pageCount: number): Field[] | undefined {
  const all = [...lines].map(([page, line]) => ({ page, numbers: numbersOf(line) }))
  const fields: Field[] = []
  for (const [index, number] of firstOf(all).numbers.entries()) {
    if (first !== undefined && all.every(({ page, numbers }) => numbers[index] === page + first)) fields.push('page')
    else if (all.some(({ numbers }) => numbers[index] !== number)) return undefined
    else fields.push(number === pageCount && fields.includes('page') ? 'pages' : undefined)
  }
  return fields
}

interface Part {
  line: Line
  fields: Field[]
}

function rowsOf(parts: readonly Part[]): Part[][] {
  const rows: Part[][] = []
  for (const part of [...parts].sort((one, other) => one.line.baseline - other.line.baseline)) {
    const last = rows.at(-1)
    if (last && part.line.baseline - lastOf(last).line.baseline < NEAR) last.push(part)
    else rows.push([part])
  }
  return rows.map((row) => row.sort((one, other) => one.line.x0 - other.line.x0))
}

/** Several parts of a row are separated by tabs at their positions. */
function paragraphOf(row: readonly Part[], base: BaseLook, { width, margins }: PageLayout): Paragraph {
  const box = { left: margins.left, right: width - margins.right, middle: width / 2 }
  const lines = row.map(({ line }) => line)
  const inlines = row.map((part) => withFields(part, base))
  const [only] = lines
  const align = lines.length === 1 ? alignOf({ lines: [only!], ...box }, box, 8) : undefined
  const tabs = lines.slice(1).map((line) => {
    const isRight = Math.abs(line.x1 - box.right) < 8
    const isMiddle = Math.abs((line.x0 + line.x1) / 2 - (box.left + box.right) / 2) < 8
    const kind = isRight ? ('right' as const) : isMiddle ? ('center' as const) : ('left' as const)
    const at = isRight ? box.right : isMiddle ? (box.left + box.right) / 2 : line.x0
    return { at: at - box.left, kind }
  })
  return {
    kind: 'paragraph',
    inlines: inlines.flatMap((part, index): Inline[] => (index > 0 ? [{ kind: 'text', text: '\t' }, ...part] : part)),
    spaceAfter: 0,
    ...(align && align !== 'justify' && { align }),
    ...(tabs.length > 0 && { tabs }),
  }
}

function withFields({ line, fields }: Part, base: BaseLook): Inline[] {
  const result: Inline[] = []
  let index = 0
  for (const run of line.spans.flatMap((span) => inlinesOf([{ ...line, spans: [span] }], base, { isVerbatim: true }))) {
    if (run.kind !== 'text') continue
    for (const text of run.text.split(/(\d+)/)) {
      const field = /^\d/.test(text) ? fields[index++] : undefined
      if (field) result.push({ ...run, text, field })
      else if (text === '') continue
      else if (result.at(-1)?.kind === 'text' && (result.at(-1) as TextRun).field) result.push({ ...run, text })
      else addText(result, { ...run, text })
    }
  }
  return result
}
