import { unpackParts } from '../../engines/documents/zip-package.ts'
import type { OfficeSource } from './open.ts'

/**
 * Whether a document contains equations that only LibreOffice's Math can render: OMML in Office Open XML, and formula
 * objects in OpenDocument. Equations of MathType and of binary formats include an image.
 * @param withPictures whether formula objects with an image also count, which is all that remains without Math
 */
export async function holdsEquations({ type, bytes }: OfficeSource, withPictures: boolean): Promise<boolean> {
  if (type === 'docx' || type === 'pptx' || type === 'xlsx') {
    for (const [name, part] of await unpackParts(bytes))
      if (/\.xml$/i.test(name) && /<(?:[\w.-]+:)?oMath[\s>]/.test(part.toString('latin1'))) return true
    return false
  }
  if (type !== 'odt' && type !== 'odp' && type !== 'ods') return false
  const parts = await unpackParts(bytes)
  const manifest = parts.get('META-INF/manifest.xml')?.toString('latin1') ?? ''
  for (const [entry] of manifest.matchAll(/<[\w.:-]*file-entry\s[^>]*>/g)) {
    if (!entry.includes('application/vnd.oasis.opendocument.formula')) continue
    const path = /full-path\s*=\s*["'](?:\.\/)?([^"']+?)\/?["']/.exec(entry)?.[1]
    // The entry of a formula document itself is "/".
    if (path !== undefined && (withPictures || !parts.has(`ObjectReplacements/${path}`))) return true
  }
  return false
}
