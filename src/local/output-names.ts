import { MediaprocError } from '../errors.ts'
import { extensionOf, printableName, stemOf } from '../media/file.ts'
import { convertedName, filledSuffix, setName, suffixedName } from '../media/naming.ts'
import { FILE_TYPES, isTextMime, mimeOf, typeOfName } from '../media/type.ts'
import type { CatalogueEntry } from '../tool/catalogue.ts'
import { meetsCondition } from '../tool/condition.ts'
import { expectedExtension, typeSetting } from '../tool/output-type.ts'
import { nearest } from '../tool/validate.ts'
import { cutToBytes } from '../utf8.ts'

/** Placeholders of --name besides the names of the tool's settings. */
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

/** What a pattern can say of one output. */
export interface NameFacts {
  /** The input's own name; the section's and tool's where a tool takes no input. */
  inputName: string
  tool: string
  section: string
  /** From 1. */
  index: number
  /** How many jobs there are. */
  count: number
  settings: Readonly<Record<string, unknown>>
  /** The input's folder, seen from the current one; '.' where it lies elsewhere or is none. */
  dir?: string
}

/** Refuses a pattern with a placeholder that nobody knows. @throws MediaprocError USAGE with the list */
export function checkPattern(pattern: string, settingNames: readonly string[]): void {
  const known = [...Object.keys(PLACEHOLDERS), ...settingNames]
  for (const [, name] of pattern.matchAll(/\{([^{}]*)\}/g)) {
    if (known.includes(name!)) continue
    const near = nearest(name!, known)
    throw new MediaprocError('USAGE', `There is no placeholder {${printableName(name!)}} for --name`, {
      hint: `${near ? `Did you mean {${near}}? ` : ''}Known are ${known.map((one) => `{${one}}`).join(', ')}.`,
    })
  }
  if (pattern === '' || pattern.endsWith('/'))
    throw new MediaprocError('USAGE', `Expected a file name for --name, got ${printableName(pattern) || 'nothing'}`)
}

/** A value as part of a file name: it can open no folder. */
const asNamePart = (value: unknown): string => {
  const text =
    value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text.replace(/[/\\\u0000]/g, '_').replace(/^\.+$/, '_')
}

const today = (): string => {
  const now = new Date()
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
}

/** What programs call files that are renamed later; nobody takes it for a type. */
const PASSING = new Set(['tmp', 'temp', 'part', 'partial', 'new', 'old', 'bak', 'orig', 'out', 'download'])

/**
 * A name that ends like a type, and as none that is known: a slip, as `.webb` would be opened by nothing. Text can be called
 * anything.
 */
function refuseUnknown(given: string, extension: string, option: string): void {
  const claimed = extensionOf(given)
  if (!/^[a-z][a-z0-9]{0,7}$/.test(claimed) || claimed === extension || PASSING.has(claimed)) return
  if (isTextMime(mimeOf(extension))) return
  const own = FILE_TYPES.flatMap(({ extensions }) => extensions)
  const near = nearest(claimed, own)
  const meant = (one: string): string => `${printableName(given).slice(0, -claimed.length)}${one}`
  throw new MediaprocError('USAGE', `.${claimed} is no type that is known, for ${option} ${printableName(given)}`, {
    hint: near ? `Did you mean ${meant(near)}?` : `The output is ${extension.toUpperCase()}: ${meant(extension)}`,
  })
}

/** An extension must tell the truth. @throws MediaprocError USAGE when a name claims another type than the output's */
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
 * The name that a pattern gives for one output; it may hold folders. A pattern without an extension gets the output's.
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
  // One that is longer fits nowhere.
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

/** The name of the one output of a job, or undefined where only the work can tell. `inputName` is that of its first input. */
export function expectedName(
  tool: Foreseeable,
  inputName: string,
  settings: Readonly<Record<string, unknown>>,
): string | undefined {
  const { id, naming, input, output } = tool
  // An action names its outputs in its own way.
  if (id.includes('/') || !output.kind.startsWith('file') || output.kind.startsWith('files')) return undefined
  const extension = expectedExtension(output.type, inputName, settings)
  if (!extension) return undefined
  if (output.name !== undefined) return `${filledSuffix(output.name, settings)}.${extension}`
  // Of several inputs, the work finds the one that names the output.
  if (!naming || input.files !== 'one') return undefined
  const file = { name: inputName }
  const suffix = filledSuffix(naming.suffix, settings)
  return naming.converts ? convertedName(file, suffix, extension) : suffixedName(file, suffix, extension)
}

/** The name of the folder of a set, or undefined where only the work can tell. */
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

/** `-o b.webp` asks for WebP where a setting names the type of the output. */
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
