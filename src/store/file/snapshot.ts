import { readFile, rm, stat } from 'node:fs/promises'
import { type Adapter, Low } from 'lowdb'
import { toMediaprocError } from '../../errors.ts'
import { temporaryName, writeDurably } from '../local/atomic-write.ts'
import { isIntact, withChecksum } from './checksum.ts'
import { damagedFile } from './journal.ts'

/** Records serialized before yielding to the event loop, which bounds the delay for others. */
const SLICE = 500

const kindOf = (value: unknown): string =>
  Array.isArray(value) ? 'a list' : value === null ? 'null' : typeof value === 'object' ? 'an object' : typeof value

/** The members of a list or an object as text, one after the other. */
async function sliced(parts: readonly (() => string)[]): Promise<string> {
  const texts: string[] = []
  for (const [index, part] of parts.entries()) {
    if (index % SLICE === SLICE - 1) await new Promise((resolve) => setImmediate(resolve))
    texts.push(part())
  }
  return texts.join(',')
}

/** Serializes an object of lists and objects without blocking the event loop for long. */
async function textOf(data: object): Promise<string> {
  const members: string[] = []
  for (const [name, value] of Object.entries(data)) {
    const text = Array.isArray(value)
      ? `[${await sliced(value.map((one) => () => JSON.stringify(one)))}]`
      : `{${await sliced(
          Object.entries(value).map(
            ([key, one]) =>
              () =>
                `${JSON.stringify(key)}:${JSON.stringify(one)}`,
          ),
        )}}`
    members.push(`${JSON.stringify(name)}:${text}`)
  }
  return `{${members.join(',')}}`
}

/** One JSON file, replaced as a whole. */
class JsonFile<T extends object> implements Adapter<T> {
  readonly #path: string
  readonly #initial: T
  readonly #needsChecksum: boolean

  constructor(path: string, initial: T, needsChecksum: boolean) {
    this.#path = path
    this.#initial = initial
    this.#needsChecksum = needsChecksum
  }

  async read(): Promise<T | null> {
    // An incomplete write from a crash, which was never reported as successful.
    await rm(temporaryName(this.#path), { force: true, recursive: true })
    const text = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw toMediaprocError(error)
    })
    if (text === undefined) return null
    let parsed: unknown
    try {
      parsed = JSON.parse(text)
    } catch (error) {
      throw damagedFile(this.#path, text === '' ? 'it is empty' : 'it is not JSON', error)
    }
    if (kindOf(parsed) !== 'an object') throw damagedFile(this.#path, `it holds ${kindOf(parsed)}, not an object`)
    if (this.#needsChecksum && !isIntact(text))
      throw damagedFile(this.#path, 'its checksum is missing or does not fit: it was changed outside of the server')
    const { checksum: _, ...members } = parsed as Record<string, unknown>
    // An older file lacks a list that a later version added.
    const data = { ...this.#initial, ...(members as T) }
    for (const key of Object.keys(this.#initial) as (keyof T & string)[]) {
      const [wanted, found] = [kindOf(this.#initial[key]), kindOf(data[key])]
      if (found !== wanted) throw damagedFile(this.#path, `${key} is ${found}, not ${wanted}`)
      for (const [place, record] of Object.entries(data[key] as object)) {
        const isRecord = kindOf(record) === 'an object' && (wanted !== 'a list' || typeof record.id === 'string')
        if (!isRecord) throw damagedFile(this.#path, `${key} holds no record at ${place}`)
      }
    }
    return data
  }

  async write(data: T): Promise<void> {
    await writeDurably(this.#path, withChecksum(await textOf(data)))
  }
}

/** All records of some kinds at one point in time, in one readable file. */
export interface Snapshot<T extends object> {
  /** undefined: the file does not exist yet. */
  readonly found: T | undefined
  /** Returns the size of the file in bytes. */
  write(data: T): Promise<number>
}

/**
 * Reads a snapshot.
 * @param initial the lists and objects it contains, empty
 * @param needsChecksum whether a file without a checksum is damaged, because only older versions wrote such files
 * @throws INVALID_CONFIG when the file is damaged: it is never replaced automatically
 */
export async function openSnapshot<T extends object>(
  path: string,
  initial: T,
  needsChecksum: boolean,
): Promise<Snapshot<T>> {
  const low = new Low(new JsonFile(path, initial, needsChecksum), initial)
  await low.read()
  const found = low.data === initial ? undefined : low.data
  // Releases this copy: the tables hold the records.
  low.data = initial
  return {
    found,
    write: async (data) => {
      low.data = data
      await low.write().finally(() => {
        low.data = initial
      })
      return (await stat(path)).size
    },
  }
}
