import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type DatabaseOptions, type OpenDatabase, openDatabase } from '../../engines/postgres/database.ts'
import { takeOrRefuse } from '../../engines/postgres/lock.ts'
import { makeFolder } from '../../make-folder.ts'
import { addDefaultTeam } from '../default-team.ts'
import { isOver, type JobRecord } from '../job-record.ts'
import { FileBlobs } from '../local/blobs.ts'
import { canWrite } from '../local/can-write.ts'
import { discard, isOwnFolder, removeLeftovers } from '../local/leftovers.ts'
import { takeLock } from '../local/lock.ts'
import { LocalWorkspace } from '../local/workspace.ts'
import type { StoreOptions } from '../options.ts'
import type { Store } from '../store.ts'
import { type Access, directly, lockOf, within } from './access.ts'
import { PostgresAudit } from './audit.ts'
import { claimFolder, storeId } from './claim.ts'
import { PostgresJobs } from './jobs.ts'
import { PostgresLibrary } from './library.ts'
import { migrations } from './migrations.ts'
import { repositories } from './repositories.ts'

/** Folders and items beside those of the file store, which would remove what it has no records of. */
const BESIDE = 'database'
/** How long a check of the database may take, in milliseconds. */
const PING_MS = 3000
/** Folders that are looked up with one query. */
const BATCH = 500

export type PostgresStoreOptions = StoreOptions & { database: DatabaseOptions }

/**
 * Opens the store whose records are in PostgreSQL. Contents of files stay in the folders of this machine.
 *
 * @throws CONFLICT when another server uses the database, INVALID_CONFIG, STORE_UNAVAILABLE, ENGINE_UNAVAILABLE
 */
export async function openPostgresStore(folder: string, options: PostgresStoreOptions): Promise<Store> {
  await makeFolder(folder, 0o700)
  const closers = [await takeLock(folder)]
  const closeAll = async (): Promise<void> => {
    while (closers.length > 0) await closers.shift()?.()
  }
  try {
    const opened = await openDatabase<unknown>(options.database)
    closers.unshift(() => opened.close())
    // One server at a time uses a database, because its queue and its limits are in its memory; nor may another one
    // change the tables of a server that runs.
    const lock = opened.lock(lockOf('server'), () => options.onLockLost?.())
    await takeOrRefuse(lock)
    closers.unshift(() => lock.release())
    await opened.migrate(migrations(opened.sql))
    return await assemble(folder, opened, options, closeAll)
  } catch (error) {
    await closeAll()
    throw error
  }
}

async function assemble(
  folder: string,
  opened: OpenDatabase<unknown>,
  options: PostgresStoreOptions,
  close: () => Promise<void>,
): Promise<Store> {
  const { db, sql } = opened
  const accounts = directly(opened, 'accounts')
  const records = repositories(accounts)
  await addDefaultTeam(records)
  const filesFolder = join(options.filesFolder ?? join(folder, 'files'), BESIDE)
  const workspaceFolder = join(options.workspaceFolder ?? join(folder, 'workspace'), BESIDE)
  const id = await storeId(accounts)
  for (const path of [filesFolder, workspaceFolder]) await claimFolder(path, id)
  const workspace = new LocalWorkspace(workspaceFolder)
  const results = new FileBlobs(workspaceFolder)
  const contents = new FileBlobs(filesFolder, { isDurable: true })
  const previews = new FileBlobs(join(folder, 'previews'))
  await takeUpFolders(accounts, workspace)
  await Promise.all([previews, contents].map((blobs) => blobs.removeParts()))
  const library = new PostgresLibrary(directly(opened, 'library'), contents)
  await library.removeLeftovers()
  const audit = new PostgresAudit(directly(opened, 'audit'), options.auditRetentionDays)
  await audit.sweep()
  const jobs = new PostgresJobs(accounts, workspace)
  let closing: Promise<void> | undefined
  return {
    ...records,
    ...{ audit, library, results, previews, workspace, jobs },
    transaction: (work) => accounts.write((transaction) => work(repositories(within(sql, transaction)))),
    async ping() {
      const isWritable = sql<{ is: boolean }>`select not pg_is_in_recovery() as is`.execute(db).then(
        ({ rows }) => rows[0]?.is === true,
        () => false,
      )
      const late = new Promise<boolean>((resolve) => setTimeout(resolve, PING_MS, false).unref())
      return (await Promise.race([isWritable, late])) && canWrite(folder)
    },
    close: () => {
      jobs.close()
      closing ??= audit.close().then(close)
      return closing
    },
  }
}

/** Counts the folders of jobs; removes those without a record, and what a killed run left in the others. */
async function takeUpFolders({ sql, executor }: Access, workspace: LocalWorkspace): Promise<void> {
  const sums = sql<{ owner_id: string | null; bytes: string }>`
    select owner_id, sum(bytes) as bytes from jobs where bytes is not null group by 1`
  for (const { owner_id: ownerId, bytes } of (await sums.execute(executor)).rows) workspace.add(ownerId, Number(bytes))
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
