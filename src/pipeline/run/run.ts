import { join } from 'node:path'
import { type JobRequest, type Runnable, runJob } from '../../job/run.ts'
import { firstOf } from '../../lists.ts'
import type { MediaFile } from '../../media/file.ts'
import type { AnyJob, ToolResult } from '../../tool/contract.ts'
import type { Isolation } from '../isolate/isolation.ts'
import { type Group, groupSteps, type PipelinePlan, type PlannedStep, type PlannedVariant } from '../plan/plan.ts'
import type { StepTime } from '../plan/step-time.ts'
import type { Item, Items, Sink } from './item.ts'
import { openFurther, pipelineManner, type RunContext, scratchSink } from './run-context.ts'
import { asFiles, finish, runGroups } from './run-groups.ts'

export type { StepTime } from '../plan/step-time.ts'

/** The result of one variant. */
export interface VariantResult {
  /** Its index in the plan, from 0. */
  index: number
  result: ToolResult
}

export interface PipelineRequest
  extends Pick<
    JobRequest,
    | 'destination'
    | 'ownsDestination'
    | 'signal'
    | 'timeoutS'
    | 'strict'
    | 'onProgress'
    | 'onWarning'
    | 'onMoreTime'
    | 'onInputLimit'
  > {
  plan: PipelinePlan
  /** Threads for steps that would block this one. */
  isolation?: Isolation
  /** One file if the first step takes one; otherwise all of its files. */
  inputs: readonly MediaFile[]
  /** Variants to skip, by index. */
  skip?: ReadonlySet<number>
  /**
   * Called when a variant names an output, before it is made. False skips the variant; an exception ends the job before
   * anything is lost.
   */
  onOutput?: (variant: number, name: string) => Promise<boolean>
  /** Filled during the run, for callers that report progress after a failure. */
  times?: StepTime[]
}

/** Moves finished variants to their destinations, while the staging folder still exists. */
export type PlaceVariants<T> = (
  results: readonly VariantResult[],
  times: readonly StepTime[],
  stage: (name: string) => Promise<string>,
) => Promise<T>

const stepsOf = (groups: readonly Group[]): PlannedStep[] => groups.flatMap(({ steps }) => steps)

/** Thrown by a sink if its variant is to be skipped after all, or its name is rejected. */
class NotWanted extends Error {
  readonly refusal: unknown

  constructor(refusal?: unknown) {
    super('not wanted')
    this.refusal = refusal
  }
}

/** The reason of a sink's rejection, also if steps wrapped it; undefined for other failures. */
function notWanted(error: unknown): NotWanted | undefined {
  for (let one = error; one instanceof Error; one = one.cause) if (one instanceof NotWanted) return one
  return undefined
}

/** The files of a variant go into their own subfolder of the staging folder. */
function outputSink(request: PipelineRequest, job: AnyJob, index: number): Sink {
  return async (name) => {
    const isWanted = await request.onOutput?.(index, name).catch((error: unknown) => {
      throw new NotWanted(error)
    })
    if (isWanted === false) throw new NotWanted()
    return job.output(join(`variant-${index}`, name))
  }
}

/** The result of the common steps, prepared for several variants: open images are computed once, not per variant. */
async function shared(items: Items): Promise<Items> {
  const list: Item[] = []
  for (const item of items.list) {
    const { picture } = item
    list.push(picture ? { ...item, picture: { ...picture, frame: await picture.frame.settled() } } : item)
  }
  return { ...items, list }
}

async function runVariant(
  context: RunContext,
  plan: PipelinePlan,
  { groups }: PlannedVariant,
  items: Items,
  sink: Sink,
): Promise<ToolResult> {
  // With conditions, all steps may be skipped: the input is the result.
  const last = stepsOf([...plan.common, ...groups]).at(-1)
  const done = await runGroups(context, groups, items, sink)
  return finish(context, done, last, groups.length > 0, sink)
}

/** Runs the whole pipeline on the inputs of one job. */
async function runAll(request: PipelineRequest, job: AnyJob, times: StepTime[]): Promise<VariantResult[]> {
  const { plan, isolation, skip = new Set() } = request
  const wanted = plan.variants.map((variant, index) => ({ variant, index })).filter(({ index }) => !skip.has(index))
  const weight =
    stepsOf(plan.common).length + wanted.reduce((sum, { variant }) => sum + stepsOf(variant.groups).length, 0)
  const further = openFurther()
  const context: RunContext = {
    job,
    variant: '',
    progress: { from: 0, part: 1 },
    times,
    ...(isolation && { isolation }),
    ...pipelineManner('', further),
  }
  let from = 0
  const next = (groups: readonly Group[]): RunContext['progress'] => {
    const part = stepsOf(groups).length / Math.max(1, weight)
    from += part
    return { from: from - part, part }
  }
  const inputs = { list: job.inputs.map((file): Item => ({ name: file.name, file })) }
  const isAlone = plan.variants.length === 1
  const results: VariantResult[] = []
  // Without variants there is no boundary after the common steps. With some, each gives the same result whichever
  // others run.
  const common = isAlone
    ? inputs
    : await runCommon(
        context,
        plan,
        inputs,
        next(plan.common),
        wanted.map(({ variant }) => variant),
      )
  for (const { variant, index } of wanted) {
    const groups = isAlone ? groupSteps(stepsOf([...plan.common, ...variant.groups])) : variant.groups
    const own = { ...context, variant: variant.name, progress: next(groups), ...pipelineManner(variant.name, further) }
    try {
      const result = await runVariant(own, plan, { ...variant, groups }, common, outputSink(request, job, index))
      results.push({ index, result })
    } catch (error) {
      const reason = notWanted(error)
      if (!reason) throw error
      // A rejected name is not a failure of the step.
      if (reason.refusal !== undefined) throw reason.refusal
    }
  }
  return results
}

async function runCommon(
  context: RunContext,
  plan: PipelinePlan,
  inputs: Items,
  progress: RunContext['progress'],
  variants: readonly PlannedVariant[],
): Promise<Items> {
  const own = { ...context, progress }
  const items = await runGroups(own, plan.common, inputs)
  const goesOn = variants.some(({ groups }) => groups.length === 0 || firstOf(groups).medium === 'image')
  if (goesOn || !items.list.some(({ picture }) => picture)) return shared(items)
  // Every variant starts from a file: one encode serves them all.
  return asFiles(own, items, stepsOf(plan.common).at(-1), await scratchSink(own))
}

/**
 * Runs a pipeline on the inputs of one job, for all callers: staging, time limit, cancelling and clean-up are as for
 * any job. Nothing is left behind unless `place` moves it.
 * @throws MediaprocError only; the message of a failed step starts with its number and tool
 */
export async function runPipeline<T>(request: PipelineRequest, place: PlaceVariants<T>): Promise<T> {
  const {
    plan,
    inputs,
    destination,
    ownsDestination = false,
    signal,
    timeoutS,
    strict = false,
    onProgress,
    onWarning,
    onMoreTime,
    onInputLimit,
    times = [],
  } = request
  let results: VariantResult[] = []
  const tool: Runnable = {
    id: plan.name,
    section: 'pipeline',
    input: plan.input,
    timeoutS: plan.timeoutS,
    async run(job) {
      results = await runAll(request, job, times)
      return { files: results.flatMap(({ result }) => result.files) }
    },
  }
  const hooks = {
    ...(onProgress && { onProgress }),
    ...(onWarning && { onWarning }),
    ...(onMoreTime && { onMoreTime }),
    ...(onInputLimit && { onInputLimit }),
  }
  const common = { ...(signal && { signal }), ...hooks }
  const limit = timeoutS === undefined ? {} : { timeoutS }
  return runJob(
    { tool, inputs, settings: {}, destination, ownsDestination, strict, ...common, ...limit },
    (_result, stage) => place(results, inOrder(times), stage),
  )
}

/** Steps of the pipeline in order, in whole milliseconds. A skipped variant ended in a step, but nothing failed. */
const inOrder = (times: readonly StepTime[]): StepTime[] =>
  times.map(({ failed: _failed, ...time }) => ({ ...time, ms: Math.round(time.ms) }))
