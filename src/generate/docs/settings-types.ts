import type { CatalogueEntry } from '../../tool/catalogue.ts'
import { fieldsOf, itemOf, type Setting, type SettingsTable } from '../../tool/settings.ts'

const text = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const literal = (value: string | number): string => (typeof value === 'number' ? String(value) : text(value))

/** A number may be given as text with its unit: `2MB`, `1:30`. */
const withUnit = ({ unit }: Setting): string => (unit === undefined ? 'number' : `number | \`\${number}\${string}\``)

/** The TypeScript type of what can be given for a row. */
function typeOf(row: Setting, indent: string): string {
  if (row.enum) return [...row.enum, ...Object.keys(row.valueAliases ?? {})].map(literal).join(' | ')
  switch (row.type) {
    case 'integer':
    case 'number':
      return withUnit(row)
    case 'boolean':
      return 'boolean'
    case 'array':
      return `readonly (${typeOf(itemOf(row), indent)})[]`
    case 'object':
      return tableType(fieldsOf(row), indent)
    default:
      return row.listed ? 'string | readonly (string | number)[]' : 'string'
  }
}

const comment = (words: string, indent: string): string => `${indent}/** ${words.replaceAll('*/', '*\\/')} */\n`

function rowType(name: string, row: Setting, indent: string): string {
  const mark = row.required ? '' : '?'
  const about = row.deprecated === undefined ? row.help : `@deprecated ${row.deprecated}`
  return `${comment(about, indent)}${indent}${/^\w+$/.test(name) ? name : text(name)}${mark}: ${typeOf(row, indent)}\n`
}

function tableType(table: SettingsTable, indent: string): string {
  const rows = Object.entries(table).map(([name, row]) => rowType(name, row, `${indent}  `))
  return rows.length === 0 ? 'Record<string, never>' : `{\n${rows.join('')}${indent}}`
}

/** The declaration file with the types of all tools' settings, which the compiler of library users checks. */
export function settingsTypes(entries: readonly CatalogueEntry[]): string {
  const tools = entries.flatMap(({ section, id, summary, settings, actions }) => [
    { name: `${section}/${id}`, summary, settings },
    ...actions.map((action) => ({ name: `${section}/${id}/${action.id}`, ...action })),
  ])
  const members = tools.map(
    ({ name, summary, settings }) => `${comment(summary, '  ')}  ${text(name)}: ${tableType(settings, '  ')}\n`,
  )
  return `// Generated from the tools' tables by npm run build.

/** The settings of every tool, preset and action, by its name. */
export interface ToolSettings {
${members.join('')}}
`
}
