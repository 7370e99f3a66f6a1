import { existsSync, type Stats, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { letOthersRun, limiter } from '../concurrency.ts'
import { MediaprocError, toMediaprocError } from '../errors.ts'
import { flatText } from '../flat-text.ts'
import { look } from '../look.ts'
import { printableName } from '../media/file.ts'

/** File systems of these platforms treat `A.jpg` and `a.jpg` as the same name. */
const IGNORES_CASE = process.platform === 'darwin' || process.platform === 'win32'

/** A job, or one variant of a pipeline job. */
export interface Claimant {
  /** Its identity; a plain job has its number, which takes no memory of its own. */
  job: string | number
  /** Its name in messages. */
  label: string
  /** If several runs share the claims: the input, whose deletion releases the claim. */
  source?: string
}

/** Claims shared by the runs of one process that watches folders. */
export interface SharedClaims {
  claims: OutputClaims
  likelyClaims: OutputClaims
}

/** Tracks which job writes which output in a run: no two jobs may write the same one. */
export class OutputClaims {
  readonly #owners = new Map<string, Claimant>()
  /** Runs work alone: names that are only known when outputs are complete are claimed, checked and placed in one step. */
  readonly exclusively = limiter(1)

  /** @throws MediaprocError OUTPUT_COLLISION */
  claim(path: string, claimant: Claimant): void {
    const absolute = resolve(path)
    const key = IGNORES_CASE ? absolute.toLowerCase() : absolute
    const owner = this.#owners.get(key)
    const isHeld = owner && owner.job !== claimant.job && (owner.source === undefined || existsSync(owner.source))
    if (isHeld)
      throw new MediaprocError(
        'OUTPUT_COLLISION',
        `${printableName(owner.label)} and ${printableName(claimant.label)} would both write ${printableName(path)}`,
      )
    // A job claims its outputs several times; the first object stays.
    if (owner?.job !== claimant.job) this.#owners.set(flatText(key), claimant)
  }
}

/** Identities of files: inode numbers by device, since a text for each of a hundred thousand files takes megabytes. */
class FileIdentities {
  readonly #inodes = new Map<number, Set<number>>()

  add({ dev, ino }: Stats): void {
    const inodes = this.#inodes.get(dev) ?? new Set()
    this.#inodes.set(dev, inodes.add(ino))
  }

  has({ dev, ino }: Stats): boolean {
    return this.#inodes.get(dev)?.has(ino) === true
  }
}

/** @throws MediaprocError NAME_TOO_LONG */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENAMETOOLONG') throw toMediaprocError(error)
    return undefined
  }
}

/** The files that no output may replace, by any name or link; checked only if the output already exists. */
export class ProtectedFiles {
  /** Paths whose identities are not collected yet. */
  #pending = new Set<string>()
  readonly #identities = new FileIdentities()
  #collected = Promise.resolve()

  constructor(paths: readonly string[]) {
    this.add(paths)
  }

  add(paths: readonly string[]): void {
    for (const path of paths) this.#pending.add(path)
  }

  async #collect(before: Promise<void>, paths: ReadonlySet<string>): Promise<void> {
    await before
    for (const [step, path] of [...paths].entries()) {
      await letOthersRun(step)
      const about = look(path)
      if (about) this.#identities.add(about)
    }
  }

  async has(path: string): Promise<boolean> {
    const about = look(path)
    return about !== undefined && this.#holds(about)
  }

  async #holds(about: Stats): Promise<boolean> {
    if (this.#pending.size > 0) {
      this.#collected = this.#collect(this.#collected, this.#pending)
      this.#pending = new Set()
    }
    await this.#collected
    return this.#identities.has(about)
  }

  /**
   * Rejects an output that is one of these, with a single stat.
   * @returns the stat of the output; undefined if it does not exist
   * @throws MediaprocError OUTPUT_IS_INPUT, NAME_TOO_LONG
   */
  async refuse(path: string): Promise<Stats | undefined> {
    const about = statOf(path)
    if (about && (await this.#holds(about)))
      throw new MediaprocError('OUTPUT_IS_INPUT', `The output ${printableName(path)} is an input`)
    return about
  }
}

/**
 * Rejects an output that already exists.
 * @param about the stat of the output; undefined if it does not exist
 * @throws MediaprocError OUTPUT_EXISTS, or IS_A_FOLDER regardless of `overwrite`
 */
export function refuseExisting(path: string, about: Stats | undefined, overwrite: boolean): void {
  if (!about) return
  if (about.isDirectory())
    throw new MediaprocError('IS_A_FOLDER', `The output ${printableName(path)} is a folder`, {
      hint: 'Choose another name with -o or --name.',
    })
  if (!overwrite) throw new MediaprocError('OUTPUT_EXISTS', `${printableName(path)} is already there`)
}
