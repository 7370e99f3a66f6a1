import { join } from 'node:path'
import { MediaprocError } from '../errors.ts'
import { type Runnable, runJob } from '../job/run.ts'
import type { PipelinePlan, PlannedStep, PlannedVariant } from '../pipeline/plan/plan.ts'
import type { PipelineRequest, PlaceVariants, StepTime, VariantResult } from '../pipeline/run/run.ts'
import type { AnyJob } from '../tool/contract.ts'
import type { ServerResult } from './job.ts'
import { fetchResult, outcomeOf } from './results.ts'
import { settingsToSend } from './settings.ts'
import { definitionOf, PIPELINE_PATH, type Remote, sendJob } from './tool.ts'

const refusal = (what: string): MediaprocError =>
  new MediaprocError('USAGE', `A server cannot run this pipeline: ${what}`, {
    hint: { shell: 'Run it without --server, or its steps as commands of their own.' },
  })

/** @throws USAGE for steps that the HTTP contract has no form for */
function checkStep({ number, name, secondary, references, when }: PlannedStep): void {
  const step = `step ${number} (${name})`
  if (Object.keys(secondary).length > 0 || references) throw refusal(`${step} names additional files`)
  if (when) throw refusal(`the condition of ${step} depends on an earlier step`)
}

/** All steps on the path of a variant. */
function stepsOf(plan: PipelinePlan, { groups, inputs }: PlannedVariant): PlannedStep[] {
  if (inputs) throw refusal('a variant begins with the results of others')
  const steps = [...plan.common, ...groups].flatMap((group) => group.steps)
  for (const step of steps) checkStep(step)
  return steps
}

/** Sizes of the steps. The server measures no times of single steps: that of the whole run counts for the last one. */
function timesOf(result: ServerResult, steps: readonly PlannedStep[], variant: string, ms: number): StepTime[] {
  const sizes = Array.isArray(result.steps) ? (result.steps as { step: number; size: number; fused?: number }[]) : []
  return sizes.map(({ step, size, fused = 1 }, index) => ({
    ...{ step, tool: steps[step - 1]?.name ?? '', fused },
    ...(variant !== '' && { variant }),
    ...{ ms: index === sizes.length - 1 ? ms : 0 },
    ...(size > 0 && { bytes: size }),
  }))
}

/** Runs the variants of a pipeline one after the other; each sends its inputs, which the server then has. */
async function runVariants(remote: Remote, request: PipelineRequest, job: AnyJob, times: StepTime[]) {
  const { plan, skip = new Set() } = request
  if (job.inputs.length > 1) throw refusal('its first step takes several files')
  const results: VariantResult[] = []
  for (const [index, variant] of plan.variants.entries()) {
    if (variant.isIntermediate || skip.has(index)) continue
    const steps = stepsOf(plan, variant)
    const begun = performance.now()
    const pipeline = definitionOf(
      steps.map(({ tool, settings }) => ({ toolId: tool.id, settings: settingsToSend(tool, settings) })),
    )
    const files = job.inputs.map((file) => ({ field: 'file', file }))
    const result = await sendJob(remote, PIPELINE_PATH, { files, fields: { pipeline }, job })
    const { warnings, ...outcome } = outcomeOf(result, remote.connection.address)
    for (const { message, manner } of warnings) job.warn(message, manner)
    const names = await Promise.all(outcome.files.map(({ name }) => request.onOutput?.(index, name)))
    if (names.includes(false)) continue
    const output = (name: string): Promise<string> => job.output(join(`variant-${index}`, name))
    const made = await fetchResult(remote.connection, result, outcome, { ...job, inputs: job.inputs, output })
    times.push(...timesOf(result, steps, variant.name, performance.now() - begun))
    results.push({ index, result: made })
  }
  return results
}

/** Runs a pipeline on a server, as `runPipeline` does on this machine. */
export async function runRemotePipeline<T>(
  remote: Remote,
  request: PipelineRequest,
  place: PlaceVariants<T>,
): Promise<T> {
  const { plan, inputs, destination, signal, timeoutS, strict = false, onProgress, onWarning, times = [] } = request
  let results: VariantResult[] = []
  const tool: Runnable = {
    ...{ id: plan.name, section: 'pipeline', input: plan.input, timeoutS: Number.POSITIVE_INFINITY },
    async run(job) {
      results = await runVariants(remote, request, job, times)
      return { files: results.flatMap(({ result }) => result.files) }
    },
  }
  const hooks = { ...(onProgress && { onProgress }), ...(onWarning && { onWarning }) }
  const limits = { ...(signal && { signal }), ...(timeoutS !== undefined && { timeoutS }) }
  return runJob({ tool, inputs, settings: {}, destination, strict, ...hooks, ...limits }, (_result, stage) =>
    place(
      results,
      times.map((time) => ({ ...time, ms: Math.round(time.ms) })),
      stage,
    ),
  )
}
