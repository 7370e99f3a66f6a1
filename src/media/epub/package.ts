import { posix } from 'node:path'
import type { JsonObject, JsonValue } from '../../engines/documents/json.ts'
import { ATTRIBUTE, parseXml, TEXT } from '../../engines/xml.ts'
import { MediaprocError } from '../../errors.ts'
import { type MediaFile, printableName } from '../file.ts'
import { xmlBytes, xmlText } from '../office/xml-part.ts'
import { decodeXml } from '../text-file.ts'
import { readZipParts } from '../zip-parts.ts'

export interface EpubItem {
  /** Name in the archive. */
  path: string
  type: string
}

/** A book package: its parts and their reading order. */
export interface EpubPackage {
  title: string | undefined
  author: string | undefined
  language: string | undefined
  spine: readonly EpubItem[]
  /** Spine items that are missing from the archive. */
  missing: number
  /** Returns a part by its name in the archive. */
  part(path: string): Buffer | undefined
}

/** Names without prefixes; every element is a list. */
function children(node: JsonValue | undefined, name: string): JsonValue[] {
  if (!(node instanceof Map)) return []
  const found = [...node].filter(([key]) => key === name || key.endsWith(`:${name}`))
  return found.flatMap(([, value]) => (Array.isArray(value) ? value : [value]))
}

function attribute(node: JsonValue, name: string): string | undefined {
  const value = node instanceof Map ? node.get(ATTRIBUTE + name) : undefined
  return typeof value === 'string' ? value : undefined
}

function textOf(node: JsonValue | undefined): string | undefined {
  const value = node instanceof Map ? node.get(TEXT) : node
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Fonts are obfuscated so that they cannot be extracted; this does not lock the text. */
const FONT_MIXING = /^http:\/\/(www\.idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc#RC)$/

/**
 * Opens a book.
 * @throws INVALID_FILE, LIMIT_EXCEEDED, PASSWORD_PROTECTED for books with DRM
 */
export async function openEpub(file: MediaFile): Promise<EpubPackage> {
  const shown = printableName(file.name)
  if (file.type.group === 'text' || file.type.group === 'data')
    throw new MediaprocError('INVALID_FILE', `${shown} is plain text, not EPUB`)
  const parts = await readZipParts(file)
  const damaged = (what: string): MediaprocError => new MediaprocError('INVALID_FILE', `${shown} is damaged: ${what}`)
  const parsed = async (path: string): Promise<JsonObject> => {
    const bytes = parts.get(path)
    if (!bytes) throw damaged(`it holds no ${path}`)
    const text = decodeXml(xmlBytes(xmlText(bytes, shown), bytes))
    return parseXml(text, `${path} of ${shown}`, { textOnly: true })
  }
  if (parts.has('META-INF/encryption.xml')) checkLocks(await parsed('META-INF/encryption.xml'), shown)
  const container = children(await parsed('META-INF/container.xml'), 'container')[0]
  const rootFiles = children(children(container, 'rootfiles')[0], 'rootfile')
  const path = rootFiles.map((node) => attribute(node, 'full-path')).find((name) => name !== undefined)
  if (path === undefined) throw damaged('its container does not name a book')
  const book = children(await parsed(path), 'package')[0]
  const metadata = children(book, 'metadata')[0]
  const items = new Map(
    children(children(book, 'manifest')[0], 'item').map((node) => [
      attribute(node, 'id'),
      { path: resolvePath(path, attribute(node, 'href') ?? ''), type: attribute(node, 'media-type') ?? '' },
    ]),
  )
  const spine = children(children(book, 'spine')[0], 'itemref').map((node) => items.get(attribute(node, 'idref')))
  const there = spine.filter((item): item is EpubItem => item !== undefined && parts.has(item.path))
  if (there.length === 0) throw damaged('its reading order has no content')
  const named = (name: string): string | undefined => textOf(children(metadata, name)[0])?.replace(/\s+/g, ' ').trim()
  return {
    title: named('title'),
    author:
      children(metadata, 'creator')
        .flatMap((node) => textOf(node) ?? [])
        .join(', ') || undefined,
    language: /^[a-z]{2,8}(-[a-z0-9]{1,8})*$/i.exec(named('language') ?? '')?.[0],
    spine: there,
    missing: spine.length - there.length,
    part: (name) => parts.get(name),
  }
}

function checkLocks(encryption: JsonObject, shown: string): void {
  const [root] = children(encryption, 'encryption')
  for (const data of children(root, 'EncryptedData')) {
    const method = children(data, 'EncryptionMethod')[0]
    if (method && FONT_MIXING.test(attribute(method, 'Algorithm') ?? '')) continue
    throw new MediaprocError('PASSWORD_PROTECTED', `${shown} is locked by its seller (DRM)`, {
      hint: 'Only the programs of its seller can read it.',
    })
  }
}

/** Resolves an address inside a part to a name in the archive. */
export function resolvePath(from: string, address: string): string {
  const [path = ''] = address.split(/[?#]/)
  let decoded = path
  try {
    decoded = decodeURIComponent(path)
  } catch {
    // A name with a percent sign that is not an escape sequence.
  }
  return posix.join(posix.dirname(from), decoded)
}
