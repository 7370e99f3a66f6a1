import { MediaprocError } from '../errors.ts'
import { limitExceeded } from '../limit-exceeded.ts'
import { listed } from '../wording.ts'
import type { JsonObject, JsonValue } from './documents/json.ts'
import type { Engine } from './engine.ts'
import { libraryEngine } from './library.ts'
import { strictParser } from './saxes.ts'
import { isXmlName } from './xml/characters.ts'
import { Entities } from './xml/entities.ts'
import { ATTRIBUTE, type Place, TreeBuilder } from './xml/tree.ts'
import { NotXml, XmlWriter } from './xml/write.ts'

export { ATTRIBUTE, TEXT } from './xml/tree.ts'

/** Nesting limit of elements: more is an attack, or not readable by people. */
const MAX_DEPTH = 256

/** Maximum length of a processing instruction that is parsed for attributes. */
const MAX_INSTRUCTION = 2000

export interface XmlOptions {
  /** Keeps numbers, true and false as text. */
  textOnly?: boolean
  /**
   * Called for content that plain values cannot represent: positions of mixed text, order of children, unknown
   * entities.
   */
  warn?: (message: string) => void
}

/**
 * XML as plain values: repeated elements become arrays; text that is a number, true or false is converted if that
 * preserves it; attributes stay text; comments are dropped. Objects are maps in document order: children, then text
 * next to them, then attributes.
 * @param name for messages
 * @throws MediaprocError INVALID_FILE if it is not well-formed or expands without end, LIMIT_EXCEEDED if it is too deep
 */
export async function parseXml(
  text: string,
  name: string,
  { textOnly = false, warn }: XmlOptions = {},
): Promise<JsonObject> {
  const parser = await strictParser()
  const entities = new Entities()
  const tree = new TreeBuilder(textOnly)
  parser.ENTITIES = new Proxy<Record<string, string>>(
    {},
    { get: (_none, entity) => (isXmlName(String(entity)) ? entities.get(String(entity)) : undefined) },
  )
  parser.on('doctype', (doctype) => entities.declare(doctype))
  parser.on('xmldecl', (declaration) => tree.put('?xml', attributesOf(Object.entries(declaration))))
  parser.on('processinginstruction', ({ target, body }) => tree.put(`?${target}`, instructionOf(body)))
  parser.on('opentag', ({ name: element, attributes }) => {
    tree.open(element, new Map(Object.entries(attributes)), parser.line)
    if (tree.depth > MAX_DEPTH)
      throw limitExceeded(`${name} is nested more than ${MAX_DEPTH} deep`, { hint: 'Flatten it first.' })
  })
  parser.on('text', (piece) => tree.depth > 0 && tree.text(piece))
  parser.on('cdata', (piece) => tree.text(piece, true))
  parser.on('closetag', () => tree.close())
  try {
    parser.write(text).close()
  } catch (error) {
    if (error instanceof MediaprocError) throw error
    const what = (error as Error).message.replace(/^[\d:]+ /, '').replace(/\.$/, '')
    throw new MediaprocError('INVALID_FILE', `${name} is not well-formed XML: ${what}`, {
      hint: `Look at line ${parser.line}.`,
      cause: error,
    })
  }
  if (warn) for (const sentence of losses(name, tree, entities)) warn(sentence)
  return tree.end()
}

function losses(name: string, { mixed, interleaved }: TreeBuilder, { unknown }: Entities): string[] {
  const where = ({ count, element, line }: Place): string =>
    count === 1 ? `<${element}> (line ${line})` : `${count} places, the first <${element}> (line ${line})`
  const names = listed([...unknown].map((entity) => `&${entity};`))
  return [
    ...(mixed ? [`${name} mixes text with elements in ${where(mixed)}: where the text was between them is lost`] : []),
    ...(interleaved
      ? [`${name} has children of different names by turns in ${where(interleaved)}: their order is lost`]
      : []),
    ...(unknown.size > 0
      ? [`${name} uses entities that it does not define as text, which stay unchanged: ${names}`]
      : []),
  ]
}

const attributesOf = (pairs: readonly (readonly [name: string, value?: string])[]): JsonObject =>
  new Map(pairs.flatMap(([name, value]) => (value === undefined ? [] : [[ATTRIBUTE + name, value] as const])))

/** Most processing instructions use attribute syntax. */
function instructionOf(body: string): JsonValue {
  if (body.length > MAX_INSTRUCTION) return body
  const pairs = [...body.matchAll(/([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)]
  const rest = pairs.reduce((text, [whole]) => text.replace(whole, ''), body)
  if (pairs.length === 0 || rest.trim() !== '') return body
  return attributesOf(pairs.map(([, key = '', double, single]) => [key, double ?? single]))
}

/**
 * Plain values as XML, the reverse of `parseXml`: keys become elements, keys with the attribute prefix attributes; a
 * list becomes one element per item, and a nested list `item` elements.
 * @param name for messages
 * @throws PROCESSING_FAILED for keys and characters that XML does not allow
 */
export function buildXml(
  value: JsonObject,
  name: string,
  { pretty, warn }: { pretty: boolean; warn: (message: string) => void },
): string {
  const writer = new XmlWriter(pretty)
  try {
    const text = writer.write(value)
    if (writer.emptyLists.size > 0)
      warn(`${name} has empty lists, which XML has no element for: ${listed([...writer.emptyLists])}`)
    return text
  } catch (error) {
    if (!(error instanceof NotXml)) throw error
    throw new MediaprocError('PROCESSING_FAILED', `${name} ${error.message}`, {
      ...(error.hint !== undefined && { hint: error.hint }),
    })
  }
}

export const xml: Engine = libraryEngine({
  id: 'xml',
  purpose: 'XML: reading and writing data',
  licence: 'ISC',
  package: 'saxes',
})
