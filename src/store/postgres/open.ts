import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isOver, type JobRecord } from '../job-record.ts'
import { foldersBeside } from '../local/beside.ts'
import { FileBlobs } from '../local/blobs.ts'
import { canWrite } from '../local/can-write.ts'
import { discard, isOwnFolder, removeLeftovers } from '../local/leftovers.ts'
import { LocalWorkspace } from '../local/workspace.ts'
import { LocalQueue } from '../memory/queue.ts'
import type { Store } from '../store.ts'
import { type Access, directly } from './access.ts'
import { claimFolder } from './claim.ts'
import { ownerOf } from './job-rows.ts'
import { PostgresJobs } from './jobs.ts'
import { PostgresLibrary } from './library.ts'
import { type DatabaseStoreOptions, openParts } from './parts.ts'
import { LocalSpace } from './space.ts'

/** Folders that are looked up with one query. */
const BATCH = 500

/**
 * Opens the store of one server whose records are in PostgreSQL. Contents of files stay in the folders of this machine.
 *
 * @throws CONFLICT when another server uses the database, INVALID_CONFIG, STORE_UNAVAILABLE, ENGINE_UNAVAILABLE
 */
export function openPostgresStore(folder: string, options: DatabaseStoreOptions): Promise<Store> {
  return openParts(
    folder,
    options,
    false,
    async ({ opened, accounts, records, transaction, audit, id, ping, closers }) => {
      const { filesFolder, workspaceFolder } = foldersBeside(folder, options)
      for (const path of [filesFolder, workspaceFolder]) await claimFolder(path, id)
      const workspace = new LocalWorkspace(workspaceFolder)
      const contents = new FileBlobs(filesFolder, { isDurable: true })
      const previews = new FileBlobs(join(folder, 'previews'))
      await takeUpFolders(accounts, workspace)
      for (const blobs of [previews, contents]) await blobs.removeParts()
      const libraryAccess = directly(opened, 'library')
      const library = new PostgresLibrary(libraryAccess, contents, new LocalSpace(libraryAccess))
      await library.removeLeftovers()
      const jobs = new PostgresJobs(accounts, workspace)
      closers.push(() => jobs.close())
      return {
        ...{ ...records, transaction, audit, library, previews, workspace, jobs },
        results: new FileBlobs(workspaceFolder),
        queue: new LocalQueue(jobs),
        ping: async () => (await ping()) && canWrite(folder),
      }
    },
  )
}

/** Counts the folders of jobs; removes those without a record, and what a killed run left in the others. */
async function takeUpFolders({ sql, executor }: Access, workspace: LocalWorkspace): Promise<void> {
  const sums = sql<{ owner_key: string; bytes: string }>`
    select owner_key, sum(bytes) as bytes from job_sums group by 1`
  for (const { owner_key: key, bytes } of (await sums.execute(executor)).rows)
    workspace.add(ownerOf(key), Number(bytes))
  const names = (await readdir(workspace.folder)).filter(isOwnFolder)
  for (let start = 0; start < names.length; start += BATCH) {
    const some = names.slice(start, start + BATCH)
    const { rows } = await sql<{ record: JobRecord; is_settled: boolean }>`
      select record, bytes is not null as is_settled from jobs where id = any(${some})`.execute(executor)
    const known = new Map(rows.map((row) => [row.record.id, row]))
    for (const id of some) await takeUp(id, known.get(id), { sql, executor, workspace })
  }
}

interface TakeUp extends Pick<Access, 'sql' | 'executor'> {
  workspace: LocalWorkspace
}

async function takeUp(
  id: string,
  row: { record: JobRecord; is_settled: boolean } | undefined,
  { sql, executor, workspace }: TakeUp,
): Promise<void> {
  const path = workspace.folderOf(id)
  if (!row) return discard(path)
  if (row.is_settled) return
  const { record } = row
  await removeLeftovers(path, record, [])
  workspace.open(id, record.ownerId, 0)
  const bytes = await workspace.measure(id)
  if (!isOver(record)) return
  await sql`update jobs set bytes = ${bytes} where id = ${id}`.execute(executor)
  workspace.rest(id)
}
