import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { HeldFiles, Workspace } from '../jobs.ts'
import { storageFailure } from './atomic-write.ts'
import { folderBytes } from './leftovers.ts'

/** The record in a job's folder. */
export const RECORD = 'job.json'

/** A folder per job, and their sizes. For folders without a running job only the sums are kept. */
export class LocalWorkspace implements Workspace {
  readonly folder: string
  /** Folders of running jobs. */
  readonly #open = new Map<string, { ownerId: string | null; bytes: number }>()
  readonly #byOwner = new Map<string | null, number>()
  #total = 0

  constructor(folder: string) {
    this.folder = folder
  }

  get totalBytes(): number {
    return this.#total
  }

  bytesOf(ownerId: string | null): number {
    return this.#byOwner.get(ownerId) ?? 0
  }

  folderOf(id: string): string {
    return join(this.folder, id)
  }

  async refresh(_ownerId: string | null): Promise<void> {}

  async begin(ownerId: string | null = null): Promise<{ id: string; folder: string }> {
    const id = randomUUID()
    const folder = this.folderOf(id)
    await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
      throw storageFailure(error)
    })
    this.open(id, ownerId, 0)
    return { id, folder }
  }

  /** Marks a folder as in use, with its size, which is already counted if no job was running. */
  open(id: string, ownerId: string | null, bytes: number): void {
    if (!this.#open.has(id)) this.#open.set(id, { ownerId, bytes })
  }

  /** Marks a folder as no longer in use: its size stays counted. */
  rest(id: string): void {
    this.#open.delete(id)
  }

  count(id: string, bytes: number): void {
    const known = this.#open.get(id)
    if (!known) return
    this.add(known.ownerId, bytes - known.bytes)
    known.bytes = bytes
  }

  /** Adds to the size of a folder without a running job. */
  add(ownerId: string | null, more: number): void {
    this.#total += more
    const bytes = this.bytesOf(ownerId) + more
    if (bytes === 0) this.#byOwner.delete(ownerId)
    else this.#byOwner.set(ownerId, bytes)
  }

  /** Measures the size of a folder again. */
  async measure(id: string): Promise<number> {
    const bytes = await folderBytes(this.folderOf(id))
    this.count(id, bytes)
    return bytes
  }

  held({ id }: HeldFiles): Promise<number> {
    return this.measure(id)
  }

  async removeFile(id: string, name: string): Promise<void> {
    const path = join(this.folderOf(id), name)
    // Usually a file: `rm` would call stat first.
    await unlink(path).catch(async ({ code }: NodeJS.ErrnoException) => {
      if (code !== 'ENOENT') await rm(path, { recursive: true, force: true })
    })
  }

  async removeFiles(id: string): Promise<void> {
    for (const name of await readdir(this.folderOf(id)).catch(() => []))
      if (name !== RECORD) await this.removeFile(id, name)
  }

  async handOver(_id: string): Promise<void> {}

  async discard(id: string): Promise<void> {
    this.count(id, 0)
    this.rest(id)
    await rm(this.folderOf(id), { recursive: true, force: true })
  }
}
