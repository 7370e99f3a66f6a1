import { readFile, stat } from 'node:fs/promises'
import { extensionOf, openMediaFile } from '../../media/file.ts'
import { mimeOf } from '../../media/type.ts'
import { isHarmlessSvg } from './sanitize-svg.ts'

const UNKNOWN = 'application/octet-stream'
/** Larger drawings are taken for active without a look. */
const MAX_SVG_BYTES = 2_000_000
/** What a browser would run under our address. */
const ACTIVE = new Set(['text/html', 'application/xhtml+xml', 'text/xml', 'application/xml', 'text/javascript'])

/**
 * The media type that a kept file is served under: what it is by its content, else by its name; bytes that a browser could
 * run are served as plain bytes. Nothing in the file is changed.
 */
export async function storedType(path: string, name: string): Promise<string> {
  const file = await openMediaFile(path, name)
  const mime = file.type.group === 'unknown' || file.type.group === 'text' ? mimeOf(extensionOf(name)) : file.type.mime
  if (mime === 'image/svg+xml') {
    const { size } = await stat(path)
    return size <= MAX_SVG_BYTES && isHarmlessSvg(await readFile(path)) ? mime : UNKNOWN
  }
  return !mime || ACTIVE.has(mime) ? UNKNOWN : mime
}
