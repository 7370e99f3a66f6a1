import { isXmlCharacter } from './characters.ts'

/**
 * Limits on an entity's length and on the depth of its references; all entities of a document together are limited as
 * well.
 */
const MAX_ENTITY = 10_000
const MAX_DEPTH = 10
const MAX_EXPANDED = 1_000_000

const PREDEFINED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Converts `#252` or `#xfc` to its character. @throws Error for a character that XML does not allow */
function numericReference(reference: string): string {
  const code = /^#x/i.test(reference) ? Number.parseInt(reference.slice(2), 16) : Number(reference.slice(1))
  if (!isXmlCharacter(code)) throw new Error(`&${reference}; is no character of XML`)
  return String.fromCodePoint(code)
}

/** Comments could hide or fake declarations. */
function withoutComments(text: string): string {
  const parts: string[] = []
  for (let from = 0; ; ) {
    const start = text.indexOf('<!--', from)
    const end = start < 0 ? -1 : text.indexOf('-->', start + 4)
    parts.push(text.slice(from, start < 0 ? undefined : start))
    if (end < 0) return parts.join('')
    from = end + 3
  }
}

/**
 * The entities that a document type declares, each expanded on first use. Nothing outside the document is loaded, and
 * entities that contain markup are not expanded: `unknown` collects the names of both, which stay unchanged in the
 * text.
 */
export class Entities {
  readonly unknown = new Set<string>()
  readonly #declared = new Map<string, string>()
  readonly #expanded = new Map<string, string>()
  #total = 0

  /** Reads the declarations of an internal subset; the first one of a name is used (XML 1.0, section 4.2). */
  declare(doctype: string): void {
    const declarations = /<!ENTITY\s+([^\s"'%]+)\s+(?:"([^"]*)"|'([^']*)')\s*>/g
    for (const [, name = '', double, single] of withoutComments(doctype).matchAll(declarations)) {
      const value = (double ?? single ?? '').replace(/&(#x[\da-f]+|#\d+);/gi, (_whole, code) => numericReference(code))
      if (!this.#declared.has(name) && !Object.hasOwn(PREDEFINED, name)) this.#declared.set(name, value)
    }
  }

  /**
   * The value of a reference within the document.
   * @throws Error when the entities exceed the limits
   */
  get(name: string): string {
    const text = this.#expand(name, 0)
    this.#total += text.length
    if (this.#total > MAX_EXPANDED) throw new Error(`its entities become more than ${MAX_EXPANDED} characters`)
    return text
  }

  #expand(name: string, depth: number): string {
    const known = Object.hasOwn(PREDEFINED, name) ? PREDEFINED[name] : this.#expanded.get(name)
    if (known !== undefined) return known
    const value = this.#declared.get(name)
    if (value === undefined || value.includes('<')) {
      this.unknown.add(name)
      return `&${name};`
    }
    if (depth >= MAX_DEPTH) throw new Error(`its entities refer to each other more than ${MAX_DEPTH} deep`)
    let length = 0
    const text = value.replace(/&(#x[\da-f]+|#\d+|[^\s&;<#]+);/gi, (_whole, reference: string) => {
      const part = reference.startsWith('#') ? numericReference(reference) : this.#expand(reference, depth + 1)
      length += part.length
      if (length > MAX_ENTITY) throw new Error(`its entity ${name} becomes more than ${MAX_ENTITY} characters`)
      return part
    })
    this.#expanded.set(name, text)
    return text
  }
}

/** A reference to a character or entity. */
export const REFERENCE = /&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi

/** The text with references to characters and predefined entities resolved, as an XML parser does; others stay. */
export function decodeReferences(value: string): string {
  return value.replace(REFERENCE, (whole, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return Object.hasOwn(PREDEFINED, name) ? (PREDEFINED[name] ?? whole) : whole
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
