import { firstOf } from '../../lists.ts'
import { median } from '../../median.ts'
import { type Cell, cellsOf } from './cells.ts'
import { type Table, tableAt } from './tables.ts'
import type { TextRun } from './text-run.ts'

/** Height of a heading, as a multiple of the median height of lines, for the first and the second level. */
const FIRST_LEVEL = 1.9
const SECOND_LEVEL = 1.35
const MOST_HEADING_WORDS = 14

/** Distance between the centres of two lines of one paragraph, at most, in heights of the lower box. */
const MOST_PITCH = 2.2
/** A longer step than this multiple of the usual one starts a paragraph. */
const WIDER = 1.35
/** A line that ends before this part of its column ends a paragraph or is a line of its own, such as in an address. */
const FILLED = 0.8
/** Indentation of the first line of a paragraph, in heights. */
const INDENT = 0.7

const BULLET = /^[•·‣▪●○◦*–-]\s+/u
const NUMBER = /^\d{1,3}[.)]\s+/u

/** Characters that Markdown would take as markup. */
const escaped = (text: string): string =>
  text.replace(/[\\`*_[\]<>|~]/gu, '\\$&').replace(/^(#{1,6}|[+=-]+)(?=\s|$)/u, '\\$1')

/** Adds a line to a paragraph; a word that was divided at the end of the line is joined. */
function joined(text: string, line: string): string {
  return /\p{Ll}-$/u.test(text) && /^\p{Ll}/u.test(line) ? `${text.slice(0, -1)}${line}` : `${text} ${line}`
}

/** A line of one cell in a block of text. */
function lineText(cell: Cell): string {
  const bullet = BULLET.exec(cell.text)
  if (bullet) return `- ${escaped(cell.text.slice(bullet[0].length))}`
  const number = NUMBER.exec(cell.text)
  return number ? `${number[0].trim()} ${escaped(cell.text.slice(number[0].length))}` : escaped(cell.text)
}

const isItem = ({ text }: Cell): boolean => BULLET.test(text) || NUMBER.test(text)

function headingLevel(cell: Cell, body: number): number {
  if (cell.text.split(/\s+/u).length > MOST_HEADING_WORDS || isItem(cell) || !/\p{L}/u.test(cell.text)) return 0
  if (cell.height >= FIRST_LEVEL * body) return 1
  return cell.height >= SECOND_LEVEL * body ? 2 : 0
}

/** Lines of text below each other, until one is far away: paragraphs, list items and single lines. */
function textBlock(cells: readonly Cell[], pitch: number): string[] {
  const right = Math.max(...cells.map((cell) => cell.right))
  const left = Math.min(...cells.map((cell) => cell.left))
  const made: string[] = []
  for (const [at, cell] of cells.entries()) {
    const before = cells[at - 1]
    const text = lineText(cell)
    if (!before) {
      made.push(text)
      continue
    }
    const isFull = before.right - left >= FILLED * (right - left)
    const isIndented = cell.left - before.left > INDENT * cell.height && !isItem(before)
    const isFar = cell.middle - before.middle > WIDER * pitch
    if (isItem(cell) || isFar || isIndented) made.push(text)
    else made.push(isFull ? joined(made.pop() ?? '', text) : `${made.pop()}\\\n${text}`)
  }
  // Items of a list are next to each other, paragraphs are apart.
  return made.reduce<string[]>((blocks, text) => {
    const last = blocks.at(-1)
    const isList = (one: string): boolean => /^(- |\d{1,3}[.)] )/.test(one)
    if (last !== undefined && isList(last) && isList(text)) blocks[blocks.length - 1] = `${last}\n${text}`
    else blocks.push(text)
    return blocks
  }, [])
}

function tableText({ rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.map((cell) => escaped(cell)).join(' | ')} |`
  const [head, ...body] = rows
  const rule = `| ${firstOf(rows)
    .map(() => '---')
    .join(' | ')} |`
  return [line(head ?? []), rule, ...body.map(line)].join('\n')
}

/**
 * A page as Markdown (GitHub Flavored): headings by the height of their letters, paragraphs with their lines joined,
 * lists, and tables from lines of cells that are below each other.
 * @param lines in reading order
 */
export function markdownOf(lines: readonly (readonly TextRun[])[]): string {
  const rows = lines.filter((line) => line.length > 0).map(cellsOf)
  const body = median(rows.flat().map(({ height }) => height))
  const steps = rows.flatMap((row, at) => {
    const step = at === 0 ? 0 : firstOf(row).middle - firstOf(rows[at - 1]!).middle
    return step > body / 2 && step < MOST_PITCH * body ? [step] : []
  })
  const pitch = median(steps) || MOST_PITCH * body
  const blocks: string[] = []
  for (let at = 0; at < rows.length; ) {
    const table = tableAt(rows, at)
    if (table) {
      blocks.push(tableText(table))
      at = table.end
      continue
    }
    const row = rows[at]!
    const level = row.length === 1 ? headingLevel(firstOf(row), body) : 0
    if (level > 0 || row.length > 1) {
      blocks.push(`${level > 0 ? `${'#'.repeat(level)} ` : ''}${row.map(lineText).join(' — ')}`)
      at += 1
      continue
    }
    const from = at
    const isNext = (next: readonly Cell[] | undefined): boolean => {
      if (next?.length !== 1 || headingLevel(firstOf(next), body) > 0 || tableAt(rows, at)) return false
      const [last, cell] = [firstOf(rows[at - 1]!), firstOf(next)]
      return cell.middle > last.middle && cell.left < last.right && last.left < cell.right
    }
    do at += 1
    while (isNext(rows[at]))
    blocks.push(...textBlock(rows.slice(from, at).map(firstOf), pitch))
  }
  return blocks.join('\n\n')
}
