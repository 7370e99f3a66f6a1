import type { DatabaseOptions } from '../engines/postgres/database.ts'
import type { ClusterOptions } from './cluster/options.ts'

/** What every store needs besides the data folder. */
export interface StoreOptions {
  /** Audit log entries older than this many days are removed; 0 = kept without expiry. */
  auditRetentionDays: number
  /** Folder of the library's contents; `<folder>/files` when absent. */
  filesFolder?: string
  /** Folder of running jobs and their results; `<folder>/workspace` when absent. */
  workspaceFolder?: string
  /** Called with the id of a job whose record turns out to be damaged after the start. */
  onDamagedJob?(id: string): void
  /** Where records are kept; in files of the data folder when absent. */
  database?: DatabaseOptions | undefined
  /** What several servers share besides the database. */
  cluster?: ClusterOptions | undefined
  /**
   * Called when another server may use the database, because the connection that holds its lock was lost: for a migration at
   * once, for a server when another one has taken the lock.
   */
  onLockLost?(): void
  /** `mediaproc store migrate` opens it. */
  migration?: {
    /** Whether it may be the unfinished copy of another store. */
    isTarget: boolean
    /** Whether this process has locked the data folder already. */
    isLocked: boolean
  }
}
