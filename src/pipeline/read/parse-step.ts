import { isMap, isScalar, isSeq, type YAMLMap } from 'yaml'
import { nearest } from '../../tool/validate.ts'
import { type StepData, valueInWords } from '../plan/check-step.ts'
import { isScalarValue } from './parameter.ts'
import type { PipelineSource, Placed, SourcePair } from './source.ts'

/** A step and its source nodes; whether the tool exists is checked later. */
export interface WrittenStep extends StepData {
  /** The source with its nodes, perhaps of an included file. */
  source: PipelineSource
  node: Placed
  toolNode: Placed
  /** Used to look up locations of values. */
  settingsNode: Placed
  whenNode?: Placed
}

/** The value of a node, for messages. */
export const inWords = (source: PipelineSource, node: unknown): string =>
  valueInWords(isMap(node) ? {} : isSeq(node) ? [] : source.value(node))

/** Records a key that does not exist here. */
export function unknownKey(source: PipelineSource, key: string, where: Placed, known: readonly string[]): void {
  const near = nearest(key, known)
  source.note(where, `There is no key ${key} here`, near ? `Did you mean ${near}?` : `Known are ${known.join(', ')}.`)
}

/** A text that is not empty; anything else is recorded. */
export function textOf(source: PipelineSource, node: unknown, what: string, where: Placed): string | undefined {
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
  ...{ source, tool, node, toolNode },
  ...(source.including && source.file.folder !== undefined && { folder: source.file.folder }),
  ...(source.including && { from: source.including.shown }),
  settings: source.value(settings),
  settingsNode: isScalar(settings) && settings.value === null ? undefined : (settings as Placed),
})

/** Records a variable in the name of a tool: values never change what runs. */
function hasFixedName(source: PipelineSource, name: string, where: Placed): boolean {
  if (!name.includes('${')) return true
  const hint = 'Write a step for each tool, with when, or pipelines that include the same steps.'
  source.note(where, `A tool is named literally, and ${name} has a variable`, hint)
  return false
}

/** `{tool: image/resize, settings: {…}}`, or with `toolId` as over HTTP. */
function longStep(source: PipelineSource, node: YAMLMap, pairs: readonly SourcePair[]): WrittenStep | undefined {
  let tool: { name: string; where: Placed } | undefined
  let settings: unknown
  for (const { key, keyNode, value } of pairs) {
    if (key === 'settings') settings = value
    else if (key === 'when') continue
    else if (key !== 'tool' && key !== 'toolId') unknownKey(source, key, keyNode, ['tool', 'settings', 'when'])
    else if (tool) source.note(keyNode, 'A step names one tool: tool and toolId mean the same')
    else if (isScalar(value) && !hasFixedName(source, String(value.value), value)) return undefined
    else {
      const name = textOf(source, value, 'the name of a tool', keyNode)
      if (name !== undefined) tool = { name, where: value as Placed }
    }
  }
  if (!tool) return undefined
  return stepOf(source, node, tool.name, tool.where, settings)
}

/** `image/resize: {width: 800}`, the long form, or only a tool name. */
export function parseStep(source: PipelineSource, node: unknown): WrittenStep | undefined {
  if (isScalar(node) && typeof node.value === 'string')
    return hasFixedName(source, node.value, node) ? stepOf(source, node, node.value, node, undefined) : undefined
  if (!isMap(node)) {
    const hint = 'Such as - image/resize: { width: 800 }'
    source.note(node as Placed, `Expected a tool with its settings, got ${inWords(source, node)}`, hint)
    return undefined
  }
  const pairs = source.pairs(node)
  const isLong = pairs.some(({ key }) => key === 'tool' || key === 'toolId')
  const step = isLong ? longStep(source, node, pairs) : shortStep(source, node, pairs)
  const when = pairs.find(({ key }) => key === 'when')
  if (!step || !when) return step
  return { ...step, when: source.value(when.value) ?? null, whenNode: (when.value as Placed) ?? when.keyNode }
}

/** `image/resize: {width: 800}`, perhaps with a condition. */
function shortStep(source: PipelineSource, node: YAMLMap, all: readonly SourcePair[]): WrittenStep | undefined {
  const pairs = all.filter(({ key }) => key !== 'when')
  const [first] = pairs
  if (!first || pairs.length > 1) {
    const names = pairs.map(({ key }) => key).join(', ')
    const where = pairs[1]?.keyNode ?? node
    const hint = 'A step begins with a dash; its settings are indented below its tool.'
    source.note(where, `Expected one tool in a step, got ${pairs.length === 0 ? 'none' : names}`, hint)
    return undefined
  }
  if (!hasFixedName(source, first.key, first.keyNode)) return undefined
  return stepOf(source, node, first.key, first.keyNode, first.value)
}
