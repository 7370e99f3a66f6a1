import { mapConcurrently } from '../../../concurrency.ts'

/** Folders that are read at the same time: requests need the disk as well. */
const MAX_READERS = 4

/** Folders of jobs that the index does not know. Each is read once: in the background, or before, when it is asked for. */
export class UnreadFolders {
  readonly #waiting: Map<string, Promise<void> | undefined>
  readonly #read: (id: string) => Promise<void>
  #isClosed = false
  /** Resolves when all are read, or none is any more. */
  readonly all: Promise<void>

  /** @param read must not reject */
  constructor(ids: readonly string[], read: (id: string) => Promise<void>) {
    this.#waiting = new Map(ids.map((id) => [id, undefined]))
    this.#read = read
    const goOn = (): boolean => !this.#isClosed
    this.all = mapConcurrently(ids, MAX_READERS, (id) => this.take(id), goOn).then(() => undefined)
  }

  /** How many are not read yet. */
  get size(): number {
    return this.#waiting.size
  }

  /** Reads a folder now, unless it was read; does nothing for others. */
  async take(id: string): Promise<void> {
    if (!this.#waiting.has(id)) return
    const reading = this.#waiting.get(id) ?? this.#read(id).finally(() => this.#waiting.delete(id))
    this.#waiting.set(id, reading)
    await reading
  }

  /** Reads no more. Resolves when nothing is read. */
  close(): Promise<void> {
    this.#isClosed = true
    return this.all
  }
}
