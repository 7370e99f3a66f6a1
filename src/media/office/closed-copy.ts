import { readFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { packParts } from '../../engines/documents/zip-package.ts'
import { MediaprocError } from '../../errors.ts'
import { type MediaFile, printableName } from '../file.ts'
import { readZipParts } from '../zip-parts.ts'
import { closeSvg } from './closed-drawing.ts'
import { withoutRtfLinks } from './rtf-links.ts'
import { changeAttributes, tagsOf, xmlBytes, xmlText } from './xml-part.ts'

export interface ClosedCopy {
  bytes: Uint8Array
  /** Number of external files that the document references. */
  leftOut: number
}

/**
 * Returns a document without external references: images, sections, templates and sheets stored elsewhere, on this
 * machine or another, are no longer loaded. Links for users are kept. Office programs load files that a document
 * references, and their settings do not block all of it.
 * @throws INVALID_FILE, LIMIT_EXCEEDED, PASSWORD_PROTECTED
 */
export async function closedCopy(file: MediaFile): Promise<ClosedCopy> {
  if (file.type.id === 'rtf') return withoutRtfLinks(await readFile(file.path))
  const parts = await readZipParts(file)
  const shown = printableName(file.name)
  const isOpenDocument = /^od[tsp]$/.test(file.type.id)
  if (isOpenDocument && parts.get('META-INF/manifest.xml')?.includes('encryption-data'))
    throw new MediaprocError('PASSWORD_PROTECTED', `${shown} is protected by a password`, {
      hint: 'Save it without a password first.',
    })
  let leftOut = 0
  const count = (): string => {
    leftOut += 1
    return ''
  }
  for (const [name, packed] of parts) {
    const bytes = unpackedPicture(packed)
    const head = bytes.toString('latin1', 0, 1024)
    // The data before the drawing may be long.
    const isDrawing = LIKE_XML.test(head) && SVG.test(bytes.toString('latin1').replaceAll('\0', ''))
    if (/\.rels$/i.test(name)) parts.set(name, xmlBytes(closeRelations(xmlText(bytes, shown), count), bytes))
    else if (isDrawing) parts.set(name, xmlBytes(closeSvg(xmlText(bytes, shown), count), bytes))
    else if (isOpenDocument && LIKE_XML.test(head))
      parts.set(name, xmlBytes(closeOpenDocument(xmlText(bytes, shown), count), bytes))
    else if (/^(?:\xef\xbb\xbf)?\s*<\?xml/.test(head)) xmlText(bytes, shown)
  }
  return { bytes: await packParts(parts), leftOut }
}

/** The beginning of XML in any encoding that office programs write. */
const LIKE_XML = /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\0?\s*</
const SVG = /<(?:[^\s"'<>/=:]+:)?svg[\s/>]/

/** Decompresses SVGZ, so that it is inspected like any other drawing. */
function unpackedPicture(bytes: Buffer): Buffer {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes
  try {
    return gunzipSync(bytes, { maxOutputLength: 50_000_000 })
  } catch {
    return Buffer.alloc(0)
  }
}

/**
 * References whose removal is not visible: a template only provides styles that the document already has, and values of
 * other workbooks are cached.
 */
const UNSEEN = /\/(attachedTemplate|externalLinkPath|externalLinkLongPath|printerSettings)$/i

/** External relationships of Office Open XML, except links for users (ECMA-376 part 2, 6.5). */
function closeRelations(text: string, count: () => string): string {
  return text.replace(tagsOf('Relationship'), (whole) => {
    const values = new Map<string, string>()
    changeAttributes(whole, (_element, attribute, value) => {
      values.set(attribute, value)
      return value
    })
    const isLink = /\/hyperlink$/i.test(values.get('Type') ?? '')
    const isOutside = values.get('TargetMode')?.toLowerCase() === 'external' || isAway(values.get('Target') ?? '')
    // An altChunk or sub-document is a separate document whose external references were not checked.
    const isForeign = /\/(aFChunk|subDocument)$/i.test(values.get('Type') ?? '')
    if ((!isOutside || isLink) && !isForeign) return whole
    return UNSEEN.test(values.get('Type') ?? '') ? '' : count()
  })
}

/** OpenDocument references loaded files in `xlink:href`; only `text:a` and `draw:a` are links for users. */
function closeOpenDocument(text: string, count: () => string): string {
  return changeAttributes(text, (element, attribute, value) =>
    attribute === 'href' && element !== 'a' && (isAway(value) || /^(?:\.\.\/|\/)/.test(value)) ? count() : value,
  )
}

/** An address with a scheme (or a drive letter), or on another machine. */
const isAway = (value: string): boolean => /^\s*(?:[a-z][a-z0-9+.-]*:|\/\/|\\\\|\\)/i.test(value)
