import { IMAGE_EXTENSIONS } from '../media/type.ts'
import type { CatalogueEntry } from '../tool/catalogue.ts'
import { conditionText } from '../tool/condition.ts'
import type { InputSpec } from '../tool/contract.ts'
import { outputText } from '../tool/output-type.ts'
import { allowedWords, kebabCase, type Setting, type SettingsTable } from '../tool/settings.ts'
import { flagSpelling } from '../tool/validate.ts'
import { either } from '../wording.ts'
import { commandLine } from './command-line.ts'
import { COMMON_OPTIONS, type CommonOption } from './input/common-options.ts'
import { twoColumns, wrap } from './output/text.ts'
import { SAMPLE_NAMES, sampleSecretFile } from './sample-names.ts'

/** The placeholder for a setting's value. */
function placeholder(row: Setting): string {
  switch (row.type) {
    case 'integer':
      return 'N'
    case 'number':
      return 'X'
    case 'enum':
      return allowedWords(row).length <= 4 && allowedWords(row).join('|').length <= 24
        ? allowedWords(row).join('|')
        : 'WORD'
    case 'color':
      return 'COLOUR'
    case 'array':
      return 'A,B,…'
    case 'object':
      return 'JSON'
    default:
      return 'TEXT'
  }
}

function range({ min, max, exclusiveMin, unit, type, minLength, maxLength }: Setting): string | undefined {
  const suffix = unit ? ` ${unit}` : ''
  if (type === 'string') return maxLength === undefined ? undefined : `${minLength ?? 0} to ${maxLength} characters`
  if (type === 'array') return maxLength === undefined ? undefined : `at most ${maxLength} values`
  const low = min ?? exclusiveMin
  if (low !== undefined && max !== undefined)
    return `${exclusiveMin === undefined ? '' : 'above '}${low} to ${max}${suffix}`
  if (min !== undefined) return `at least ${min}${suffix}`
  if (exclusiveMin !== undefined) return `above ${exclusiveMin}${suffix}`
  if (max !== undefined) return `at most ${max}${suffix}`
  return unit ? `in ${unit}` : undefined
}

/** With spaces after commas and colons, so that a long default can be wrapped. */
const shownDefault = (value: unknown): string =>
  typeof value === 'string'
    ? value || 'empty'
    : JSON.stringify(value, null, 1)
        .replace(/\n\s*/g, ' ')
        .replace(/([[{]) /g, '$1')
        .replace(/ ([\]}])/g, '$1')

/** A setting in help: its flag, and its help line with range, default and similar details. */
export function settingRow(name: string, row: Setting): [string, string] {
  const flag = kebabCase(name)
  const long = row.type === 'boolean' ? `--[no-]${flag}` : `--${flag} ${placeholder(row)}`
  const left = row.short === undefined ? long : `-${row.short}, ${long}`
  const words =
    placeholder(row) === 'WORD' || (row.type === 'string' && row.enum)
      ? `one of ${either(allowedWords(row).map(String))}`
      : undefined
  const colours = ['#RRGGBB', row.alpha && '#RRGGBBAA', row.transparent && 'transparent', 'CSS colour'].filter(Boolean)
  const colour = row.type === 'color' ? either(colours.map(String)) : undefined
  const fields = row.fields ?? row.items?.fields
  const facts = [
    words,
    colour,
    range(row),
    fields && `with ${Object.keys(fields).join(', ')}`,
    row.when && `only with ${conditionText(row.when, flagSpelling)}`,
    row.required && 'required',
    row.default !== undefined && `default ${shownDefault(row.default)}`,
    row.secret && `--${flag}-file FILE keeps it out of the process list`,
  ].filter(Boolean)
  return [left, facts.length > 0 ? `${row.help} (${facts.join('; ')})` : row.help]
}

const settingRows = (table: SettingsTable): [string, string][] =>
  Object.entries(table)
    .filter(([, row]) => row.deprecated === undefined)
    .map(([name, row]) => settingRow(name, row))

/** The accepted types of an input, for display. */
export function acceptedTypes(accept: readonly string[]): string {
  if (accept.includes('*')) return 'any type'
  return accept.map((one) => (one === 'image' ? `images (${IMAGE_EXTENSIONS.join(', ')})` : one)).join(', ')
}

/** The files in a usage line. */
export const operandsText = ({ files, min }: InputSpec): string =>
  files === 'none' ? '' : min === 0 ? ' [FILE…]' : ' FILE…'

/** The number and types of input files of a tool, for display. */
export function inputText({ files, min, max, accept }: InputSpec): string {
  if (files === 'none') return 'none'
  if (files === 'one' && min === 0) return `none, or any number of files, each on its own; ${acceptedTypes(accept)}`
  const many =
    max >= Number.MAX_SAFE_INTEGER || max === null
      ? `at least ${min} files`
      : min === max
        ? `${min} files`
        : `${min} to ${max} files`
  return `${files === 'one' ? 'any number of files, each on its own' : `${many} together`}; ${acceptedTypes(accept)}`
}

/**
 * The common options; long names that a setting of the tool uses are omitted.
 * @param options the options of a command that takes only some of them
 */
export function commonRows(
  taken: SettingsTable = {},
  options: Readonly<Record<string, CommonOption>> = COMMON_OPTIONS,
): [string, string][] {
  const names = new Set(Object.keys(taken).map(kebabCase))
  return Object.values(options).flatMap(({ long, short, value, help }): [string, string][] => {
    const spellings = [short && `-${short}`, !names.has(long) && `--${long}`].filter(Boolean)
    return spellings.length > 0 ? [[`${spellings.join(', ')}${value ? ` ${value}` : ''}`, help]] : []
  })
}

/** File names for an example without any: as many as the tool needs. */
export function sampleInputs({ files, min, accept }: InputSpec): string[] {
  if (files === 'none') return []
  const first = accept[0] ?? '*'
  const name = SAMPLE_NAMES[first] ?? `file.${first}`
  return Array.from({ length: Math.max(1, min) }, (_, index) =>
    index === 0 ? name : name.replace('.', `-${index + 1}.`),
  )
}

/** The shell command of an example; `inputs` if it names none. */
export function exampleLine(
  entry: CatalogueEntry,
  { inputs, settings = {}, secondary }: CatalogueEntry['examples'][number],
): string {
  return commandLine({
    tool: `${entry.section} ${entry.id}`,
    inputs: inputs ?? sampleInputs(entry.input),
    settings,
    table: entry.settings,
    secondary: secondary ?? requiredSecondary(entry.input),
    secretFile: sampleSecretFile,
  })
}

function examples(entry: CatalogueEntry): string {
  return entry.examples.map((example) => `  # ${example.title}\n  ${exampleLine(entry, example)}\n`).join('')
}

const requiredSecondary = (input: InputSpec): Record<string, string> =>
  Object.fromEntries(
    Object.entries(input.secondary ?? {})
      .filter(([, { required }]) => required)
      .map(([name, { accept }]) => [name, SAMPLE_NAMES[accept[0] ?? '*'] ?? `file.${accept[0]}`]),
  )

/** The help page of a tool or action, generated from its declaration. */
export function toolHelp(entry: CatalogueEntry, width: number): string {
  const { section, id, input, output } = entry
  const operands = operandsText(input)
  const parts = [
    `${wrap(entry.summary, width).join('\n')}\n`,
    `${wrap(`Usage: mediaproc ${section} ${id}${operands} [--setting value…] [-o FILE | -d DIR]`, width).join('\n       ')}\n`,
    twoColumns(
      [
        ['Input', inputText(input)],
        ['Output', outputText(output)],
      ],
      width,
    ),
  ]
  const secondary = Object.entries(input.secondary ?? {})
  if (secondary.length > 0)
    parts.push(
      `Further inputs:\n${twoColumns(
        secondary.map(([name, { what, required, accept }]) => [
          `--${kebabCase(name)} FILE`,
          `${what} (${acceptedTypes(accept)}${required ? '; required' : ''})`,
        ]),
        width,
      )}`,
    )
  const rows = settingRows(entry.settings)
  if (rows.length > 0) parts.push(`Settings:\n${twoColumns(rows, width)}`)
  if (entry.locked && Object.keys(entry.locked).length > 0)
    parts.push(
      `Fixed: ${Object.entries(entry.locked)
        .map(([name, value]) => `${name} ${value}`)
        .join(', ')} (a preset of ${section}/${entry.base})\n`,
    )
  if (entry.actions.length > 0)
    parts.push(
      `Actions:\n${twoColumns(
        entry.actions.map((action) => [`${id}/${action.id}`, action.summary]),
        width,
      )}`,
    )
  if (entry.examples.length > 0) parts.push(`Examples:\n${examples(entry)}`)
  const needs = [...entry.engines, ...entry.bundles.map((bundle) => `the models ${bundle}`)]
  if (needs.length > 0)
    parts.push(`${wrap(`Needs: ${needs.join(', ')} (mediaproc doctor shows what is installed)`, width).join('\n')}\n`)
  parts.push(`Common options:\n${twoColumns(commonRows(entry.settings), width)}`)
  return parts.join('\n')
}
