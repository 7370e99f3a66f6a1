import { MediaprocError } from '../errors.ts'
import { extensionOf, printableName, stemOf } from '../media/file.ts'
import { convertedName, filledSuffix, setName, suffixedName } from '../media/naming.ts'
import { FILE_TYPES, isTextMime, mimeOf, typeOfName } from '../media/type.ts'
import type { CatalogueEntry } from '../tool/catalogue.ts'
import { meetsCondition } from '../tool/condition.ts'
import { expectedExtension, typeSetting } from '../tool/output-type.ts'
import { nearest } from '../tool/validate.ts'
import { cutToBytes } from '../utf8.ts'

/** Placeholders of --name, in addition to the names of the tool's settings. */
export const PLACEHOLDERS = {
  stem: "the input's name without its extension",
  ext: "the output's extension",
  tool: "the tool's name",
  section: "the tool's section",
  name: "the input's name with its extension",
  index: 'the number of the input, from 1, with leading zeros',
  date: 'today as YYYY-MM-DD',
  dir: "the input's folder, seen from this one",
} as const

const MAX_NAME_BYTES = 255

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
  /** The input's folder relative to the current one; '.' if it is elsewhere or there is none. */
  dir?: string
}

/** Rejects a pattern with an unknown placeholder. @throws MediaprocError USAGE with the list */
export function checkPattern(pattern: string, settingNames: readonly string[]): void {
  const known = [...Object.keys(PLACEHOLDERS), ...settingNames]
  for (const [, name = ''] of pattern.matchAll(/\{([^{}]*)\}/g)) {
    if (known.includes(name)) continue
    const near = nearest(name, known)
    throw new MediaprocError('USAGE', `There is no placeholder {${printableName(name)}} for --name`, {
      hint: `${near ? `Did you mean {${near}}? ` : ''}Known are ${known.map((one) => `{${one}}`).join(', ')}.`,
    })
  }
  if (pattern === '' || pattern.endsWith('/'))
    throw new MediaprocError('USAGE', `Expected a file name for --name, got ${printableName(pattern) || 'nothing'}`)
}

/** A value that is safe in a file name: it cannot add a folder. */
const asNamePart = (value: unknown): string => {
  const text =
    value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text.replace(/[/\\\u0000]/g, '_').replace(/^\.+$/, '_')
}

const today = (): string => {
  const now = new Date()
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
}

/** Common endings of temporary files that are renamed later; not a type. */
const PASSING = new Set(['tmp', 'temp', 'part', 'partial', 'new', 'old', 'bak', 'orig', 'out', 'download'])

/**
 * A name that ends in an unknown extension: probably a typo, since no program would open `.webb`. Text files can have
 * any extension.
 */
function refuseUnknown(given: string, extension: string, option: string): void {
  const claimed = extensionOf(given)
  if (!/^[a-z][a-z0-9]{0,7}$/.test(claimed) || claimed === extension || PASSING.has(claimed)) return
  if (isTextMime(mimeOf(extension))) return
  const own = FILE_TYPES.flatMap(({ extensions }) => extensions)
  const near = nearest(claimed, own)
  const meant = (one: string): string => `${printableName(given).slice(0, -claimed.length)}${one}`
  throw new MediaprocError('USAGE', `.${claimed} is not a known type, for ${option} ${printableName(given)}`, {
    hint: near ? `Did you mean ${meant(near)}?` : `The output is ${extension.toUpperCase()}: ${meant(extension)}`,
  })
}

/** The extension must match the content. @throws MediaprocError USAGE if a name has another type than the output */
export function checkExtension(given: string, extension: string, option: string): void {
  const claimed = typeOfName(given)
  if (!claimed) refuseUnknown(given, extension, option)
  if (!claimed || extension === '' || claimed.mime === mimeOf(extension)) return
  throw new MediaprocError(
    'USAGE',
    `The output is ${extension.toUpperCase()}, and ${option} ${printableName(given)} says ${extensionOf(given).toUpperCase()}`,
    {
      hint: 'mediaproc convert IN OUT changes the format.',
    },
  )
}

/**
 * Expands a pattern for one output; it can contain folders. A pattern without an extension gets the output's.
 * @param extension the output's, without the dot; '' for a folder
 */
export function patternName(pattern: string, facts: NameFacts, extension: string): string {
  const fill = (stem: string): string => {
    const values: Record<string, unknown> = {
      ...facts.settings,
      stem,
      ext: extension,
      tool: facts.tool.replace('/', '-'),
      section: facts.section,
      name: facts.inputName,
      index: String(facts.index).padStart(String(facts.count).length, '0'),
      date: today(),
    }
    return pattern.replace(/\{([^{}]*)\}/g, (_whole, name: string) =>
      name === 'dir' ? (facts.dir ?? '.') : asNamePart(values[name]),
    )
  }
  const saysExtension =
    pattern.includes('{ext}') || typeOfName(pattern.slice(pattern.lastIndexOf('}') + 1)) !== undefined
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
  return name
}

type Foreseeable = Pick<CatalogueEntry, 'id' | 'input' | 'output' | 'naming'>

/**
 * The name of a job's single output, or undefined if known only after the run. `inputName` is that of its first input.
 */
export function expectedName(
  tool: Foreseeable,
  inputName: string,
  settings: Readonly<Record<string, unknown>>,
): string | undefined {
  const { id, naming, input, output } = tool
  // An action has its own output names.
  if (id.includes('/') || !output.kind.startsWith('file') || output.kind.startsWith('files')) return undefined
  const extension = expectedExtension(output.type, inputName, settings)
  if (!extension) return undefined
  if (output.name !== undefined) return `${filledSuffix(output.name, settings)}.${extension}`
  // With several inputs, the run determines which one names the output.
  if (!naming || input.files !== 'one') return undefined
  const file = { name: inputName }
  const suffix = filledSuffix(naming.suffix, settings)
  return naming.converts ? convertedName(file, suffix, extension) : suffixedName(file, suffix, extension)
}

/** The folder name of a set, or undefined if known only after the run. */
export function expectedSet(
  { id, output: { kind, set } }: Pick<CatalogueEntry, 'id' | 'output'>,
  inputName: string,
  settings: Readonly<Record<string, unknown>>,
): string | undefined {
  if (set === undefined || id.includes('/') || !kind.startsWith('files')) return undefined
  const pattern = typeof set === 'string' ? set : meetsCondition(set.when, settings) ? set.name : undefined
  if (!pattern?.startsWith('{stem}_')) return pattern
  return setName({ name: inputName }, pattern.slice('{stem}_'.length))
}

/** `-o b.webp` requests WebP if a setting names the output type. */
export function typeFromOutput(
  { settings, output: { type } }: Pick<CatalogueEntry, 'settings' | 'output'>,
  output: string | undefined,
): Record<string, unknown> {
  const wanted = output === undefined ? undefined : typeOfName(output)
  const name = typeSetting(type)
  if (!wanted || name === undefined) return {}
  const members = settings[name]?.enum?.map(String) ?? []
  const exact = members.find((member) => member.toLowerCase() === extensionOf(output!))
  const member = exact ?? members.find((one) => typeOfName(`x.${one}`)?.id === wanted.id)
  return member === undefined ? {} : { [name]: member }
}
