import { toMediaprocError } from '../../errors.ts'
import type { Runnable } from '../../job/run.ts'
import { convertedName, extensionLike, filledSuffix, suffixedName } from '../../media/naming.ts'
import type { AnyJob, Tool, ToolResult } from '../../tool/contract.ts'
import type { Isolation } from '../isolate/isolation.ts'
import { groupSteps, isFusible, type PlannedStep } from '../plan/plan.ts'
import { type Item, type Items, withExtension } from './item.ts'
import type { RunContext, RunManner } from './run-context.ts'
import { finish, runGroups } from './run-groups.ts'

/** A single tool names its outputs as declared, and reports failures unchanged. */
export function aloneManner(
  { medium, naming }: Tool,
  settings: Readonly<Record<string, unknown>>,
  secondary: AnyJob['secondary'],
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

/**
 * The step that converts from a type, given by extension, to the requested one; undefined if the type is already right,
 * or no tool converts it.
 */
export type Conversion = (extension: string) => Promise<PlannedStep | undefined>

/** The type was requested, so a larger file is no reason to return the input unchanged. */
function ofItsType(item: Item): Item {
  const { picture } = item
  if (!picture?.frame.target.neverLarger) return item
  return { ...item, picture: { ...picture, frame: picture.frame.withTarget({ neverLarger: 'of its type' }) } }
}

/** Converts open images to the type that the output name requires. */
async function convertedPictures(context: RunContext, items: Items, conversion: Conversion): Promise<Items> {
  const [{ formatOf }, { runImageSteps }] = await Promise.all([
    import('../../media/image/encode/fit-to-format.ts'),
    import('./run-image.ts'),
  ])
  const list: Item[] = []
  for (const item of items.list) {
    const step = item.picture && (await conversion(formatOf(item.picture.frame).extension))
    if (!step || !isFusible(step)) list.push(item)
    else {
      const { picture, ...converted } = ofItsType(await runImageSteps(context, [step], item))
      // A name chosen by the tool gets the extension of the new type.
      const name = item.isNamed ? withExtension(item.name, formatOf(picture!.frame).extension) : item.name
      list.push({ ...converted, picture: picture!, name })
    }
  }
  return { ...items, list }
}

/**
 * Runs one tool on the inputs of one job: a plan of one step, plus a conversion if the output name has another type.
 */
async function runAlone(
  tool: Tool,
  job: AnyJob,
  settings: Record<string, unknown>,
  { isolation, conversion }: RunnableOptions,
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
  const { medium } = tool
  const last = medium === 'av' && job.inputs[0] ? await conversion?.(job.inputs[0].type.id) : undefined
  const items = await runGroups(context, groupSteps(last ? [step, last] : [step]), inputs, sink)
  const ready = medium === 'image' && conversion ? await convertedPictures(context, items, conversion) : items
  return finish(context, ready, step, true, sink)
}

export interface RunnableOptions {
  /** Threads for work that would block this one. */
  isolation?: Isolation
  /** The name of the output. */
  conversion?: Conversion
}

/**
 * The function that the job runner calls for a tool or action: general code itself, everything else as a plan of one
 * step.
 */
export function runnable(tool: Tool, options: RunnableOptions = {}): Runnable {
  const { id, section, input, timeoutS } = tool
  const run =
    tool.medium === 'general'
      ? tool.run
      : (job: AnyJob, settings: Record<string, unknown>) => runAlone(tool, job, settings, options)
  return { id, section, input, timeoutS, run }
}
