import type { Caller } from '../accounts/caller.ts'
import type { ServerContext } from './context.ts'
import type { ReceivedFile } from './multipart.ts'
import { expiryOf, resultAge } from './result-age.ts'
import { asJobFile } from './submission.ts'

/** Keeps files in the workspace under an id of their own: they can be downloaded until results expire. */
export async function keepUploads(
  context: ServerContext,
  caller: Caller,
  id: string,
  files: readonly ReceivedFile[],
): Promise<void> {
  const { jobs, workspace } = context.store
  const now = new Date()
  await jobs.create({
    id,
    clientJobId: null,
    ownerId: caller.userId,
    type: 'upload',
    toolId: null,
    status: 'completed',
    percent: 100,
    stage: null,
    createdAt: now.toISOString(),
    startedAt: null,
    completedAt: now.toISOString(),
    attempts: 0,
    inputBytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    outputs: files.map(asJobFile),
    result: null,
    error: null,
    expiresAt: expiryOf(await resultAge(context, caller.userId), now.getTime()),
  })
  await jobs.settle(id, await workspace.measure(id))
}
