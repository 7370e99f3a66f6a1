/** Syntax errors of a text that should be YAML or JSON, with their location. */

/** A syntax error. */
export interface SyntaxFault {
  /** From 1. */
  line: number
  /** From 1, in characters. */
  column: number
  message: string
}

/** Error codes of the YAML library with a shorter message of ours; all others use the library's message. */
const SENTENCES: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'Expected spaces at the beginning of the line, got a tab',
  DUPLICATE_KEY: 'This key already exists',
  MULTIPLE_DOCS: 'Expected one YAML document, got several',
  BLOCK_AS_IMPLICIT_KEY: 'The indentation is too deep, or a line before this lacks its colon',
  BAD_ALIAS: 'An alias is a * and the name of an anchor',
}

/** Replacements for the library's messages about common diagnostics. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^Unexpected /, 'This is not valid YAML: it does not belong here'],
  [/^Flow map .* end with a \}/, 'A { is not closed: expected a } before this'],
  [/^Flow sequence .* end with a \]/, 'A [ is not closed: expected a ] before this'],
  [/^Missing closing "quote/, 'A " is not closed'],
  [/^Missing closing 'quote/, "A ' is not closed"],
  [
    /^All (mapping|sequence|collection) items must start at the same column/,
    'Expected the same indentation as the other lines of the block',
  ],
  [
    /^Nested mappings are not allowed in compact mappings/,
    'Two colons on one line: text with a colon must be in quotes',
  ],
]

/** An error of the YAML library as a message. @param code its code */
export function yamlSentence(code: string, message: string): string {
  const [first = ''] = message.split('\n', 1)
  const reason = SENTENCES[code] ?? REASONS.find(([sign]) => sign.test(first))?.[1]
  return reason ?? `This is not valid YAML: ${first.replace(/ at line \d+, column \d+:?$/, '')}`
}

/** The location of a character in a text. */
function placeOf(text: string, offset: number): Pick<SyntaxFault, 'line' | 'column'> {
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  return { line, column: offset - before.lastIndexOf('\n') }
}

/** Whether a text is JSON, or a prefix of JSON. */
function isBeginning(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    const { message } = error as Error
    const position = /position (\d+)/.exec(message)?.[1]
    return /end of JSON input|Unterminated string/.test(message) || Number(position) === text.length
  }
}

/**
 * The JSON syntax error of a text; undefined if it is valid. Not every `JSON.parse` reports a position, so it is found
 * by bisection: beyond it, no prefix of the text can be the start of JSON.
 */
function jsonFault(text: string): SyntaxFault | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch {
    let [low, high] = [0, text.length]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (isBeginning(text.slice(0, middle))) low = middle
      else high = middle - 1
    }
    if (low === text.length)
      return { ...placeOf(text, text.trimEnd().length), message: 'The text ends unexpectedly: something is not closed' }
    return { ...placeOf(text, low), message: `This is not valid JSON: unexpected ${JSON.stringify(text[low])}` }
  }
}

/** Parses a text, or returns its first syntax error. Empty text gives no value. */
export async function parseData(text: string, isYaml: boolean): Promise<{ value: unknown } | { fault: SyntaxFault }> {
  if (!isYaml) {
    const fault = jsonFault(text)
    return fault ? { fault } : { value: JSON.parse(text) as unknown }
  }
  const { LineCounter, parseDocument } = await import('yaml')
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { lineCounter, prettyErrors: false })
  const [first] = document.errors
  if (first) {
    const { line, col } = lineCounter.linePos(first.pos[0])
    return { fault: { line, column: col, message: yamlSentence(first.code, first.message) } }
  }
  try {
    return { value: document.toJS({ maxAliasCount: 100 }) as unknown }
  } catch (error) {
    // An alias without an anchor, or one that expands without limit.
    return { fault: { line: 1, column: 1, message: `This is not valid YAML: ${(error as Error).message}` } }
  }
}
