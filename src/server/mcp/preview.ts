import { readFile } from 'node:fs/promises'
import { thumbnailSteps } from '../../local/thumbnail-steps.ts'
import type { Preview } from '../../mcp/answers.ts'
import { MAX_PREVIEW_BYTES, PREVIEW_SIDE } from '../../mcp/local/preview.ts'
import { openMediaFile } from '../../media/file.ts'
import type { JobRecord } from '../../store/job-record.ts'
import type { ServerContext } from '../context.ts'
import { resultPlace } from '../jobs/results.ts'
import { runOnce } from '../library/run-ephemeral.ts'
import { resultsOf } from './call-route.ts'

/** A small picture of the first result; none where its type has no preview. It is never a reason for a call to fail. */
export async function resultPreview(context: ServerContext, record: JobRecord): Promise<Preview[]> {
  const [first] = resultsOf(record)
  if (!first) return []
  try {
    const { blobs, key } = resultPlace(context.store, record.id, first)
    const previews: Preview[] = []
    await blobs.borrow(key, async (path) => {
      const file = await openMediaFile(path, first.name)
      const steps = thumbnailSteps(file, { width: PREVIEW_SIDE, height: PREVIEW_SIDE })
      await runOnce(context, record.ownerId ?? '', { path, name: first.name }, steps, async (made) => {
        if (made.bytes > MAX_PREVIEW_BYTES) return
        previews.push({ data: (await readFile(made.path)).toString('base64'), mimeType: made.mime })
      })
    })
    return previews
  } catch {
    return []
  }
}
