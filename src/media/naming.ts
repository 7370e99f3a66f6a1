import { cutToBytes } from '../utf8.ts'
import { extensionOf, type MediaFile, stemOf } from './file.ts'
import { type FileType, typeById } from './type.ts'

/** Maximum length of a file name in common file systems, in bytes. */
const MAX_NAME_BYTES = 255

/**
 * `<stem><suffix>.<extension>`, with the stem truncated if the name would be too long for file systems. The stem is not
 * sanitized: newlines, quotes and emoji are legal in names; '/' and NUL never occur in a file's own name.
 */
export function outputName(stem: string, suffix: string, extension: string): string {
  const tail = `${suffix}.${extension}`
  return cutToBytes(stem, MAX_NAME_BYTES - Buffer.byteLength(tail)) + tail
}

/** `<stem>_<suffix>`: the name of a set of files, short enough to append `.zip`. */
export function setName(file: Pick<MediaFile, 'name'>, suffix: string): string {
  return outputName(stemOf(file.name), `_${suffix}`, 'zip').slice(0, -'.zip'.length)
}

const isNameOf = ({ extensions, alsoNamed }: FileType, extension: string): boolean =>
  extensions.includes(extension) || extension === alsoNamed

/** The extension to write for a type, in the input's own spelling (`jpeg`, `tif`) if that is the same type. */
export function extensionLike(file: Pick<MediaFile, 'name'>, extension: string): string {
  const own = extensionOf(file.name)
  const type = typeById(extension)
  return type !== undefined && isNameOf(type, own) ? own : extension
}

/** The extension of a file by its content, in its own spelling if that is correct; `fallback` if neither is known. */
export function trueExtension(file: MediaFile, fallback: string): string {
  const own = extensionOf(file.name)
  if (isNameOf(file.type, own)) return own
  return file.type.group === 'unknown' ? fallback : (file.type.extensions[0] ?? fallback)
}

/** A suffix with placeholders replaced by settings: `{scale}x` becomes `2x`. */
export function filledSuffix(suffix: string, settings: Readonly<Record<string, unknown>>): string {
  return suffix.replace(/\{(\w+)\}/g, (_, name: string) => String(settings[name] ?? ''))
}

/** The output name for a tool that keeps the stem: `<stem>_<suffix>.<ext>`. */
export function suffixedName(file: Pick<MediaFile, 'name'>, suffix: string, extension: string): string {
  return outputName(stemOf(file.name), suffix === '' ? '' : `_${suffix}`, extension)
}

/** The output name of a conversion: `<stem>.<ext>`, with `_<suffix>` if it would equal the input's name. */
export function convertedName(file: Pick<MediaFile, 'name'>, suffix: string, extension: string): string {
  const plain = suffixedName(file, '', extension)
  return plain.toLowerCase() === file.name.toLowerCase() ? suffixedName(file, suffix, extension) : plain
}
