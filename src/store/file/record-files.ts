import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { storageFailure } from '../durable.ts'
import { isJobRecord, type JobRecord } from '../job-record.ts'
import type { Workspace } from '../jobs.ts'
import { RECORD } from './workspace.ts'

/** The records of jobs as files, each in the folder of its job. */
export class RecordFiles {
  readonly #workspace: Pick<Workspace, 'folderOf'>
  readonly #turns = new Map<string, Promise<unknown>>()

  constructor(workspace: Pick<Workspace, 'folderOf'>) {
    this.#workspace = workspace
  }

  #pathOf(id: string): string {
    return join(this.#workspace.folderOf(id), RECORD)
  }

  /** undefined when there is none, and 'damaged' when it cannot be read. */
  async read(id: string): Promise<JobRecord | 'damaged' | undefined> {
    try {
      const record: unknown = JSON.parse(await readFile(this.#pathOf(id), 'utf8'))
      return isJobRecord(record, id) ? record : 'damaged'
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : 'damaged'
    }
  }

  /** What is done to one record keeps its order. */
  async inTurn<R>(id: string, work: () => Promise<R>): Promise<R> {
    const before = this.#turns.get(id) ?? Promise.resolve()
    const result = before.catch(() => undefined).then(work)
    this.#turns.set(id, result)
    try {
      return await result
    } finally {
      if (this.#turns.get(id) === result) this.#turns.delete(id)
    }
  }

  /** By rename: whoever is killed leaves the old or the new record. */
  async write(record: JobRecord): Promise<void> {
    const path = this.#pathOf(record.id)
    const temporary = `${path}.part`
    try {
      await writeFile(temporary, JSON.stringify(record), { mode: 0o600 })
      await rename(temporary, path)
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {})
      throw storageFailure(error)
    }
  }

  async remove(id: string): Promise<void> {
    await rm(this.#pathOf(id), { force: true })
  }
}
