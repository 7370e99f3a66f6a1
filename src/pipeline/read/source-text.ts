import { type Document, LineCounter, parseDocument } from 'yaml'
import { limitExceeded } from '../../limit-exceeded.ts'
import { yamlSentence } from '../../syntax-faults.ts'

/** Maximum length of a pipeline, in characters. */
const MAX_TEXT_LENGTH = 1024 * 1024

/** A syntax error at a position in the text. */
export interface SyntaxFault {
  offset: number
  message: string
  hint?: string
  /** The original message of the YAML library. */
  detail: string
}

/** The braces of variables and placeholders are also YAML syntax. */
function syntaxHint(text: string, offset: number): string | undefined {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  const end = text.indexOf('\n', offset)
  return /[$\w]\{|\{\w+\}/.test(text.slice(start, end < 0 ? undefined : end))
    ? 'Text with braces, such as a variable, must be in quotes.'
    : undefined
}

/** A text parsed as YAML once, to be read with any values of parameters. JSON is valid YAML, too. */
export class SourceText {
  readonly document: Document.Parsed
  /** Whether it is valid YAML. */
  readonly isReadable: boolean
  readonly faults: readonly SyntaxFault[]
  readonly #lines = new LineCounter()

  /** @throws MediaprocError LIMIT_EXCEEDED for texts over 1 MiB */
  constructor(text: string) {
    if (text.length > MAX_TEXT_LENGTH)
      throw limitExceeded(`A pipeline has at most 1 MiB of text, got ${text.length} characters`, {
        hint: 'Is this the right file?',
      })
    this.document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false })
    const { errors } = this.document
    const fatal = errors.find(({ code }) => code !== 'DUPLICATE_KEY')
    this.isReadable = fatal === undefined
    // Further errors only follow from a syntax error.
    this.faults = (fatal ? [fatal] : errors).map(({ code, message, pos: [offset] }) => {
      const hint = fatal && syntaxHint(text, offset)
      // The hint is the better explanation then.
      const sentence = hint ? 'This is not valid YAML' : yamlSentence(code, message)
      return { offset, message: sentence, ...(hint && { hint }), detail: message }
    })
  }

  /** The location of an offset, both numbers from 1. */
  place(offset: number): { line: number; column: number } {
    const { line, col } = this.#lines.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
}
