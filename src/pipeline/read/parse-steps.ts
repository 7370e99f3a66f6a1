import { isMap, isScalar, isSeq, type YAMLMap } from 'yaml'
import { MediaprocError } from '../../errors.ts'
import { nearest } from '../../tool/validate.ts'
import { parseParameters } from './parameters.ts'
import { inWords, parseStep, unknownKey, type WrittenStep } from './parse-step.ts'
import { openIncluded } from './read-included.ts'
import type { PipelineSource, Placed, SourcePair } from './source.ts'

/** The keys of a pipeline that an included file cannot have. */
const ONLY_PIPELINES = ['variants', 'matrix', 'rows', 'inputs', 'output', 'manifest']

const KEYS = ['steps', 'params', 'name', 'description', '$schema'] as const

/** A list of steps; the steps of included files replace their includes. */
export function parseSteps(source: PipelineSource, node: unknown, where: Placed): WrittenStep[] {
  if (!isSeq(node)) {
    source.note((node as Placed) ?? where, `Expected a list of steps, got ${inWords(source, node)}`)
    return []
  }
  return node.items.flatMap((item) => {
    const step = source.resolve(item)
    if ((source.including || isInclude(step)) && !source.mayInclude(step as Placed)) return []
    return isInclude(step) ? includedSteps(source, step) : (parseStep(source, step) ?? [])
  })
}

const isInclude = (node: unknown): node is YAMLMap =>
  isMap(node) && node.items.some(({ key }) => isScalar(key) && key.value === 'include')

/** Replaces an include whose steps are unknown. */
const unreadable = (source: PipelineSource, node: Placed): WrittenStep => ({
  ...{ source, tool: '', node, toolNode: node, settingsNode: undefined },
  isUnreadable: true,
})

/** `{ include: steps/web.yaml, with: { width: 800 } }` */
function includedSteps(source: PipelineSource, node: YAMLMap): WrittenStep[] {
  const pairs = source.pairs(node)
  const before = source.diagnostics.length
  for (const { key, keyNode } of pairs)
    if (key === 'when')
      source.note(keyNode, 'An include cannot have a condition', 'Give it to the steps in the included file.')
    else if (key !== 'include' && key !== 'with') unknownKey(source, key, keyNode, ['include', 'with'])
  const pair = pairs.find(({ key }) => key === 'include')
  const name = pair && nameOf(source, pair)
  if (!pair || name === undefined || source.diagnostics.length > before) return [unreadable(source, node)]
  const own = openIncluded(source, name, (pair.value as Placed) ?? pair.keyNode)
  const steps =
    own &&
    stepsOf(
      own,
      source,
      pair.keyNode,
      pairs.find(({ key }) => key === 'with'),
    )
  return steps ?? [unreadable(source, node)]
}

/** The path of an include, which is literal: values never change what runs. */
function nameOf(source: PipelineSource, { keyNode, value }: SourcePair): string | undefined {
  const name = isScalar(value) ? value.value : undefined
  const where = (value as Placed) ?? keyNode
  if (typeof name !== 'string' || name === '')
    source.note(where, `Expected the file of steps to include, got ${inWords(source, value)}`)
  else if (name.includes('${'))
    source.note(
      where,
      `The path of an include is literal, and ${name} has a variable`,
      'Give the file values with with.',
    )
  else if (/^https?:/i.test(name)) source.note(where, `Expected a local file to include, got ${name}`)
  else return name
  return undefined
}

/** The steps of an included file; undefined if they are unknown after a mistake. */
function stepsOf(
  own: PipelineSource,
  source: PipelineSource,
  where: Placed,
  given: SourcePair | undefined,
): WrittenStep[] | undefined {
  if (!own.isReadable) return undefined
  const root = own.resolve(own.document.contents)
  if (!isMap(root) && !isSeq(root)) {
    own.note(root as Placed, `Expected steps, got ${inWords(own, root)}`, 'An included file has a key steps.')
    return undefined
  }
  const pairs = isMap(root) ? own.pairs(root) : []
  for (const { key, keyNode } of pairs) {
    if (ONLY_PIPELINES.includes(key))
      own.note(keyNode, `An included file has only steps and params, not ${key}`, 'Move it to the pipeline.')
    else if (!(KEYS as readonly string[]).includes(key) && !key.startsWith('x-')) unknownKey(own, key, keyNode, KEYS)
  }
  const params = pairs.find(({ key }) => key === 'params')
  if (!passParameters(own, params, source, where, given)) return undefined
  if (isSeq(root)) return parseSteps(own, root, root)
  const steps = pairs.find(({ key }) => key === 'steps')
  if (!steps) own.note(root, 'Expected steps, got none')
  return steps && parseSteps(own, steps.value, steps.keyNode)
}

/** Gives an included file its parameters. @returns whether all have a value */
function passParameters(
  own: PipelineSource,
  params: SourcePair | undefined,
  source: PipelineSource,
  where: Placed,
  given: SourcePair | undefined,
): boolean {
  const file = own.including?.shown ?? ''
  const before = source.diagnostics.length
  if (given && !isMap(given.value))
    source.note(
      (given.value as Placed) ?? given.keyNode,
      `Expected parameters for ${file}, got ${inWords(source, given.value)}`,
    )
  const values = new Map((given && isMap(given.value) ? source.pairs(given.value) : []).map((pair) => [pair.key, pair]))
  const declared = params
    ? parseParameters(own, params.value, params.keyNode, {
        get: (name) => source.value(values.get(name)?.value),
        missing: ({ name }) => {
          const hint = `Give it in the include, such as with: { ${name}: … }`
          source.note(given?.keyNode ?? where, `${file} needs the parameter ${name}`, hint)
        },
        wrong: ({ name }, error) => {
          if (!(error instanceof MediaprocError)) throw error
          source.note((values.get(name)?.value as Placed) ?? where, error.message)
        },
      })
    : []
  const names = declared.map(({ name }) => name)
  for (const { key, keyNode } of values.values()) {
    if (names.includes(key)) continue
    const near = nearest(key, names)
    const known = names.length === 0 ? 'It has none.' : `It has ${names.join(', ')}.`
    source.note(keyNode, `${file} has no parameter ${key}`, near ? `Did you mean ${near}?` : known)
  }
  return !own.lacksParameters && source.diagnostics.length === before
}
