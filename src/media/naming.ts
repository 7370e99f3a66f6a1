import { cutToBytes } from '../utf8.ts'
import { extensionOf, type MediaFile, stemOf } from './file.ts'
import { type FileType, typeById } from './type.ts'

/** The longest name that common file systems take, in bytes. */
const MAX_NAME_BYTES = 255

/**
 * `<stem><suffix>.<extension>`, cut in the stem when it would be longer than file systems take. The stem is used as it is:
 * newline, quotes and emoji are legal in names; '/' and NUL never come from a file's own name.
 */
export function outputName(stem: string, suffix: string, extension: string): string {
  const tail = `${suffix}.${extension}`
  return cutToBytes(stem, MAX_NAME_BYTES - Buffer.byteLength(tail)) + tail
}

/** `<stem>_<suffix>`: the name of a set of files, short enough that `.zip` fits behind it. */
export function setName(file: Pick<MediaFile, 'name'>, suffix: string): string {
  return outputName(stemOf(file.name), `_${suffix}`, 'zip').slice(0, -'.zip'.length)
}

const isNameOf = ({ extensions, alsoNamed }: FileType, extension: string): boolean =>
  extensions.includes(extension) || extension === alsoNamed

/** The extension to write for a type, in the input's own spelling (`jpeg`, `tif`) when that names the same type. */
export function extensionLike(file: Pick<MediaFile, 'name'>, extension: string): string {
  const own = extensionOf(file.name)
  const type = typeById(extension)
  return type !== undefined && isNameOf(type, own) ? own : extension
}

/** The extension of a file by its content, in its own spelling where that is true; `fallback` when neither tells. */
export function trueExtension(file: MediaFile, fallback: string): string {
  const own = extensionOf(file.name)
  if (isNameOf(file.type, own)) return own
  return file.type.group === 'unknown' ? fallback : (file.type.extensions[0] ?? fallback)
}

/** A suffix with the values of the settings that it names: `{scale}x` gives `2x`. */
export function filledSuffix(suffix: string, settings: Readonly<Record<string, unknown>>): string {
  return suffix.replace(/\{(\w+)\}/g, (_, name: string) => String(settings[name] ?? ''))
}

/** The output's name for a tool that keeps the stem: `<stem>_<suffix>.<ext>`. */
export function suffixedName(file: Pick<MediaFile, 'name'>, suffix: string, extension: string): string {
  return outputName(stemOf(file.name), suffix === '' ? '' : `_${suffix}`, extension)
}

/** The name of a conversion: `<stem>.<ext>`, with `_<suffix>` where that would be the input's own name. */
export function convertedName(file: Pick<MediaFile, 'name'>, suffix: string, extension: string): string {
  const plain = suffixedName(file, '', extension)
  return plain.toLowerCase() === file.name.toLowerCase() ? suffixedName(file, suffix, extension) : plain
}
