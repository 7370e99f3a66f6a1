import { isMap, isScalar, isSeq, type YAMLMap } from 'yaml'
import type { PipelineData, VariantData } from '../plan/plan-steps.ts'
import type { DeclaredParameter, Parameters } from './parameter.ts'
import { type GivenParameters, givenValues, parseParameters } from './parameters.ts'
import { type Combination, MAX_COMBINATIONS, parseMatrix } from './parse-matrix.ts'
import { inWords, textOf, unknownKey, type WrittenStep } from './parse-step.ts'
import { parseSteps } from './parse-steps.ts'
import type { PipelineSource, Placed, SourcePair } from './source.ts'

export interface WrittenVariant extends VariantData {
  steps: WrittenStep[]
  node: Placed
  nameNode: Placed
  whenNode?: Placed
  inputsNode?: Placed
  outputNode?: Placed
}

/** The data of a pipeline and its source nodes. */
export interface WrittenPipeline extends PipelineData {
  inputs: string[]
  steps: WrittenStep[]
  variants: WrittenVariant[]
  outputNode?: Placed
  declared: DeclaredParameter[]
}

const KEYS = [
  'params',
  'rows',
  'matrix',
  'steps',
  'variants',
  'inputs',
  'output',
  'manifest',
  'name',
  'description',
  '$schema',
] as const

/** The whole text once, without a matrix. */
const ONCE: Combination = { name: '', parameters: new Map() }

const VARIANT_KEYS = ['name', 'inputs', 'steps', 'when', 'matrix', 'output'] as const

const joined = (...names: readonly string[]): string => names.filter((name) => name !== '').join('-')

/** A variant, or with a matrix one for each combination. */
function parseVariant(source: PipelineSource, node: unknown): WrittenVariant[] {
  if (!isMap(node)) {
    source.note(node as Placed, `Expected a variant with name and steps, got ${inWords(source, node)}`)
    return []
  }
  const pairs = source.pairs(node)
  const matrix = pairs.find(({ key }) => key === 'matrix')
  const combinations = matrix ? parseMatrix(source, matrix.value, matrix.keyNode) : [ONCE]
  return combinations.map(({ name: ending, parameters }) =>
    source.within(parameters, () => {
      const variant: WrittenVariant = { name: '', steps: [], node, nameNode: undefined }
      for (const { key, keyNode, value } of pairs) {
        if (key === 'name') {
          variant.name = textOf(source, value, 'the name of the variant', keyNode) ?? ''
          variant.nameNode = (value as Placed) ?? keyNode
        } else if (key === 'steps') variant.steps = parseSteps(source, value, keyNode)
        else if (key === 'when')
          Object.assign(variant, { when: source.value(value) ?? null, whenNode: (value as Placed) ?? keyNode })
        else if (key === 'inputs') Object.assign(variant, ownInputs(source, value, keyNode))
        else if (key === 'output')
          Object.assign(variant, { output: source.value(value) ?? null, outputNode: (value as Placed) ?? keyNode })
        else if (key !== 'matrix') unknownKey(source, key, keyNode, VARIANT_KEYS)
      }
      const family = ending === '' ? {} : { family: variant.name }
      return { ...variant, ...family, name: joined(variant.name, ending), parameters: Object.fromEntries(parameters) }
    }),
  )
}

function parseVariants(source: PipelineSource, node: unknown, where: Placed): WrittenVariant[] {
  if (!isSeq(node) || node.items.length === 0) {
    source.note(
      (node as Placed) ?? where,
      `Expected a list of variants, got ${isSeq(node) ? 'none' : inWords(source, node)}`,
    )
    return []
  }
  return node.items.flatMap((item) => parseVariant(source, source.resolve(item)))
}

function parseInputs(source: PipelineSource, node: unknown, where: Placed): string[] {
  const items = isSeq(node) ? node.items : [node]
  return items.flatMap((item) => textOf(source, source.resolve(item), 'the name of a file, or a pattern', where) ?? [])
}

/** Whether inputs have values of the row. */
function hasColumns(source: PipelineSource, node: unknown): Pick<WrittenPipeline, 'hasRowInputs'> {
  const texts = (isSeq(node) ? node.items : [node]).map((item) => {
    const value = source.resolve(item)
    return isScalar(value) ? String(value.value) : ''
  })
  const columns = [...(source.row?.values.keys() ?? [])]
  return texts.some((text) => columns.some((name) => text.includes(`\${${name}`))) ? { hasRowInputs: true } : {}
}

/** A variant's own inputs: files, patterns and references. */
function ownInputs(source: PipelineSource, node: unknown, where: Placed): Partial<WrittenVariant> {
  const items = (isSeq(node) ? node.items : [node]).map((item) => source.resolve(item))
  const inputs = items.map((item) =>
    isMap(item) ? source.value(item) : textOf(source, item, 'a file, a pattern or { result: NAME }', where),
  )
  return { inputs, inputsNode: (node as Placed) ?? where, ...hasColumns(source, node) }
}

type Parts = Pick<WrittenPipeline, 'steps' | 'variants'>

/** The number of steps at the beginning that are the same for all combinations. */
function commonLength(lists: readonly (readonly WrittenStep[])[]): number {
  const texts = lists.map((steps) => steps.map(({ tool, settings, when }) => JSON.stringify([tool, settings, when])))
  const [first = [], ...others] = texts
  const end = first.findIndex((text, index) => others.some((one) => one[index] !== text))
  return end < 0 ? first.length : end
}

/** Whether a variant with inputs of its own is the same for all combinations: then it is made once. */
function isIndependent(
  { inputs, steps, when }: WrittenVariant,
  others: readonly (WrittenVariant | undefined)[],
): boolean {
  const text = (one: Pick<WrittenVariant, 'inputs' | 'steps' | 'when'> | undefined): string =>
    JSON.stringify([one?.inputs, one?.steps.map((step) => [step.tool, step.settings, step.when]), one?.when])
  const own = text({ inputs, steps, when })
  return inputs !== undefined && !/"(result|input)":/.test(own) && others.every((one) => text(one) === own)
}

/**
 * A matrix as variants: the steps that do not depend on it are common, the others and the variants are repeated for each
 * combination.
 */
function multiplied(
  combinations: readonly Combination[],
  read: (parameters: Parameters) => Parts,
  node: Placed,
): Parts {
  const parts = combinations.map(({ parameters }) => read(parameters))
  const common = commonLength(parts.map(({ steps }) => steps))
  const variants = combinations.flatMap(({ name, parameters }, index) => {
    const { steps = [], variants: named = [] } = parts[index] ?? {}
    const own: WrittenVariant[] = named.length > 0 ? named : [{ name: '', steps: [], node, nameNode: node }]
    return own.flatMap((variant, position) => {
      const same = parts.map(({ variants: all }) => all[position])
      if (isIndependent(variant, same)) return index === 0 ? [variant] : []
      return {
        ...variant,
        ...{ name: joined(variant.name, name), family: variant.family ?? variant.name, combination: name },
        steps: variant.inputs ? variant.steps : [...steps.slice(common), ...variant.steps],
        parameters: { ...Object.fromEntries(parameters), ...variant.parameters },
      }
    })
  })
  return { steps: parts[0]?.steps.slice(0, common) ?? [], variants }
}

/**
 * In output names, a value of a matrix differs by variant, and a value of a row must not be a folder: `${width}` becomes
 * `{width}`.
 */
function asPlaceholders(variants: readonly WrittenVariant[], { row }: PipelineSource): Parameters {
  const names = variants.flatMap(({ parameters = {} }) => Object.keys(parameters))
  return new Map([...names, ...(row?.values.keys() ?? [])].map((name) => [name, `{${name}}`]))
}

/** A manifest is one file for all inputs. */
function checkedManifest(source: PipelineSource, path: string, node: Placed): string {
  if (/[{}]/.test(path))
    source.note(node, `The manifest is one file, so its name has no placeholders, got ${path}`, 'Such as assets.json.')
  else if (path === '' || /[/\\]$/.test(path))
    source.note(node, `Expected a file for the manifest, got ${path || 'nothing'}`, 'Such as assets.json.')
  return path
}

function parseRoot(source: PipelineSource, root: YAMLMap, given: GivenParameters): WrittenPipeline {
  const written: WrittenPipeline = { inputs: [], steps: [], variants: [], declared: [] }
  const pairs = source.pairs(root)
  const find = (name: string): SourcePair | undefined => pairs.find(({ key }) => key === name)
  const [params, matrix, steps, variants] = [find('params'), find('matrix'), find('steps'), find('variants')]
  if (params) written.declared = parseParameters(source, params.value, params.keyNode, givenValues(source, given))
  written.parameters = Object.fromEntries(source.parameters)
  if (source.lacksParameters) return written
  const read = (parameters: Parameters): Parts =>
    source.within(parameters, () => ({
      steps: steps ? parseSteps(source, steps.value, steps.keyNode) : [],
      variants: variants ? parseVariants(source, variants.value, variants.keyNode) : [],
    }))
  const combinations = matrix && parseMatrix(source, matrix.value, matrix.keyNode)
  Object.assign(written, combinations ? multiplied(combinations, read, matrix.keyNode) : read(new Map()))
  if (written.variants.length > Math.max(MAX_COMBINATIONS, countOf(variants)))
    source.note(
      (matrix ?? variants)?.keyNode,
      `A matrix gives at most ${MAX_COMBINATIONS} variants, and these are ${written.variants.length}`,
    )
  for (const { key, keyNode, value } of pairs) {
    if (key === 'inputs')
      Object.assign(written, { inputs: parseInputs(source, value, keyNode) }, hasColumns(source, value))
    else if (key === 'name') {
      const name = textOf(source, value, 'a name', keyNode)
      if (name !== undefined) written.name = name
    } else if (key === 'manifest') {
      const path = textOf(source, value, "a file such as 'assets.json'", keyNode)
      if (path !== undefined) written.manifest = checkedManifest(source, path, value as Placed)
    } else if (key === 'output') {
      const template = source.within(asPlaceholders(written.variants, source), () =>
        textOf(source, value, "a pattern such as 'dist/{stem}.{ext}'", keyNode),
      )
      if (template !== undefined) Object.assign(written, { output: template, outputNode: value })
      // Keys that start with x- are free for the author, for values that steps share by alias.
    } else if (!(KEYS as readonly string[]).includes(key) && !key.startsWith('x-'))
      unknownKey(source, key, keyNode, KEYS)
  }
  return written
}

const countOf = (pair: SourcePair | undefined): number => (isSeq(pair?.value) ? pair.value.items.length : 0)

/**
 * Parses the structure: forms of steps, variants, keys. Mistakes are recorded in the source; valid parts are returned.
 */
export function parsePipeline(source: PipelineSource, given: GivenParameters = {}): WrittenPipeline {
  const root = source.resolve(source.document.contents)
  const { row } = source
  for (const [name, value] of row?.values ?? []) source.parameters.set(name, value)
  const columns = row && Object.fromEntries(row.values)
  if (isMap(root)) {
    const written = parseRoot(source, root, given)
    // A declared parameter may have another value than the row.
    const names = Object.keys(columns ?? {})
    return row
      ? { ...written, columns: Object.fromEntries(names.map((name) => [name, source.parameters.get(name) ?? ''])) }
      : written
  }
  const written: WrittenPipeline = { inputs: [], steps: [], variants: [], declared: [], ...(columns && { columns }) }
  if (columns) written.parameters = columns
  if (isSeq(root)) return { ...written, steps: parseSteps(source, root, root) }
  if (source.diagnostics.length === 0)
    source.note(root as Placed, `Expected steps, got ${inWords(source, root)}`, 'A pipeline has at least a key steps.')
  return written
}
