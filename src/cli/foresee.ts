import { stemOf } from '../media/file.ts'
import { outputName } from '../media/naming.ts'
import type { CatalogueEntry } from '../tool/catalogue.ts'
import { foreseenExtension } from '../tool/foresee.ts'

export { foreseenExtension }

/** How a tool names its output, where it says so. */
export interface Naming {
  /** The word after the stem: `photo_<suffix>.jpg`. */
  suffix: string
  /** The output is `<stem>.<ext>`; the suffix is added only where that is the input's own name. */
  converts?: boolean
}

type Foreseeable = Pick<CatalogueEntry, 'id' | 'input' | 'output'> & { naming?: Naming }

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
