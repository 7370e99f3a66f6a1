import { printableName } from '../media/file.ts'

const isPlain = (value: unknown): boolean => value === null || typeof value !== 'object'
const shown = (value: unknown): string => (value === null || value === undefined ? '-' : printableName(String(value)))

/** A list of plain values is shown whole up to this length; programs take all of it from --json. */
const LONGEST_LIST = 24

function listed(values: readonly unknown[]): string {
  if (values.length <= LONGEST_LIST) return values.map(shown).join(', ')
  const first = values.slice(0, LONGEST_LIST / 2).map(shown)
  return `${first.join(', ')}, … (${values.length} values)`
}

/** A report for people: aligned `key  value` lines, nested values indented by two. */
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
      const items = value.map((item, index) => readableReport({ [String(index + 1)]: item }, `${indent}  `))
      return `${indent}${key}\n${items.join('')}`
    })
    .join('')
}
