import { isMap, isScalar, isSeq, type YAMLMap } from 'yaml'
import { nearest } from '../tool/validate.ts'
import type { PipelineSource, Placed } from './source.ts'

/** One step as it is written; whether the tool exists is not judged yet. */
export interface WrittenStep {
  where: Placed
  tool: string
  toolWhere: Placed
  /** The settings' node, where there is one: places of values are found in it. */
  settings: YAMLMap | undefined
  /** Whether its settings can be read at all. */
  isSound: boolean
}

export interface WrittenVariant {
  name: string
  steps: WrittenStep[]
}

/** A pipeline as it is written. */
export interface Written {
  name?: string
  inputs: string[]
  steps: WrittenStep[]
  variants: WrittenVariant[]
  output?: { template: string; where: Placed }
}

const KEYS = ['steps', 'variants', 'inputs', 'output', 'name', 'description', '$schema'] as const

/** A name that may be part of a file name on every system. */
const VARIANT_NAME = /^(?!\.+$)[^/\\:*?"<>|\u0000-\u001f]{1,64}$/

const quoted = (value: unknown): string => (value === undefined || value === null ? 'nothing' : JSON.stringify(value))

const kindOf = (node: unknown, source: PipelineSource): string => {
  if (isMap(node)) return 'named values'
  if (isSeq(node)) return 'a list'
  return quoted(source.value(node))
}

function unknownKey(source: PipelineSource, key: string, where: Placed, known: readonly string[]): void {
  const near = nearest(key, known)
  source.note(where, `There is no key ${key} here`, near ? `Did you mean ${near}?` : `Known are ${known.join(', ')}.`)
}

function textOf(source: PipelineSource, node: unknown, what: string, where: Placed): string | undefined {
  const value = source.value(node)
  if (typeof value === 'string' && value !== '') return value
  source.note((node as Placed) ?? where, `Expected ${what}, got ${kindOf(node, source)}`)
  return undefined
}

function settingsOf(source: PipelineSource, node: unknown, tool: string): Pick<WrittenStep, 'settings' | 'isSound'> {
  if (node === null || node === undefined || (isScalar(node) && node.value === null))
    return { settings: undefined, isSound: true }
  if (isMap(node)) return { settings: node, isSound: true }
  source.note(node as Placed, `Expected settings as name: value for ${tool}, got ${kindOf(node, source)}`)
  return { settings: undefined, isSound: false }
}

/** `{tool: image/resize, settings: {…}}`, or with `toolId` as over HTTP. */
function longStep(source: PipelineSource, node: YAMLMap): WrittenStep | undefined {
  let tool: { name: string; where: Placed } | undefined
  let settings: unknown
  for (const { key, keyNode, value } of source.pairs(node)) {
    if (key === 'settings') settings = value
    else if (key !== 'tool' && key !== 'toolId') unknownKey(source, key, keyNode, ['tool', 'settings'])
    else if (tool) source.note(keyNode, 'A step names one tool: tool and toolId mean the same')
    else {
      const name = textOf(source, value, 'the name of a tool', keyNode)
      if (name !== undefined) tool = { name, where: value as Placed }
    }
  }
  if (!tool) return undefined
  return { where: node, tool: tool.name, toolWhere: tool.where, ...settingsOf(source, settings, tool.name) }
}

/** `image/resize: {width: 800}`, the long form, or only the name of a tool. */
function parseStep(source: PipelineSource, node: unknown): WrittenStep | undefined {
  if (isScalar(node) && typeof node.value === 'string')
    return { where: node, tool: node.value, toolWhere: node, settings: undefined, isSound: true }
  if (!isMap(node)) {
    const hint = 'Such as - image/resize: { width: 800 }'
    source.note(node as Placed, `Expected a tool with its settings, got ${kindOf(node, source)}`, hint)
    return undefined
  }
  if (node.has('tool') || node.has('toolId')) return longStep(source, node)
  const pairs = source.pairs(node)
  const [first] = pairs
  if (!first || pairs.length > 1) {
    const names = pairs.map(({ key }) => key).join(', ')
    const where = pairs[1]?.keyNode ?? node
    const hint = 'A step begins with a dash; its settings are indented below its tool.'
    source.note(where, `Expected one tool in a step, got ${pairs.length === 0 ? 'none' : names}`, hint)
    return undefined
  }
  return { where: node, tool: first.key, toolWhere: first.keyNode, ...settingsOf(source, first.value, first.key) }
}

function parseSteps(source: PipelineSource, node: unknown, where: Placed): WrittenStep[] {
  if (!isSeq(node)) {
    source.note((node as Placed) ?? where, `Expected a list of steps, got ${kindOf(node, source)}`)
    return []
  }
  return node.items.flatMap((item) => parseStep(source, source.resolve(item)) ?? [])
}

function parseVariant(source: PipelineSource, node: unknown): WrittenVariant | undefined {
  if (!isMap(node)) {
    source.note(node as Placed, `Expected a variant with name and steps, got ${kindOf(node, source)}`)
    return undefined
  }
  let name: string | undefined
  let steps: WrittenStep[] = []
  for (const { key, keyNode, value } of source.pairs(node)) {
    if (key === 'name') {
      name = textOf(source, value, 'the name of the variant', keyNode)
      if (name !== undefined && !VARIANT_NAME.test(name))
        source.note(value as Placed, `A variant called ${quoted(name)} cannot be part of a file name`)
    } else if (key === 'steps') steps = parseSteps(source, value, keyNode)
    else unknownKey(source, key, keyNode, ['name', 'steps'])
  }
  if (!node.has('name')) source.note(node, 'Expected a name for the variant, got nothing')
  return { name: name ?? '', steps }
}

function parseVariants(source: PipelineSource, node: unknown, where: Placed): WrittenVariant[] {
  if (!isSeq(node) || node.items.length === 0) {
    source.note(
      (node as Placed) ?? where,
      `Expected a list of variants, got ${isSeq(node) ? 'none' : kindOf(node, source)}`,
    )
    return []
  }
  const seen = new Set<string>()
  return node.items.flatMap((item) => {
    const resolved = source.resolve(item)
    const variant = parseVariant(source, resolved)
    if (!variant) return []
    const name = variant.name.toLowerCase()
    if (name !== '' && seen.has(name)) source.note(resolved as Placed, `There are two variants called ${variant.name}`)
    seen.add(name)
    return [variant]
  })
}

function parseInputs(source: PipelineSource, node: unknown, where: Placed): string[] {
  const items = isSeq(node) ? node.items : [node]
  return items.flatMap((item) => textOf(source, source.resolve(item), 'the name of a file, or a pattern', where) ?? [])
}

/** Reads the structure: forms of steps, variants, keys. Mistakes are noted in the source; what is sound is given back. */
export function parsePipeline(source: PipelineSource): Written {
  const root = source.resolve(source.document.contents)
  const written: Written = { inputs: [], steps: [], variants: [] }
  if (isSeq(root)) return { ...written, steps: parseSteps(source, root, root) }
  if (!isMap(root)) {
    if (source.mistakes.length === 0)
      source.note(root as Placed, `Expected steps, got ${kindOf(root, source)}`, 'A pipeline has at least a key steps.')
    return written
  }
  for (const { key, keyNode, value } of source.pairs(root)) {
    if (key === 'steps') written.steps = parseSteps(source, value, keyNode)
    else if (key === 'variants') written.variants = parseVariants(source, value, keyNode)
    else if (key === 'inputs') written.inputs = parseInputs(source, value, keyNode)
    else if (key === 'name') {
      const name = textOf(source, value, 'a name', keyNode)
      if (name !== undefined) written.name = name
    } else if (key === 'output') {
      const template = textOf(source, value, "a pattern such as 'dist/{stem}.{ext}'", keyNode)
      if (template !== undefined) written.output = { template, where: value as Placed }
    } else if (key !== 'description' && key !== '$schema') unknownKey(source, key, keyNode, KEYS)
  }
  const isEmpty = isSeq(root.get('steps')) && written.steps.length === 0
  if (source.mistakes.length === 0 && written.variants.length === 0 && (isEmpty || !root.has('steps')))
    source.note(root, 'Expected at least one step, got none')
  return written
}
