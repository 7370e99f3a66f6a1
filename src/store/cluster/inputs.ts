import { copyFile, link, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { mapConcurrently } from '../../concurrency.ts'
import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { makeFolder } from '../../make-folder.ts'
import type { Blobs } from '../blobs.ts'
import { inputFiles, type JobRecord } from '../job-record.ts'
import { storageFailure } from '../local/atomic-write.ts'

/** Files of one job that are transferred at the same time. */
const MAX_TRANSFERS = 4

/** Takes a blob into a folder: as another name of the same file where that is possible. */
async function take(blobs: Blobs, key: string, path: string): Promise<void> {
  await blobs.borrow(key, async (from) => {
    try {
      await link(from, path)
    } catch (error) {
      // An earlier attempt may have made it: as a link, it would be the blob itself that a copy replaces.
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') await rm(path)
      await copyFile(from, path).catch((failure: unknown) => {
        throw storageFailure(failure)
      })
    }
  })
}

/** The uploads of jobs, from the process that received them to the one that runs the job. */
export class JobInputs {
  readonly #inputs: Blobs
  readonly #results: Blobs
  readonly #isThere: () => Promise<boolean>

  /** @param isThere whether the place of both is reachable: a folder that is not mounted has no files */
  constructor(inputs: Blobs, results: Blobs, isThere: () => Promise<boolean>) {
    this.#inputs = inputs
    this.#results = results
    this.#isThere = isThere
  }

  /** Stores the files of a job's folder. @param mayBeLost a power failure may damage them until `flush` */
  async send(record: JobRecord, folder: string, mayBeLost = false): Promise<void> {
    await mapConcurrently(inputFiles(record), MAX_TRANSFERS, ({ file }) =>
      this.#inputs.put(`${record.id}/${file}`, { path: join(folder, file), how: 'move', mayBeLost }),
    )
  }

  /** Makes them outlive a power failure. */
  async flush(record: JobRecord): Promise<void> {
    const files = this.#inputs.flush ? inputFiles(record) : []
    await mapConcurrently(files, MAX_TRANSFERS, async ({ file }) => this.#inputs.flush?.(`${record.id}/${file}`))
  }

  /**
   * Puts them, and the results of the files of a batch that an interrupted attempt finished, into a folder.
   * @throws NOT_FOUND, STORE_UNAVAILABLE, DISK_FULL
   */
  async receive(record: JobRecord, folder: string): Promise<void> {
    const { id, members = [] } = record
    const files = [
      ...inputFiles(record).map(({ file }) => ({ blobs: this.#inputs, file })),
      ...members.flatMap((member) => (member.files ?? []).map(({ file }) => ({ blobs: this.#results, file }))),
    ]
    for (const path of new Set([folder, ...files.map(({ file }) => dirname(join(folder, file)))]))
      await makeFolder(path, 0o700)
    try {
      await mapConcurrently(files, MAX_TRANSFERS, ({ blobs, file }) => take(blobs, `${id}/${file}`, join(folder, file)))
    } catch (error) {
      if (toMediaprocError(error).code !== 'NOT_FOUND' || (await this.#isThere())) throw error
      throw new MediaprocError('STORE_UNAVAILABLE', 'The files of all servers are not there', { cause: error })
    }
  }

  async remove(record: JobRecord): Promise<void> {
    await mapConcurrently(inputFiles(record), MAX_TRANSFERS, ({ file }) => this.#inputs.remove(`${record.id}/${file}`))
  }
}
