/** A record and the id that it is kept under. */
export type Entry<T> = readonly [id: string, record: T]

/** By which other words than the id records are looked up. */
export type Indexes<T> = Readonly<Record<string, (record: T) => string>>

/** Records of one kind, to be read. */
export interface Rows<T> {
  get(id: string): T | undefined
  /** Those that an index knows under a word, in the order in which they were added. */
  where(index: string, word: string): Entry<T>[]
  all(): Entry<T>[]
  readonly size: number
}

/** What is surely kept, in memory. */
export class Table<T> implements Rows<T> {
  readonly indexes: Indexes<T>
  readonly #records = new Map<string, T>()
  /** Ids by index and word. */
  readonly #words = new Map<string, Map<string, Set<string>>>()

  constructor(indexes: Indexes<T>) {
    this.indexes = indexes
    for (const index of Object.keys(indexes)) this.#words.set(index, new Map())
  }

  get size(): number {
    return this.#records.size
  }

  get(id: string): T | undefined {
    return this.#records.get(id)
  }

  where(index: string, word: string): Entry<T>[] {
    return [...(this.#words.get(index)!.get(word) ?? [])].map((id) => [id, this.#records.get(id)!] as const)
  }

  all(): Entry<T>[] {
    return [...this.#records]
  }

  /** Puts a record in the place of what is there under its id; undefined takes that out. */
  put(id: string, record: T | undefined): void {
    const before = this.#records.get(id)
    for (const [index, wordOf] of Object.entries(this.indexes)) {
      const words = this.#words.get(index)!
      const [old, now] = [before && wordOf(before), record && wordOf(record)]
      if (old === now) continue
      if (old !== undefined) {
        words.get(old)!.delete(id)
        if (words.get(old)!.size === 0) words.delete(old)
      }
      if (now !== undefined) words.set(now, (words.get(now) ?? new Set()).add(id))
    }
    if (record === undefined) this.#records.delete(id)
    else this.#records.set(id, record)
  }
}

/** Changes that lie over rows and do not touch them. */
export class Overlay<T> implements Rows<T> {
  readonly #indexes: Indexes<T>
  readonly #below: () => Rows<T>
  readonly #changes = new Map<string, T | undefined>()

  /** @param below what it lies over now */
  constructor(indexes: Indexes<T>, below: () => Rows<T>) {
    this.#indexes = indexes
    this.#below = below
  }

  get size(): number {
    return this.all().length
  }

  get(id: string): T | undefined {
    return this.#changes.has(id) ? this.#changes.get(id) : this.#below().get(id)
  }

  where(index: string, word: string): Entry<T>[] {
    const wordOf = this.#indexes[index]!
    return this.#over(this.#below().where(index, word)).filter(([, record]) => wordOf(record) === word)
  }

  all(): Entry<T>[] {
    return this.#over(this.#below().all())
  }

  put(id: string, record: T | undefined): void {
    this.#changes.set(id, record)
  }

  /** Entries from below as they are now, and what is new. */
  #over(entries: readonly Entry<T>[]): Entry<T>[] {
    const ids = new Set(entries.map(([id]) => id))
    const present = entries.map(([id]) => [id, this.get(id)] as const)
    const others = [...this.#changes].filter(([id]) => !ids.has(id))
    return [...present, ...others].filter((entry): entry is Entry<T> => entry[1] !== undefined)
  }
}
