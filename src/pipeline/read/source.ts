import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml'
import { limitExceeded } from '../../limit-exceeded.ts'
import { yamlSentence } from '../../syntax-faults.ts'
import { nearest } from '../../tool/validate.ts'
import type { Diagnostic } from './diagnostics.ts'
import { expandVariables, type Variables } from './expand-variables.ts'
import type { Parameters, Scalar } from './parameter.ts'

/** Maximum length of a pipeline, in characters. */
const MAX_TEXT_LENGTH = 1024 * 1024

/** Maximum nesting depth; also stops aliases that contain themselves. */
const MAX_DEPTH = 50

/** Limit against YAML lists that repeatedly double themselves by aliases. In values. */
const MAX_VALUES = 10_000

/** Anything with a location in the text. */
export type Placed = { range?: readonly number[] | null | undefined } | null | undefined

/** A key with its value, aliases resolved. */
export interface SourcePair {
  key: string
  keyNode: Placed
  value: unknown
}

/** The braces of variables and placeholders are also YAML syntax. */
function syntaxHint(text: string, offset: number): string | undefined {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  const end = text.indexOf('\n', offset)
  return /[$\w]\{|\{\w+\}/.test(text.slice(start, end < 0 ? undefined : end))
    ? 'Text with braces, such as a variable, must be in quotes.'
    : undefined
}

/** The text of a pipeline as YAML nodes with locations, and the mistakes found so far. JSON is valid YAML, too. */
export class PipelineSource {
  readonly document: Document.Parsed
  readonly diagnostics: Diagnostic[] = []
  /** Whether it is valid YAML. */
  readonly isReadable: boolean
  /** Invalid nodes; mistakes that follow from them are not reported. */
  readonly unknownAliases = new Set<unknown>()
  /** The values of parameters. */
  readonly parameters = new Map<string, Scalar>()
  /** A parameter has no value; mistakes that follow from it are not reported. */
  lacksParameters = false
  /** The same text is read with several values; each mistake is reported once. */
  readsRepeatedly = false
  readonly #lines = new LineCounter()
  readonly #variables: Variables | undefined
  #scope: Parameters = this.parameters
  #values = 0

  /**
   * @param variables values of `${NAME}`; without it, such text is unchanged if there are no parameters
   * @throws MediaprocError LIMIT_EXCEEDED for texts over 1 MiB
   */
  constructor(text: string, variables?: Variables) {
    if (text.length > MAX_TEXT_LENGTH)
      throw limitExceeded(`A pipeline has at most 1 MiB of text, got ${text.length} characters`, {
        hint: 'Is this the right file?',
      })
    this.#variables = variables
    this.document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false })
    const { errors } = this.document
    const fatal = errors.find(({ code }) => code !== 'DUPLICATE_KEY')
    this.isReadable = fatal === undefined
    // Further errors only follow from a syntax error.
    for (const { code, message, pos } of fatal ? [fatal] : errors) {
      const hint = fatal && syntaxHint(text, pos[0])
      // The hint is the better explanation then.
      this.#add(pos[0], hint ? 'This is not valid YAML' : yamlSentence(code, message), hint, message)
    }
  }

  /** Records a mistake at a node, or at the start of the text. */
  note(where: Placed, message: string, hint?: string): void {
    this.#add(where?.range?.[0] ?? 0, message, hint)
  }

  /** The location of a node as `line:column`. */
  place(where: Placed): string {
    const { line, col } = this.#lines.linePos(where?.range?.[0] ?? 0)
    return `${line}:${col}`
  }

  #add(offset: number, message: string, hint?: string, detail?: string): void {
    const { line, col } = this.#lines.linePos(offset)
    const [atLine, atColumn] = [Math.max(1, line), Math.max(1, col)]
    // Steps of a matrix are read several times.
    const isKnown = (one: Diagnostic): boolean =>
      one.line === atLine && one.column === atColumn && one.message === message
    if (this.readsRepeatedly && this.diagnostics.some(isKnown)) return
    this.diagnostics.push({
      line: atLine,
      column: atColumn,
      message,
      ...(hint && { hint }),
      ...(detail && { detail }),
    })
  }

  /** The node itself, or the target of an alias. */
  resolve(node: unknown): unknown {
    if (!isAlias(node)) return node
    const meant = node.resolve(this.document)
    if (meant === undefined && !this.unknownAliases.has(node)) {
      this.unknownAliases.add(node)
      const near = nearest(node.source, this.#anchors())
      this.note(node, `There is no anchor &${node.source} before *${node.source}`, near && `Did you mean *${near}?`)
    }
    return meant
  }

  /** The names of available anchors. */
  #anchors(): string[] {
    const names: string[] = []
    visit(this.document, { Node: (_key, node) => void ('anchor' in node && node.anchor && names.push(node.anchor)) })
    return names
  }

  /**
   * The pairs of a mapping with their keys as text, followed by merged pairs (`<<`), which they override; other keys
   * are diagnostics.
   */
  pairs(map: YAMLMap, depth = 0): SourcePair[] {
    const merged: SourcePair[] = []
    const own = map.items.flatMap(({ key, value }: Pair): SourcePair[] => {
      const keyNode = this.resolve(key)
      if (isScalar(keyNode) && keyNode.value === '<<' && keyNode.type === 'PLAIN') {
        merged.push(...this.#merged(value, keyNode, depth + 1))
        return []
      }
      if (isScalar(keyNode) && keyNode.value !== null)
        return [{ key: String(keyNode.value), keyNode, value: this.resolve(value) }]
      this.note(key as Placed, 'Expected a word before the colon')
      return []
    })
    const known = new Set<string>(own.map(({ key }) => key))
    // If several mappings are merged, the first one with a key takes precedence.
    return [...own, ...merged.filter(({ key }) => !known.has(key) && known.add(key))]
  }

  /** The pairs of a mapping, or of a list of mappings, merged into another one. */
  #merged(node: unknown, where: Placed, depth: number): SourcePair[] {
    const resolved = this.resolve(node)
    if (this.#isTooMuch(depth, where)) return []
    if (isMap(resolved)) return this.pairs(resolved, depth)
    if (isSeq(resolved) && resolved.items.every((item) => isMap(this.resolve(item))))
      return resolved.items.flatMap((item) => this.#merged(item, where, depth + 1))
    this.note(where, 'Expected named values to merge after <<', 'Such as <<: *defaults')
    return []
  }

  /** Whether values are nested too deeply or too numerous, which is recorded once. */
  #isTooMuch(depth: number, where: Placed): boolean {
    this.#values += 1
    if (depth <= MAX_DEPTH && this.#values <= MAX_VALUES) return false
    if (this.#values <= MAX_VALUES + 1) this.note(where, 'This has too many nested values')
    this.#values = Math.max(this.#values, MAX_VALUES + 1)
    return true
  }

  /** The JavaScript value of a node, with variables expanded. */
  value(node: unknown, depth = 0): unknown {
    const resolved = this.resolve(node)
    if (this.#isTooMuch(depth, resolved as Placed)) return undefined
    if (isScalar(resolved)) {
      const { value } = resolved
      return typeof value === 'string' ? this.#expanded(value, resolved) : value
    }
    if (isMap(resolved))
      return Object.fromEntries(this.pairs(resolved).map(({ key, value }) => [key, this.value(value, depth + 1)]))
    if (resolved && typeof resolved === 'object' && 'items' in resolved)
      return (resolved.items as unknown[]).map((item) => this.value(item, depth + 1))
    return undefined
  }

  /** Reads values with further parameters, such as those of a matrix. */
  within<T>(parameters: Parameters, read: () => T): T {
    const [before, values] = [this.#scope, this.#values]
    this.#scope = new Map([...before, ...parameters])
    try {
      return read()
    } finally {
      this.#scope = before
      // The limit applies to each reading of the text.
      if (this.#values <= MAX_VALUES) this.#values = values
    }
  }

  #expanded(text: string, where: Placed): Scalar {
    if (!this.#variables && this.#scope.size === 0) return text
    const { value, problem } = expandVariables(text, this.#variables ?? {}, this.#scope)
    if (problem) this.note(where, problem.message, problem.hint)
    return value
  }
}
