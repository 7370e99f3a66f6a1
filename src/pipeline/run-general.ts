import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { checkAccepted, checkCount, checkSecondary } from '../job/accept.ts'
import type { MediaFile } from '../media/file.ts'
import type { ToolResult } from '../tool/contract.ts'
import type { Sink } from './item.ts'
import type { PlannedStep } from './plan.ts'
import { type RunContext, stepContext, timed } from './run-context.ts'

/** A step that cannot be fused, on the files that it takes for one job. */
export function runGeneralStep(
  context: RunContext,
  step: PlannedStep,
  inputs: readonly MediaFile[],
  sink: Sink,
): Promise<ToolResult> {
  const { tool, name } = step
  return timed(context, step, 1, async () => {
    checkCount(tool.input, inputs.length, name)
    for (const file of inputs) checkAccepted(tool.input.accept, file, name)
    const own = await stepContext(context, step)
    checkSecondary(tool, own.secondary, name)
    const scratch = await mkdtemp(join(await context.job.scratch(), 'tool-'))
    return tool.run({ ...own, inputs, output: sink, scratch: async () => scratch }, structuredClone(step.settings))
  })
}
