import { acceptedTypes, inputText, operandsText } from '../../cli/help.ts'
import { firstOf } from '../../lists.ts'
import type { CatalogueEntry } from '../../tool/catalogue.ts'
import { conditionText } from '../../tool/condition.ts'
import type { InputSpec } from '../../tool/contract.ts'
import { outputText } from '../../tool/output-type.ts'
import { kebabCase, type Setting, type SettingsTable } from '../../tool/settings.ts'
import { describeExpected } from '../../tool/values/values.ts'
import { type ExampleResult, type ExampleResults, sampleLine } from './example-results.ts'
import { code, codeBlock, GENERATED, jsonText, markdownText, table } from './markdown.ts'

const MAX_NAMES = 12

function flagOf(name: string, row: Setting): string {
  const flag = kebabCase(name)
  if (row.type === 'boolean') return code(`--${flag}`) + (row.default === true ? ` ${code(`--no-${flag}`)}` : '')
  return code(`--${flag}`) + (row.secret ? ` ${code(`--${flag}-file`)}` : '')
}

function expected(row: Setting): string {
  if (row.enum) return row.enum.map((member) => code(String(member))).join(' ')
  const items =
    row.type === 'array' && row.items ? `a list: each ${describeExpected(row.items)}` : describeExpected(row)
  return markdownText(row.unit ? `${items}, in ${row.unit}` : items)
}

function defaultOf(row: Setting): string {
  if (row.required) return 'required'
  return row.default === undefined
    ? ''
    : code(typeof row.default === 'string' ? row.default || '(empty)' : JSON.stringify(row.default))
}

function settingCells(name: string, row: Setting, prefix = ''): string[][] {
  const fields = Object.entries(row.fields ?? row.items?.fields ?? {})
  const scoped = row.when ? `${row.help} (only with ${conditionText(row.when)})` : row.help
  const help = row.deprecated === undefined ? scoped : `deprecated, ${row.deprecated}: ${scoped}`
  return [
    [prefix ? '' : flagOf(name, row), code(prefix + name), expected(row), defaultOf(row), markdownText(help)],
    ...fields.flatMap(([key, field]) => settingCells(key, field, `${prefix}${name}${row.items ? '[]' : ''}.`)),
  ]
}

function settingsTable(settings: SettingsTable): string {
  const rows = Object.entries(settings).flatMap(([name, row]) => settingCells(name, row))
  if (rows.length === 0) return 'It has no settings.\n'
  return table(['Flag', 'JSON', 'Takes', 'Default', 'What it does'], rows)
}

/** The long list of image types is only on the index page. */
const shortTypes = (accept: readonly string[]): string[] => accept.map((one) => (one === 'image' ? 'images' : one))
const shortInput = (input: InputSpec): InputSpec => ({ ...input, accept: shortTypes(input.accept) })

const linked = (text: string): string => text.replace(/\bimages\b/, '[images](../README.md#types-of-images)')

function facts({ input, output }: Pick<CatalogueEntry, 'input' | 'output'>): string {
  const further = Object.entries(input.secondary ?? {}).map(
    ([name, { what, required, accept }]) =>
      `- Further input ${code(`--${kebabCase(name)}`)}: ${linked(markdownText(`${what}; ${acceptedTypes(shortTypes(accept))}${required ? '; required' : ''}`))}\n`,
  )
  return `- Input: ${linked(markdownText(inputText(shortInput(input))))}\n${further.join('')}- Output: ${markdownText(outputText(output))}\n`
}

/** Inputs and outputs side by side. */
function pictures({ before, after }: ExampleResult): string {
  if (after.length === 0) return ''
  const all = [...before, ...after]
  return `\n${table(
    all.map(({ name }) => code(name)),
    [all.map(({ name, file }) => `![${markdownText(name)}](../media/${file})`)],
  )}`
}

function made({ files, set, after, text, report, warnings }: ExampleResult): string {
  const parts: string[] = []
  if (files.length > 1) {
    const names = files.slice(0, MAX_NAMES).map((name) => code(name))
    const rest = files.length - names.length
    const where = set === undefined ? '' : ` in ${code(`${set}/`)}`
    parts.push(`\n${files.length} files${where}: ${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}\n`)
  } else if (files.length === 1 && after.length === 0) parts.push(`\nMakes ${code(firstOf(files))}.\n`)
  if (text) parts.push(`\n${codeBlock('text', text.join('\n'))}`)
  if (report !== undefined) parts.push(`\n${codeBlock('json', jsonText(report))}`)
  for (const warning of warnings) parts.push(`\nIt says: ${markdownText(warning)}\n`)
  return parts.join('')
}

const outputsOf = ({ set, files }: ExampleResult): string[] => (set === undefined ? files : [set])

/**
 * The commands of all pages as they can be pasted one after the other in one folder: what would meet the output of an earlier
 * one goes into a folder of its own.
 * @returns by `section/tool`
 */
export function pastedLines(results: ExampleResults): Map<string, string[]> {
  const seen = new Set<string>()
  const folders = new Map<string, number>()
  const folderFor = (id: string): string => {
    const number = (folders.get(id) ?? 0) + 1
    folders.set(id, number)
    return number === 1 ? `${id}-examples` : `${id}-examples-${number}`
  }
  const pasted = (name: string, result: ExampleResult): string => {
    const outputs = outputsOf(result)
    if (outputs.some((output) => seen.has(output))) return `${result.line} -d ${folderFor(name.split('/')[1]!)}`
    for (const output of outputs) seen.add(output)
    return result.line
  }
  const names = Object.keys(results).sort()
  return new Map(names.map((name) => [name, results[name]!.map((result) => pasted(name, result))]))
}

function examplePart(
  entry: CatalogueEntry,
  index: number,
  result: ExampleResult | undefined,
  pasted: string | undefined,
): string {
  const { title } = entry.examples[index]!
  const line = sampleLine(entry, entry.examples[index]!)
  if (result?.line !== line)
    throw new Error(`${entry.section}/${entry.id}: there is no stored result of "${line}"; run npm run generate`)
  return `\n### ${title[0]!.toUpperCase()}${title.slice(1)}\n\n${codeBlock('sh', pasted!)}${pictures(result)}${made(result)}`
}

/** The page of a tool, from its declaration, the stored results of its examples, and their lines of `pastedLines`. */
export function toolPage(entry: CatalogueEntry, results: readonly ExampleResult[], pasted: readonly string[]): string {
  const { section, id, summary, engines, bundles, actions, examples, input } = entry
  const needs = [...engines, ...bundles.map((bundle) => `the models ${bundle}`)]
  const usage = `mediaproc ${section} ${id}${operandsText(input)} [--setting value…] [-o FILE | -d DIR]`
  const actionParts = actions.map(
    (action) =>
      `\n## Action ${id}/${action.id}\n\n${markdownText(action.summary)}.\n\n${codeBlock('text', `mediaproc ${section} ${id}/${action.id} FILE…`)}\n${facts(action)}\n${settingsTable(action.settings)}`,
  )
  return [
    `${GENERATED}# ${section}/${id}\n\n${markdownText(summary)}.\n\n${codeBlock('text', usage)}\n`,
    facts(entry),
    needs.length > 0 ? `- Needs: ${markdownText(needs.join(', '))}\n` : '',
    `\n## Settings\n\n${settingsTable(entry.settings)}`,
    ...actionParts,
    `\n## Examples\n\nOn the [sample files](../README.md#samples); \`mediaproc ${section} ${id} --help\` shows these lines too.\n`,
    ...examples.map((_example, index) => examplePart(entry, index, results[index], pasted[index])),
  ].join('')
}
