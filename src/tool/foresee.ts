import { extensionOf } from '../media/file.ts'
import { typeOfName } from '../media/type.ts'
import type { OutputSpec } from './contract.ts'

/** Pictures of these types come out as what they are; others as JPEG or PNG by their content. */
const KEPT_IMAGES = new Set(['jpg', 'png', 'webp', 'avif', 'gif', 'tiff'])

/** The extension of the output as far as it can be told without opening the input. */
export function foreseenExtension(
  { output: { format } }: { output: Pick<OutputSpec, 'format'> },
  inputName: string,
  settings: Readonly<Record<string, unknown>>,
): string | undefined {
  const setting = /^from (?:the setting |--)(\w+)$/.exec(format)?.[1]
  const wanted = setting && settings[setting]
  // A format may be called by another word than its extension: jpeg.
  if (setting) return typeof wanted === 'string' ? (typeOfName(`x.${wanted}`)?.id ?? wanted) : undefined
  if (format !== 'same as the input') return typeOfName(`x.${format}`) ? format : undefined
  const type = typeOfName(inputName)
  return type && (type.group !== 'image' || KEPT_IMAGES.has(type.id)) ? extensionOf(inputName) : undefined
}
