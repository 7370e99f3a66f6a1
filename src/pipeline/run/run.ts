import { join } from 'node:path'
import { type JobRequest, type Runnable, runJob } from '../../job/run.ts'
import type { MediaFile } from '../../media/file.ts'
import type { AnyJob, ToolResult } from '../../tool/contract.ts'
import type { Isolation } from '../isolate/isolation.ts'
import type { PipelinePlan } from '../plan/plan.ts'
import type { StepTime } from '../plan/step-time.ts'
import type { Sink } from './item.ts'
import { PartResults } from './part-results.ts'

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
    | 'staging'
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

/** Runs the whole pipeline on the inputs of one job. */
async function runAll(request: PipelineRequest, job: AnyJob, times: StepTime[]): Promise<VariantResult[]> {
  const { plan, isolation, skip = new Set() } = request
  const wanted = plan.variants.flatMap((variant, index) => (variant.isIntermediate || skip.has(index) ? [] : [index]))
  const parts = new PartResults(plan, { job, times, ...(isolation && { isolation }) }, wanted)
  const results: VariantResult[] = []
  for (const index of wanted) {
    try {
      results.push({ index, result: await parts.output(index, outputSink(request, job, index)) })
    } catch (error) {
      const reason = notWanted(error)
      if (!reason) throw error
      // A rejected name is not a failure of the step.
      if (reason.refusal !== undefined) throw reason.refusal
    }
  }
  return results
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
    staging,
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
  const common = { ...(signal && { signal }), ...(staging && { staging }), ...hooks }
  const limit = timeoutS === undefined ? {} : { timeoutS }
  return runJob(
    { tool, inputs, settings: {}, destination, ownsDestination, strict, ...common, ...limit },
    (_result, stage) => place(results, inOrder(times), stage),
  )
}

/** Steps of the pipeline in order, in whole milliseconds. A skipped variant ended in a step, but nothing failed. */
const inOrder = (times: readonly StepTime[]): StepTime[] =>
  times.map(({ failed: _failed, startedAt: _startedAt, ...time }) => ({ ...time, ms: Math.round(time.ms) }))
