import { ATTRIBUTE, TEXT } from '../../../src/engines/xml.ts'
import { MediaprocError } from '../../../src/errors.ts'

/** Names that every reader of XML 1.0 (section 2.3) takes: a letter, an underscore or the colon of a namespace first. */
const NAME = /^[\p{L}_:][\p{L}\p{N}\p{M}._:-]*$/u
/** Deeper values than these could not be read again. */
const MAX_DEPTH = 250

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A JSON value as an XML document: one root; a list becomes a root with an `item` for each. */
export function documentOf(value: unknown, name: string): Record<string, unknown> {
  checkNames(value, name, 0)
  if (Array.isArray(value)) return { root: { item: value } }
  if (!isObject(value)) return { root: value }
  const { '?xml': declaration, ...rest } = value
  const keys = Object.keys(rest)
  const isRoot = keys.length === 1 && !Array.isArray(rest[keys[0]!]) && !/^[@#]/.test(keys[0]!)
  return { ...(declaration !== undefined && { '?xml': declaration }), ...(isRoot ? rest : { root: rest }) }
}

/** @throws PROCESSING_FAILED for a key that is no name of XML */
function checkNames(value: unknown, file: string, depth: number): void {
  if (depth > MAX_DEPTH) throw new MediaprocError('PROCESSING_FAILED', `${file} is nested more than ${MAX_DEPTH} deep`)
  if (Array.isArray(value)) for (const item of value) checkNames(item, file, depth + 1)
  if (!isObject(value)) return
  for (const [key, item] of Object.entries(value)) {
    const name = key.startsWith(ATTRIBUTE) ? key.slice(ATTRIBUTE.length) : key
    if (key !== TEXT && key !== '?xml' && !NAME.test(name))
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
