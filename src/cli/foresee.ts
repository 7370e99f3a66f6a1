import { convertedName, suffixedName } from '../media/naming.ts'
import type { CatalogueEntry } from '../tool/catalogue.ts'
import { foreseenExtension } from '../tool/output-type.ts'

type Foreseeable = Pick<CatalogueEntry, 'id' | 'input' | 'output' | 'naming'>

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
  const extension = foreseenExtension(tool.output.type, inputName, settings)
  if (!extension) return undefined
  const file = { name: inputName }
  return naming.converts ? convertedName(file, naming.suffix, extension) : suffixedName(file, naming.suffix, extension)
}
