import { MediaprocError } from '../../errors.ts'
import { explainPipeline } from '../../pipeline/plan/explain.ts'
import type { PipelinePlan } from '../../pipeline/plan/plan.ts'
import { diagnosticLine } from '../../pipeline/read/diagnostics.ts'
import { readPipeline } from '../../pipeline/read/read.ts'
import { PLACEHOLDERS } from '../../tool/names/placeholders.ts'
import { type Arguments, optionalText, steps } from '../arguments.ts'
import { LIMITS } from '../definitions.ts'

/** What a file for `mediaproc run` can name, and a call cannot: files and places that no root was checked for. */
function refuseFiles(plan: PipelinePlan): void {
  const named =
    (plan.rows && 'rows') ||
    (plan.inputs.length > 0 && 'inputs') ||
    (plan.output !== undefined && 'output') ||
    (plan.manifest !== undefined && 'manifest') ||
    (plan.variants.some(({ inputs }) => inputs) && 'inputs of a variant')
  if (named)
    throw new MediaprocError('INVALID_PIPELINE', `A call cannot have ${named}: only a file for mediaproc run can`, {
      hint: 'Name files with the argument files, and the folder of the outputs with output_dir.',
    })
}

/** The text of the pipeline: its YAML, or the steps as JSON, which is YAML, too. */
function textOf(given: Arguments): string {
  const yaml = optionalText(given, 'yaml', LIMITS.yaml)
  const listed = steps(given)
  if ((yaml === undefined) === (listed.length === 0))
    throw new MediaprocError('INVALID_PIPELINE', 'Expected either steps or yaml')
  return yaml ?? JSON.stringify({ steps: listed }, undefined, 1)
}

/**
 * Reads and checks the pipeline of a call. It can name no files: without a folder, paths in it are errors.
 * @throws MediaprocError INVALID_PIPELINE with all mistakes and their lines
 */
export async function readSteps(given: Arguments): Promise<PipelinePlan> {
  const placeholders = [...Object.keys(PLACEHOLDERS), 'pipeline']
  const { plan, diagnostics } = await readPipeline(textOf(given), { name: 'pipeline', placeholders })
  if (!plan) {
    const lines = diagnostics.map((one) => diagnosticLine('pipeline', one))
    throw new MediaprocError('INVALID_PIPELINE', lines.join('\n'), { fields: { diagnostics } })
  }
  refuseFiles(plan)
  return plan
}

/** The plan as data: which steps run as one, and what they read and write. */
export async function explained(plan: PipelinePlan): Promise<Record<string, unknown>> {
  return { ...(await explainPipeline(plan, 'none')) }
}
