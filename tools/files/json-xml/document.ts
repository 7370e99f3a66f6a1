import type { JsonObject, JsonValue } from '../../../src/engines/documents/json.ts'
import { ATTRIBUTE } from '../../../src/engines/xml.ts'
import { firstOf } from '../../../src/lists.ts'

const DECLARATION = '?xml'

/** A JSON value as an XML document with one root; a list becomes a root with an `item` for each element. */
export function documentOf(value: JsonValue): JsonObject {
  if (Array.isArray(value)) return new Map([['root', new Map([['item', value]])]])
  if (!(value instanceof Map)) return new Map([['root', value]])
  const prolog = [...value].filter(([key]) => key.startsWith('?'))
  const rest = [...value].filter(([key]) => !key.startsWith('?'))
  const isRoot = rest.length === 1 && !Array.isArray(firstOf(rest)[1]) && !/^[@#]/.test(firstOf(rest)[0])
  // The declaration comes first.
  prolog.sort(([one], [other]) => Number(other === DECLARATION) - Number(one === DECLARATION))
  return new Map([...prolog.map(inUtf8), ...(isRoot ? rest : [['root', new Map(rest)] as const])])
}

/** The output is UTF-8, whatever encoding the original declaration names. */
function inUtf8([key, value]: [key: string, value: JsonValue]): [key: string, value: JsonValue] {
  const encoding = `${ATTRIBUTE}encoding`
  if (key !== DECLARATION || !(value instanceof Map) || !value.has(encoding)) return [key, value]
  return [key, new Map([...value, [encoding, 'UTF-8']])]
}
