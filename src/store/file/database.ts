import { join } from 'node:path'
import { MediaprocError } from '../../errors.ts'
import type { Kind, Kinds } from '../kinds.ts'
import { storageFailure } from '../local/atomic-write.ts'
import { checksumOf } from './checksum.ts'
import { Journal } from './journal.ts'
import { badRecords } from './record-checks.ts'
import { Snapshots } from './snapshots.ts'
import type { Rows } from './table.ts'
import { type Change, Draft, KINDS, Tables } from './tables.ts'

/** How long a touch may wait to be written together with a change, in milliseconds. */
const TOUCH_DELAY_MS = 30_000
/** Snapshots are rewritten when the journal is larger than this and than the snapshots, in bytes. */
const LEAST_JOURNAL = 4_000_000

interface Waiting {
  resolve(): void
  reject(error: MediaprocError): void
}

function isChange(value: unknown): value is Change {
  if (!Array.isArray(value) || value.length !== 3) return false
  const [kind, id, record] = value
  return KINDS.includes(kind) && typeof id === 'string' && typeof record === 'object'
}

/** A journal line: its changes, and the checksum of their JSON. */
interface Line {
  checksum: string
  changes: readonly Change[]
}

/** Parses the changes of a line. Older versions wrote only the list. @throws Error with the reason */
function changesOf(line: unknown, needsChecksum: boolean): readonly Change[] {
  const { checksum, changes } = (Array.isArray(line) ? { changes: line } : (line ?? {})) as Partial<Line>
  if (!Array.isArray(changes) || !changes.every(isChange)) throw new Error('it holds no changes')
  if (needsChecksum && checksum !== checksumOf(JSON.stringify(changes))) throw new Error('its checksum does not fit')
  return changes
}

/**
 * In-memory database of small records: reads are immediate, changes run in transactions. A write appends the changed
 * records to the journal, as whole records, so that replaying a line twice is harmless. When the journal has grown, the
 * snapshots are rewritten and the journal is emptied; after a crash in between both exist, and reading them gives the
 * same records. Files of an older version are such snapshots without a journal.
 *
 * Reads return only durable records. Transactions also see the changes of earlier transactions that are still being
 * written, and are rolled back with them if the write fails.
 */
export class Database {
  readonly #journal: Journal
  readonly #snapshots: Snapshots
  readonly #tables: Tables
  /** Changes for the next write, layered over those that are being written. */
  #staged: Draft
  #waiting: Waiting[] = []
  #turn: Promise<unknown> = Promise.resolve()
  #busy = false
  #writing: Promise<void> = Promise.resolve()
  /** Number of rollbacks, and the reason of the last one. */
  #failures = 0
  #failure: MediaprocError | undefined
  #compactAt = LEAST_JOURNAL
  readonly #touched = new Map<string, readonly [kind: Kind, id: string]>()
  #timer: NodeJS.Timeout | undefined
  #touchIsDue = false
  #closed = false

  private constructor(journal: Journal, snapshots: Snapshots, tables: Tables) {
    this.#journal = journal
    this.#snapshots = snapshots
    this.#tables = tables
    this.#staged = new Draft(tables)
  }

  /**
   * @param options whether files without checksums count as damaged, because only older versions wrote such files
   * @throws INVALID_CONFIG when one of the files is damaged
   */
  static async open(folder: string, { needsChecksum = false } = {}): Promise<Database> {
    const tables = new Tables()
    const snapshots = await Snapshots.read(folder, tables, needsChecksum)
    const journal = await Journal.open(join(folder, 'journal.ndjson'), (line) => {
      const changes = changesOf(line, needsChecksum)
      const wrong = badRecords(changes)
      if (wrong !== undefined) throw new Error(wrong)
      tables.apply(changes)
    })
    const database = new Database(journal, snapshots, tables)
    try {
      if (snapshots.isIncomplete || !needsChecksum || journal.size > LEAST_JOURNAL) await database.#compact()
    } catch (error) {
      await journal.close()
      throw error
    }
    return database
  }

  read<K extends Kind>(kind: K): Rows<Kinds[K]> {
    return this.#tables.rows(kind)
  }

  /**
   * Changes records, all or none: when `work` throws, nothing is changed. Transactions run one at a time, so `work`
   * must not wait for anything else. The promise resolves when the changes are on the disk.
   *
   * @throws the error of `work`; DISK_FULL or INTERNAL when the write fails, SHUTTING_DOWN
   */
  async transaction<R>(work: (draft: Draft) => R | Promise<R>): Promise<R> {
    const { result, kept } = await this.#inTurn(async () => {
      if (this.#closed) throw new MediaprocError('SHUTTING_DOWN')
      const before = this.#failures
      const draft = new Draft(this.#staged)
      const result = await work(draft)
      // The changes it is based on were rolled back in the meantime.
      if (this.#failures !== before) throw this.#failure!
      return { result, kept: this.#stage(draft) }
    })
    await kept
    return result
  }

  /**
   * A change that may be lost in a crash, such as a time of last use: written with the next change, or within 30
   * seconds.
   */
  touch<K extends Kind>(kind: K, id: string, edit: (record: Kinds[K]) => Kinds[K]): void {
    const record = this.#tables.rows(kind).get(id)
    if (this.#closed || record === undefined) return
    this.#tables.rows(kind).put(id, edit(record))
    this.#touched.set(`${kind} ${id}`, [kind, id])
    this.#timer ??= setTimeout(() => {
      this.#touchIsDue = true
      this.#startWriting()
    }, TOUCH_DELAY_MS).unref()
  }

  /** Writes pending changes; later ones are refused. */
  async close(): Promise<void> {
    if (this.#closed) return
    await this.#inTurn(async () => {
      this.#closed = true
    })
    this.#touchIsDue = this.#touched.size > 0
    if (this.#touchIsDue) this.#startWriting()
    await this.#writing
    // The previous version reads only the snapshots. A full disk must not prevent the shutdown.
    if (this.#journal.size > 0) await this.#compact().catch(() => {})
    await this.#journal.close()
  }

  #inTurn<R>(work: () => Promise<R>): Promise<R> {
    const result = this.#turn.then(work)
    this.#turn = result.catch(() => {})
    return result
  }

  /** Resolves when the changes, and all changes that the draft could see, are written. */
  #stage(draft: Draft): Promise<void> {
    for (const change of draft.changes) this.#staged.add(change)
    if (draft.changes.length === 0 && !this.#busy) return Promise.resolve()
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#startWriting()
    })
  }

  #startWriting(): void {
    if (!this.#busy) this.#writing = this.#writeAll()
  }

  /** One write at a time; changes made during it share the next one. Never rejects. */
  async #writeAll(): Promise<void> {
    this.#busy = true
    do {
      const [included, draft] = [this.#waiting, this.#staged]
      this.#waiting = []
      this.#staged = new Draft(draft)
      try {
        const changes = [...this.#takeTouched(), ...draft.changes]
        if (changes.length > 0)
          await this.#journal.append({ checksum: checksumOf(JSON.stringify(changes)), changes } satisfies Line)
        this.#tables.apply(draft.changes)
        this.#staged.below = this.#tables
        for (const { resolve } of included) resolve()
      } catch (error) {
        this.#takeBack(storageFailure(error), included)
      }
      // The journal is complete without it; the next attempt is sufficient.
      if (this.#journal.size > this.#compactAt) await this.#compact().catch(() => {})
    } while (this.#waiting.length > 0 || this.#touchIsDue)
    this.#busy = false
  }

  /** Touched records that still exist. They come before changes, which may remove them. */
  #takeTouched(): Change[] {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#touchIsDue = false
    const touched = [...this.#touched.values()].flatMap(([kind, id]): Change[] => {
      const record = this.#tables.rows(kind).get(id)
      return record === undefined ? [] : [[kind, id, record]]
    })
    this.#touched.clear()
    return touched
  }

  /** Changes made since the write began are based on the rolled-back ones, so they are rolled back as well. */
  #takeBack(failure: MediaprocError, included: readonly Waiting[]): void {
    this.#failures += 1
    this.#failure = failure
    this.#staged = new Draft(this.#tables)
    const refused = [...included, ...this.#waiting]
    this.#waiting = []
    for (const { reject } of refused) reject(failure)
  }

  async #compact(): Promise<void> {
    // On a full disk this is not retried at every change.
    this.#compactAt = Math.max(LEAST_JOURNAL, 2 * this.#journal.size)
    const bytes = await this.#snapshots.write(this.#tables)
    await this.#journal.clear()
    this.#compactAt = Math.max(LEAST_JOURNAL, bytes)
  }
}
