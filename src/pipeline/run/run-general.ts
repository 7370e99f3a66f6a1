import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { checkAccepted, checkCount, checkSecondary } from '../../job/accept.ts'
import { firstOf, zip } from '../../lists.ts'
import type { PlannedStep } from '../plan/plan.ts'
import { fileOf, type Item, type Items, itemOf, type Sink } from './item.ts'
import { noteWritten, type RunContext, stepContext, timed } from './run-context.ts'

async function runOnce(context: RunContext, step: PlannedStep, items: readonly Item[], sink: Sink): Promise<Items> {
  const { tool, name } = step
  if (tool.medium !== 'general') {
    const { produce } = await import('./run-produce.ts')
    return timed(context, step, 1, () => produce(context, step, items, sink))
  }
  const result = await timed(context, step, 1, async () => {
    const inputs = await Promise.all(items.map(fileOf))
    checkCount(tool.input, inputs.length, name)
    for (const file of inputs) checkAccepted(tool.input.accept, file, name)
    const own = await stepContext(context, step)
    checkSecondary(tool, own.secondary, name)
    const scratch = await mkdtemp(join(await context.job.scratch(), 'tool-'))
    return tool.run({ ...own, inputs, output: sink, scratch: async () => scratch }, structuredClone(step.settings))
  })
  const { files, ...others } = result
  return { ...others, list: files.map(itemOf) }
}

/** A step that cannot be fused, on all items together or on each one. */
export async function runGeneral(
  context: RunContext,
  step: PlannedStep,
  items: Items,
  sinks: () => Promise<Sink>,
): Promise<Items> {
  const isGathered = step.tool.input.files !== 'one' || items.list.length === 0
  const jobs: (readonly Item[])[] = isGathered ? [items.list] : items.list.map((item) => [item])
  const results: Items[] = []
  for (const inputs of jobs) results.push(await runOnce(context, step, inputs, await sinks()))
  const list = results.flatMap((result) => result.list)
  await noteWritten(
    context,
    step,
    list.flatMap(({ made }) => made ?? []),
  )
  if (results.length === 1) {
    const set = !isGathered && items.set !== undefined ? items.set : firstOf(results).set
    return { ...firstOf(results), ...(set !== undefined && { set }) }
  }
  const named = zip(items.list, results).flatMap(([{ name }, { report }]) => (report ? [[name, report]] : []))
  return {
    list,
    ...(items.set !== undefined && { set: items.set }),
    ...(named.length > 0 && { report: Object.fromEntries(named) as Record<string, unknown> }),
  }
}
