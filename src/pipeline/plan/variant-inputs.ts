import { existsSync, statSync } from 'node:fs'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { globFiles, hasGlobMagic } from '../../engines/glob-files.ts'
import { printableName } from '../../media/file.ts'
import type { DataPath } from '../read/diagnostics.ts'
import { nearbyFileHint } from '../read/nearby-file.ts'
import { type Checking, valueInWords } from './check-step.ts'
import type { PartInput } from './reference.ts'

/** An input relative to the current folder. In a pattern, glob characters of the folder itself are escaped. */
export function fromFolder(folder: string, input: string): string {
  if (/^https?:/i.test(input) || isAbsolute(input)) return input
  return join(hasGlobMagic(input) ? folder.replace(/[()[\]{}!*?@+]/g, '\\$&') : folder, input)
}

/** The files that a text in a variant's inputs names: one, or those that match a pattern. A mistake is recorded. */
async function filesNamed(
  { diagnostics, folder }: Checking,
  text: string,
  isLiteral: boolean | undefined,
  path: DataPath,
): Promise<string[]> {
  const shown = printableName(text)
  const note = (message: string, hint?: string): string[] => {
    diagnostics.push({ path, message, ...(hint && { hint }) })
    return []
  }
  if (/^https?:/i.test(text)) return note(`Expected a local file for the input of a variant, got ${shown}`)
  if (folder === undefined) return note('This pipeline cannot name files of its own')
  const file = resolve(folder, text)
  if (existsSync(file)) return statSync(file).isFile() ? [file] : note(`${shown} is not a file`)
  if (isLiteral || !hasGlobMagic(text))
    return note(
      `The file ${shown} does not exist`,
      nearbyFileHint(file, text, 'It is looked for next to the pipeline.'),
    )
  const found = await globFiles(fromFolder(relative('.', folder), text))
  return found.length > 0 ? found.map((one) => resolve(one)) : note(`No file matches ${shown}`)
}

/** The inputs of a variant as data. */
export interface OwnInputs {
  /** Files, patterns and references; without it, the variant begins with the result of the common steps. */
  inputs?: readonly unknown[]
  /** They have values of the row, so they are literal names. */
  hasRowInputs?: true
}

/** A variant's own inputs; undefined if it has none. Every mistake is recorded. */
export async function variantInputs(
  checking: Checking,
  { inputs, hasRowInputs }: OwnInputs,
  path: DataPath,
): Promise<PartInput[] | undefined> {
  if (!inputs) return undefined
  const found: PartInput[] = []
  for (const [index, item] of inputs.entries()) {
    const where = [...path, index]
    if (typeof item === 'string' && item !== '') found.push(...(await filesNamed(checking, item, hasRowInputs, where)))
    else if (typeof item === 'object' && item !== null && !Array.isArray(item))
      found.push(...[checking.refer?.(item as Record<string, unknown>, where) ?? []].flat())
    // The source has recorded a value that is neither.
    else if (item !== undefined)
      checking.diagnostics.push({
        path: where,
        message: `Expected a file, a pattern, { result: NAME } or { input: true }, got ${valueInWords(item)}`,
      })
  }
  return found
}
