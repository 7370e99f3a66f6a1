import { mapConcurrently } from '../../../concurrency.ts'

/** Maximum number of folders read concurrently: requests need the disk, too. */
const MAX_READERS = 4

/** Job folders that are missing in the index. Each is read once: in the background, or earlier on request. */
export class UnreadFolders {
  readonly #waiting: Map<string, Promise<void> | undefined>
  readonly #read: (id: string) => Promise<void>
  #isClosed = false
  /** Resolves when all are read, or reading was stopped. */
  readonly all: Promise<void>

  /** @param read must not reject */
  constructor(ids: readonly string[], read: (id: string) => Promise<void>) {
    this.#waiting = new Map(ids.map((id) => [id, undefined]))
    this.#read = read
    const goOn = (): boolean => !this.#isClosed
    this.all = mapConcurrently(ids, MAX_READERS, (id) => this.take(id), goOn).then(() => undefined)
  }

  /** Number of unread folders. */
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

  /** Stops reading. Resolves when no read is in progress. */
  close(): Promise<void> {
    this.#isClosed = true
    return this.all
  }
}
