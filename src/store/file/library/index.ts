import type { StoredItem } from './folder.ts'

/** In-memory data of an item: what lists, chains and sums need. The rest is read on demand. */
export interface LibraryEntry {
  readonly id: string
  readonly ownerId: string | null
  readonly parentId: string | null
  readonly name: string
  /** Milliseconds since 1970. */
  readonly created: number
  readonly version: number
  readonly size: number
  /** Size on disk: content and record. */
  readonly written: number
}

/** Sorts earlier items first. */
export const byAge = (one: LibraryEntry, other: LibraryEntry): number =>
  one.created - other.created || one.version - other.version

/** Index of the library's items by id, by chain and by owner. */
export class LibraryIndex {
  readonly #entries = new Map<string, LibraryEntry>()
  /** Item ids of each chain, by the id of its first item. */
  readonly #chains = new Map<string, Set<string>>()
  /** The chain of each item. */
  readonly #chainOf = new Map<string, string>()
  /** Owner ids, each stored once, with the size of the owner's items on disk. */
  readonly #owners = new Map<string | null, { id: string | null; written: number }>()
  /** The latest time of an item. */
  lastTime = 0

  get size(): number {
    return this.#entries.size
  }

  get(id: string): LibraryEntry | undefined {
    return this.#entries.get(id)
  }

  all(): IterableIterator<LibraryEntry> {
    return this.#entries.values()
  }

  /** Size of an owner's items on disk. */
  writtenBytes(ownerId: string): number {
    return this.#owners.get(ownerId)?.written ?? 0
  }

  /** The chain of an item, first to last. */
  chain(id: string): LibraryEntry[] {
    const chain = this.#chainOf.get(id)
    return chain === undefined ? [] : this.#sorted(this.#chains.get(chain)!)
  }

  /** The last item of each chain. */
  *lasts(): Generator<LibraryEntry> {
    for (const ids of this.#chains.values()) yield this.#sorted(ids).at(-1)!
  }

  /** Replaces the item with the same id. */
  put({ item, content }: StoredItem): LibraryEntry {
    const { id, parentId, originalName: name, createdAt, version, size } = item
    const before = this.#entries.get(id)
    if (before) this.#count(before, -1)
    const ownerId = this.#owners.get(item.ownerId)?.id ?? item.ownerId
    const created = Date.parse(createdAt) || 0
    const written = size + Buffer.byteLength(JSON.stringify({ ...item, content }))
    return this.#set({ id, ownerId, parentId, name, created, version, size, written })
  }

  /** Adds an item that is new or was removed before. */
  add(entry: LibraryEntry): void {
    this.#set(entry)
    this.join(entry)
  }

  /** Adds an item to its parent's chain. When adding many, parents must be added first. */
  join(entry: LibraryEntry): void {
    const chain = this.#chainOf.get(entry.parentId ?? '') ?? this.#firstOf(entry)
    this.#chainOf.set(entry.id, chain)
    const ids = this.#chains.get(chain)
    if (ids) ids.add(entry.id)
    else this.#chains.set(chain, new Set([entry.id]))
    this.lastTime = Math.max(this.lastTime, entry.created)
  }

  remove(entry: LibraryEntry): void {
    const chain = this.#chainOf.get(entry.id)!
    this.#chainOf.delete(entry.id)
    const ids = this.#chains.get(chain)!
    ids.delete(entry.id)
    if (ids.size === 0) this.#chains.delete(chain)
    this.#entries.delete(entry.id)
    this.#count(entry, -1)
  }

  #set(entry: LibraryEntry): LibraryEntry {
    this.#entries.set(entry.id, entry)
    this.#count(entry, 1)
    return entry
  }

  #count({ ownerId, written }: LibraryEntry, sign: 1 | -1): void {
    const owner = this.#owners.get(ownerId)
    if (owner) owner.written += sign * written
    else this.#owners.set(ownerId, { id: ownerId, written: sign * written })
  }

  /** First item of a chain; a version whose parent no longer exists starts a new chain. */
  #firstOf(entry: LibraryEntry): string {
    const seen = new Set<string>()
    let first = entry
    while (first.parentId !== null && !seen.has(first.id)) {
      seen.add(first.id)
      const parent = this.#entries.get(first.parentId)
      if (!parent) break
      first = parent
    }
    return first.id
  }

  #sorted(ids: ReadonlySet<string>): LibraryEntry[] {
    return [...ids].map((id) => this.#entries.get(id)!).sort(byAge)
  }
}
