import { MediaprocError } from '../../errors.ts'
import { extensionOf, printableName, stemOf } from '../../media/file.ts'
import { typeOfName } from '../../media/type.ts'
import { isPlaceholder } from '../../tool/names/placeholders.ts'
import {
  type ClockTime,
  dateText,
  hasValue,
  knownFrom,
  type Placeholder,
  parseTemplate,
  placeholdersOf,
  placeholderText,
  templateFaults,
  usesPlaceholder,
  withZeros,
} from '../../tool/names/template.ts'
import { cutToBytes } from '../../utf8.ts'
import { checkExtension } from '../output-names.ts'
import type { InputFacts } from './input-facts.ts'

const MAX_NAME_BYTES = 255

/** Facts of a finished output. */
export interface OutputFacts {
  width?: number
  height?: number
  /** In seconds. */
  duration?: number
  /** SHA-256 in hexadecimal; absent if the pattern does not use it. */
  hash?: string
  page?: number
  /** The number of files of this input. */
  pages?: number
}

/** Placeholder values for one output. */
export interface NameFacts {
  /** The input's name; the section's and tool's if the tool takes no input. */
  inputName: string
  tool: string
  section: string
  /** From 1. */
  index: number
  /** The number of jobs. */
  count: number
  settings: Readonly<Record<string, unknown>>
  /** The values of a row, which take precedence over all others. */
  columns?: Readonly<Record<string, string>>
  /** The input's folder relative to the current one; '.' if it is elsewhere or there is none. */
  dir?: string
  /** Undefined until the input is read. */
  input?: InputFacts
  /** Undefined until the output is complete. */
  output?: OutputFacts
}

/** Rejects a pattern with an unknown placeholder or format. @throws MediaprocError USAGE with the list */
export function checkPattern(pattern: string, settingNames: readonly string[]): void {
  const [fault] = templateFaults(pattern, settingNames)
  if (fault) throw new MediaprocError('USAGE', `${fault.message} for --name`, { hint: fault.hint })
  if (pattern === '' || pattern.endsWith('/'))
    throw new MediaprocError('USAGE', `Expected a file name for --name, got ${printableName(pattern) || 'nothing'}`)
}

/** How a run uses a pattern. */
export interface PatternUse {
  settings: Readonly<Record<string, unknown>>
  /** The tool produces several files that belong together. */
  isSet: boolean
  /** They become one ZIP file. */
  zip: boolean
}

/** The placeholders whose values are only known when an output is complete. */
export function lateNames(pattern: string, { settings, isSet }: Pick<PatternUse, 'settings' | 'isSet'>): Placeholder[] {
  return placeholdersOf(pattern).filter(
    (one) => knownFrom(one, settings) === 'output' && (one.name !== 'page' || isSet),
  )
}

/** Whether the pattern names each file of a set, not its folder. */
export const namesMembers = (pattern: string, use: Pick<PatternUse, 'settings' | 'isSet'>): boolean =>
  lateNames(pattern, use).some(({ name }) => name === 'page')

/** Rejects a pattern for a folder or ZIP file that needs facts of a single file. @throws MediaprocError USAGE */
export function checkPatternUse(pattern: string, use: PatternUse): void {
  if (!use.isSet) return
  const late = lateNames(pattern, use)
  const hasPage = namesMembers(pattern, use)
  if (use.zip) {
    const fault = late.find(({ name }) => name !== 'hash')
    if (fault)
      throw new MediaprocError(
        'USAGE',
        `${placeholderText(fault)} is a fact of one file, and --zip puts several into one`,
        {
          hint: `Leave --zip or ${placeholderText(fault)} out.`,
        },
      )
  } else if (late.length > 0 && !hasPage)
    throw new MediaprocError(
      'USAGE',
      `${late.map(placeholderText).join(' and ')} would name the folder of several files`,
      { hint: "Add {page} to name each file, such as --name '{stem}-{page:03}.{ext}'." },
    )
}

/** A value that is safe in a file name: it cannot add a folder. */
const asNamePart = (value: unknown): string => {
  const text =
    value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text.replace(/[/\\\u0000]/g, '_').replace(/^\.+$/, '_')
}

const now = (): ClockTime => {
  const date = new Date()
  return {
    year: date.getFullYear(),
    month: date.getMonth() + 1,
    day: date.getDate(),
    hour: date.getHours(),
    minute: date.getMinutes(),
    second: date.getSeconds(),
  }
}

const DEFAULT_DIGITS = 8

const numbered = (value: number, count: number, format: string | undefined): string =>
  format === undefined ? String(value).padStart(String(count).length, '0') : withZeros(String(value), format)

/** The fact of a file as text; undefined if the file does not have it. */
function factText({ name, format }: Placeholder, { input = {}, output = {} }: NameFacts): string | undefined {
  switch (name) {
    case 'exif.date':
      return input['exif.date'] && dateText(input['exif.date'], format)
    case 'exif.camera':
    case 'title':
    case 'artist':
    case 'album':
      return input[name]
    case 'hash':
      return output.hash?.slice(0, Number(format ?? DEFAULT_DIGITS))
    case 'page':
      return numbered(output.page ?? 1, output.pages ?? 1, format)
    case 'duration':
      return output.duration === undefined ? undefined : withZeros(String(Math.round(output.duration)), format)
    case 'width':
    case 'height':
      return output[name] === undefined ? undefined : withZeros(String(output[name]), format)
    default:
      return undefined
  }
}

const OWN = new Set(['stem', 'ext', 'tool', 'section', 'name', 'index', 'date', 'dir'])

function ownText({ name, format }: Placeholder, facts: NameFacts, stem: string, extension: string): string {
  switch (name) {
    case 'stem':
      return asNamePart(stem)
    case 'ext':
      return extension
    case 'tool':
      return asNamePart(facts.tool.replace('/', '-'))
    case 'section':
      return facts.section
    case 'name':
      return asNamePart(facts.inputName)
    case 'index':
      return numbered(facts.index, facts.count, format)
    case 'date':
      return dateText(now(), format)
    default:
      return facts.dir ?? '.'
  }
}

const FACT_WORDS: Readonly<Record<string, string>> = { 'exif.date': 'capture date', 'exif.camera': 'camera model' }

function lacking(placeholder: Placeholder, { inputName }: NameFacts): MediaprocError {
  const { name } = placeholder
  const shown = placeholderText(placeholder)
  const what = FACT_WORDS[name] ?? name
  const owner =
    knownFrom(placeholder, {}) === 'output' ? `The output of ${printableName(inputName)}` : printableName(inputName)
  return new MediaprocError('NO_NAME_VALUE', `${owner} has no ${what}, which ${shown} in the output name needs`, {
    hint: `Write a default for such files: ${shown.slice(0, -1)}|unknown}.`,
  })
}

function emptyCell(placeholder: Placeholder): MediaprocError {
  const shown = placeholderText(placeholder)
  return new MediaprocError(
    'NO_NAME_VALUE',
    `The row has no ${placeholder.name}, which ${shown} in the output name needs`,
    {
      hint: `Write a default for such rows: ${shown.slice(0, -1)}|unknown}, or {${placeholder.name}|} for none.`,
    },
  )
}

/**
 * The value of a placeholder; undefined if it is not known yet.
 * @throws MediaprocError NO_NAME_VALUE if the file does not have it and the pattern has no default
 */
function valueIn(placeholder: Placeholder, facts: NameFacts, stem: string, extension: string): string | undefined {
  const { name, format, fallback } = placeholder
  const column = facts.columns && Object.hasOwn(facts.columns, name) ? facts.columns[name] : undefined
  if (column === '' && fallback === undefined) throw emptyCell(placeholder)
  if (column !== undefined) return column === '' ? fallback : withZeros(asNamePart(column), format)
  if (OWN.has(name)) return ownText(placeholder, facts, stem, extension)
  const setting = facts.settings[name]
  if (hasValue(setting)) return withZeros(asNamePart(setting), format)
  if (!isPlaceholder(name)) return fallback ?? ''
  const from = knownFrom(placeholder, facts.settings)
  if ((from === 'input' ? facts.input : facts.output) === undefined) return undefined
  const text = factText(placeholder, facts) ?? fallback
  if (text === undefined) throw lacking(placeholder, facts)
  return text
}

/** @throws MediaprocError NO_NAME_VALUE if the input lacks a fact that the pattern needs */
export function checkInputFacts(pattern: string, facts: NameFacts): void {
  for (const one of placeholdersOf(pattern)) if (knownFrom(one, facts.settings) === 'input') valueIn(one, facts, '', '')
}

/** Whether a pattern needs facts of the input. */
export const needsInput = (pattern: string, settings: Readonly<Record<string, unknown>>): boolean =>
  placeholdersOf(pattern).some((one) => knownFrom(one, settings) === 'input')

/**
 * Expands a pattern for one output; it can contain folders. A pattern without an extension gets the output's. A
 * placeholder whose value is not known yet remains as it is, without its default.
 * @param extension the output's, without the dot; '' for a folder
 * @returns the name, and whether all values are known
 * @throws MediaprocError NO_NAME_VALUE, USAGE for an extension of another type
 */
export function expandPattern(
  pattern: string,
  facts: NameFacts,
  extension: string,
): { name: string; isKnown: boolean } {
  const template = parseTemplate(pattern)
  let isKnown = true
  const fill = (stem: string): string =>
    template
      .map((part) => {
        if (typeof part === 'string') return part
        const value = valueIn(part, facts, stem, extension)
        isKnown &&= value !== undefined
        return value ?? placeholderText(part)
      })
      .join('')
  const saysExtension =
    usesPlaceholder(pattern, 'ext') || typeOfName(pattern.slice(pattern.lastIndexOf('}') + 1)) !== undefined
  const finish = (name: string): string => {
    if (extension === '') return name.replace(/\.+$/, '')
    if (saysExtension) return name
    return pattern.endsWith('{name}') && extensionOf(name) === extension ? name : `${name}.${extension}`
  }
  // Longer names are not possible anywhere.
  let stem = cutToBytes(stemOf(facts.inputName), MAX_NAME_BYTES)
  let name = finish(fill(stem))
  while (stem !== '' && name.split('/').some((part) => Buffer.byteLength(part) > MAX_NAME_BYTES)) {
    stem = cutToBytes(stem, Buffer.byteLength(stem) - 1)
    name = finish(fill(stem))
  }
  if (saysExtension && extension !== '') checkExtension(name, extension, '--name')
  return { name, isKnown }
}
