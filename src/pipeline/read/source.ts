import { type Document, isAlias, isMap, isScalar, isSeq, type Pair, visit, type YAMLMap } from 'yaml'
import { nearest } from '../../tool/validate.ts'
import type { Diagnostic, IncludePlace } from './diagnostics.ts'
import { expandVariables, type Variables } from './expand-variables.ts'
import type { Parameters, Scalar } from './parameter.ts'
import { SourceText } from './source-text.ts'

/** Maximum nesting depth; also stops aliases that contain themselves. */
const MAX_DEPTH = 50

/** Limit against YAML lists that repeatedly double themselves by aliases, and files by includes. In values. */
const MAX_VALUES = 10_000

/** Limit against included files that repeatedly include others. In steps of included files, and includes. */
const MAX_INCLUDED = 2000

/** Anything with a location in the text. */
export type Placed = { range?: readonly number[] | null | undefined } | null | undefined

/** A key with its value, aliases resolved. */
export interface SourcePair {
  key: string
  keyNode: Placed
  value: unknown
}

/** The file that a source was read from. */
export interface SourceFile {
  /** The base folder of the paths in it; undefined if it cannot name files. */
  folder?: string
  /** Its real path, by which cycles of includes are found. */
  realPath?: string
}

/** A row of a table. */
export interface SourceRow {
  /** The file for display. */
  table: string
  values: Parameters
}

/** The step that includes a file. */
export interface Including {
  source: PipelineSource
  where: Placed
  /** The path of the included file for display. */
  shown: string
}

/** The text of a pipeline as YAML nodes with locations, and the mistakes found so far. */
export class PipelineSource {
  readonly document: Document.Parsed
  /** Of the pipeline, including those of included files. */
  readonly diagnostics: Diagnostic[]
  /** Whether it is valid YAML. */
  readonly isReadable: boolean
  /** Invalid nodes; mistakes that follow from them are not reported. */
  readonly unknownAliases: Set<unknown>
  /** The values of parameters. */
  readonly parameters = new Map<string, Scalar>()
  /** The row of a table that the pipeline runs for; its columns are parameters. */
  row: SourceRow | undefined
  /** A parameter has no value; mistakes that follow from it are not reported. */
  lacksParameters = false
  /** The same text is read with several values; each mistake is reported once. */
  readsRepeatedly: boolean
  readonly file: SourceFile
  /** For an included file: the step that includes it. */
  readonly including: Including | undefined
  /** The texts of included files by real path, shared by all sources of a pipeline. */
  readonly included: Map<string, SourceText>
  readonly variables: Variables | undefined
  readonly #text: SourceText
  readonly #budget: { values: number; included: number }
  #scope: Parameters = this.parameters

  /**
   * @param variables values of `${NAME}`; without it, such text is unchanged if there are no parameters
   * @throws MediaprocError LIMIT_EXCEEDED for texts over 1 MiB
   */
  constructor(text: string | SourceText, variables?: Variables, file: SourceFile = {}, including?: Including) {
    this.#text = typeof text === 'string' ? new SourceText(text) : text
    this.variables = variables
    this.file = file
    this.including = including
    const parent = including?.source
    this.included = parent?.included ?? new Map<string, SourceText>()
    this.diagnostics = parent?.diagnostics ?? []
    this.unknownAliases = parent?.unknownAliases ?? new Set()
    this.#budget = parent ? parent.#budget : { values: 0, included: 0 }
    this.readsRepeatedly = parent !== undefined
    this.document = this.#text.document
    this.isReadable = this.#text.isReadable
    for (const { offset, message, hint, detail } of this.#text.faults) this.#add(offset, message, hint, detail)
  }

  /** Records a mistake at a node, or at the start of the text. */
  note(where: Placed, message: string, hint?: string): void {
    this.#add(where?.range?.[0] ?? 0, message, hint)
  }

  /** The location of a node as `file:line:column`; without the file for that of the pipeline. */
  place(where: Placed): string {
    const { line, column } = this.#text.place(where?.range?.[0] ?? 0)
    return `${this.including?.shown ?? ''}:${line}:${column}`
  }

  /** The steps that include this file, the closest first. */
  includeChain(): IncludePlace[] {
    if (!this.including) return []
    const { source, where } = this.including
    const file = source.including?.shown
    const place = source.#text.place(where?.range?.[0] ?? 0)
    return [{ ...(file !== undefined && { file }), ...place }, ...source.includeChain()]
  }

  #add(offset: number, message: string, hint?: string, detail?: string): void {
    const { line, column } = this.#text.place(offset)
    const file = this.including?.shown
    // Steps of a matrix are read several times.
    const isKnown = (one: Diagnostic): boolean =>
      one.file === file && one.line === line && one.column === column && one.message === message
    if (this.readsRepeatedly && this.diagnostics.some(isKnown)) return
    this.diagnostics.push({
      ...(file !== undefined && { file, included: this.includeChain() }),
      line,
      column,
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
    this.#budget.values += 1
    if (depth <= MAX_DEPTH && this.#budget.values <= MAX_VALUES) return false
    if (this.#budget.values <= MAX_VALUES + 1) this.note(where, 'This has too many nested values')
    this.#budget.values = Math.max(this.#budget.values, MAX_VALUES + 1)
    return true
  }

  /** Whether another step of an included file, or an include, may be read; the first one too many is recorded. */
  mayInclude(where: Placed): boolean {
    this.#budget.included += 1
    if (this.#budget.included === MAX_INCLUDED + 1)
      this.note(where, `The included files have more than ${MAX_INCLUDED} steps`)
    return this.#budget.included <= MAX_INCLUDED
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
    const [before, { values, included }] = [this.#scope, { ...this.#budget }]
    this.#scope = new Map([...before, ...parameters])
    try {
      return read()
    } finally {
      this.#scope = before
      // The limits apply to each reading of the text.
      if (this.#budget.values <= MAX_VALUES) this.#budget.values = values
      if (this.#budget.included <= MAX_INCLUDED) this.#budget.included = included
    }
  }

  #expanded(text: string, where: Placed): Scalar {
    if (!this.variables && this.#scope.size === 0) return text
    const { value, problem } = expandVariables(text, this.variables ?? {}, this.#scope, this.row?.table)
    if (problem) this.note(where, problem.message, problem.hint)
    return value
  }
}
