import type { Stats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { MediaprocError } from '../errors.ts'
import { printableName } from '../media/file.ts'

/** File systems of these platforms hold `A.jpg` and `a.jpg` for the same name. */
const IGNORES_CASE = process.platform === 'darwin' || process.platform === 'win32'

/** Which job writes which output in a run: no two may write the same one. */
export class Claims {
  readonly #owners = new Map<string, { job: number; given: string }>()

  /** @throws MediaprocError OUTPUT_COLLISION */
  claim(path: string, job: number, given: string): void {
    const absolute = resolve(path)
    const key = IGNORES_CASE ? absolute.toLowerCase() : absolute
    const owner = this.#owners.get(key)
    if (owner && owner.job !== job)
      throw new MediaprocError(
        'OUTPUT_COLLISION',
        `${printableName(owner.given)} and ${printableName(given)} would both write ${printableName(path)}`,
      )
    this.#owners.set(key, { job, given })
  }
}

const look = (path: string): Promise<Stats | undefined> => stat(path).catch(() => undefined)

const identity = ({ dev, ino }: Stats): string => `${dev}:${ino}`

/** The files that no output may replace, by whatever name or link; they are looked at only when a target is there already. */
export class ProtectedFiles {
  readonly #paths: readonly string[]
  #identities: Promise<Set<string>> | undefined

  constructor(paths: readonly string[]) {
    this.#paths = paths
  }

  async #collect(): Promise<Set<string>> {
    const found = await Promise.all(this.#paths.map(look))
    return new Set(found.filter((about) => about !== undefined).map(identity))
  }

  /** @throws MediaprocError OUTPUT_IS_INPUT */
  async refuse(target: string): Promise<void> {
    const about = await look(target)
    if (!about) return
    this.#identities ??= this.#collect()
    if ((await this.#identities).has(identity(about)))
      throw new MediaprocError('OUTPUT_IS_INPUT', `The output ${printableName(target)} is an input`)
  }
}

/** Refuses a target that is there. @throws MediaprocError OUTPUT_EXISTS, or IS_A_FOLDER whatever `overwrite` says */
export async function refuseExisting(target: string, overwrite: boolean): Promise<void> {
  const about = await look(target)
  if (!about) return
  if (about.isDirectory())
    throw new MediaprocError('IS_A_FOLDER', `The output ${printableName(target)} is a folder`, {
      hint: 'Choose another name with -o or --name.',
    })
  if (!overwrite) throw new MediaprocError('OUTPUT_EXISTS', `${printableName(target)} is already there`)
}

/** The time of the oldest file that an output consists of, in milliseconds; undefined when there is none. */
async function oldest(target: string): Promise<number | undefined> {
  const about = await look(target)
  if (!about?.isDirectory()) return about?.mtimeMs
  const names = await readdir(target, { recursive: true })
  const times = await Promise.all(
    names.map(async (name) => {
      const entry = await look(join(target, name))
      return entry?.isFile() ? entry.mtimeMs : Number.POSITIVE_INFINITY
    }),
  )
  const least = Math.min(...times)
  return Number.isFinite(least) ? least : undefined
}

/** Whether an output (a file, or a folder with files) is there and not older than any of its inputs. */
export async function isUpToDate(target: string, inputs: readonly string[]): Promise<boolean> {
  const made = await oldest(target)
  if (made === undefined) return false
  const sources = await Promise.all(inputs.map(look))
  return sources.every((about) => about !== undefined && about.mtimeMs <= made)
}
