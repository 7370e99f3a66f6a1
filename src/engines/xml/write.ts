import { JsonNumber, type JsonObject, type JsonValue } from '../documents/json.ts'
import { FORBIDDEN, isXmlName } from './characters.ts'
import { ATTRIBUTE, TEXT } from './tree.ts'

/** Deeper values could not be read back. */
const MAX_DEPTH = 250

/** A value that XML cannot represent; the message is the end of a sentence. */
export class NotXml extends Error {
  readonly hint: string | undefined

  constructor(message: string, hint?: string) {
    super(message)
    this.hint = hint
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' },
  ...{ '\t': '&#9;', '\n': '&#10;', '\r': '&#13;' },
}
const escaped = (text: string, special: RegExp): string => text.replace(special, (one) => ENTITIES[one]!)

/** Parsers convert CR to LF (XML 1.0, section 2.11), and all whitespace in attributes to spaces (3.3.3). */
const textMarkup = (text: string): string => escaped(text, /[&<>\r]/g)
const attributeMarkup = (text: string): string => escaped(text, /[&<>"\t\n\r]/g)

function plainText(value: JsonValue, key: string): string {
  if (value instanceof JsonNumber) return value.text
  if (typeof value === 'object' && value !== null)
    throw new NotXml(
      `has a list or an object as ${JSON.stringify(key)}, which is text in XML`,
      'Give it a key of its own.',
    )
  const text = value === null ? '' : String(value)
  if (FORBIDDEN.test(text))
    throw new NotXml('holds characters that XML cannot hold', 'These are most control characters, and halves of pairs.')
  return text
}

function checkName(name: string, key: string): void {
  if (isXmlName(name)) return
  throw new NotXml(
    `has a key that is no name in XML: ${JSON.stringify(key).slice(0, 60)}`,
    'Names begin with a letter or an underscore and hold letters, digits, dots, hyphens and underscores.',
  )
}

/** Writes plain values as XML, the reverse of the parser. */
export class XmlWriter {
  /** Keys of empty lists, which have no elements. */
  readonly emptyLists = new Set<string>()
  readonly #pretty: boolean

  constructor(pretty: boolean) {
    this.#pretty = pretty
  }

  /** @throws NotXml */
  write(document: JsonObject): string {
    return this.#items([...document], 0)
      .map((markup) => (this.#pretty ? `${markup}\n` : markup))
      .join('')
  }

  /** Elements and processing instructions, each with its content. */
  #items(entries: readonly (readonly [key: string, value: JsonValue])[], depth: number): string[] {
    return entries.flatMap(([key, value]) => {
      if (key.startsWith('?')) return [instruction(key, value)]
      checkName(key, key)
      if (!Array.isArray(value)) return [this.#element(key, value, depth)]
      if (value.length === 0) this.emptyLists.add(key)
      return value.map((item) => this.#element(key, item, depth))
    })
  }

  #element(name: string, value: JsonValue, depth: number): string {
    if (depth > MAX_DEPTH)
      throw new NotXml(`is nested more than ${MAX_DEPTH} deep`, 'Deeper XML could not be read again.')
    // A nested list.
    if (Array.isArray(value)) return this.#element(name, new Map([['item', value]]), depth)
    if (!(value instanceof Map)) return whole(name, '', textMarkup(plainText(value, name)))
    const entries = [...value]
    const attributes = entries.filter(([key]) => key.startsWith(ATTRIBUTE)).map(attribute)
    const text = value.has(TEXT) ? textMarkup(plainText(value.get(TEXT)!, TEXT)) : ''
    const items = this.#items(
      entries.filter(([key]) => key !== TEXT && !key.startsWith(ATTRIBUTE)),
      depth + 1,
    )
    // Line breaks next to a text would become part of it.
    const line = this.#pretty && text === '' && items.length > 0 ? `\n${'  '.repeat(depth)}` : ''
    const content = items.map((item) => (line === '' ? item : `${line}  ${item}`)).join('')
    return whole(name, attributes.join(''), text + content + line)
  }
}

const whole = (name: string, attributes: string, content: string): string =>
  content === '' ? `<${name}${attributes}/>` : `<${name}${attributes}>${content}</${name}>`

function attribute([key, value]: readonly [key: string, value: JsonValue]): string {
  const name = key.slice(ATTRIBUTE.length)
  checkName(name, key)
  return ` ${name}="${attributeMarkup(plainText(value, key))}"`
}

function instruction(key: string, value: JsonValue): string {
  checkName(key.slice(1), key)
  const body = value instanceof Map ? [...value].map(attribute).join('') : plainText(value, key).replace(/^(?=.)/, ' ')
  if (body.includes('?>')) throw new NotXml(`has a value of ${JSON.stringify(key)} that ends it early`)
  return `<${key}${body}?>`
}
