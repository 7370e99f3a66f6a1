import { isMap, isScalar, isSeq } from 'yaml'
import type { DataPath } from './diagnostics.ts'
import type { WrittenPipeline, WrittenVariant } from './parse.ts'
import type { WrittenStep } from './parse-step.ts'
import type { PipelineSource, Placed } from './source.ts'

/** The node at a path below a node, or its closest ancestor. */
function nodeBelow(source: PipelineSource, start: unknown, path: DataPath, isName: boolean): Placed {
  let nearest = start as Placed
  for (const [index, part] of path.entries()) {
    const node = source.resolve(nearest)
    if (isSeq(node)) {
      const item = node.items[Number(part)]
      if (!item) break
      nearest = source.resolve(item) as Placed
      continue
    }
    const pair = isMap(node) && node.items.find(({ key }) => isScalar(key) && String(key.value) === part)
    if (!pair) break
    const isLast = index === path.length - 1
    nearest = ((isLast && isName) || !pair.value ? pair.key : source.resolve(pair.value)) as Placed
  }
  return nearest
}

/** A node of a source. */
export interface SourcePlace {
  source: PipelineSource
  node: Placed
}

/** The source text for a location in a step, which may be in an included file. */
function placeInStep(step: WrittenStep, path: DataPath, isName: boolean): SourcePlace {
  return { source: step.source, node: nodeOfStep(step, path, isName) }
}

function nodeOfStep(step: WrittenStep, path: DataPath, isName: boolean): Placed {
  const { source } = step
  const [part, ...rest] = path
  if (part === 'tool') return step.toolNode
  if (part === 'settings') return nodeBelow(source, step.settingsNode, rest, isName) ?? step.toolNode
  if (part === 'when') return nodeBelow(source, step.whenNode, rest, isName)
  return step.node
}

/** The inputs of a variant can be a single one instead of a list. */
function placeInInputs(
  source: PipelineSource,
  { inputsNode }: WrittenVariant,
  path: DataPath,
  isName: boolean,
): Placed {
  return nodeBelow(source, inputsNode, isMap(inputsNode) ? path.slice(1) : path, isName)
}

/** The source text for a location in the parsed data. */
export function placeOf(
  source: PipelineSource,
  written: WrittenPipeline,
  path: DataPath,
  isName: boolean,
): SourcePlace {
  const [part, index, ...rest] = path as [string?, number?, ...(string | number)[]]
  const here = (node: Placed): SourcePlace => ({ source, node })
  if (part === 'steps' && written.steps[index!]) return placeInStep(written.steps[index!]!, rest, isName)
  if (part === 'output') return here(written.outputNode)
  const variant = part === 'variants' ? written.variants[index!] : undefined
  if (!variant) return here(source.document.contents)
  const [inside, number, ...below] = rest
  if (inside === 'when') return here(nodeBelow(source, variant.whenNode, rest.slice(1), isName))
  if (inside === 'name') return here(variant.nameNode ?? variant.node)
  if (inside === 'inputs') return here(placeInInputs(source, variant, rest.slice(1), isName))
  if (inside === 'output') return here(variant.outputNode ?? variant.node)
  const step = inside === 'steps' ? variant.steps[Number(number)] : undefined
  return step ? placeInStep(step, below, isName) : here(variant.node)
}
