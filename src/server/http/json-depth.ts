/** Objects and lists of a request may lie so deep in one another: everything that walks through them calls itself. */
export const MAX_JSON_DEPTH = 64

/** Whether a JSON text nests deeper than that. One pass over the text, which need not be valid. */
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
