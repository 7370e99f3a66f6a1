import { basename } from 'node:path'
import type { Caller } from '../accounts/caller.ts'
import type { ServerContext } from './context.ts'
import type { ReceivedFile } from './multipart.ts'

/** Keeps files in the workspace under an id of their own: they can be downloaded until results expire. */
export async function keepUploads(
  { records, config, settings }: ServerContext,
  caller: Caller,
  id: string,
  files: readonly ReceivedFile[],
): Promise<void> {
  const now = new Date()
  const hours = settings.number('tempFileMaxAgeHours', config.resultAgeMs / 3_600_000)
  await records.save({
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
    outputs: files.map(({ path, name, bytes, mime }) => ({ file: basename(path), name, bytes, mime })),
    result: null,
    error: null,
    expiresAt: hours > 0 ? new Date(now.getTime() + hours * 3_600_000).toISOString() : null,
  })
  await records.measure(id)
}
