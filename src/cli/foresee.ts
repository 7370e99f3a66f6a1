import { extensionOf, stemOf } from '../media/file.ts'
import { outputName } from '../media/naming.ts'
import { typeOfName } from '../media/type.ts'
import type { CatalogueEntry } from '../tool/catalogue.ts'

/** How a tool names its output, where it says so. */
export interface Naming {
  /** The word after the stem: `photo_<suffix>.jpg`. */
  suffix: string
  /** The output is `<stem>.<ext>`; the suffix is added only where that is the input's own name. */
  converts?: boolean
}

type Foreseeable = Pick<CatalogueEntry, 'id' | 'input' | 'output'> & { naming?: Naming }

/** Pictures of these types come out as what they are; others as JPEG or PNG by their content. */
const KEPT_IMAGES = new Set(['jpg', 'png', 'webp', 'avif', 'gif', 'tiff'])

/** The extension of the output as far as it can be told without opening the input. */
export function foreseenExtension(
  tool: Foreseeable,
  inputName: string,
  settings: Readonly<Record<string, unknown>>,
): string | undefined {
  const { format } = tool.output
  const setting = /^from (?:the setting |--)(\w+)$/.exec(format)?.[1]
  if (setting) return typeof settings[setting] === 'string' ? (settings[setting] as string) : undefined
  if (format !== 'same as the input') return typeOfName(`x.${format}`) ? format : undefined
  const type = typeOfName(inputName)
  return type && (type.group !== 'image' || KEPT_IMAGES.has(type.id)) ? extensionOf(inputName) : undefined
}

/** The name of the one output of an input, or undefined where only the work can tell. */
export function foreseenName(
  tool: Foreseeable,
  inputName: string,
  settings: Readonly<Record<string, unknown>>,
): string | undefined {
  const { id, naming, input, output } = tool
  // An action names its outputs in its own way.
  if (id.includes('/')) return undefined
  if (!naming || input.files !== 'one' || !output.kind.startsWith('file') || output.kind.startsWith('files'))
    return undefined
  const extension = foreseenExtension(tool, inputName, settings)
  if (!extension) return undefined
  const suffixed = outputName(stemOf(inputName), naming.suffix === '' ? '' : `_${naming.suffix}`, extension)
  if (!naming.converts) return suffixed
  const plain = outputName(stemOf(inputName), '', extension)
  return plain.toLowerCase() === inputName.toLowerCase() ? suffixed : plain
}
