import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { StagingFolders } from '../job/staging-folders.ts'
import { firstOf, required, zip } from '../lists.ts'
import { type MediaFile, openMediaFile, totalBytes } from '../media/file.ts'
import type { Isolation } from '../pipeline/isolate/isolation.ts'
import type { PipelinePlan, PlannedVariant } from '../pipeline/plan/plan.ts'
import { runPipeline, type VariantResult } from '../pipeline/run/run.ts'
import { inPlanOrder, isConditional, type ResolvedPlan, resolvePlan } from '../pipeline/when/resolve-plan.ts'
import { usesPlaceholder } from '../tool/names/template.ts'
import type { SharedClaims } from './conflicts.ts'
import type { OutputOptions } from './destination.ts'
import { type ExpandOptions, expandInputs, type InputItem, namedInput } from './inputs.ts'
import type { FinishedOutput, OutputPaths } from './output-paths.ts'
import type { OutputPlan } from './output-plan.ts'
import { patternFolder } from './pipeline-outputs.ts'
import {
  checkInputs,
  isAllSkipped,
  type JobResult,
  type OnProgress,
  type OnWarning,
  type PlannedJob,
  type PlannedOutput,
} from './planned-run.ts'
import type { RemoteRunner } from './remote-runner.ts'
import { saveAll } from './save-outputs.ts'

/** Options for running a pipeline. */
export interface PipelineRunRequest {
  plan: PipelinePlan
  inputs: readonly string[]
  /** The resolved `inputs`, if already known. */
  items?: readonly InputItem[]
  /** `name` takes precedence over the pattern in the pipeline. */
  options: OutputOptions & {
    /** Time limit per job in seconds; defaults to the sum of all steps, 0 for none. */
    timeout?: number
  }
  /** The default pattern of output names. */
  defaultName?: string
  signal: AbortSignal
  /** Threads for blocking work; defaults to the run's own, which end with it. */
  isolation?: Isolation
  /** Claims of other runs of this process; defaults to the run's own. */
  shared?: SharedClaims
  /** Runs the jobs on a server. */
  remote?: RemoteRunner | undefined
  /** Interprets inputs as shell arguments: patterns, folders, @lists, `-`. Otherwise each is a literal path or URL. */
  expand?: ExpandOptions
}

/** The reports by variant; a single report is not keyed by name. */
function reportOf(
  results: readonly VariantResult[],
  variants: readonly PlannedVariant[],
): Record<string, unknown> | undefined {
  const reports = results.flatMap(({ index, result }) =>
    result.report ? [[variants[index]!.name, result.report] as const] : [],
  )
  if (reports.length === 0) return undefined
  return variants.length === 1 ? firstOf(reports)[1] : Object.fromEntries(reports)
}

/** Why --newer recreated variants, each reason once. */
function reasonsOf(paths: ReadonlyMap<number, OutputPaths>, variants: readonly PlannedVariant[]): string | undefined {
  const names = new Map<string, string[]>()
  for (const [index, { reason, upToDate }] of paths)
    if (reason !== undefined && upToDate === undefined)
      names.set(reason, [...(names.get(reason) ?? []), variants[index]?.name ?? ''])
  if (names.size === 0) return undefined
  const [first] = names.values()
  if (names.size === 1 && first?.length === paths.size) return [...names.keys()][0]
  return [...names].map(([reason, own]) => `${own.join(', ')}: ${reason}`).join('; ')
}

const withVariant = <Output extends object>(outputs: readonly Output[], { name }: PlannedVariant): Output[] =>
  outputs.map((output) => (name === '' ? output : { ...output, variant: name }))

/** What the jobs of a plan need. */
export interface JobContext {
  request: PipelineRunRequest
  isolation: Isolation
  staging: StagingFolders
  /** By variant; variants whose results are only for others have none. */
  outputs: ReadonlyMap<number, OutputPlan>
  open(item: InputItem): Promise<MediaFile>
}

/** The plan for an input, with the steps that its conditions leave. */
async function resolved(plan: PipelinePlan, input: MediaFile | undefined, signal: AbortSignal): Promise<ResolvedPlan> {
  if (!input || !isConditional(plan)) return { plan, skippedVariants: new Set(), notices: [], skipped: [] }
  return resolvePlan(plan, input, signal)
}

/** The variants that an input does not get, as far as it can be opened before the run. */
async function skippedFor(
  plan: PipelinePlan,
  { items }: PlannedJob,
  signal: AbortSignal,
): Promise<ReadonlySet<number>> {
  const [item] = items
  if (!isConditional(plan) || item?.kind !== 'file' || !existsSync(item.path!)) return new Set()
  return (await resolved(plan, await openMediaFile(item.path!), signal)).skippedVariants
}

/** The planned outputs of a job. @throws MediaprocError for problems that are visible without running */
export async function previewJob(
  { request, outputs }: JobContext,
  job: PlannedJob,
  name: string,
): Promise<PlannedOutput[]> {
  const { plan, signal } = request
  const skipped = await skippedFor(plan, job, signal)
  const planned: PlannedOutput[] = []
  for (const [index, one] of outputs)
    if (!skipped.has(index)) planned.push(...withVariant(await one.preview(job), plan.variants[index]!))
  if (!isAllSkipped(planned)) await checkInputs(job, plan.input, name)
  return planned
}

/** Runs the pipeline for one input and moves the outputs of all variants to their destinations. */
export async function runJobOf(
  { request, isolation, staging, outputs, open }: JobContext,
  job: PlannedJob,
  onProgress: OnProgress,
  onWarning: OnWarning,
): Promise<JobResult> {
  const { plan: all, options, signal } = request
  for (const { refused } of outputs.values()) {
    const error = refused.get(job)
    if (error) throw error
  }
  const finished = new Map<number, FinishedOutput[]>()
  const add = (index: number, added: readonly FinishedOutput[]): void =>
    void finished.set(index, withVariant(added, all.variants[index]!))
  const inOrder = (): FinishedOutput[] => all.variants.flatMap((_variant, index) => finished.get(index) ?? [])
  const inputs: MediaFile[] = []
  const openInputs = async (): Promise<void> => {
    if (inputs.length === 0) for (const item of job.items) inputs.push(await open(item))
  }
  if (isConditional(all)) await openInputs()
  const { plan, skippedVariants, notices, skipped } = await resolved(all, inputs[0], signal)
  for (const notice of notices) onWarning(notice, 'advice')
  const wanted = new Map([...outputs].filter(([index]) => !skippedVariants.has(index)))
  if (wanted.size === 0) {
    onWarning('no variant of the pipeline is for this input')
    return { outputs: [], inputBytes: totalBytes(inputs), steps: [...skipped] }
  }
  for (const [index, one] of wanted) {
    const paths = await one.upToDate(job)
    if (paths?.upToDate) add(index, paths.upToDate)
  }
  const remaining = [...wanted.keys()].find((index) => !finished.has(index))
  if (remaining === undefined) return { skipped: true, outputs: inOrder() }
  await openInputs()
  for (const one of wanted.values()) await one.readFacts(job, inputs[0])
  const paths = new Map([...wanted].map(([index, one]) => [index, one.paths(job, inputs[0]?.name)]))
  for (const own of paths.values()) await own.readInputs()
  const onOutput = async (index: number, name: string): Promise<boolean> => {
    const own = required(paths, index)
    try {
      await own.beforeOutput(name)
      return true
    } catch (error) {
      if (own.upToDate === undefined) throw error
      add(index, own.upToDate)
      return false
    }
  }
  return (request.remote?.pipeline ?? runPipeline)(
    {
      plan,
      isolation,
      inputs,
      destination: await required(paths, remaining).stagingFolder(),
      staging,
      signal,
      timeoutS: options.timeout,
      strict: options.strict,
      skip: new Set([...finished.keys(), ...skippedVariants]),
      onOutput,
      onProgress,
      onWarning,
    },
    async (results, steps, stage) => {
      const parts = results.map(({ index, result }) => ({
        paths: required(paths, index),
        result,
        stage: (name: string): Promise<string> => stage(join(`placing-${index}`, name)),
      }))
      const saved = await saveAll(parts)
      for (const [{ index }, outputs] of zip(results, saved)) add(index, outputs)
      if (results.length === 0) return { skipped: true, outputs: inOrder() }
      const reason = reasonsOf(paths, plan.variants)
      return {
        outputs: inOrder(),
        ...(reason !== undefined && { reason }),
        inputBytes: totalBytes(inputs),
        steps: skipped.length > 0 ? inPlanOrder(plan, [...steps, ...skipped]) : [...steps],
        report: reportOf(results, plan.variants),
      }
    },
  )
}

/** The inputs of a run, by the rules of the shell or literally. */
export async function inputItems(request: PipelineRunRequest): Promise<InputItem[]> {
  const { plan, inputs, items: known, options, defaultName, expand } = request
  if (known) return [...known]
  if (!expand) return inputs.map(namedInput)
  const pattern = options.name ?? plan.output
  const outputDir = options.outputDir ?? patternFolder(pattern)
  const items = await expandInputs(inputs, plan.input, { ...expand, outputDir })
  // A pattern that already contains the input folders must not get them twice.
  return usesPlaceholder(pattern ?? defaultName, 'dir') ? items.map((item) => ({ ...item, subfolder: '' })) : items
}

/** The tools of all steps, in order. */
export function toolsOf({ common, variants }: PipelinePlan): { name: string; engines: readonly string[] }[] {
  const groups = [...common, ...variants.flatMap((variant) => variant.groups)]
  return groups.flatMap(({ steps }) => steps.map(({ name, tool: { engines } }) => ({ name, engines })))
}
