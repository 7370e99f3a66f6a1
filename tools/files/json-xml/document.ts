import { JsonNumber, type JsonValue } from '../../../src/engines/json.ts'
import { ATTRIBUTE, TEXT } from '../../../src/engines/xml.ts'
import { MediaprocError } from '../../../src/errors.ts'

/** Names that every reader of XML 1.0 (section 2.3) takes: a letter, an underscore or the colon of a namespace first. */
const NAME = /^[\p{L}_:][\p{L}\p{N}\p{M}._:-]*$/u
/** Deeper values than these could not be read again. */
const MAX_DEPTH = 250
const DECLARATION = '?xml'

/** A JSON value as an XML document: one root; a list becomes a root with an `item` for each. */
export function documentOf(value: JsonValue, name: string): Record<string, unknown> {
  checkNames(value, name, 0)
  if (Array.isArray(value)) return { root: { item: plain(value) } }
  if (!(value instanceof Map)) return { root: plain(value) }
  const keys = [...value.keys()].filter((key) => key !== DECLARATION)
  const isRoot = keys.length === 1 && !Array.isArray(value.get(keys[0]!)) && !/^[@#]/.test(keys[0]!)
  const rest = Object.fromEntries(keys.map((key) => [key, plain(value.get(key)!)]))
  return { ...declarationOf(value.get(DECLARATION)), ...(isRoot ? rest : { root: rest }) }
}

/** The declaration; what is written is UTF-8, whatever the document that it comes from was. */
function declarationOf(value: JsonValue | undefined): Record<string, unknown> {
  if (value === undefined) return {}
  const encoding = `${ATTRIBUTE}encoding`
  if (value instanceof Map && value.has(encoding)) value.set(encoding, 'UTF-8')
  return { [DECLARATION]: plain(value) }
}

/** As the builder of XML takes it; numbers are the text that they are written as. */
function plain(value: JsonValue): unknown {
  if (value instanceof JsonNumber) return value.text
  if (Array.isArray(value)) return value.map(plain)
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [key, plain(item)]))
  return value
}

/** @throws PROCESSING_FAILED for a key that is no name of XML */
function checkNames(value: JsonValue, file: string, depth: number): void {
  if (depth > MAX_DEPTH) throw new MediaprocError('PROCESSING_FAILED', `${file} is nested more than ${MAX_DEPTH} deep`)
  if (Array.isArray(value)) for (const item of value) checkNames(item, file, depth + 1)
  if (!(value instanceof Map)) return
  for (const [key, item] of value) {
    const name = key.startsWith(ATTRIBUTE) ? key.slice(ATTRIBUTE.length) : key
    if (key !== TEXT && key !== DECLARATION && !NAME.test(name))
      throw new MediaprocError(
        'PROCESSING_FAILED',
        `${file} has a key that is no name in XML: ${JSON.stringify(key).slice(0, 60)}`,
        {
          hint: 'Names begin with a letter or an underscore and hold letters, digits, dots, hyphens and underscores.',
        },
      )
    checkNames(item, file, depth + 1)
  }
}
