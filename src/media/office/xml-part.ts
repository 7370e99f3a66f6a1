import { decodeReferences } from '../../engines/xml/entities.ts'
import { MediaprocError } from '../../errors.ts'

/** ASCII-compatible encodings, in which a search for markup is reliable. */
const PLAIN = /^(utf-?8|us-ascii|ascii|iso-8859-\d+|windows-125\d)$/i

/**
 * Decodes an XML part of an office file to text, whatever its encoding.
 * @param name file name for messages
 * @throws INVALID_FILE for encodings that hide markup, and for custom entities, which no office program writes
 */
export function xmlText(bytes: Uint8Array, name: string): string {
  const text = decode(bytes, name)
  if (/<!ENTITY/i.test(text))
    throw new MediaprocError('INVALID_FILE', `${name} declares XML entities, which no office program does`, {
      hint: 'It may be an attack; save the document again with its own program.',
    })
  return text
}

function decode(bytes: Uint8Array, name: string): string {
  const wide = wideEncoding(bytes)
  // The output is UTF-8, whatever the declaration was.
  if (wide) return new TextDecoder(wide).decode(bytes).replace(/^\s*<\?xml[^>]*\?>/, '<?xml version="1.0"?>')
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  const declared = /^(?:\xef\xbb\xbf)?\s*<\?xml[^>]*encoding\s*=\s*["']([^"']*)["']/.exec(text)?.[1] ?? 'utf-8'
  if (!PLAIN.test(declared))
    throw new MediaprocError('INVALID_FILE', `${name} is written in ${declared}, which office programs do not use`)
  // One character per byte, so that unchanged text is written back exactly.
  return text
}

function wideEncoding(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0x3c && bytes[1] === 0)) return 'utf-16le'
  if ((bytes[0] === 0xfe && bytes[1] === 0xff) || (bytes[0] === 0 && bytes[1] === 0x3c)) return 'utf-16be'
  return undefined
}

/** The reverse of `xmlText`. */
export function xmlBytes(text: string, original: Uint8Array): Buffer {
  return Buffer.from(text, wideEncoding(original) ? 'utf8' : 'latin1')
}

/** An XML name is anything that is not markup: letters of all scripts are allowed. */
const NAME = `[^\\s"'<>/=]+`
/** Start tags with their attributes. */
const TAG = new RegExp(`<(${NAME})((?:\\s+${NAME}\\s*=\\s*(?:"[^"]*"|'[^']*'))*\\s*/?)>`, 'g')
const ATTRIBUTE = new RegExp(`(${NAME})(\\s*=\\s*)("[^"]*"|'[^']*')`, 'g')

/** Start tags of an element with this name and any prefix; attribute values may contain `>`. */
export const tagsOf = (element: string): RegExp =>
  new RegExp(`<(?:[^\\s"'<>/=:]+:)?${element}(?=[\\s/>])(?:"[^"]*"|'[^']*'|[^"'<>])*>`, 'gi')

/** Changes attribute values; `change` receives the element name and attribute name without prefixes, and the value. */
export function changeAttributes(
  text: string,
  change: (element: string, attribute: string, value: string) => string,
): string {
  const local = (name: string): string => name.slice(name.indexOf(':') + 1)
  return text.replace(TAG, (whole, element: string, attributes: string) => {
    const changed = attributes.replace(ATTRIBUTE, (one, name: string, equals: string, quoted: string) => {
      const value = quoted.slice(1, -1)
      const now = change(local(element), local(name), decodeReferences(value))
      return now === decodeReferences(value) ? one : `${name}${equals}"${now}"`
    })
    return changed === attributes ? whole : `<${element}${changed}>`
  })
}
