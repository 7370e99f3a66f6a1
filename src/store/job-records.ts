import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { storageFailure } from './durable.ts'
import { discard, folderBytes, isOwnFolder, removeLeftovers } from './job-leftovers.ts'
import { isJobRecord, type JobRecord } from './job-record.ts'

const RECORD = 'job.json'

/** The record in a folder; undefined when there is none, and 'damaged' when it cannot be read. */
async function readRecord(folder: string, id: string): Promise<JobRecord | 'damaged' | undefined> {
  try {
    const record: unknown = JSON.parse(await readFile(join(folder, RECORD), 'utf8'))
    return isJobRecord(record, id) ? record : 'damaged'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : 'damaged'
  }
}

/**
 * The workspace: a folder per job with its record, its uploads and its results. The record is written by rename before
 * anybody is told of a change, so that killing the server loses nothing that was acknowledged.
 */
export class JobRecords {
  /** Folders whose record was found damaged at the start: left as they are, and out of all answers. */
  readonly damaged: string[] = []
  readonly #folder: string
  readonly #records = new Map<string, JobRecord>()
  readonly #byClient = new Map<string, Set<string>>()
  readonly #bytes = new Map<string, number>()
  /** Whose a folder is, and what all folders of an owner hold. */
  readonly #owners = new Map<string, string | null>()
  readonly #byOwner = new Map<string | null, number>()
  readonly #saving = new Map<string, Promise<void>>()
  #total = 0

  private constructor(folder: string) {
    this.#folder = folder
  }

  /** Reads all records. Folders without one are uploads that never became a job: they are removed, with all leftovers. */
  static async open(folder: string): Promise<JobRecords> {
    const records = new JobRecords(folder)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const { name } = entry
      if (!entry.isDirectory() || !isOwnFolder(name)) continue
      const own = join(folder, name)
      const record = await readRecord(own, name)
      if (record === undefined) await discard(own)
      else if (record === 'damaged') records.damaged.push(name)
      else {
        await removeLeftovers(own, record, [RECORD])
        records.#remember(record)
        await records.measure(name)
      }
    }
    return records
  }

  #remember(record: JobRecord): void {
    this.#records.set(record.id, record)
    this.#owners.set(record.id, record.ownerId)
    if (record.clientJobId === null) return
    const same = this.#byClient.get(record.clientJobId) ?? new Set()
    this.#byClient.set(record.clientJobId, same.add(record.id))
  }

  /** Makes the folder of a job that is about to be: uploads go into it before the record exists. */
  async begin(ownerId: string | null = null): Promise<{ id: string; folder: string }> {
    const id = randomUUID()
    this.#owners.set(id, ownerId)
    const folder = this.folderOf(id)
    await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
      this.#owners.delete(id)
      throw storageFailure(error)
    })
    return { id, folder }
  }

  folderOf(id: string): string {
    return join(this.#folder, id)
  }

  get(id: string): JobRecord | undefined {
    return this.#records.get(id)
  }

  /** Jobs that go by this id: the server's own, and those for which a client chose it; newest first. */
  named(id: string): JobRecord[] {
    const ids = [...(this.#byClient.get(id) ?? [])].reverse()
    return [id, ...ids].flatMap((one) => this.#records.get(one) ?? [])
  }

  all(): Iterable<JobRecord> {
    return this.#records.values()
  }

  /** Bytes of all folders, as last measured. */
  get totalBytes(): number {
    return this.#total
  }

  /** Bytes of all folders of one owner, as last measured. */
  bytesOf(ownerId: string | null): number {
    return this.#byOwner.get(ownerId) ?? 0
  }

  /** Writes a record, new or changed. Settled when it is in its place; several writes of one record keep their order. */
  async save(record: JobRecord): Promise<void> {
    const before = this.#saving.get(record.id)
    const saved = (before ? before.catch(() => undefined) : Promise.resolve()).then(() => this.#write(record))
    this.#saving.set(record.id, saved)
    try {
      await saved
    } finally {
      if (this.#saving.get(record.id) === saved) this.#saving.delete(record.id)
    }
  }

  async #write(record: JobRecord): Promise<void> {
    const path = join(this.folderOf(record.id), RECORD)
    const temporary = `${path}.part`
    try {
      await writeFile(temporary, JSON.stringify(record), { mode: 0o600 })
      await rename(temporary, path)
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {})
      throw storageFailure(error)
    }
    if (this.#records.get(record.id) !== record) this.#remember(record)
  }

  /** Counts the bytes of a job's folder anew. */
  async measure(id: string): Promise<void> {
    this.count(id, await folderBytes(this.folderOf(id)))
  }

  /** Takes note of the bytes of a job's folder, where they are known. */
  count(id: string, bytes: number): void {
    const more = bytes - (this.#bytes.get(id) ?? 0)
    const ownerId = this.#owners.get(id) ?? null
    this.#total += more
    this.#byOwner.set(ownerId, this.bytesOf(ownerId) + more)
    this.#bytes.set(id, bytes)
  }

  /** Removes one thing in a job's folder. */
  async removeFile(id: string, name: string): Promise<void> {
    await rm(join(this.folderOf(id), name), { recursive: true, force: true })
  }

  /** Removes everything in a job's folder but its record. */
  async removeFiles(id: string): Promise<void> {
    for (const name of await readdir(this.folderOf(id)).catch(() => []))
      if (name !== RECORD) await this.removeFile(id, name)
    await this.measure(id)
  }

  /** Removes a job with all that is in its folder. */
  async remove(id: string): Promise<void> {
    const record = this.#records.get(id)
    this.#records.delete(id)
    if (record?.clientJobId) this.#byClient.get(record.clientJobId)?.delete(id)
    this.count(id, 0)
    this.#bytes.delete(id)
    this.#owners.delete(id)
    await rm(this.folderOf(id), { recursive: true, force: true })
  }
}
