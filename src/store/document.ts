import { readFile, rm } from 'node:fs/promises'
import { type Adapter, Low } from 'lowdb'
import { MediaprocError, toMediaprocError } from '../errors.ts'
import { storageFailure, temporaryName, writeDurably } from './durable.ts'
import type { DeepReadonly } from './records.ts'
import type { Document } from './seam.ts'

/** How long a touch may wait for a change to be written with, in milliseconds. */
const TOUCH_DELAY_MS = 30_000

function damaged(path: string, why: string, cause?: unknown): MediaprocError {
  return new MediaprocError('INVALID_CONFIG', `The file ${path} is damaged: ${why}`, {
    hint: 'Put a copy of it from a backup in its place, or move it away to begin without its content.',
    detail: cause instanceof Error ? cause.message : undefined,
    cause,
  })
}

const kindOf = (value: unknown): string =>
  Array.isArray(value) ? 'a list' : value === null ? 'null' : typeof value === 'object' ? 'an object' : typeof value

/** One JSON file, replaced as a whole. */
class JsonFile<T extends object> implements Adapter<T> {
  readonly #path: string
  readonly #initial: T
  /** What the disk surely holds, or would be started from. */
  durable: string

  constructor(path: string, initial: T) {
    this.#path = path
    this.#initial = initial
    this.durable = JSON.stringify(initial)
  }

  async read(): Promise<T | null> {
    // A write that a crash cut off; nobody was told that it succeeded.
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
      throw damaged(this.#path, text === '' ? 'it is empty' : 'it is not JSON', error)
    }
    if (kindOf(parsed) !== 'an object') throw damaged(this.#path, `it holds ${kindOf(parsed)}, not an object`)
    // A list that a later version of the program added is not in an older file.
    const data = { ...this.#initial, ...(parsed as T) }
    for (const key of Object.keys(this.#initial) as (keyof T & string)[]) {
      const [wanted, found] = [kindOf(this.#initial[key]), kindOf(data[key])]
      if (found !== wanted) throw damaged(this.#path, `${key} is ${found}, not ${wanted}`)
    }
    this.durable = JSON.stringify(data)
    return data
  }

  async write(data: T): Promise<void> {
    // Before anything is waited for, so that the text holds exactly the changes made so far.
    const text = JSON.stringify(data)
    await writeDurably(this.#path, text)
    this.durable = text
  }
}

interface Waiting {
  resolve(): void
  reject(error: MediaprocError): void
}

class FileDocument<T extends object> implements Document<T> {
  readonly #file: JsonFile<T>
  readonly #low: Low<T>
  #waiting: Waiting[] = []
  #busy = false
  #writing: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #touchIsDue = false
  #closed = false

  constructor(path: string, initial: T) {
    this.#file = new JsonFile(path, initial)
    this.#low = new Low(this.#file, structuredClone(initial))
  }

  read(): Promise<void> {
    return this.#low.read()
  }

  get data(): DeepReadonly<T> {
    return this.#low.data as DeepReadonly<T>
  }

  async change<R>(edit: (draft: T) => R): Promise<R> {
    if (this.#closed) throw new MediaprocError('SHUTTING_DOWN')
    const result = this.#apply(edit)
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#startWriting()
    })
    return result
  }

  touch(edit: (draft: T) => void): void {
    if (this.#closed) return
    this.#apply(edit)
    this.#timer ??= setTimeout(() => {
      this.#touchIsDue = true
      this.#startWriting()
    }, TOUCH_DELAY_MS).unref()
  }

  async close(): Promise<void> {
    this.#closed = true
    if (this.#timer) {
      this.#touchIsDue = true
      this.#startWriting()
    }
    await this.#writing
  }

  #apply<R>(edit: (draft: T) => R): R {
    const before = JSON.stringify(this.#low.data)
    try {
      return edit(this.#low.data)
    } catch (error) {
      this.#low.data = JSON.parse(before)
      throw error
    }
  }

  #startWriting(): void {
    if (!this.#busy) this.#writing = this.#writeAll()
  }

  /** One write at a time; changes that come during it share the next one. Never rejects. */
  async #writeAll(): Promise<void> {
    this.#busy = true
    do {
      const included = this.#waiting
      this.#waiting = []
      clearTimeout(this.#timer)
      this.#timer = undefined
      this.#touchIsDue = false
      try {
        await this.#low.write()
        for (const { resolve } of included) resolve()
      } catch (error) {
        this.#takeBack(storageFailure(error), included)
      }
    } while (this.#waiting.length > 0 || this.#touchIsDue)
    this.#busy = false
  }

  /** Changes made since the write began saw what is now taken back, so they go as well. */
  #takeBack(failure: MediaprocError, included: Waiting[]): void {
    this.#low.data = JSON.parse(this.#file.durable)
    for (const { reject } of [...included, ...this.#waiting]) reject(failure)
    this.#waiting = []
  }
}

/**
 * Opens a document that lives in one JSON file, or begins it with `initial` when there is no file.
 *
 * @throws INVALID_CONFIG when the file is damaged: it is never replaced without being asked
 */
export async function openDocument<T extends object>(path: string, initial: T): Promise<Document<T>> {
  const document = new FileDocument(path, initial)
  await document.read()
  return document
}
