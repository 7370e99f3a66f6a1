import { printableName } from '../../media/file.ts'
import { table } from './text.ts'

const isPlain = (value: unknown): boolean => value === null || typeof value !== 'object'
const shown = (value: unknown): string =>
  value === null || value === undefined ? '-' : printableName(shortened(String(value)))

/** A file inside a report shows only its type; programs use --json. */
function shortened(text: string): string {
  const type = /^data:[^,]{1,100},/.exec(text)?.[0]
  return type !== undefined && text.length > MAX_DATA_LENGTH ? `${type}… (${text.length} characters)` : text
}

/** Longer data would fill the terminal. */
const MAX_DATA_LENGTH = 100

/** Lists of plain values up to this length are shown in full; programs use --json. */
const MAX_LIST_LENGTH = 24

function listed(values: readonly unknown[]): string {
  if (values.length <= MAX_LIST_LENGTH) return values.map(shown).join(', ')
  const first = values.slice(0, MAX_LIST_LENGTH / 2).map(shown)
  return `${first.join(', ')}, … (${values.length} values)`
}

type Row = Readonly<Record<string, unknown>>

/** Wider tables would be wrapped by the terminal. In columns, without indentation. */
const MAX_TABLE_COLUMNS = 100

/**
 * Objects with the same keys as a table, one line each; undefined if there is only one, if one contains nested values,
 * or if the lines would be too long.
 */
function asTable(values: readonly unknown[], indent: string): string | undefined {
  if (values.length < 2 || values.some((value) => isPlain(value) || Array.isArray(value))) return undefined
  const rows = values as readonly Row[]
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  if (columns.length === 0 || rows.some((row) => !Object.values(row).every(isPlain))) return undefined
  const cells = rows.map((row) => columns.map((column) => shown(row[column])))
  const lines = table(columns, cells).trimEnd().split('\n')
  if (lines.some((line) => line.length > MAX_TABLE_COLUMNS)) return undefined
  return lines.map((line) => `${indent}${line}\n`).join('')
}

/** A report for display: aligned `key  value` lines, nested values indented by two, similar objects as tables. */
export function readableReport(report: Readonly<Record<string, unknown>>, indent = ''): string {
  const entries = Object.entries(report)
  const width = Math.max(0, ...entries.filter(([, value]) => isPlain(value)).map(([key]) => key.length))
  return entries
    .map(([key, value]) => {
      if (isPlain(value)) return `${indent}${key.padEnd(width)}  ${shown(value)}\n`
      if (!Array.isArray(value))
        return `${indent}${key}\n${readableReport(value as Record<string, unknown>, `${indent}  `)}`
      if (value.length === 0) return `${indent}${key.padEnd(width)}  none\n`
      if (value.every(isPlain)) return `${indent}${key.padEnd(width)}  ${listed(value)}\n`
      const lines = asTable(value, `${indent}  `)
      if (lines !== undefined) return `${indent}${key}\n${lines}`
      const items = value.map((item, index) => readableReport({ [String(index + 1)]: item }, `${indent}  `))
      return `${indent}${key}\n${items.join('')}`
    })
    .join('')
}
