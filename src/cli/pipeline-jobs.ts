import { join } from 'node:path'
import { type ExitCode, toMediaprocError } from '../errors.ts'
import { defaultConcurrency } from '../job/batch.ts'
import { Workspace } from '../job/workspace.ts'
import type { MediaFile } from '../media/file.ts'
import type { PlannedVariant } from '../pipeline/plan.ts'
import { runPipeline, type StepTime, type VariantResult } from '../pipeline/run.ts'
import type { InputItem } from './inputs.ts'
import type { Io } from './io.ts'
import { openInput } from './open-input.ts'
import { showFileProgress } from './pipeline-progress.ts'
import { type PipelineRun, variantPlans } from './pipeline-variants.ts'
import { placeResult } from './place.ts'
import type { Placement } from './placement.ts'
import type { Plan, PlannedJob } from './plan.ts'
import type { Outcome, RecordedOutput } from './record.ts'
import { dryRun, type OnProgress, runAndPrint } from './run-jobs.ts'

interface PipelineContext {
  run: PipelineRun
  plans: readonly Plan[]
  open(item: InputItem): Promise<MediaFile>
  signal: AbortSignal
}

const withVariant = (outputs: readonly RecordedOutput[], { name }: PlannedVariant): RecordedOutput[] =>
  outputs.map((output) => (name === '' ? output : { ...output, variant: name }))

interface Done {
  skipped?: true
  outputs: RecordedOutput[]
  steps?: StepTime[]
  result?: Record<string, unknown>
}

/** The reports of variants; where there is only one, without its name. */
function reportOf(
  results: readonly VariantResult[],
  variants: readonly PlannedVariant[],
): Record<string, unknown> | undefined {
  const reports = results.flatMap(({ index, result }) =>
    result.report ? [[variants[index]!.name, result.report] as const] : [],
  )
  if (reports.length === 0) return undefined
  return variants.length === 1 ? reports[0]![1] : Object.fromEntries(reports)
}

/** Runs the pipeline for one input and puts the outputs of all variants in their places. */
async function runOnInput(
  { run, plans, open, signal }: PipelineContext,
  job: PlannedJob,
  onProgress: OnProgress,
  onWarning: (message: string) => void,
): Promise<Done> {
  const { plan, options } = run
  for (const one of plans) {
    const refused = one.refused.get(job.index)
    if (refused) throw refused
  }
  const early = await Promise.all(plans.map((one) => one.upToDate(job)))
  const ready = new Map<number, RecordedOutput[]>()
  for (const [index, placement] of early.entries())
    if (placement) ready.set(index, withVariant(await placement.upToDateOutputs(), plan.variants[index]!))
  const inOrder = (): RecordedOutput[] => plan.variants.flatMap((_variant, index) => ready.get(index) ?? [])
  if (ready.size === plans.length) return { skipped: true, outputs: inOrder() }
  const inputs: MediaFile[] = []
  for (const item of job.items) inputs.push(await open(item))
  const placements = plans.map((one): Placement => one.placement(job, inputs[0]?.name ?? plan.name))
  const destination = await placements.find((_placement, index) => !ready.has(index))!.stagingFolder()
  const onOutput = async (index: number, name: string): Promise<boolean> => {
    const placement = placements[index]!
    try {
      await placement.beforeOutput(name)
      return true
    } catch (error) {
      if (placement.upToDate === undefined) throw error
      ready.set(index, withVariant(await placement.upToDateOutputs(), plan.variants[index]!))
      return false
    }
  }
  return runPipeline(
    {
      plan,
      inputs,
      destination,
      signal,
      timeoutS: options.timeout,
      skip: new Set(ready.keys()),
      onOutput,
      onProgress,
      onWarning,
    },
    async (results, steps, stage) => {
      for (const { index, result } of results) {
        const own = (name: string): Promise<string> => stage(join(`placing-${index}`, name))
        ready.set(index, withVariant(await placeResult(placements[index]!, result, own), plan.variants[index]!))
      }
      if (results.length === 0) return { skipped: true, outputs: inOrder() }
      const result = reportOf(results, plan.variants)
      return { outputs: inOrder(), steps: [...steps], ...(result && { result }) }
    },
  )
}

async function runOne(context: PipelineContext, job: PlannedJob, onProgress: OnProgress): Promise<Outcome> {
  const started = performance.now()
  const warnings: string[] = []
  const basics = () => ({
    tool: context.plans[0]!.toolName,
    input: job.given,
    warnings,
    ms: Math.round(performance.now() - started),
  })
  try {
    const done = await runOnInput(context, job, onProgress, (message) => void warnings.push(message))
    return { record: { ...basics(), ok: true, ...done } }
  } catch (error) {
    const known = toMediaprocError(error)
    return { record: { ...basics(), ok: false, error: known.toJSON() }, error: known }
  }
}

/**
 * Runs a pipeline on all inputs and prints what became of them, in the order of the inputs.
 * @throws MediaprocError for what is wrong with the run as a whole, before any work
 */
export async function runPipelineJobs(run: PipelineRun, io: Io, signal: AbortSignal): Promise<ExitCode> {
  const { plan, options } = run
  const workspace = new Workspace('.')
  const scratch = (): Promise<string> => workspace.scratch()
  try {
    const plans = variantPlans(run, io, scratch)
    for (const one of plans) await one.check()
    const [first] = plans
    if (options.dryRun) return dryRun(first!, (job) => describe(plans, job), io)
    const open = (item: InputItem) => openInput(item, io.stdin, scratch, signal)
    const context: PipelineContext = { run, plans, open, signal }
    const { jobs } = first!
    const names = jobs.map(({ items }) => items[0]?.given ?? plan.name)
    const progress = await showFileProgress(io, names, options.quiet || options.json, first!.toolName)
    const concurrency = options.jobs ?? defaultConcurrency(plan.heavy)
    const work = (job: PlannedJob, onProgress: OnProgress) => runOne(context, job, onProgress)
    return await runAndPrint({ jobs, concurrency, options, progress, work }, io, signal)
  } finally {
    await workspace.remove()
  }
}

/** The line of --dry-run: `pipeline/web a.jpg -> dist/a_full.avif, dist/a_thumb.webp`. */
function describe(plans: readonly Plan[], job: PlannedJob): string {
  const inputs = job.items.map(({ given }) => `${given} `).join('')
  return `${plans[0]!.toolName} ${inputs}-> ${plans.map((plan) => plan.plannedOutput(job)).join(', ')}`
}
