import type { Redis } from '../engines/redis/redis.ts'
import type { AttemptRecords } from './attempts.ts'
import type { BlobPlace, Blobs } from './blobs.ts'
import type { Jobs, Workspace } from './jobs.ts'
import type { JobQueue } from './queue.ts'
import type { AuditEntry, LibraryItem } from './records.ts'
import type { Repositories } from './repositories.ts'

/**
 * All persistent data of `serve`. Accounts, routes and jobs know only these interfaces. The implementation may use
 * files, or a database and an object store that several servers share.
 */
export interface Store extends Repositories {
  readonly audit: AuditLog
  readonly library: Library
  readonly jobs: Jobs
  readonly queue: JobQueue
  /** Results of jobs, and uploads with an expiry: `<id of the job>/<file>`. */
  readonly results: Blobs
  /** Previews of library items, which can be recreated. */
  readonly previews: Blobs
  /** Local to this machine. */
  readonly workspace: Workspace
  /**
   * Reads and changes records of several repositories, all or none: when `work` throws, nothing is changed. The records
   * it reads do not change until its changes are written. Only the repositories passed to `work` belong to the
   * transaction, and it must not wait for anything else.
   *
   * @throws the error of `work`; DISK_FULL or INTERNAL when the write fails, SHUTTING_DOWN
   */
  transaction<R>(work: (repositories: Repositories) => Promise<R>): Promise<R>
  /** Attempts to sign in, if several servers use the store; absent where a server counts them in its memory. */
  readonly attempts?: AttemptRecords
  /** Disk space reserved for signing in and deleting on a full disk; absent if the store has no disk of its own. */
  readonly reserve?: {
    /** Releases the space if hardly any other is free. */
    release(): Promise<void>
    /** Whether the space is released and the disk still full. */
    isSpent(): Promise<boolean>
  }
  /** Events and counters that several servers share; absent with one server. */
  readonly redis?: Redis
  /** Which of the parts answer that several servers share; absent with one server. */
  health?(): Promise<{ postgres: boolean; redis: boolean; s3: boolean }>
  /**
   * Whether this process is the one to do a regular task now: then no other one is within the given time. Absent with one
   * server.
   * @param ms in milliseconds
   */
  lease?(name: string, ms: number): Promise<boolean>
  /** Removes contents without a record that killed processes left; absent where the start does so. */
  removeLeftovers?(): Promise<void>
  /** Whether the store is currently writable. */
  ping(): Promise<boolean>
  /** Writes pending changes and releases the folder's lock. May be called more than once. */
  close(): Promise<void>
}

export interface AuditFilter {
  action?: string
  ip?: string
  /** First and last time, in a format of Date.parse; others are ignored. */
  from?: string
  to?: string
}

export interface AuditQuery extends AuditFilter {
  /** From 1. */
  page: number
  /** Entries per page, from 1. */
  limit: number
}

/** A broken link of an audit log. */
export interface AuditBreak {
  file: string
  /** From 1. */
  line: number
  createdAt: string
  /** `changed`: the previous line was changed; `unlinked`: the line has no link, although earlier lines have one. */
  reason: 'changed' | 'unlinked'
}

/** Result of an audit log check. */
export interface AuditCheck {
  entries: number
  /** Entries without a link, written by versions before links. */
  unlinked: number
  /** Lines cut off by a crash or a full disk; they contain no entry. */
  cutOff: number
  /** Number of broken links; `breaks` lists the first of them. */
  broken: number
  breaks: readonly AuditBreak[]
  /** SHA-256 of the last line, to be stored elsewhere. */
  head: string
  /** Whether the log starts with its first entry: false after older ones were removed. */
  begins: boolean
  /** Times of the first and the last entry. */
  first?: string
  last?: string
  /** Whether the given hash is in the log. */
  isHeadKnown?: boolean
}

export interface AuditLog {
  /** Once the promise has resolved, the entry survives the death of the process, but perhaps not a power failure. */
  append(entry: Omit<AuditEntry, 'id' | 'createdAt'>): Promise<AuditEntry>
  /** Newest first; `total` counts all pages. */
  query(query: AuditQuery): Promise<{ entries: AuditEntry[]; total: number }>
  /** All matching entries, newest first; streams them without holding all in memory. */
  entries(query: AuditFilter): AsyncIterable<AuditEntry>
  /** Verifies that each entry still follows the one it was written after. */
  check(knownHead?: string): Promise<AuditCheck>
  /** Removes entries older than the retention. */
  sweep(): Promise<void>
  close(): Promise<void>
}

/** Library space reserved for one upload. */
export interface Reservation {
  /** Marks the given number of reserved bytes as stored; the stored items count from now on. Does not fail. */
  stored(bytes: number): Promise<void>
  /** Releases the rest; must be called at the end. Does not fail. */
  release(): Promise<void>
}

/** A quota shared by several owners, in bytes. */
export interface SharedLimit {
  /** Identifies the limit: the id of a team. */
  id: string
  owners: readonly string[]
  limit: number
}

export type NewLibraryItem = Omit<LibraryItem, 'id' | 'size' | 'createdAt'> & {
  /** Its id, if the caller may add it more than once. */
  id?: string
}

/** Orders of the library: by the time of the last version, by name (case-insensitive), by size. */
export const LIBRARY_ORDERS = ['newest', 'oldest', 'name', 'largest'] as const

export interface LibraryQuery {
  /** undefined: items of all users. */
  ownerId: string | undefined
  /** Part of the name, case-insensitive. */
  search?: string
  /** In lower case, without the dot; all files without it. */
  extensions?: readonly string[]
  /** `newest` by default. */
  order?: (typeof LIBRARY_ORDERS)[number]
  limit: number
  offset: number
}

/** Files stored by users. Versions of one file form a chain; every version is an item of its own. */
export interface Library {
  /** Items found damaged at start: kept unchanged on the disk, and excluded from all results. */
  readonly damaged: readonly string[]
  /**
   * Adds a file. With 'move' the source no longer exists afterwards. If there is an item with the given id, it is returned,
   * and nothing is stored.
   *
   * @throws NOT_FOUND when the parent does not exist, DISK_FULL; nothing is stored in these cases
   */
  add(item: NewLibraryItem, sourcePath: string, how?: 'move' | 'copy'): Promise<LibraryItem>
  get(id: string): Promise<LibraryItem | undefined>
  /** The last version of each chain; `total` counts chains. */
  list(query: LibraryQuery): Promise<{ items: LibraryItem[]; total: number }>
  /** The chain of an item, first to last; empty when the item does not exist. */
  versions(id: string): Promise<LibraryItem[]>
  /**
   * Replaces the content of an item: id and version stay, the tool chain grows.
   *
   * @throws NOT_FOUND, DISK_FULL; the old content is unchanged in these cases
   */
  replace(
    id: string,
    sourcePath: string,
    toolId: string,
    changes?: Partial<Pick<LibraryItem, 'originalName' | 'mimeType' | 'width' | 'height'>>,
    how?: 'move' | 'copy',
  ): Promise<LibraryItem>
  /** Changes the name of an item. @throws NOT_FOUND */
  rename(id: string, name: string): Promise<LibraryItem>
  /** Removes the complete chains of the items whose every item `mayDelete` accepts. Returns the removed ids. */
  deleteChains(ids: readonly string[], mayDelete: (item: LibraryItem) => boolean): Promise<readonly string[]>
  /** Removes all items of one owner; returns their number. */
  deleteOwner(ownerId: string): Promise<number>
  /** Size of all items of one owner in bytes, including every version. */
  usedBytes(ownerId: string): Promise<number>
  /**
   * Reserves space for an owner, in bytes, up to `limit`: the records of items count as well, and reserved space counts
   * until it is used, so that no space is reserved twice.
   *
   * @param shared a limit that the owner shares with others
   * @throws QUOTA_EXCEEDED
   */
  reserve(ownerId: string, bytes: number, limit: number, shared?: SharedLimit): Promise<Reservation>
  totals(): Promise<{ items: number; bytes: number }>
  /** Location of an item's content. @throws NOT_FOUND */
  content(id: string): Promise<BlobPlace>
}
