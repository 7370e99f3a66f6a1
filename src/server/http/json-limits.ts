/** Maximum nesting depth of a request's JSON: the code that walks through it is recursive. */
const MAX_DEPTH = 64

/** Most values in a request's JSON, by default: checking many small ones costs more than their bytes. */
const MAX_VALUES = 50_000

/**
 * What a JSON text has too much of, such as `nested deeper than 64 levels`; undefined if nothing. One pass over the text,
 * which need not be valid JSON.
 */
export function excessOf(text: string, mostValues = MAX_VALUES): string | undefined {
  let depth = 0
  let values = 0
  let isInText = false
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]
    if (isInText) {
      if (character === '\\') index += 1
      else if (character === '"') isInText = false
    } else if (character === '"') isInText = true
    else if (character === '[' || character === '{') {
      depth += 1
      values += 1
    } else if (character === ']' || character === '}') depth -= 1
    else if (character === ',') values += 1
    if (depth > MAX_DEPTH) return `nested deeper than ${MAX_DEPTH} levels`
    if (values > mostValues) return `more than ${mostValues} values`
  }
  return undefined
}
