import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isMap, isScalar, isSeq } from 'yaml'
import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { printableName } from '../../media/file.ts'
import { type Checking, checkStep, type StepData, valueInWords } from '../../pipeline/plan/check-step.ts'
import type { Diagnostic } from '../../pipeline/read/diagnostics.ts'
import { PipelineSource, type Placed, type SourcePair } from '../../pipeline/read/source.ts'
import { inspectSettings, nearest, type SettingsIssue } from '../../tool/validate.ts'
import { LIMIT_TABLE, type LimitName } from './limits.ts'
import { normalizedLimits, READABLE, type Rule, SEVERITIES, type Severity } from './rule.ts'

/** Keys of a rule besides its limits. */
const RULE_KEYS = ['name', 'files', 'severity', 'fix'] as const
const ROOT_KEYS = ['rules', '$schema', 'description'] as const

/** Maximum number of rules in a file. */
const MAX_RULES = 1000

/** The rules of a file, or all its mistakes. */
export type ReadRules =
  | { rules: readonly Rule[]; diagnostics: readonly [] }
  | { rules: undefined; diagnostics: readonly Diagnostic[] }

/** The nodes of a value: for messages about it or one of its items. */
function nodeAt(source: PipelineSource, { keyNode, value }: SourcePair, path: readonly string[]): Placed {
  if (isSeq(value) && path.length > 0) return source.resolve(value.items[Number(path[0])]) as Placed
  return (value as Placed) ?? keyNode
}

const inWords = (source: PipelineSource, node: unknown): string =>
  valueInWords(isMap(node) ? {} : isSeq(node) ? [] : source.value(node))

/** Reads one file of rules; every mistake is recorded in the source. */
class RuleReader {
  readonly source: PipelineSource
  readonly #folder: string
  readonly #names = new Set<string>()

  constructor(source: PipelineSource, folder: string) {
    this.source = source
    this.#folder = folder
  }

  async rules(): Promise<Rule[]> {
    const { source } = this
    const root = source.resolve(source.document.contents)
    const list = isMap(root) ? this.#listOf(source.pairs(root), root) : root
    if (list === undefined) return []
    if (!isSeq(list) || list.items.length === 0) {
      const hint = 'Such as - { name: web, files: public/**, maxBytes: 300kB }'
      source.note(list as Placed, `Expected a list of rules, got ${isSeq(list) ? 'none' : inWords(source, list)}`, hint)
      return []
    }
    if (list.items.length > MAX_RULES) {
      source.note(list, `A file has at most ${MAX_RULES} rules, and these are ${list.items.length}`)
      return []
    }
    const rules: Rule[] = []
    for (const [index, item] of list.items.entries()) {
      const rule = await this.#rule(source.resolve(item), index)
      if (rule) rules.push(rule)
    }
    return rules
  }

  #listOf(pairs: readonly SourcePair[], root: Placed): unknown {
    let list: SourcePair | undefined
    for (const pair of pairs) {
      if (pair.key === 'rules') list = pair
      else if (!ROOT_KEYS.some((key) => key === pair.key) && !pair.key.startsWith('x-'))
        this.#unknownKey(pair, ROOT_KEYS)
    }
    if (!list) this.source.note(root, 'Expected a list rules, got nothing')
    return list && (list.value ?? [])
  }

  #unknownKey({ key, keyNode }: SourcePair, known: readonly string[]): void {
    const near = nearest(key, known)
    this.source.note(
      keyNode,
      `There is no key ${printableName(key)} here`,
      near ? `Did you mean ${near}?` : `Known are ${known.join(', ')}.`,
    )
  }

  async #rule(node: unknown, index: number): Promise<Rule | undefined> {
    const { source } = this
    if (!isMap(node)) {
      source.note(node as Placed, `Expected a rule with name and limits, got ${inWords(source, node)}`)
      return undefined
    }
    const own: { name?: string; files: string[]; severity: Severity; fix?: Rule['fix'] } = {
      files: [],
      severity: 'error',
    }
    const limits = new Map<string, SourcePair>()
    let hasUnknown = false
    for (const pair of source.pairs(node)) {
      if (pair.key === 'name') own.name = this.#text(pair, 'the name of the rule')
      else if (pair.key === 'files') own.files = this.#patterns(pair)
      else if (pair.key === 'severity') own.severity = this.#severity(pair)
      else if (pair.key === 'fix') own.fix = await this.#fix(pair)
      else if (Object.hasOwn(LIMIT_TABLE, pair.key)) limits.set(pair.key, pair)
      else {
        hasUnknown = true
        this.#unknownKey(pair, [...RULE_KEYS, ...Object.keys(LIMIT_TABLE)])
      }
    }
    const name = this.#uniqueName(own.name ?? `rule ${index + 1}`, node)
    if (limits.size === 0) {
      // The unknown key may be the limit.
      if (!hasUnknown)
        source.note(node, `The rule ${printableName(name)} has no limits`, 'Such as maxBytes: 300kB or gps: false')
      return undefined
    }
    const { duplicates, ...checked } = this.#limits(limits)
    const { fix, ...rest } = own
    return {
      ...rest,
      name,
      folder: this.#folder,
      limits: checked,
      ...(duplicates === false && { duplicates }),
      ...(fix !== undefined && { fix }),
    }
  }

  #uniqueName(name: string, node: Placed): string {
    if (this.#names.has(name)) this.source.note(node, `There are two rules called ${printableName(name)}`)
    if (name === READABLE) this.source.note(node, `A rule cannot be called ${READABLE}`, 'Choose another name.')
    this.#names.add(name)
    return name
  }

  #text({ keyNode, value }: SourcePair, what: string): string {
    const text = this.source.value(value)
    if (typeof text === 'string' && text !== '') return text
    this.source.note((value as Placed) ?? keyNode, `Expected ${what}, got ${inWords(this.source, value)}`)
    return ''
  }

  #patterns(pair: SourcePair): string[] {
    const items = isSeq(pair.value) ? pair.value.items : [pair.value]
    return items
      .map((item) => this.#text({ ...pair, value: this.source.resolve(item) }, 'a pattern of files'))
      .filter((pattern) => pattern !== '')
  }

  #severity(pair: SourcePair): Severity {
    const given = this.source.value(pair.value)
    const found = SEVERITIES.find((one) => one === given)
    if (found) return found
    const near = nearest(String(given), SEVERITIES)
    const hint = near && `Did you mean ${near}?`
    const message = `Expected error or warning for severity, got ${inWords(this.source, pair.value)}`
    this.source.note((pair.value as Placed) ?? pair.keyNode, message, hint)
    return 'error'
  }

  /** The steps of `fix`: a tool, `tool: settings`, or a list of these. Each is checked like a step of a pipeline. */
  async #fix(pair: SourcePair): Promise<Rule['fix']> {
    const { source } = this
    if (isScalar(pair.value) && pair.value.value === false) return false
    const steps: StepData[] = []
    for (const item of isSeq(pair.value) ? pair.value.items : [pair.value]) {
      const node = source.resolve(item)
      const step = this.#step(node, pair)
      if (!step) continue
      const checking: Checking = {
        ...{ diagnostics: [], warnings: [], folder: this.#folder },
        ...{ ignoresUnknown: false, refusesIneffective: true },
      }
      await checkStep(checking, step, [], steps.length + 1)
      for (const { message, hint } of checking.diagnostics) source.note(node as Placed, message, hint)
      steps.push(step)
    }
    return steps
  }

  #step(node: unknown, { keyNode }: SourcePair): StepData | undefined {
    const { source } = this
    if (isScalar(node) && typeof node.value === 'string') return { tool: node.value, settings: {} }
    const pairs = isMap(node) ? source.pairs(node) : []
    const [first] = pairs
    if (first && pairs.length === 1) return { tool: first.key, settings: source.value(first.value) ?? {} }
    const message = `Expected a tool with its settings, or false, for fix, got ${inWords(source, node)}`
    source.note((node as Placed) ?? keyNode, message, 'Such as fix: { image/resize: { width: 2000 } }')
    return undefined
  }

  #limits(pairs: ReadonlyMap<string, SourcePair>): Rule['limits'] & { duplicates?: unknown } {
    const { source } = this
    const given: Record<string, unknown> = {}
    for (const [name, pair] of pairs) {
      given[name] = source.value(pair.value)
      // A missing value would otherwise be an absent limit.
      if (given[name] === null || given[name] === undefined)
        source.note(pair.keyNode, `Expected a value for ${name}, got nothing`)
    }
    const { values, issues } = inspectSettings(LIMIT_TABLE, given)
    const { limits, issues: others } = issues.length > 0 ? { limits: {}, issues: [] } : normalizedLimits(values)
    for (const { path, message, hint } of [...issues, ...others] satisfies SettingsIssue[]) {
      const [name = '', ...rest] = path.split('.')
      const pair = pairs.get(name)
      source.note(pair && nodeAt(source, pair, rest), printableName(message), hint)
    }
    return limits as Partial<Record<LimitName, never>>
  }
}

/**
 * Reads and checks rules in YAML or JSON, and reports all mistakes at once with their locations.
 * @param folder the folder that patterns are relative to
 */
export async function readRules(text: string, folder: string): Promise<ReadRules> {
  const source = new PipelineSource(text)
  const rules = source.isReadable ? await new RuleReader(source, resolve(folder)).rules() : []
  if (source.diagnostics.length === 0) return { rules, diagnostics: [] }
  const inOrder = [...source.diagnostics].sort((one, other) => one.line - other.line || one.column - other.column)
  return { rules: undefined, diagnostics: inOrder }
}

/** Reads the rules of a file. @throws MediaprocError FILE_NOT_FOUND, IS_A_FOLDER, PERMISSION_DENIED, LIMIT_EXCEEDED */
export async function loadRules(path: string): Promise<ReadRules> {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = toMediaprocError(error)
    const what =
      code === 'FILE_NOT_FOUND' ? 'does not exist' : code === 'IS_A_FOLDER' ? 'is a folder' : 'cannot be read'
    throw new MediaprocError(code, `The file of rules ${printableName(path)} ${what}`, { cause: error })
  }
  return readRules(text, dirname(path))
}
