import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { physicalPath } from './record-store.ts'

/** An input as it was when a job read it. */
export interface InputState {
  /** Absolute; an address or `-` as it was given. */
  path: string
  /** Absent for what has no age: addresses and standard input. */
  bytes?: number
  mtimeMs?: number
  /**
   * SHA-256 of files up to 16 MiB, of runs with --newer: another time stamp need not mean another file (checkouts, copies,
   * caches of CI). Other runs do not read their inputs twice; the first run with --newer after them makes again what has
   * another time stamp.
   */
  hash?: string
}

const MAX_HASHED_BYTES = 16 * 1024 * 1024

const hashOf = async (path: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(path))
    .digest('hex')

/** The states of the inputs of one run; a file that many jobs share is read once. */
export class InputStates {
  readonly #known = new Map<string, Promise<InputState>>()
  readonly #isHashed: boolean

  /** @param isHashed whether the content is to be known, too */
  constructor(isHashed: boolean) {
    this.#isHashed = isHashed
  }

  of(path: string): Promise<InputState> {
    const known = this.#known.get(path) ?? this.#look(path)
    this.#known.set(path, known)
    return known
  }

  async #look(path: string): Promise<InputState> {
    const shown = await physicalPath(path)
    try {
      const { size, mtimeMs } = await stat(path)
      const isHashed = this.#isHashed && size <= MAX_HASHED_BYTES
      return { path: shown, bytes: size, mtimeMs, ...(isHashed && { hash: await hashOf(path) }) }
    } catch {
      // A file that cannot be read fails its job, not the look at it.
      return { path: shown }
    }
  }
}

/**
 * Whether an input is still what a job read. One that was written after the outputs has changed, as for Make, whatever it
 * holds; of one with another, older time stamp the content decides.
 * @param made when the oldest output was written
 */
export async function isUnchanged(before: InputState, made: number): Promise<boolean> {
  const about = await stat(before.path).catch(() => undefined)
  if (!about || before.bytes !== about.size) return false
  if (before.mtimeMs === about.mtimeMs) return true
  if (about.mtimeMs > made || before.hash === undefined) return false
  return (await hashOf(before.path).catch(() => '')) === before.hash
}
