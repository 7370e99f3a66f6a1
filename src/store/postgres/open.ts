import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type DatabaseOptions, type OpenDatabase, openDatabase } from '../../engines/postgres.ts'
import { MediaprocError } from '../../errors.ts'
import { makeFolder } from '../../make-folder.ts'
import { addDefaultTeam } from '../default-team.ts'
import { isOver, type JobRecord } from '../job-record.ts'
import { FileBlobs } from '../local/blobs.ts'
import { canWrite } from '../local/can-write.ts'
import { discard, isOwnFolder, removeLeftovers } from '../local/leftovers.ts'
import { LocalWorkspace } from '../local/workspace.ts'
import type { StoreOptions } from '../options.ts'
import type { Store } from '../store.ts'
import { type Access, directly, lockOf, within } from './access.ts'
import { PostgresAudit } from './audit.ts'
import { PostgresJobs } from './jobs.ts'
import { PostgresLibrary } from './library.ts'
import { migrations } from './migrations.ts'
import { repositories } from './repositories.ts'

/** Folders and items beside those of the file store, which would remove what it has no records of. */
const BESIDE = 'database'
/** Time between attempts to take the lock again, in milliseconds. */
const RETRY_MS = 1000
/** Folders that are looked up with one query. */
const BATCH = 500

export type PostgresStoreOptions = StoreOptions & { database: DatabaseOptions }

/**
 * Opens the store whose records are in PostgreSQL. Contents of files stay in the folders of this machine.
 *
 * @throws CONFLICT when another server uses the database, INVALID_CONFIG, STORE_UNAVAILABLE, ENGINE_UNAVAILABLE
 */
export async function openPostgresStore(folder: string, options: PostgresStoreOptions): Promise<Store> {
  const opened = await openDatabase<unknown>(options.database)
  const closers = [() => opened.close()]
  const closeAll = async (): Promise<void> => {
    while (closers.length > 0) await closers.shift()?.()
  }
  try {
    await opened.migrate(migrations(opened.sql))
    closers.unshift(await takeLock(opened, options.onLockLost))
    return await assemble(folder, opened, options, closeAll)
  } catch (error) {
    await closeAll()
    throw error
  }
}

/**
 * One server at a time uses a database: its queue and its limits are in its memory. When the connection that holds the lock
 * ends, because the database was restarted, the lock is taken again.
 * @param onLost called when another server has taken it meanwhile
 */
async function takeLock(opened: OpenDatabase<unknown>, onLost = (): void => {}): Promise<() => Promise<void>> {
  let release = async (): Promise<void> => {}
  let timer: NodeJS.Timeout | undefined
  const hold = async (): Promise<boolean> => {
    const held = await opened.hold(lockOf('server'), again)
    if (held) release = held
    return held !== undefined
  }
  const again = (): void => {
    timer = setTimeout(() => {
      hold().then((isHeld) => isHeld || onLost(), again)
    }, RETRY_MS).unref()
  }
  if (!(await hold()))
    throw new MediaprocError('CONFLICT', 'The database of DATABASE_URL is in use by another server', {
      hint: 'Stop that one, or name another database.',
    })
  return async () => {
    clearTimeout(timer)
    await release()
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
  for (const path of [folder, filesFolder, workspaceFolder]) await makeFolder(path, 0o700)
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
  let closing: Promise<void> | undefined
  return {
    ...records,
    ...{ audit, library, results, previews, workspace, jobs: new PostgresJobs(accounts, workspace) },
    transaction: (work) => accounts.write((transaction) => work(repositories(within(sql, transaction)))),
    async ping() {
      const isWritable = sql<{ is: boolean }>`select not pg_is_in_recovery() as is`.execute(db)
      return (await isWritable.then(({ rows }) => rows[0]?.is === true).catch(() => false)) && canWrite(folder)
    },
    close: () => (closing ??= audit.close().then(close)),
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
