import { isMap, isSeq } from 'yaml'
import { nearest } from '../../tool/validate.ts'
import { counted } from '../../wording.ts'
import { valueInWords } from '../plan/check-step.ts'
import { isScalarValue, type Parameters, type Scalar } from './parameter.ts'
import { checkParameterName } from './parameters.ts'
import type { PipelineSource, Placed, SourcePair } from './source.ts'

/** Maximum number of combinations of a matrix. */
export const MAX_COMBINATIONS = 64

/** One combination of the values of a matrix. */
export interface Combination {
  /** Its part of the variant's name: `320-webp`. */
  name: string
  parameters: Parameters
}

interface Axis {
  name: string
  values: readonly Scalar[]
}

/** A value as part of a variant's name, which is part of file names. */
const namePart = (value: Scalar): string => String(value).replace(/[/\\:*?"<>|{}\u0000-\u001f]/g, '_')

const nameOf = (parameters: Parameters): string => [...parameters.values()].map(namePart).join('-')

function axisOf(source: PipelineSource, { key, keyNode, value }: SourcePair): Axis | undefined {
  if (!checkParameterName(source, key, keyNode)) return undefined
  if (source.parameters.has(key)) {
    source.note(keyNode, `The matrix cannot have ${key}: it is a parameter`, 'Give one of them another name.')
    return undefined
  }
  if (!isSeq(value) || value.items.length === 0) {
    const got = isSeq(value) ? 'none' : valueInWords(source.value(value))
    source.note((value as Placed) ?? keyNode, `Expected a list of values for ${key}, got ${got}`, 'Such as [320, 640]')
    return undefined
  }
  const values = new Map<string, Scalar>()
  for (const item of value.items) {
    const one = source.value(item)
    const where = source.resolve(item) as Placed
    if (!isScalarValue(one) || one === '')
      source.note(where, `Expected a text, number or boolean for ${key}, got ${valueInWords(one)}`)
    else if (values.has(namePart(one).toLowerCase())) source.note(where, `The value ${one} of ${key} is given twice`)
    else values.set(namePart(one).toLowerCase(), one)
  }
  return { name: key, values: [...values.values()] }
}

function combinationsOf(axes: readonly Axis[]): Map<string, Scalar>[] {
  return axes.reduce<Map<string, Scalar>[]>(
    (before, { name, values }) => before.flatMap((one) => values.map((value) => new Map([...one, [name, value]]))),
    [new Map()],
  )
}

/** The combinations that a row of `exclude` means. */
function excludedBy(
  source: PipelineSource,
  node: unknown,
  axes: readonly Axis[],
  all: readonly Parameters[],
): readonly Parameters[] {
  const row = source.resolve(node)
  if (!isMap(row)) {
    source.note(row as Placed, `Expected named values to exclude, got ${valueInWords(source.value(row))}`)
    return []
  }
  const wanted = new Map<string, string>()
  for (const { key, keyNode, value } of source.pairs(row)) {
    const names = axes.map(({ name }) => name)
    const axis = axes.find(({ name }) => name === key)
    const text = String(source.value(value))
    if (!axis) {
      const near = nearest(key, names)
      source.note(keyNode, `The matrix has no ${key}`, near ? `Did you mean ${near}?` : `It has ${names.join(', ')}.`)
      return []
    }
    if (!axis.values.some((one) => String(one) === text)) {
      source.note((value as Placed) ?? keyNode, `The matrix has no ${key} ${text}`, `It has ${axis.values.join(', ')}.`)
      return []
    }
    wanted.set(key, text)
  }
  if (wanted.size === 0) source.note(row, 'Expected named values to exclude, got none')
  return wanted.size === 0
    ? []
    : all.filter((one) => [...wanted].every(([name, text]) => String(one.get(name)) === text))
}

/**
 * Reads `matrix`: all combinations of the values of its names, without those of `exclude`. A mistake is a diagnostic;
 * the result is then empty.
 */
export function parseMatrix(source: PipelineSource, node: unknown, where: Placed): Combination[] {
  const before = source.diagnostics.length
  if (!isMap(node)) {
    const hint = 'Such as matrix: { width: [320, 640], format: [webp, avif] }'
    const got = valueInWords(source.value(node))
    source.note((node as Placed) ?? where, `Expected names with lists of values, got ${got}`, hint)
    return []
  }
  const pairs = source.pairs(node)
  const axes = pairs.filter(({ key }) => key !== 'exclude').flatMap((pair) => axisOf(source, pair) ?? [])
  if (source.diagnostics.length > before) return []
  if (axes.length === 0) source.note(node, 'Expected names with lists of values, got none')
  const count = axes.reduce((product, { values }) => product * values.length, 1)
  // Excluded combinations count as well, so that a limit on the size is one on the work.
  if (count > MAX_COMBINATIONS)
    source.note(where, `A matrix has at most ${counted(MAX_COMBINATIONS, 'combination')}, and this has ${count}`)
  if (source.diagnostics.length > before) return []
  const all = combinationsOf(axes)
  const excluded = new Set<Parameters>()
  for (const { key, keyNode, value } of pairs) {
    if (key !== 'exclude') continue
    if (!isSeq(value)) source.note((value as Placed) ?? keyNode, 'Expected a list of combinations to exclude')
    else for (const item of value.items) for (const one of excludedBy(source, item, axes, all)) excluded.add(one)
    if (excluded.size === all.length) source.note(keyNode, 'This excludes all combinations')
  }
  if (source.diagnostics.length > before) return []
  source.readsRepeatedly = true
  return all.filter((one) => !excluded.has(one)).map((parameters) => ({ name: nameOf(parameters), parameters }))
}
