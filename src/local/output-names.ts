import { MediaprocError } from '../errors.ts'
import { extensionOf, printableName } from '../media/file.ts'
import { convertedName, filledSuffix, setName, suffixedName } from '../media/naming.ts'
import { FILE_TYPES, isTextMime, mimeOf, typeOfName } from '../media/type.ts'
import type { CatalogueEntry } from '../tool/catalogue.ts'
import { meetsCondition } from '../tool/condition.ts'
import { expectedExtension, typeSetting } from '../tool/output-type.ts'
import { nearest } from '../tool/validate.ts'

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
