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

/** An operator with the strings, names (with their slash) and numbers before it, as written. */
export interface Operation {
  operator: string
  operands: string[]
  /** Byte offsets from the first operand to the end of the operator. */
  start: number
  end: number
}

/** Invokes the callback for every operator of decoded content; arrays and dictionaries are given as their parts. */
export function eachOperation(content: Buffer, found: (operation: Operation) => void): void {
  let operands: string[] = []
  let first = 0
  const operand = (start: number, end: number) => {
    if (operands.length === 0) first = start
    operands.push(content.toString('latin1', start, end))
  }
  scan(content, {
    string: operand,
    name: operand,
    word(start, end) {
      const operator = content.toString('latin1', start, end)
      if (/^[-+.\d]|^(?:true|false|null)$/.test(operator)) return operand(start, end)
      found({ operator, operands, start: operands.length === 0 ? start : first, end })
      operands = []
    },
  })
}

/** The decoded bytes of a string as written in content (ISO 32000-1, 7.3.4). */
export function bytesOfString(written: string): Buffer {
  if (written.startsWith('<')) {
    const digits = written.slice(1, -1).replace(/\s/g, '')
    return Buffer.from(digits.padEnd(digits.length + (digits.length % 2), '0'), 'hex')
  }
  const text = written.slice(1, -1).replace(/\\([0-7]{1,3}|\r\n|[\s\S])/g, (_whole, sign: string) => {
    if (/^[0-7]/.test(sign)) return String.fromCharCode(Number.parseInt(sign, 8) & 0xff)
    return { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', '\n': '', '\r': '', '\r\n': '' }[sign] ?? sign
  })
  return Buffer.from(text, 'latin1')
}

/** The bytes of a name as written, without its slash (ISO 32000-1, 7.3.5). */
export const nameBytes = (written: string): Buffer =>
  Buffer.from(
    written.replace(/#([0-9A-Fa-f]{2})/g, (_whole, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  )

/** What `scan` finds, each with start and end offset (end exclusive). */
interface Tokens {
  /** An operator or a number. */
  word?(start: number, end: number): void
  comment?(start: number, end: number): void
  string?(start: number, end: number): void
  /** With its slash. */
  name?(start: number, end: number): void
}

function scan(content: Uint8Array, { word, comment, string, name }: Tokens): void {
  let position = 0
  while (position < content.length) {
    const byte = content[position]!
    const start = position
    if (WHITESPACE.has(byte)) position++
    else if (byte === 0x28) {
      position = afterString(content, position)
      string?.(start, position)
    } else if (byte === 0x25) {
      position = afterLine(content, position)
      comment?.(start, position)
    } else if (byte === 0x3c && content[position + 1] === 0x3c) position += 2
    else if (byte === 0x3c) {
      position = after(content, position, 0x3e)
      string?.(start, position)
    } else if (DELIMITERS.has(byte)) position++
    else {
      while (position < content.length && !WHITESPACE.has(content[position]!) && !DELIMITERS.has(content[position]!))
        position++
      if (content[start - 1] === 0x2f) {
        name?.(start - 1, position)
        continue
      }
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
