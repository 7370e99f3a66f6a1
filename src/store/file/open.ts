import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaprocError } from '../../errors.ts'
import { makeFolder } from '../../make-folder.ts'
import { addDefaultTeam } from '../default-team.ts'
import { storageFailure } from '../local/atomic-write.ts'
import { FileBlobs } from '../local/blobs.ts'
import { canWrite } from '../local/can-write.ts'
import { takeLock } from '../local/lock.ts'
import { LocalQueue } from '../memory/queue.ts'
import { readMarker, refuseUnfinished } from '../migrate/marker.ts'
import type { StoreOptions } from '../options.ts'
import type { Store } from '../store.ts'
import { directly, within } from './access.ts'
import { openAuditLog } from './audit/log.ts'
import { Database } from './database.ts'
import { checkFormat } from './format.ts'
import { FileJobs } from './jobs/jobs.ts'
import { openLibrary } from './library/library.ts'
import { repositories } from './repositories.ts'
import { Reserve } from './reserve.ts'

/** Files that every file store has had since the first version. */
const SIGNS = ['format.json', 'accounts.json', 'journal.ndjson']

/** Whether a server has used a folder; read-only check. */
export const isDataFolder = (folder: string): boolean => SIGNS.some((name) => existsSync(join(folder, name)))

/**
 * Opens the file-backed store. A new folder is not accessible to other users of the machine (0700). An existing folder
 * keeps its mode; the files in it are 0600 either way.
 *
 * @throws CONFLICT when another server uses the folder, INVALID_CONFIG when a file of the store is damaged, or the folder is
 *   the unfinished copy of another store
 */
export async function openStore(folder: string, options: StoreOptions): Promise<Store> {
  const reserve = new Reserve(folder)
  const release = await makeFolder(folder, 0o700)
    .then(() => reserve.release())
    .then(() => takeLock(folder))
    .catch((error: unknown) => {
      throw unusable(folder, error)
    })
  const closers: (() => Promise<void>)[] = [release]
  const keep = <T extends { close(): Promise<void> }>(opened: T): T => {
    closers.unshift(() => opened.close())
    return opened
  }
  const closeAll = async (): Promise<void> => {
    while (closers.length > 0) await closers.shift()!()
  }
  try {
    refuseUnfinished(await readMarker(folder), `The data folder ${folder}`)
    const layout = await checkFormat(folder)
    const database = keep(await Database.open(folder, { needsChecksum: layout.hasChecksums }))
    await layout.note()
    const records = repositories(directly(database))
    await addDefaultTeam(records)
    const mustSync = async () => (await records.settings.get('tamperResistantAudit'))?.value === 'true'
    const { auditRetentionDays: retentionDays } = options
    const audit = keep(await openAuditLog(join(folder, 'audit'), { retentionDays, mustSync }))
    const library = await openLibrary(options.filesFolder ?? join(folder, 'files'))
    const workspaceFolder = options.workspaceFolder ?? join(folder, 'workspace')
    const jobs = keep(
      await FileJobs.open(workspaceFolder, {
        index: join(folder, 'jobs.ndjson'),
        ...(options.onDamagedJob && { onDamaged: options.onDamagedJob }),
      }),
    )
    // The index of older versions, which is derived from the records as well.
    for (const name of ['jobs.index', 'jobs.index.names', 'jobs.index.rest'])
      await rm(join(folder, name), { force: true })
    const previews = new FileBlobs(join(folder, 'previews'))
    await previews.removeParts()
    await reserve.fill()
    let closing: Promise<void> | undefined
    return {
      ...records,
      audit,
      library,
      jobs,
      queue: new LocalQueue(jobs),
      results: new FileBlobs(workspaceFolder),
      previews,
      workspace: jobs.workspace,
      transaction: (work) => database.transaction((draft) => work(repositories(within(draft)))),
      reserve,
      ping: () => canWrite(folder),
      close: () => (closing ??= closeAll()),
    }
  } catch (error) {
    await closeAll()
    throw unusable(folder, error)
  }
}

const REASONS: Record<string, string> = {
  EEXIST: 'it is a file, not a folder',
  ENOTDIR: 'a part of its path is a file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'it is on a read-only disk',
}

function unusable(folder: string, error: unknown): MediaprocError {
  const { cause } = error as Error
  // A file in the way is reported as a problem of the data folder, not of an output.
  if (error instanceof MediaprocError && cause && (cause as NodeJS.ErrnoException).code! in REASONS)
    return unusable(folder, cause)
  if (error instanceof MediaprocError) return error
  const { code = '', message } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT') return storageFailure(error)
  const reason = REASONS[code] ?? 'the system refused'
  return new MediaprocError('INVALID_CONFIG', `The data folder ${folder} cannot be used: ${reason}`, {
    hint: 'Name another folder with DATA_DIR, or check its rights.',
    detail: message,
    cause: error,
  })
}
