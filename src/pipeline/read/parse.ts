import { isMap, isScalar, isSeq, type YAMLMap } from 'yaml'
import { nearest } from '../../tool/validate.ts'
import { type StepData, valueInWords } from '../plan/check-step.ts'
import type { PipelineData, VariantData } from '../plan/plan-steps.ts'
import { type DeclaredParameter, isScalarValue } from './parameter.ts'
import { type GivenParameters, parseParameters } from './parameters.ts'
import type { PipelineSource, Placed, SourcePair } from './source.ts'

/** A step and its source nodes; whether the tool exists is checked later. */
export interface WrittenStep extends StepData {
  node: Placed
  toolNode: Placed
  /** Used to look up locations of values. */
  settingsNode: Placed
}

export interface WrittenVariant extends VariantData {
  steps: WrittenStep[]
  node: Placed
  nameNode: Placed
}

/** The data of a pipeline and its source nodes. */
export interface WrittenPipeline extends PipelineData {
  inputs: string[]
  steps: WrittenStep[]
  variants: WrittenVariant[]
  outputNode?: Placed
  declared: DeclaredParameter[]
}

const KEYS = ['params', 'steps', 'variants', 'inputs', 'output', 'name', 'description', '$schema'] as const

const inWords = (source: PipelineSource, node: unknown): string =>
  valueInWords(isMap(node) ? {} : isSeq(node) ? [] : source.value(node))

function unknownKey(source: PipelineSource, key: string, where: Placed, known: readonly string[]): void {
  const near = nearest(key, known)
  source.note(where, `There is no key ${key} here`, near ? `Did you mean ${near}?` : `Known are ${known.join(', ')}.`)
}

function textOf(source: PipelineSource, node: unknown, what: string, where: Placed): string | undefined {
  const value = source.value(node)
  // A parameter in place of a text may be a number.
  const text = isScalar(node) && typeof node.value === 'string' && isScalarValue(value) ? String(value) : value
  if (typeof text === 'string' && text !== '') return text
  source.note((node as Placed) ?? where, `Expected ${what}, got ${inWords(source, node)}`)
  return undefined
}

const stepOf = (
  source: PipelineSource,
  node: Placed,
  tool: string,
  toolNode: Placed,
  settings: unknown,
): WrittenStep => ({
  ...{ tool, node, toolNode },
  settings: source.value(settings),
  settingsNode: isScalar(settings) && settings.value === null ? undefined : (settings as Placed),
})

/** `{tool: image/resize, settings: {…}}`, or with `toolId` as over HTTP. */
function longStep(source: PipelineSource, node: YAMLMap, pairs: readonly SourcePair[]): WrittenStep | undefined {
  let tool: { name: string; where: Placed } | undefined
  let settings: unknown
  for (const { key, keyNode, value } of pairs) {
    if (key === 'settings') settings = value
    else if (key !== 'tool' && key !== 'toolId') unknownKey(source, key, keyNode, ['tool', 'settings'])
    else if (tool) source.note(keyNode, 'A step names one tool: tool and toolId mean the same')
    else {
      const name = textOf(source, value, 'the name of a tool', keyNode)
      if (name !== undefined) tool = { name, where: value as Placed }
    }
  }
  if (!tool) return undefined
  return stepOf(source, node, tool.name, tool.where, settings)
}

/** `image/resize: {width: 800}`, the long form, or only a tool name. */
function parseStep(source: PipelineSource, node: unknown): WrittenStep | undefined {
  if (isScalar(node) && typeof node.value === 'string') return stepOf(source, node, node.value, node, undefined)
  if (!isMap(node)) {
    const hint = 'Such as - image/resize: { width: 800 }'
    source.note(node as Placed, `Expected a tool with its settings, got ${inWords(source, node)}`, hint)
    return undefined
  }
  const pairs = source.pairs(node)
  if (pairs.some(({ key }) => key === 'tool' || key === 'toolId')) return longStep(source, node, pairs)
  const [first] = pairs
  if (!first || pairs.length > 1) {
    const names = pairs.map(({ key }) => key).join(', ')
    const where = pairs[1]?.keyNode ?? node
    const hint = 'A step begins with a dash; its settings are indented below its tool.'
    source.note(where, `Expected one tool in a step, got ${pairs.length === 0 ? 'none' : names}`, hint)
    return undefined
  }
  return stepOf(source, node, first.key, first.keyNode, first.value)
}

function parseSteps(source: PipelineSource, node: unknown, where: Placed): WrittenStep[] {
  if (!isSeq(node)) {
    source.note((node as Placed) ?? where, `Expected a list of steps, got ${inWords(source, node)}`)
    return []
  }
  return node.items.flatMap((item) => parseStep(source, source.resolve(item)) ?? [])
}

function parseVariant(source: PipelineSource, node: unknown): WrittenVariant | undefined {
  if (!isMap(node)) {
    source.note(node as Placed, `Expected a variant with name and steps, got ${inWords(source, node)}`)
    return undefined
  }
  const variant: WrittenVariant = { name: '', steps: [], node, nameNode: undefined }
  for (const { key, keyNode, value } of source.pairs(node)) {
    if (key === 'name') {
      variant.name = textOf(source, value, 'the name of the variant', keyNode) ?? ''
      variant.nameNode = (value as Placed) ?? keyNode
    } else if (key === 'steps') variant.steps = parseSteps(source, value, keyNode)
    else unknownKey(source, key, keyNode, ['name', 'steps'])
  }
  return variant
}

function parseVariants(source: PipelineSource, node: unknown, where: Placed): WrittenVariant[] {
  if (!isSeq(node) || node.items.length === 0) {
    source.note(
      (node as Placed) ?? where,
      `Expected a list of variants, got ${isSeq(node) ? 'none' : inWords(source, node)}`,
    )
    return []
  }
  return node.items.flatMap((item) => parseVariant(source, source.resolve(item)) ?? [])
}

function parseInputs(source: PipelineSource, node: unknown, where: Placed): string[] {
  const items = isSeq(node) ? node.items : [node]
  return items.flatMap((item) => textOf(source, source.resolve(item), 'the name of a file, or a pattern', where) ?? [])
}

/**
 * Parses the structure: forms of steps, variants, keys. Mistakes are recorded in the source; valid parts are returned.
 */
export function parsePipeline(source: PipelineSource, given: GivenParameters = {}): WrittenPipeline {
  const root = source.resolve(source.document.contents)
  const written: WrittenPipeline = { inputs: [], steps: [], variants: [], declared: [] }
  if (isSeq(root)) return { ...written, steps: parseSteps(source, root, root) }
  if (!isMap(root)) {
    if (source.diagnostics.length === 0)
      source.note(
        root as Placed,
        `Expected steps, got ${inWords(source, root)}`,
        'A pipeline has at least a key steps.',
      )
    return written
  }
  const pairs = source.pairs(root)
  // Parameters can be declared below the steps that use them.
  const params = pairs.find(({ key }) => key === 'params')
  if (params) written.declared = parseParameters(source, params.value, params.keyNode, given)
  written.parameters = Object.fromEntries(source.parameters)
  if (source.lacksParameters) return written
  for (const { key, keyNode, value } of pairs) {
    if (key === 'steps') written.steps = parseSteps(source, value, keyNode)
    else if (key === 'variants') written.variants = parseVariants(source, value, keyNode)
    else if (key === 'inputs') written.inputs = parseInputs(source, value, keyNode)
    else if (key === 'name') {
      const name = textOf(source, value, 'a name', keyNode)
      if (name !== undefined) written.name = name
    } else if (key === 'output') {
      const template = textOf(source, value, "a pattern such as 'dist/{stem}.{ext}'", keyNode)
      if (template !== undefined) Object.assign(written, { output: template, outputNode: value })
      // Keys that start with x- are free for the author, for values that steps share by alias.
    } else if (key !== 'params' && key !== 'description' && key !== '$schema' && !key.startsWith('x-'))
      unknownKey(source, key, keyNode, KEYS)
  }
  return written
}
