import { join, resolve } from 'node:path'
import { type ExitCode, MediaprocError, toMediaprocError } from '../errors.ts'
import { defaultConcurrency } from '../job/batch.ts'
import { Workspace } from '../job/workspace.ts'
import type { MediaFile } from '../media/file.ts'
import type { PipelinePlan, PlannedVariant } from '../pipeline/plan.ts'
import { runPipeline, type StepTime, type VariantResult } from '../pipeline/run.ts'
import { boolean, type SettingsTable } from '../tool/settings.ts'
import { type InputItem, namedInput } from './inputs.ts'
import type { Io } from './io.ts'
import { openInput } from './open-input.ts'
import { showFileProgress } from './pipeline-progress.ts'
import { placeResult } from './place.ts'
import type { Placement } from './placement.ts'
import { Plan, type PlannedJob } from './plan.ts'
import type { Outcome, RecordedOutput } from './record.ts'
import { dryRun, type OnProgress, runAndPrint } from './run-jobs.ts'
import type { RunOptions } from './run-options.ts'
import { Claims } from './targets.ts'

export interface PipelineRun {
  plan: PipelinePlan
  items: readonly InputItem[]
  options: RunOptions
  /** The pattern of output names that was given with --name. */
  name: string | undefined
}

/** The pattern where neither the pipeline nor the command line states one. */
function defaultPattern({ name, input }: PipelinePlan, variant: string): string {
  const stem = input.files === 'one' ? '{stem}' : '{pipeline}'
  if (variant !== '') return `${stem}_{variant}.{ext}`
  return input.files === 'one' ? `{stem}_${name.replace(/[{}]/g, '')}.{ext}` : '{pipeline}.{ext}'
}

/** Names of settings for patterns; what they are does not matter here. */
const namesOf = (settings: Readonly<Record<string, unknown>>): SettingsTable =>
  Object.fromEntries(Object.keys(settings).map((name) => [name, boolean('')]))

/** All files that the pipeline itself names, the pipeline included: an output older than one of them is out of date. */
function furtherItems({ path, common, variants }: PipelinePlan): Record<string, InputItem> {
  const steps = [...common, ...variants.flatMap(({ groups }) => groups)].flatMap((group) => group.steps)
  const paths = steps.flatMap(({ secondary }) => Object.values(secondary))
  return Object.fromEntries([...(path === undefined ? [] : [path]), ...paths].map((one) => [one, namedInput(one)]))
}

/** For placing outputs, each variant is as a tool of its own. */
function variantPlans({ plan, items, options, name }: PipelineRun, io: Io, scratch: () => Promise<string>): Plan[] {
  const { variants } = plan
  const isSingle = variants.length === 1
  const { output } = options
  if (!isSingle && output !== undefined && !/[/\\]$/.test(output))
    throw new MediaprocError('USAGE', `-o names one output, but there are ${variants.length} variants`, {
      hint: "Name a folder with -d DIR, and files with --name '{stem}_{variant}.{ext}'.",
    })
  const claims = new Claims()
  const likelyClaims = new Claims()
  return variants.map((variant, number) => {
    const pattern = name ?? plan.output ?? options.name ?? defaultPattern(plan, variant.name)
    const settings = { ...variant.settings, variant: variant.name, pipeline: plan.name }
    const isTemplate = name === undefined && plan.output !== undefined
    const folder = options.outputDir ?? (isTemplate && output === undefined ? '.' : undefined)
    // A pattern that repeats the folders of the inputs itself must not get them twice.
    const placed = pattern.includes('{dir}') ? items.map((item) => ({ ...item, subfolder: '' })) : items
    return new Plan({
      entry: {
        section: 'pipeline',
        id: plan.name,
        input: plan.input,
        output: variant.output,
        heavy: plan.heavy,
        settings: namesOf(settings),
        naming: { suffix: '' },
      },
      items: placed,
      secondary: furtherItems(plan),
      settings,
      options: { ...options, outputDir: folder, name: pattern },
      stdout: io.stdout,
      stdoutIsTerminal: io.stdoutIsTerminal,
      scratch,
      among: { claims, likelyClaims, plans: variants.length, number, name: variant.name },
    })
  })
}

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

/** The folder that a pattern always writes into, so that a listing of inputs does not find earlier outputs. */
export function outputFolder(pattern = ''): string | undefined {
  const fixed = pattern.replace(/\{.*$/s, '')
  const end = fixed.lastIndexOf('/')
  return end > 0 ? resolve(fixed.slice(0, end)) : undefined
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
