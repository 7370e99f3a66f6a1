import type { Blobs } from '../blobs.ts'
import type { JobRecord } from '../job-record.ts'
import type { Kind } from '../kinds.ts'
import type { LibraryItem } from '../records.ts'
import type { AuditCheck } from '../store.ts'

/** All kinds of small records, in the order in which they are copied. */
export const KINDS = [
  ...['teams', 'roles', 'users', 'sessions', 'apiKeys', 'factors', 'passkeys', 'identities', 'tickets'],
  ...['settings', 'preferences', 'pipelines', 'idempotencyKeys', 'webhooks', 'deliveries'],
] as readonly Kind[]

/** Records of one page. */
export const PAGE = 200

/** A small record with its id. */
export type SmallRecord = readonly [id: string, record: unknown]

/** A blob that a record names. */
export interface Content {
  /** Key in the blobs of this store. */
  key: string
  /** Key in the blobs of every store that it is copied to. */
  name: string
  /** In bytes, by the record. */
  bytes: number
  /** Results of a batch are gone when they have expired, while the record still names them. */
  mayBeGone: boolean
}

/** A record with the blobs that it names. */
export interface Holding<T> {
  record: T
  contents: readonly Content[]
  /** Versions of one file have the same; library only. */
  chain?: string
}

/** Records with blobs: the library, or the jobs. */
export interface Collection<T extends { id: string }> {
  readonly blobs: Blobs
  /** Ids of all records, in pages. */
  ids(): AsyncIterable<readonly string[]>
  /** Those of some ids that exist. @throws INVALID_FILE for a damaged record */
  find(ids: readonly string[]): Promise<Holding<T>[]>
  /** Stores records whose contents are in the blobs under their names. */
  put(holdings: readonly Holding<T>[]): Promise<void>
  /** Removes records with their contents. */
  remove(ids: readonly string[]): Promise<void>
}

/** Everything that a store keeps, as it is kept, in pages. The store is locked: no server uses it. */
export interface Dump {
  /** Identifies the store, so that an unfinished copy of it can be continued. */
  readonly id: string
  /** The store in messages. */
  readonly label: string
  readonly library: Collection<LibraryItem>
  readonly jobs: Collection<JobRecord>
  /** Small records in insertion order. */
  records(kind: Kind): AsyncIterable<readonly SmallRecord[]>
  addRecords(kind: Kind, records: readonly SmallRecord[]): Promise<void>
  /** Complete lines of the audit log, first to last. */
  auditLines(): AsyncIterable<readonly string[]>
  addAuditLines(lines: readonly string[]): Promise<void>
  checkAudit(): Promise<AuditCheck>
  /** Removes all small records and the audit log. */
  clear(): Promise<void>
  /** Ends the migration to this store: servers may use it. */
  finish(): Promise<void>
  close(): Promise<void>
}

/** How a store is opened: to be read, or to be filled with the data of another. */
export interface DumpRole {
  /** The source that a target is filled from. */
  source?: { id: string; label: string }
  /** The folders of a target in a database, for sources. */
  targetFolders?: readonly string[]
  /** The data folder is locked by this process already. */
  isLocked?: boolean
}

/** A target, and whether it has a part of the source. */
export interface OpenedDump {
  dump: Dump
  isResumed: boolean
}

/** Splits a list into pages. */
export function* paged<T>(all: readonly T[], size = PAGE): Generator<T[]> {
  for (let start = 0; start < all.length; start += size) yield all.slice(start, start + size)
}
