import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isJobRecord, type JobRecord } from '../job-record.ts'
import type { Workspace } from '../jobs.ts'
import { storageFailure } from '../local/atomic-write.ts'
import { RECORD } from '../local/workspace.ts'
import { Turns } from '../turns.ts'
import { parseChecked, withChecksum } from './checksum.ts'

/** Number of recently written records cached in memory, if small: usually one of them is requested next. */
const MAX_RECENT = 200
const RECENT_BYTES = 8 * 1024
/** For this long after a write, the cached record is used without checking its file, in milliseconds. */
const TRUSTED_MS = 1000
/** Tolerance between the clocks of the file system and this process, in milliseconds. */
const CLOCK_MS = 20

/** A record as written, and the data that detects a file written by another process. */
interface Recent {
  record: JobRecord
  size: number
  begun: number
  ended: number
}

/** Job records as files, each in the folder of its job. */
export class RecordFiles {
  readonly #workspace: Pick<Workspace, 'folderOf'>
  /** Oldest first. */
  readonly #recent = new Map<string, Recent>()
  readonly #turns = new Turns()

  constructor(workspace: Pick<Workspace, 'folderOf'>) {
    this.#workspace = workspace
  }

  #pathOf(id: string): string {
    return join(this.#workspace.folderOf(id), RECORD)
  }

  /** Returns undefined when there is no record, and 'damaged' when it cannot be read. */
  async read(id: string): Promise<JobRecord | 'damaged' | undefined> {
    const recent = await this.#unchanged(id)
    if (recent) return recent
    try {
      const record = parseChecked(await readFile(this.#pathOf(id), 'utf8'))
      return isJobRecord(record, id) ? record : 'damaged'
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : 'damaged'
    }
  }

  /**
   * A recently written record whose file is unchanged. Usually the download follows the job at once: then even the
   * check of the file is skipped.
   */
  async #unchanged(id: string): Promise<JobRecord | undefined> {
    const recent = this.#recent.get(id)
    if (!recent) return undefined
    const { record, size, begun, ended } = recent
    const age = Date.now() - ended
    if (age >= 0 && age < TRUSTED_MS) return record
    const now = await stat(this.#pathOf(id)).catch(() => undefined)
    if (now?.size === size && now.mtimeMs >= begun - CLOCK_MS && now.mtimeMs <= ended + CLOCK_MS) return record
    this.#recent.delete(id)
    return undefined
  }

  #remember(recent: Recent): void {
    const { id } = recent.record
    this.#recent.delete(id)
    if (recent.size > RECENT_BYTES) return
    this.#recent.set(id, recent)
    if (this.#recent.size > MAX_RECENT) this.#recent.delete(this.#recent.keys().next().value!)
  }

  /** Serializes the operations on one record. */
  inTurn<R>(id: string, work: () => Promise<R>): Promise<R> {
    return this.#turns.run(id, work)
  }

  /** Writes by rename: a process that is killed leaves either the old or the new record. */
  async write(record: JobRecord): Promise<void> {
    const path = this.#pathOf(record.id)
    const temporary = `${path}.part`
    const text = withChecksum(JSON.stringify(record))
    const begun = Date.now()
    try {
      await writeFile(temporary, text, { mode: 0o600 })
      const ended = Date.now()
      await rename(temporary, path)
      this.#remember({ record, size: Buffer.byteLength(text), begun, ended })
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {})
      throw storageFailure(error)
    }
  }

  async remove(id: string): Promise<void> {
    this.#recent.delete(id)
    await rm(this.#pathOf(id), { force: true })
  }
}
