import { firstOf, lastOf } from '../../lists.ts'
import type { JsonObject, JsonValue } from '../documents/json.ts'
import { scalarOf } from './scalar.ts'

/** Key prefix of attributes, and key of text next to them (from the catalogue). */
export const ATTRIBUTE = '@_'
export const TEXT = '#text'

/** Content that plain values cannot represent: how often it occurs, and where first. */
export interface Place {
  count: number
  element: string
  line: number
}

interface OpenElement {
  name: string
  line: number
  attributes: ReadonlyMap<string, string>
  children: Map<string, JsonValue[]>
  /** Texts separated by elements. */
  texts: string[]
  /** The current text; in CDATA sections all whitespace is significant. */
  pieces: { text: string; isData: boolean }[]
  last: string | undefined
  keepsSpace: boolean
  isInterleaved: boolean
}

const trimmedStart = (text: string): string => text.replace(/^[ \t\r\n]+/, '')
/** Uses a loop, as a regular expression for trailing whitespace is slow on long runs of it. */
function trimmedEnd(text: string): string {
  let end = text.length
  while (end > 0 && ' \t\r\n'.includes(text[end - 1]!)) end -= 1
  return text.slice(0, end)
}

/** Builds plain values from a parser's events, and records content that these cannot represent. */
export class TreeBuilder {
  /** Elements with text between child elements: its position is lost. */
  mixed: Place | undefined
  /** Elements whose children of one name are mixed with others: their order is lost. */
  interleaved: Place | undefined
  readonly #textOnly: boolean
  readonly #open: OpenElement[] = [element('', new Map(), 0, false)]

  constructor(textOnly: boolean) {
    this.#textOnly = textOnly
  }

  /** Number of open elements. */
  get depth(): number {
    return this.#open.length - 1
  }

  open(name: string, attributes: ReadonlyMap<string, string>, line: number): void {
    const parent = lastOf(this.#open)
    endText(parent)
    const space = attributes.get('xml:space')
    this.#open.push(element(name, attributes, line, space === undefined ? parent.keepsSpace : space === 'preserve'))
  }

  text(text: string, isData = false): void {
    lastOf(this.#open).pieces.push({ text, isData })
  }

  /** Adds a non-element, such as a processing instruction. */
  put(name: string, value: JsonValue): void {
    add(lastOf(this.#open), name, value)
  }

  close(): void {
    const one = this.#open.pop()!
    endText(one)
    const parent = lastOf(this.#open)
    if (one.texts.length > 0 && one.children.size > 0) this.mixed = counted(this.mixed, one)
    if (one.isInterleaved) this.interleaved = counted(this.interleaved, one)
    add(parent, one.name, this.#valueOf(one))
  }

  /** The top-level content, by name. */
  end(): JsonObject {
    return childrenOf(firstOf(this.#open))
  }

  #valueOf(one: OpenElement): JsonValue {
    const text = one.texts.join(' ')
    const value = this.#textOnly || one.keepsSpace ? text : scalarOf(text)
    if (one.children.size === 0 && one.attributes.size === 0) return value
    const object = childrenOf(one)
    if (text !== '') object.set(TEXT, value)
    for (const [name, attribute] of one.attributes) object.set(ATTRIBUTE + name, attribute)
    return object
  }
}

function element(
  name: string,
  attributes: ReadonlyMap<string, string>,
  line: number,
  keepsSpace: boolean,
): OpenElement {
  const flags = { last: undefined, keepsSpace, isInterleaved: false }
  return { name, line, attributes, children: new Map(), texts: [], pieces: [], ...flags }
}

function add(parent: OpenElement, name: string, value: JsonValue): void {
  const known = parent.children.get(name)
  if (known) known.push(value)
  else parent.children.set(name, [value])
  if (known && parent.last !== name) parent.isInterleaved = true
  parent.last = name
}

const childrenOf = ({ children }: OpenElement): JsonObject =>
  new Map([...children].map(([name, values]) => [name, values.length === 1 ? firstOf(values) : values]))

/** A text ends where an element starts or ends. Whitespace alone between elements is ignored. */
function endText(one: OpenElement): void {
  const { pieces, keepsSpace } = one
  if (pieces.length === 0) return
  const last = pieces.length - 1
  const text = pieces
    .map(({ text, isData }, index) => {
      if (isData || keepsSpace) return text
      const begun = index === 0 ? trimmedStart(text) : text
      return index === last ? trimmedEnd(begun) : begun
    })
    .join('')
  one.pieces = []
  if (text !== '' && !(one.children.size > 0 && trimmedStart(text) === '')) one.texts.push(text)
}

const counted = (place: Place | undefined, { name, line }: OpenElement): Place =>
  place ? { ...place, count: place.count + 1 } : { count: 1, element: name, line }
