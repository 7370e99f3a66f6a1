import { readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { lookAtName } from '../look.ts'

/** Idle folders kept at a time, so that a run with outputs in thousands of folders leaves no folder in each of them. */
const MAX_IDLE = 8

/**
 * The staging folders that the jobs of a run use one after the other: creating and removing one for each of many small
 * files takes longer than writing the file. A folder has one job at a time, and only empty ones are kept.
 */
export class StagingFolders {
  readonly #onRemove: (folder: string) => void
  /** In the order of their last use. */
  #idle: { parent: string; folder: string }[] = []
  #closed = false

  /** @param onRemove called for each folder that was removed */
  constructor(onRemove: (folder: string) => void) {
    this.#onRemove = onRemove
  }

  /** An idle folder in `parent`; undefined if there is none. */
  take(parent: string): string | undefined {
    const at = this.#idle.findIndex((one) => one.parent === resolve(parent))
    if (at < 0) return undefined
    const [{ folder } = { folder: '' }] = this.#idle.splice(at, 1)
    // Another program may have removed it, or the folder that contains it.
    if (lookAtName(folder)?.isDirectory()) return folder
    this.#onRemove(folder)
    return this.take(parent)
  }

  /** Keeps the folder of a job that is done, if it is empty. @returns whether it is kept */
  async giveBack(parent: string, folder: string): Promise<boolean> {
    if (this.#closed || readdirSync(folder).length > 0) return false
    this.#idle.push({ parent: resolve(parent), folder })
    const [oldest] = this.#idle
    if (this.#idle.length > MAX_IDLE && oldest) {
      this.#idle.shift()
      await this.#remove(oldest.folder)
    }
    return true
  }

  /** Removes all; later ones are not kept. */
  async remove(): Promise<void> {
    this.#closed = true
    const idle = this.#idle
    this.#idle = []
    for (const { folder } of idle) await this.#remove(folder)
  }

  async #remove(folder: string): Promise<void> {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    this.#onRemove(folder)
  }
}
