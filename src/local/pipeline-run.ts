import { checkCount } from '../job/accept.ts'
import { defaultConcurrency } from '../job/batch.ts'
import { stagingFolders, Workspace } from '../job/workspace.ts'
import type { MediaFile } from '../media/file.ts'
import { Isolation } from '../pipeline/isolate/isolation.ts'
import type { InputItem } from './inputs.ts'
import { planManifest } from './manifest/write-manifest.ts'
import { openInput } from './open-input.ts'
import { inputItems, type PipelineRunRequest, previewJob, runJobOf, toolsOf } from './pipeline-job.ts'
import { variantOutputs } from './pipeline-outputs.ts'
import { planRowsRun } from './pipeline-rows.ts'
import { jobsFor, type PlannedRun } from './planned-run.ts'

export type { PipelineRunRequest } from './pipeline-job.ts'

/**
 * Plans a pipeline run and checks everything that can be checked before it starts.
 * @throws MediaprocError for problems with the run as a whole
 */
export async function planPipelineRun(request: PipelineRunRequest): Promise<PlannedRun> {
  if (request.plan.rows) return planRowsRun(request, request.plan.rows)
  const { plan, signal, isolation = new Isolation(), shared } = request
  const name = `pipeline/${plan.name}`
  const items = await inputItems(request)
  if (plan.input.files !== 'one') checkCount(plan.input, items.length, name)
  const jobs = jobsFor(items, plan.input)
  const workspace = new Workspace('.')
  const staging = stagingFolders()
  const scratch = (): Promise<string> => workspace.scratch()
  const { options, defaultName, expand } = request
  const outputs = variantOutputs(plan, {
    jobs,
    options,
    defaultName,
    streams: expand?.streams,
    scratch,
    shared,
    signal,
  })
  const { manifest } = options
  if (manifest !== undefined) await planManifest(manifest, options.force === true, [...outputs.values()])
  for (const one of outputs.values()) await one.check()
  const open = (item: InputItem): Promise<MediaFile> => openInput(item, scratch, signal)
  const context = { request, isolation, staging, outputs, open }
  return {
    name,
    jobs,
    concurrency: request.remote?.concurrency ?? defaultConcurrency(plan.heavy),
    ...(manifest !== undefined && { manifest }),
    ...(!request.remote && { prepare: () => void isolation.prepare(toolsOf(plan)) }),
    preview: (job) => previewJob(context, job, name),
    run: (job, onProgress, onWarning) => runJobOf(context, job, onProgress, onWarning),
    async close() {
      if (isolation !== request.isolation) await isolation.close()
      await staging.remove()
      await workspace.remove()
    },
  }
}
