import { toMediaprocError } from '../errors.ts'
import type { Runnable } from '../job/run.ts'
import { convertedName, extensionLike, filledSuffix, suffixedName } from '../media/naming.ts'
import type { Job, Tool, ToolResult } from '../tool/contract.ts'
import type { Isolation } from './isolation.ts'
import type { Item } from './item.ts'
import { groupSteps, type PlannedStep } from './plan.ts'
import type { RunContext, RunManner } from './run-context.ts'
import { finish, runGroups } from './run-groups.ts'

/** A tool by itself names what comes out as it declares, and tells failures as they are. */
export function aloneManner(
  { medium, naming }: Tool,
  settings: Readonly<Record<string, unknown>>,
  secondary: Job['secondary'],
): RunManner {
  return {
    isAlone: true,
    secondary: async () => secondary,
    failure: (error) => toMediaprocError(error),
    phaseOf: () => 'encoding',
    nameOf: ({ name, isNamed, picture }: Item, extension) => {
      if (isNamed || !naming) return name
      const file = { name: picture?.origin.name ?? name }
      const suffix = filledSuffix(naming.suffix, settings)
      if (naming.converts) return convertedName(file, suffix, extension)
      return suffixedName(file, suffix, medium === 'image' ? extensionLike(file, extension) : extension)
    },
  }
}

/** One tool on the inputs of one job: a plan of one step. */
async function runAlone(
  tool: Tool,
  job: Job,
  settings: Record<string, unknown>,
  isolation?: Isolation,
): Promise<ToolResult> {
  const name = `${tool.section}/${tool.id}`
  const step: PlannedStep = { number: 1, name, tool, settings, given: settings, secondary: {} }
  const context: RunContext = {
    job,
    variant: '',
    progress: { from: 0, part: 1 },
    times: [],
    ...(isolation && { isolation }),
    ...aloneManner(tool, settings, job.secondary),
  }
  const inputs = { list: job.inputs.map((file): Item => ({ name: file.name, file })) }
  const sink = (output: string): Promise<string> => job.output(output)
  const items = await runGroups(context, groupSteps([step]), inputs, sink)
  return finish(context, items, step, true, sink)
}

/**
 * What the job runner runs for a tool or an action: general code itself, everything else as a plan of one step.
 * @param isolation threads for what would block this one
 */
export function runnable(tool: Tool, isolation?: Isolation): Runnable {
  const { id, section, input, timeoutS } = tool
  const run =
    tool.medium === 'general'
      ? tool.run
      : (job: Job, settings: Record<string, unknown>) => runAlone(tool, job, settings, isolation)
  return { id, section, input, timeoutS, run }
}
