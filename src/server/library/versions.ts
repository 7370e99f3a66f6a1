import { createHash } from 'node:crypto'
import { dirname } from 'node:path'
import { MediaprocError } from '../../errors.ts'
import { openMediaFile } from '../../media/file.ts'
import type { Pool } from '../../pool/pool.ts'
import type { JobFile, JobRecord } from '../../store/job-record.ts'
import { lengthened } from '../../store/library-rules.ts'
import type { Store } from '../../store/store.ts'
import { requireOwner } from '../jobs/require-owner.ts'
import type { SaveVersion } from '../jobs/runner-parts.ts'
import type { LibraryQuota } from './quota.ts'

/** Timeout for reading the size of a picture, in seconds. */
const LOOK_S = 30

export interface PictureSize {
  width: number | null
  height: number | null
}

/**
 * Reads the size of a picture in a process of the pool; null for other files.
 * @param ownerKey its owner, for fair queueing
 */
export async function pictureSize(pool: Pool, ownerKey: string, path: string, name: string): Promise<PictureSize> {
  const none = { width: null, height: null }
  const file = await openMediaFile(path, name).catch(() => undefined)
  if (file?.type.group !== 'image') return none
  // No output is written; leftovers of a killed process are removed with the file's folder.
  const destination = dirname(path)
  try {
    const { report } = await pool.run({
      ...{ id: 'look', kind: 'tool', target: 'image/info', settings: {}, inputs: [{ path, name }], destination },
      ...{ timeoutS: LOOK_S, heavy: false, ownerKey },
    })
    const { width, height } = report as { width?: number; height?: number }
    return width && height ? { width, height } : none
  } catch (error) {
    // A file that cannot be decoded is stored anyway; a full queue says nothing about the file.
    if (error instanceof MediaprocError && /^(QUEUE_UNAVAILABLE|CONCURRENCY_LIMIT)$/.test(error.code)) throw error
    return none
  }
}

/** The id of the version that a job saves, as a UUID; it does not reveal the id of the job. */
function versionIdOf(jobId: string): string {
  const hex = createHash('sha256').update(`version of ${jobId}`).digest('hex')
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)]
  return parts.join('-')
}

/** Turns finished results into versions of library items. */
export function versionSaver(store: Store, pool: Pool, quota: LibraryQuota): SaveVersion {
  return async (record: JobRecord, path: string, file: JobFile) => {
    const { parentId, saveMode } = record.library!
    // A job that is run again after an interruption saves its result once.
    const id = versionIdOf(record.id)
    const saved = saveMode === 'new' ? await store.library.get(id) : undefined
    if (saved) return saved.id
    const parent = await store.library.get(parentId)
    if (!parent) throw new MediaprocError('NOT_FOUND', 'The library item is gone')
    const size = await pictureSize(pool, record.ownerId ?? '', path, file.name)
    const toolId = record.toolId ?? 'pipeline'
    const changes = { mimeType: file.mime, originalName: versionName(parent.originalName, file.name), ...size }
    const room = await quota.reserve(parent.ownerId, file.bytes)
    try {
      if (saveMode === 'overwrite') return (await store.library.replace(parentId, path, toolId, changes, 'copy')).id
      const item = {
        ...{ id, ownerId: parent.ownerId, parentId, version: parent.version + 1 },
        ...{ ...changes, toolChain: lengthened(parent.toolChain, toolId) },
      }
      await store.library.add(item, path, 'copy')
      await requireOwner(store, parent.ownerId, () => store.library.deleteOwner(parent.ownerId ?? ''))
      return id
    } finally {
      await room.release()
    }
  }
}

/** The parent's name with the extension of the new content. */
export function versionName(parent: string, made: string): string {
  const dot = parent.lastIndexOf('.')
  const extension = made.includes('.') ? made.slice(made.lastIndexOf('.')) : ''
  return (dot > 0 ? parent.slice(0, dot) : parent) + extension
}

/** A new name for a file: its extension stays, because its content does. */
export function renamed(original: string, name: string): string {
  const dot = original.lastIndexOf('.')
  const extension = dot > 0 ? original.slice(dot) : ''
  return name.toLowerCase().endsWith(extension.toLowerCase()) ? name : name + extension
}
