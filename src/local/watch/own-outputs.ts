import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { FinishedOutput } from '../output-paths.ts'
import { sourcesOf } from '../records/build-record.ts'
import { physicalPath } from '../records/record-store.ts'
import { isBelow, isExcluded, type WatchRoot } from './roots.ts'

/**
 * Recognises outputs that were made from files of the watched folders, so that they are never processed. Outputs of
 * earlier processes are known from their build records; those of this one also if the cache folder cannot be written.
 */
export class OwnOutputs {
  readonly #roots: readonly WatchRoot[]
  readonly #made = new Map<string, { bytes: number; mtimeMs: number }>()

  constructor(roots: readonly WatchRoot[]) {
    this.#roots = roots
  }

  #isWatched(path: string): boolean {
    return this.#roots.some((root) => isBelow(path, root.real) && !isExcluded({ ...root, folder: root.real }, path))
  }

  /** Outputs in folders that are left out need no entry. */
  async add(outputs: readonly FinishedOutput[]): Promise<void> {
    for (const { path, bytes } of outputs) {
      const physical = physicalPath(path)
      const about = this.#isWatched(physical) ? await stat(physical).catch(() => undefined) : undefined
      if (about?.size === bytes) this.#made.set(physical, { bytes, mtimeMs: about.mtimeMs })
    }
  }

  /** Whether a file is an unchanged output. After a change by another program, it is an input like any other. */
  async has(path: string, { size, mtimeMs }: Stats): Promise<boolean> {
    const made = this.#made.get(physicalPath(path))
    if (made) return made.bytes === size && made.mtimeMs === mtimeMs
    const sources = sourcesOf(path)
    return sources?.some((source) => this.#roots.some(({ real }) => isBelow(source, real))) === true
  }
}
