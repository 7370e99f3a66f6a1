import { isMap, isScalar, isSeq } from 'yaml'
import type { DataPath } from './diagnostics.ts'
import type { WrittenPipeline } from './parse.ts'
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

function nodeOfStep(source: PipelineSource, step: WrittenStep, path: DataPath, isName: boolean): Placed {
  const [part, ...rest] = path
  if (part === 'tool') return step.toolNode
  if (part === 'settings') return nodeBelow(source, step.settingsNode, rest, isName) ?? step.toolNode
  if (part === 'when') return nodeBelow(source, step.whenNode, rest, isName)
  return step.node
}

/** The source text for a location in the parsed data. */
export function nodeOf(source: PipelineSource, written: WrittenPipeline, path: DataPath, isName: boolean): Placed {
  const [part, index, ...rest] = path as [string?, number?, ...(string | number)[]]
  if (part === 'steps' && written.steps[index!]) return nodeOfStep(source, written.steps[index!]!, rest, isName)
  if (part === 'output') return written.outputNode
  const variant = part === 'variants' ? written.variants[index!] : undefined
  if (!variant) return source.document.contents
  const [inside, number, ...below] = rest
  if (inside === 'when') return nodeBelow(source, variant.whenNode, rest.slice(1), isName)
  if (inside === 'name') return variant.nameNode ?? variant.node
  const step = inside === 'steps' ? variant.steps[Number(number)] : undefined
  return step ? nodeOfStep(source, step, below, isName) : variant.node
}
