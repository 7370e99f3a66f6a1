/** Unbalanced saving and restoring of the graphics state (`q`, `Q`) in a content stream. */
export interface StateBalance {
  /** Number of `q` without a matching `Q`. */
  unclosed: number
  /** Byte offsets of each `Q` that has nothing to restore. */
  excess: number[]
}

const LETTER_Q = 0x71
const LETTER_CAPITAL_Q = 0x51
const WHITESPACE = new Set([0x00, 0x09, 0x0a, 0x0c, 0x0d, 0x20])
const DELIMITERS = new Set([...'()<>[]{}/%'].map((character) => character.charCodeAt(0)))

/**
 * Tokenizes a page's decoded content (ISO 32000-1, 7.2) and counts `q` and `Q`, so that anything drawn after it has a
 * known graphics state. Strings, comments and inline images are skipped.
 */
export function balanceOfStates(content: Uint8Array): StateBalance {
  const balance: StateBalance = { unclosed: 0, excess: [] }
  scan(content, {
    word(start, end) {
      if (end - start > 1) return
      if (content[start] === LETTER_Q) balance.unclosed++
      else if (content[start] === LETTER_CAPITAL_Q) {
        if (balance.unclosed === 0) balance.excess.push(start)
        else balance.unclosed--
      }
    },
  })
  return balance
}

/** The decoded content with comments replaced by spaces. */
export function withoutComments(content: Uint8Array): Uint8Array {
  const clean = Uint8Array.from(content)
  scan(content, { comment: (start, end) => void clean.fill(0x20, start, end) })
  return clean
}

/**
 * Invokes callbacks for operators and numbers (not names), and for comments, with start and end offset (end exclusive).
 */
function scan(
  content: Uint8Array,
  { word, comment }: { word?(start: number, end: number): void; comment?(start: number, end: number): void },
): void {
  let position = 0
  while (position < content.length) {
    const byte = content[position]!
    const start = position
    if (WHITESPACE.has(byte)) position++
    else if (byte === 0x28) position = afterString(content, position)
    else if (byte === 0x25) {
      position = afterLine(content, position)
      comment?.(start, position)
    } else if (byte === 0x3c && content[position + 1] !== 0x3c) position = after(content, position, 0x3e)
    else if (DELIMITERS.has(byte)) position++
    else {
      while (position < content.length && !WHITESPACE.has(content[position]!) && !DELIMITERS.has(content[position]!))
        position++
      if (content[start - 1] === 0x2f) continue
      word?.(start, position)
      if (position - start === 2 && byte === 0x49 && content[start + 1] === 0x44)
        position = afterInlineImage(content, position + 1)
    }
  }
}

function after(content: Uint8Array, start: number, byte: number): number {
  const found = content.indexOf(byte, start)
  return found < 0 ? content.length : found + 1
}

function afterLine(content: Uint8Array, start: number): number {
  let position = start
  while (position < content.length && content[position] !== 0x0a && content[position] !== 0x0d) position++
  return position
}

function afterString(content: Uint8Array, start: number): number {
  let depth = 0
  for (let position = start; position < content.length; position++) {
    const byte = content[position]
    if (byte === 0x5c) position++
    else if (byte === 0x28) depth++
    else if (byte === 0x29 && --depth === 0) return position + 1
  }
  return content.length
}

/** The end of an inline image's data: `EI` surrounded by white space. */
function afterInlineImage(content: Uint8Array, start: number): number {
  for (let position = start; position < content.length - 1; position++) {
    const isEnd = content[position] === 0x45 && content[position + 1] === 0x49
    const next = content[position + 2]
    if (isEnd && WHITESPACE.has(content[position - 1]!) && (next === undefined || WHITESPACE.has(next)))
      return position + 2
  }
  return content.length
}
