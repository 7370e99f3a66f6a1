import type { Caller } from '../../accounts/caller.ts'
import type { JobRecord } from '../../store/job-record.ts'
import type { ServerContext } from '../context.ts'
import { requireOwner } from '../jobs/require-owner.ts'
import { putResults, removeResults } from '../jobs/results.ts'
import { expiryOf, resultAge } from '../jobs/retention.ts'
import { asJobFile } from '../jobs/submission.ts'
import type { ReceivedFile } from './multipart.ts'

/** Stores files in the workspace under a new id: they can be downloaded until results expire. */
export async function keepUploads(
  context: ServerContext,
  caller: Caller,
  id: string,
  files: readonly ReceivedFile[],
): Promise<void> {
  const { jobs, workspace } = context.store
  const now = new Date()
  const outputs = files.map(asJobFile)
  await putResults(context.store, id, outputs, { how: 'move' })
  const record: JobRecord = {
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
    outputs,
    result: null,
    error: null,
    expiresAt: expiryOf(await resultAge(context, caller.userId), now.getTime()),
  }
  await jobs.create(record).catch(async (error: unknown) => {
    await removeResults(context.store, record)
    throw error
  })
  await jobs.settle(id, await workspace.held(record))
  await workspace.handOver(id)
  await requireOwner(context.store, caller.userId, () => context.jobs.remove(id))
}
