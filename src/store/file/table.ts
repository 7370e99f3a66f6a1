/** A record with its id. */
export type Entry<T> = readonly [id: string, record: T]

/** Secondary indexes: keys other than the id. */
export type Indexes<T> = Readonly<Record<string, (record: T) => string>>

/** Read access to the records of one kind. */
export interface Rows<T> {
  get(id: string): T | undefined
  /** The records that an index has under a key, in insertion order. */
  where(index: string, word: string): Entry<T>[]
  all(): Entry<T>[]
  readonly size: number
}

/** The durable records, in memory. */
export class Table<T> implements Rows<T> {
  readonly indexes: Indexes<T>
  readonly #records = new Map<string, T>()
  /** Ids by index and key. */
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

  /** Replaces the record with this id; undefined removes it. */
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

/** Pending changes layered over rows that they do not modify. */
export class Overlay<T> implements Rows<T> {
  readonly #indexes: Indexes<T>
  readonly #below: () => Rows<T>
  readonly #changes = new Map<string, T | undefined>()

  /** @param below the rows below this layer */
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

  /** Current entries from below, then new ones. */
  #over(entries: readonly Entry<T>[]): Entry<T>[] {
    const ids = new Set(entries.map(([id]) => id))
    const present = entries.map(([id]) => [id, this.get(id)] as const)
    const others = [...this.#changes].filter(([id]) => !ids.has(id))
    return [...present, ...others].filter((entry): entry is Entry<T> => entry[1] !== undefined)
  }
}
