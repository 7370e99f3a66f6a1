import { dirname } from 'node:path'
import { MediaprocError } from '../errors.ts'
import { openMediaFile } from '../media/file.ts'
import type { Pool } from '../pool/pool.ts'
import type { JobFile, JobRecord } from '../store/job-record.ts'
import type { Store } from '../store/store.ts'
import type { ServerConfig } from './config.ts'
import type { SaveVersion } from './jobs/service.ts'

/** Seconds that looking at a picture may take. */
const LOOK_S = 30

export interface PictureSize {
  width: number | null
  height: number | null
}

/** The size of a picture, found out in a process of the pool; null for everything else. */
export async function pictureSize(pool: Pool, path: string, name: string): Promise<PictureSize> {
  const none = { width: null, height: null }
  const file = await openMediaFile(path, name).catch(() => undefined)
  if (file?.type.group !== 'image') return none
  // Nothing is made; what a process that is killed may leave goes with the folder of the file.
  const destination = dirname(path)
  try {
    const { report } = await pool.run({
      ...{ id: 'look', kind: 'tool', target: 'image/info', settings: {}, inputs: [{ path, name }], destination },
      ...{ timeoutS: LOOK_S, heavy: false },
    })
    const { width, height } = report as { width?: number; height?: number }
    return width && height ? { width, height } : none
  } catch (error) {
    // What cannot be decoded is kept all the same; a full queue is no property of the file.
    if (error instanceof MediaprocError && error.code === 'QUEUE_UNAVAILABLE') throw error
    return none
  }
}

/** @throws MediaprocError QUOTA_EXCEEDED when the library of this user has no room for so many more bytes */
export function checkQuota(
  store: Store,
  { userQuotaBytes }: ServerConfig,
  ownerId: string | null,
  bytes: number,
): void {
  if (ownerId === null) return
  const { users, teams } = store.accounts.data
  const team = teams.find(({ id }) => id === users.find((user) => user.id === ownerId)?.teamId)
  const limits = [userQuotaBytes, team?.storageQuota ?? 0].filter((limit) => limit > 0)
  const limit = Math.min(...limits)
  if (limits.length > 0 && store.library.usedBytes(ownerId) + bytes > limit)
    throw new MediaprocError('QUOTA_EXCEEDED', `The library holds at most ${limit / 1_000_000} MB`)
}

/** How finished results become versions of library items. */
export function versionSaver(store: Store, pool: Pool, config: ServerConfig): SaveVersion {
  return async (record: JobRecord, path: string, file: JobFile) => {
    const { parentId, saveMode } = record.library!
    const parent = store.library.get(parentId)
    if (!parent) throw new MediaprocError('NOT_FOUND', 'The library item is gone')
    const size = await pictureSize(pool, path, file.name)
    const toolId = record.toolId ?? 'pipeline'
    checkQuota(store, config, parent.ownerId, file.bytes)
    if (saveMode === 'overwrite') {
      const changes = { mimeType: file.mime, originalName: versionName(parent.originalName, file.name), ...size }
      return (await store.library.replace(parentId, path, toolId, changes, 'copy')).id
    }
    const item = {
      ownerId: parent.ownerId,
      parentId,
      originalName: versionName(parent.originalName, file.name),
      mimeType: file.mime,
      ...size,
      toolChain: [...parent.toolChain, toolId],
      version: parent.version + 1,
    }
    return (await store.library.add(item, path, 'copy')).id
  }
}

/** The parent's name with the extension that the content has now. */
export function versionName(parent: string, made: string): string {
  const dot = parent.lastIndexOf('.')
  const extension = made.includes('.') ? made.slice(made.lastIndexOf('.')) : ''
  return (dot > 0 ? parent.slice(0, dot) : parent) + extension
}
