import type { BlobPlace, Blobs } from './blobs.ts'
import type { Jobs, Workspace } from './jobs.ts'
import type { AuditEntry, LibraryItem } from './records.ts'
import type { Repositories } from './repositories.ts'

/**
 * Everything that `serve` keeps between two starts. The accounts, the routes and the jobs know these interfaces only; what
 * stands behind them may be files, or a database and an object store that several servers share.
 */
export interface Store extends Repositories {
  readonly audit: AuditLog
  readonly library: Library
  readonly jobs: Jobs
  /** What jobs made, and uploads that are kept for a while: `<id of the job>/<file>`. */
  readonly results: Blobs
  /** What was made of items of the library to be shown, and can be made again. */
  readonly previews: Blobs
  /** Of this machine. */
  readonly workspace: Workspace
  /**
   * Reads and changes records of several repositories, all or none: when `work` throws, nothing is changed. What it reads
   * stays as it is until the changes are kept. Only the repositories that it is given belong to the transaction, and it
   * must wait for nothing else.
   *
   * @throws what `work` throws; DISK_FULL or INTERNAL when it cannot be kept, SHUTTING_DOWN
   */
  transaction<R>(work: (repositories: Repositories) => Promise<R>): Promise<R>
  /** Room that is kept for signing in and deleting on a full disk; absent where the store has no disk of its own. */
  readonly reserve?: {
    /** Gives the room up where there is hardly any other. */
    release(): Promise<void>
    /** Whether it is given up, and the disk still full. */
    isSpent(): Promise<boolean>
  }
  /** Whether something can be written now. */
  ping(): Promise<boolean>
  /** Writes what is waiting, and lets another server have the folder. May be called more than once. */
  close(): Promise<void>
}

export interface AuditFilter {
  action?: string
  ip?: string
  /** First and last moment, as a date that Date.parse reads; others are ignored. */
  from?: string
  to?: string
}

export interface AuditQuery extends AuditFilter {
  /** From 1. */
  page: number
  /** Entries on a page, from 1. */
  limit: number
}

/** Where the links of an audit log do not hold. */
export interface AuditBreak {
  file: string
  /** From 1. */
  line: number
  createdAt: string
  /** `changed`: what stands before it is not what it was; `unlinked`: it has no link, and lines before it have. */
  reason: 'changed' | 'unlinked'
}

/** What a check of an audit log found. */
export interface AuditCheck {
  entries: number
  /** Entries without a link, which versions before links wrote. */
  unlinked: number
  /** Lines that a crash or a full disk cut off; they hold no entry. */
  cutOff: number
  /** How many places are broken; `breaks` names the first of them. */
  broken: number
  breaks: readonly AuditBreak[]
  /** SHA-256 of the last line, to be kept elsewhere. */
  head: string
  /** Whether the log begins with its first entry: false after older ones were removed. */
  begins: boolean
  /** Moments of the first and the last entry. */
  first?: string
  last?: string
  /** Whether the hash that was asked for is one of the log. */
  isHeadKnown?: boolean
}

export interface AuditLog {
  /** Survives the death of the process once the promise has resolved, but perhaps not a power cut. */
  append(entry: Omit<AuditEntry, 'id' | 'createdAt'>): Promise<AuditEntry>
  /** Newest first; `total` counts all pages. */
  query(query: AuditQuery): Promise<{ entries: AuditEntry[]; total: number }>
  /** All that fits, the newest first; never all of it in memory. */
  entries(query: AuditFilter): AsyncIterable<AuditEntry>
  /** Whether each entry still follows the one that it followed when it was written. */
  check(knownHead?: string): Promise<AuditCheck>
  /** Removes what is older than the retention. */
  sweep(): Promise<void>
  close(): Promise<void>
}

/** Room in a library that is promised to one upload. */
export interface Reservation {
  /** So many bytes of it are kept now, and counted there. */
  stored(bytes: number): void
  /** Gives back what is left; must be called at the end. */
  release(): void
}

/** Room that several owners have together, in bytes. */
export interface SharedLimit {
  owners: readonly string[]
  limit: number
}

export type NewLibraryItem = Omit<LibraryItem, 'id' | 'size' | 'createdAt'>

export interface LibraryQuery {
  /** undefined: everybody's. */
  ownerId: string | undefined
  /** Part of the name, in any case. */
  search?: string
  limit: number
  offset: number
}

/** Files that users keep. Versions of one file form a chain; every version is an item of its own. */
export interface Library {
  /** Items that were found damaged at start: left as they are on the disk, and out of all answers. */
  readonly damaged: readonly string[]
  /**
   * Takes a file in. With 'move' the source is gone afterwards.
   *
   * @throws NOT_FOUND when the parent is not there, DISK_FULL; nothing is kept then
   */
  add(item: NewLibraryItem, sourcePath: string, how?: 'move' | 'copy'): Promise<LibraryItem>
  get(id: string): Promise<LibraryItem | undefined>
  /** The last version of each chain, newest first; `total` counts chains. */
  list(query: LibraryQuery): Promise<{ items: LibraryItem[]; total: number }>
  /** The chain of an item from first to last; empty when there is no such item. */
  versions(id: string): Promise<LibraryItem[]>
  /**
   * Puts other bytes in the place of an item's: id and version stay, the tool chain grows.
   *
   * @throws NOT_FOUND, DISK_FULL; the old bytes stay then
   */
  replace(
    id: string,
    sourcePath: string,
    toolId: string,
    changes?: Partial<Pick<LibraryItem, 'originalName' | 'mimeType' | 'width' | 'height'>>,
    how?: 'move' | 'copy',
  ): Promise<LibraryItem>
  /** Removes the whole chains of the items, where `mayDelete` holds for every item of the chain. Gives the ids of what was removed. */
  deleteChains(ids: readonly string[], mayDelete: (item: LibraryItem) => boolean): Promise<readonly string[]>
  /** Removes all items of one owner; says how many. */
  deleteOwner(ownerId: string): Promise<number>
  /** Bytes of all items of one owner, every version counted. */
  usedBytes(ownerId: string): Promise<number>
  /**
   * Promises room for so many bytes to an owner, of whom no more than `limit` may be kept: records about the items count,
   * and what is promised counts until it is kept, so that none is given twice.
   *
   * @param shared a limit that the owner shares with others
   * @throws QUOTA_EXCEEDED
   */
  reserve(ownerId: string, bytes: number, limit: number, shared?: SharedLimit): Promise<Reservation>
  totals(): Promise<{ items: number; bytes: number }>
  /** Where the bytes of an item are. @throws NOT_FOUND */
  content(id: string): Promise<BlobPlace>
}
