import { type DatabaseOptions, type OpenDatabase, openDatabase } from '../../engines/postgres/database.ts'
import { takeOrRefuse } from '../../engines/postgres/lock.ts'
import { MediaprocError } from '../../errors.ts'
import { makeFolder } from '../../make-folder.ts'
import { addDefaultTeam } from '../default-team.ts'
import { takeLock } from '../local/lock.ts'
import { refuseUnfinished } from '../migrate/marker.ts'
import type { StoreOptions } from '../options.ts'
import type { Repositories } from '../repositories.ts'
import type { Store } from '../store.ts'
import { type Access, directly, lockOf, within } from './access.ts'
import { PostgresAudit } from './audit.ts'
import { storeId } from './claim.ts'
import { migrations } from './migrations.ts'
import { recentSettings } from './recent-settings.ts'
import { repositories } from './repositories.ts'
import { readUnfinished } from './unfinished.ts'

/** How long a check of the database may take, in milliseconds. */
const PING_MS = 3000

export type DatabaseStoreOptions = StoreOptions & { database: DatabaseOptions }

/** What every store in PostgreSQL has, wherever its contents are. */
export interface DatabaseParts {
  opened: OpenDatabase<unknown>
  accounts: Access
  records: Repositories
  transaction: Store['transaction']
  audit: PostgresAudit
  /** The id of the database. */
  id: string
  /** Whether the database can be written. */
  ping(): Promise<boolean>
  /** Called at the end, the last one first. */
  closers: (() => unknown)[]
}

/**
 * Opens the data folder of a process and its database, and has a store made of them.
 * @param isShared whether several servers use the database at the same time; each of them must say so
 * @throws CONFLICT when another server uses the folder or the database, INVALID_CONFIG also for the unfinished
 *   copy of another store, STORE_UNAVAILABLE, ENGINE_UNAVAILABLE
 */
export async function openParts<S>(
  folder: string,
  options: DatabaseStoreOptions,
  isShared: boolean,
  make: (parts: DatabaseParts) => Promise<S>,
): Promise<S & Pick<Store, 'close'>> {
  await makeFolder(folder, 0o700)
  const closers: (() => unknown)[] = options.migration?.isLocked ? [] : [await takeLock(folder)]
  const closeAll = async (): Promise<void> => {
    while (closers.length > 0) await closers.pop()?.()
  }
  try {
    const opened = await openDatabase<unknown>(options.database)
    closers.push(() => opened.close())
    // A server whose queue and limits are in its memory uses a database alone; nor may another one change its tables.
    // The servers of a cluster hold the lock together.
    const how = { isShared, isTakenAgain: options.migration === undefined }
    const lock = opened.lock(lockOf('server'), () => options.onLockLost?.(), how)
    await takeOrRefuse(lock)
    closers.push(() => lock.release())
    const wanted = migrations(opened.sql)
    const isSource = options.migration?.isTarget === false
    if (isSource) refusePending(await opened.pending(wanted), await opened.isMigrated())
    else await opened.migrate(wanted)
    if (!options.migration?.isTarget)
      refuseUnfinished(await readUnfinished(opened.sql, opened.db), 'The database of DATABASE_URL')
    const store = await make(await readParts(opened, options, closers))
    let closing: Promise<void> | undefined
    return { ...store, close: () => (closing ??= closeAll()) }
  } catch (error) {
    await closeAll()
    throw error
  }
}

/** A source is not changed: @throws INVALID_CONFIG for the database of an older release, and one without a store */
function refusePending(pending: readonly string[], isMigrated: boolean): void {
  if (pending.length === 0) return
  if (!isMigrated)
    throw new MediaprocError('INVALID_CONFIG', 'The database of the source has no records of a server', {
      hint: { shell: 'Check DATABASE_URL of the source.' },
    })
  throw new MediaprocError('INVALID_CONFIG', 'The database of the source was written by an older release', {
    hint: { shell: 'Start its server of this release once, stop it, and run the command again.' },
  })
}

async function readParts(
  opened: OpenDatabase<unknown>,
  options: DatabaseStoreOptions,
  closers: DatabaseParts['closers'],
): Promise<DatabaseParts> {
  const { db, sql } = opened
  const accounts = directly(opened, 'accounts')
  const records = repositories(accounts)
  const settings = recentSettings(records.settings)
  const transaction: Store['transaction'] = (work) =>
    accounts.write((executor) => work(repositories(within(sql, executor)))).finally(settings.forget)
  await transaction(addDefaultTeam)
  const audit = new PostgresAudit(directly(opened, 'audit'), options.auditRetentionDays)
  closers.push(() => audit.close())
  await audit.sweep()
  return {
    ...{
      opened,
      accounts,
      transaction,
      audit,
      closers,
      records: { ...records, settings },
      id: await storeId(accounts),
    },
    ping() {
      const isWritable = sql<{ is: boolean }>`select not pg_is_in_recovery() as is`.execute(db).then(
        ({ rows }) => rows[0]?.is === true,
        () => false,
      )
      const late = new Promise<boolean>((resolve) => setTimeout(resolve, PING_MS, false).unref())
      return Promise.race([isWritable, late])
    },
  }
}
