/** The runs of a pipeline: one for each file, so that each has its own progress, cancel and retry. */
import { loadForm, tools } from '../api/tools.ts'
import type { PostPipelineExplain } from '../api/types.ts'
import { fileNow, type WorkFile } from '../files/work-files.ts'
import { faultyRows, valuesFor } from '../forms/values.ts'
import type { Run } from '../run/runs.ts'
import { STRINGS } from '../strings.ts'
import { type Step, sentSteps } from './definition.ts'

/** @param page the address of the pipeline, to which the runs belong */
export function plannedRuns(
  page: string,
  steps: readonly Step[],
  list: readonly WorkFile[],
): Omit<Run, 'id' | 'state'>[] {
  const settings = { steps: sentSteps(steps) }
  return list.map((work) => ({
    title: fileNow(work).name,
    upload: {
      path: 'api/v1/pipeline/execute',
      files: [{ field: 'file', file: fileNow(work) }],
      ...{ settings, part: 'pipeline', isJson: false },
    },
    ...{ source: work, page },
  }))
}

/** Whether the form of a step has a fault that the settings to send do not show, such as a field that is empty. */
async function isFaulty({ toolId, settings, values }: Step): Promise<boolean> {
  const section = tools.value.find(({ id }) => id === toolId)?.section
  if (section === undefined) return true
  const { settings: rows } = await loadForm(section, toolId)
  return faultyRows(rows, values ?? valuesFor(rows, settings)).length > 0
}

/** What a run lacks, as a sentence; '' if nothing. */
export async function missingFor(
  steps: readonly Step[],
  plan: PostPipelineExplain | undefined,
  files: number,
): Promise<string> {
  const { pipelines } = STRINGS
  if (steps.length === 0) return pipelines.needSteps
  const faulty = await Promise.all(steps.map(isFaulty))
  if ((plan && plan.faults.length > 0) || faulty.includes(true)) return pipelines.needFaults
  return files === 0 ? STRINGS.files.needOne : ''
}
