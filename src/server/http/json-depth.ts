/** Maximum nesting depth of a request's JSON: the code that walks through it is recursive. */
export const MAX_JSON_DEPTH = 64

/** Whether a JSON text exceeds that depth. One pass over the text, which need not be valid JSON. */
export function isTooDeep(text: string): boolean {
  let depth = 0
  let isInText = false
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]
    if (isInText) {
      if (character === '\\') index += 1
      else if (character === '"') isInText = false
    } else if (character === '"') isInText = true
    else if (character === '[' || character === '{') depth += 1
    else if (character === ']' || character === '}') depth -= 1
    if (depth > MAX_JSON_DEPTH) return true
  }
  return false
}
