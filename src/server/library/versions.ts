import { dirname } from 'node:path'
import { MediaprocError } from '../../errors.ts'
import { openMediaFile } from '../../media/file.ts'
import type { Pool } from '../../pool/pool.ts'
import { lengthened } from '../../store/file/library/library.ts'
import type { JobFile, JobRecord } from '../../store/job-record.ts'
import type { Store } from '../../store/store.ts'
import { requireOwner } from '../jobs/require-owner.ts'
import type { SaveVersion } from '../jobs/runner.ts'
import type { LibraryQuota } from './quota.ts'

/** Seconds that looking at a picture may take. */
const LOOK_S = 30

export interface PictureSize {
  width: number | null
  height: number | null
}

/** The size of a picture, found out in a process of the pool; null for everything else. @param ownerKey who waits for it */
export async function pictureSize(pool: Pool, ownerKey: string, path: string, name: string): Promise<PictureSize> {
  const none = { width: null, height: null }
  const file = await openMediaFile(path, name).catch(() => undefined)
  if (file?.type.group !== 'image') return none
  // Nothing is made; what a process that is killed may leave goes with the folder of the file.
  const destination = dirname(path)
  try {
    const { report } = await pool.run({
      ...{ id: 'look', kind: 'tool', target: 'image/info', settings: {}, inputs: [{ path, name }], destination },
      ...{ timeoutS: LOOK_S, heavy: false, ownerKey },
    })
    const { width, height } = report as { width?: number; height?: number }
    return width && height ? { width, height } : none
  } catch (error) {
    // What cannot be decoded is kept all the same; a full queue is no property of the file.
    if (error instanceof MediaprocError && /^(QUEUE_UNAVAILABLE|CONCURRENCY_LIMIT)$/.test(error.code)) throw error
    return none
  }
}

/** How finished results become versions of library items. */
export function versionSaver(store: Store, pool: Pool, quota: LibraryQuota): SaveVersion {
  return async (record: JobRecord, path: string, file: JobFile) => {
    const { parentId, saveMode } = record.library!
    const parent = await store.library.get(parentId)
    if (!parent) throw new MediaprocError('NOT_FOUND', 'The library item is gone')
    const size = await pictureSize(pool, record.ownerId ?? '', path, file.name)
    const toolId = record.toolId ?? 'pipeline'
    const changes = { mimeType: file.mime, originalName: versionName(parent.originalName, file.name), ...size }
    const room = await quota.reserve(parent.ownerId, file.bytes)
    try {
      if (saveMode === 'overwrite') return (await store.library.replace(parentId, path, toolId, changes, 'copy')).id
      const item = {
        ...{ ownerId: parent.ownerId, parentId, version: parent.version + 1 },
        ...{ ...changes, toolChain: lengthened(parent.toolChain, toolId) },
      }
      const { id } = await store.library.add(item, path, 'copy')
      await requireOwner(store, parent.ownerId, () => store.library.deleteOwner(parent.ownerId ?? ''))
      return id
    } finally {
      room.release()
    }
  }
}

/** The parent's name with the extension that the content has now. */
export function versionName(parent: string, made: string): string {
  const dot = parent.lastIndexOf('.')
  const extension = made.includes('.') ? made.slice(made.lastIndexOf('.')) : ''
  return (dot > 0 ? parent.slice(0, dot) : parent) + extension
}
