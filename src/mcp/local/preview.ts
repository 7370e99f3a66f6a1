import { runPlanned } from '../../library/run.ts'
import { planPipelineRun } from '../../local/pipeline-run.ts'
import { thumbnailSteps } from '../../local/thumbnail-steps.ts'
import { openMediaFile } from '../../media/file.ts'
import { planSteps } from '../../pipeline/plan/plan-steps.ts'
import type { Preview } from '../answers.ts'

/** Longest side of a preview, in pixels. */
export const PREVIEW_SIDE = 512
/** Largest preview, in bytes: a model reads it as part of its context. */
export const MAX_PREVIEW_BYTES = 256 * 1024
/** Time for a preview, in seconds: a call must not wait long for what is not its result. */
const TIMEOUT_S = 20

/**
 * A small picture of a file: an image, the first page of a PDF, or the first frame of a video.
 * @returns undefined when the file has none; a preview is never a reason for a call to fail
 */
export async function previewOf(path: string, signal: AbortSignal): Promise<Preview | undefined> {
  try {
    const file = await openMediaFile(path)
    const steps = thumbnailSteps(file, { width: PREVIEW_SIDE, height: PREVIEW_SIDE })
    const data = steps.map(({ toolId, settings }) => ({ tool: toolId, settings }))
    const { plan } = await planSteps({ steps: data }, { name: 'preview' })
    if (!plan) return undefined
    const { outputs } = await runPlanned(
      path,
      { as: 'buffer', signal, timeout: TIMEOUT_S },
      ({ secondary: _none, ...request }) => planPipelineRun({ ...request, plan }),
    )
    const [made] = outputs
    if (!made || made.bytes > MAX_PREVIEW_BYTES) return undefined
    return { data: made.data.toString('base64'), mimeType: made.type }
  } catch {
    return undefined
  }
}
