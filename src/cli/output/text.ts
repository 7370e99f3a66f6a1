import { zip } from '../../lists.ts'

/** Wraps text at spaces to lines of at most `width` columns; longer words are not split. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}

/** Maximum width of the left column; longer entries are on their own line. In columns. */
const MAX_LEFT_WIDTH = 30

/** Rows of a term and its explanation, aligned and wrapped to the width, indented by two. */
export function twoColumns(rows: readonly (readonly [string, string])[], width: number): string {
  const fitting = rows.map(([left]) => left.length).filter((length) => length <= MAX_LEFT_WIDTH)
  const column = Math.max(8, ...fitting)
  const indent = ' '.repeat(column + 4)
  return rows
    .map(([left, right]) => {
      const lines = wrap(right, Math.max(20, width - indent.length))
      const first = left.length > column ? `  ${left}\n${indent}${lines[0]}` : `  ${left.padEnd(column)}  ${lines[0]}`
      return `${[first, ...lines.slice(1).map((line) => indent + line)].map((line) => line.trimEnd()).join('\n')}\n`
    })
    .join('')
}

/** A table with a heading, with columns as wide as their longest cell. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [heading, ...rows]
  const widths = heading.map((_, index) => Math.max(...all.map((row) => row[index]!.length)))
  return all
    .map(
      (row) =>
        `${zip(row, widths)
          .map(([cell, width]) => cell.padEnd(width))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

/** The change in size in whole per cent: `−66 %`, `+12 %`, `±0 %`. */
export function percentChange(before: number, after: number): string {
  const change = Math.round((after / before - 1) * 100)
  return change === 0 ? '±0 %' : `${change > 0 ? '+' : '−'}${Math.abs(change)} %`
}
