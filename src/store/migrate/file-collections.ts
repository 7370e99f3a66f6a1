import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { mapConcurrently } from '../../concurrency.ts'
import { MediaprocError } from '../../errors.ts'
import { makeFolder } from '../../make-folder.ts'
import type { JobIndex } from '../file/jobs/index.ts'
import { LibraryFolder } from '../file/library/folder.ts'
import { LibraryIndex } from '../file/library/index.ts'
import { RecordFiles } from '../file/record-files.ts'
import type { JobRecord } from '../job-record.ts'
import { syncFile, syncFolder } from '../local/atomic-write.ts'
import { FileBlobs } from '../local/blobs.ts'
import { folderBytes, isJobFolder } from '../local/leftovers.ts'
import { LocalWorkspace, RECORD } from '../local/workspace.ts'
import type { LibraryItem } from '../records.ts'
import { type Collection, type Holding, PAGE } from './dump.ts'
import { contentsOf } from './job-files.ts'

/** Records read concurrently. */
const MAX_READERS = 16

const damaged = (what: string, path: string): MediaprocError =>
  new MediaprocError('INVALID_FILE', `${what} is damaged: ${path}`, {
    hint: 'Restore it from a backup, or remove its folder, and run the command again.',
  })

/** Names of folders of items and jobs: both are UUIDs. */
async function* foldersIn(folder: string): AsyncGenerator<string[]> {
  let names: string[] = []
  for await (const entry of await opendir(folder)) {
    if (!entry.isDirectory() || !isJobFolder(entry.name)) continue
    names.push(entry.name)
    if (names.length < PAGE) continue
    yield names
    names = []
  }
  if (names.length > 0) yield names
}

const idsOf = <T extends { id: string }>(holdings: readonly Holding<T>[]): string[] =>
  holdings.map(({ record }) => record.id)

/** The library of a data folder. */
export class FileItems implements Collection<LibraryItem> {
  readonly blobs: FileBlobs
  readonly #path: string
  readonly #folder: LibraryFolder
  readonly #hasChains: boolean
  #index: LibraryIndex | undefined

  /** @param hasChains whether chains are needed, for which all items are read first */
  constructor(path: string, hasChains: boolean) {
    this.#path = path
    this.#hasChains = hasChains
    this.#folder = new LibraryFolder(path)
    this.blobs = new FileBlobs(path, { isDurable: true })
  }

  /** Chains are found with the facts of all items in memory, as in a server. */
  async #chainOf(id: string): Promise<string> {
    if (!this.#index) {
      this.#index = new LibraryIndex()
      for await (const ids of foldersIn(this.#path))
        for (const { stored } of await this.#read(ids)) this.#index.put(stored)
      for (const entry of this.#index.all()) this.#index.join(entry)
    }
    return this.#index.chain(id)[0]?.id ?? id
  }

  async #read(ids: readonly string[]) {
    const found = await mapConcurrently(ids, MAX_READERS, async (id) => {
      const stored = await this.#folder.record(id)
      if (stored === 'damaged') throw damaged('A file of the library', this.#folder.path(id))
      return stored && { stored }
    })
    return found.filter((one) => one !== undefined)
  }

  async *ids(): AsyncGenerator<string[]> {
    for await (const names of foldersIn(this.#path)) {
      // A folder without a record is an upload that was never acknowledged.
      const known = await this.#read(names)
      yield known.map(({ stored }) => stored.item.id)
    }
  }

  async find(ids: readonly string[]): Promise<Holding<LibraryItem>[]> {
    const found = await this.#read(ids.filter(isJobFolder))
    return mapConcurrently(found, 1, async ({ stored: { item, content } }) => ({
      record: item,
      contents: [
        { key: `${item.id}/${content}`, name: `${item.id}/content`, bytes: item.size, mayBeGone: false } as const,
      ],
      ...(this.#hasChains && { chain: await this.#chainOf(item.id) }),
    }))
  }

  async put(holdings: readonly Holding<LibraryItem>[]): Promise<void> {
    await mapConcurrently(holdings, MAX_READERS, async ({ record }) => {
      // A content that the source does not have made none.
      await makeFolder(this.#folder.path(record.id), 0o700)
      await this.#folder.acknowledge({ item: record, content: 'content' })
    })
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      await this.#folder.withdraw(id)
      await this.#folder.discard(id)
    }
  }
}

/** The jobs of a data folder. */
export class FileJobRecords implements Collection<JobRecord> {
  readonly blobs: FileBlobs
  readonly #workspace: LocalWorkspace
  readonly #files: RecordFiles
  readonly #index: JobIndex

  constructor(folder: string, index: JobIndex) {
    this.#workspace = new LocalWorkspace(folder)
    this.#files = new RecordFiles(this.#workspace)
    this.#index = index
    this.blobs = new FileBlobs(folder, { isDurable: true })
  }

  async #read(ids: readonly string[]): Promise<JobRecord[]> {
    const found = await mapConcurrently(ids, MAX_READERS, async (id) => {
      const record = await this.#files.read(id)
      if (record === 'damaged') throw damaged('The record of a job', this.#workspace.folderOf(id))
      return record
    })
    return found.filter((record) => record !== undefined)
  }

  async *ids(): AsyncGenerator<string[]> {
    for await (const names of foldersIn(this.#workspace.folder)) yield (await this.#read(names)).map(({ id }) => id)
  }

  async find(ids: readonly string[]): Promise<Holding<JobRecord>[]> {
    const records = await this.#read(ids.filter(isJobFolder))
    return records.map((record) => ({ record, contents: contentsOf(record) }))
  }

  async put(holdings: readonly Holding<JobRecord>[]): Promise<void> {
    // Unlike those of a server, these records must survive a power failure: their source may be removed.
    await mapConcurrently(idsOf(holdings), MAX_READERS, (id) => makeFolder(this.#workspace.folderOf(id), 0o700))
    await syncFolder(this.#workspace.folder)
    await mapConcurrently(holdings, MAX_READERS, async ({ record }) => {
      await this.#files.write(record)
      await syncFile(join(this.#workspace.folderOf(record.id), RECORD))
      await syncFolder(this.#workspace.folderOf(record.id))
      this.#index.put(record, await folderBytes(this.#workspace.folderOf(record.id)))
    })
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      this.#index.remove(id)
      await this.#files.remove(id)
      await this.#workspace.discard(id)
    }
  }
}
