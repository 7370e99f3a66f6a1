import { readFile, stat } from 'node:fs/promises'
import { extensionOf, openMediaFile } from '../../media/file.ts'
import { mimeOf } from '../../media/type.ts'
import { isHarmlessSvg } from './sanitize-svg.ts'

const UNKNOWN = 'application/octet-stream'
/** Larger SVG files are treated as active without a check. */
const MAX_SVG_BYTES = 2_000_000
/** Types that a browser would run under this server's origin. */
const ACTIVE = new Set(['text/html', 'application/xhtml+xml', 'text/xml', 'application/xml', 'text/javascript'])

/**
 * The media type that a stored file is served with: detected from content, else from its name. Content that a browser
 * could run is served as plain bytes. The file itself is not changed.
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
