import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MediaprocError } from '../errors.ts'
import { planPipelineRun } from '../local/pipeline-run.ts'
import type { PipelinePlan } from '../pipeline/plan/plan.ts'
import { diagnosticLine } from '../pipeline/read/diagnostics.ts'
import { loadPipeline, readPipeline } from '../pipeline/read/read.ts'
import type { StepTime } from '../pipeline/run/run.ts'
import { PLACEHOLDERS } from '../tool/names/placeholders.ts'
import type { OutputForm } from './results.ts'
import { type DefaultForm, type Inputs, type RunOptions, type RunResult, runPlanned } from './run.ts'

/** A pipeline as data: what a pipeline file contains (docs/pipelines.md). */
export type Pipeline = Readonly<Record<string, unknown>> | readonly unknown[]

export interface PipelineOptions<Form extends OutputForm = OutputForm> extends Omit<RunOptions<Form>, 'secondary'> {
  /** Values of `${NAME}` in the pipeline; by default there are none, and such text is left as it is. */
  variables?: Readonly<Record<string, string | undefined>>
  /** Values of the parameters that the pipeline declares; text is read as the type of the default. */
  params?: Readonly<Record<string, string | number | boolean>>
  /** The base folder for files that a pipeline given as data names; by default the current folder. */
  folder?: string
}

export interface PipelineResult<Form extends OutputForm = OutputForm> extends RunResult<Form> {
  /** The duration of each step. */
  steps: StepTime[]
}

/** @throws MediaprocError INVALID_PIPELINE with all mistakes and their lines */
async function planned(
  pipeline: string | URL | Pipeline,
  { variables, params, folder = '.' }: Pick<PipelineOptions, 'variables' | 'params' | 'folder'>,
): Promise<PipelinePlan> {
  const placeholders = [...Object.keys(PLACEHOLDERS), 'pipeline']
  const common = { ...(variables && { variables }), ...(params && { parameters: params }), placeholders }
  const path = pipeline instanceof URL ? fileURLToPath(pipeline) : pipeline
  const { plan, diagnostics } =
    typeof path === 'string'
      ? await loadPipeline(path, common)
      : await readPipeline(JSON.stringify(path, undefined, 1), { ...common, name: 'pipeline', folder: resolve(folder) })
  if (plan?.rows)
    throw new MediaprocError('INVALID_PIPELINE', 'A pipeline with rows runs several times, and runPipeline once', {
      hint: 'Leave rows out, and call it for each row with params.',
    })
  if (plan) return plan
  const lines = diagnostics.map((one) => diagnosticLine(typeof path === 'string' ? path : 'pipeline', one))
  throw new MediaprocError('INVALID_PIPELINE', lines.join('\n'), { fields: { diagnostics }, hint: '' })
}

/**
 * Runs a pipeline once.
 * @param pipeline its file, or its content as data
 * @param inputs as many as the first step takes for one job; by default those that the pipeline names
 * @throws MediaprocError always, with a `code` of the catalogue
 */
export async function runPipeline<const In extends Inputs, Form extends OutputForm = DefaultForm<In>>(
  pipeline: string | URL | Pipeline,
  inputs: In,
  options: PipelineOptions<Form> = {},
): Promise<PipelineResult<Form>> {
  const { steps = [], ...result } = await runPlanned(inputs, options, async ({ secondary: _none, ...request }) =>
    planPipelineRun({ ...request, plan: await planned(pipeline, options) }),
  )
  return { ...result, steps }
}
