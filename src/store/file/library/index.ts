import type { StoredItem } from './folder.ts'

/** What is in memory of an item: what lists, chains and sums need. The rest is read when it is asked for. */
export interface LibraryEntry {
  readonly id: string
  readonly ownerId: string | null
  readonly parentId: string | null
  readonly name: string
  /** Milliseconds since 1970. */
  readonly created: number
  readonly version: number
  readonly size: number
  /** What is written for it: its bytes and its record. */
  readonly written: number
}

/** The earlier first. */
export const byAge = (one: LibraryEntry, other: LibraryEntry): number =>
  one.created - other.created || one.version - other.version

/** The items of the library by id, by chain and by owner. */
export class LibraryIndex {
  readonly #entries = new Map<string, LibraryEntry>()
  /** Ids of the items of each chain, by the id of its first. */
  readonly #chains = new Map<string, Set<string>>()
  /** The chain of each item. */
  readonly #chainOf = new Map<string, string>()
  /** Each owner's id once, and what the items of the owner take on the disk. */
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

  /** What the items of an owner take on the disk. */
  writtenBytes(ownerId: string): number {
    return this.#owners.get(ownerId)?.written ?? 0
  }

  /** The chain of an item from first to last. */
  chain(id: string): LibraryEntry[] {
    const chain = this.#chainOf.get(id)
    return chain === undefined ? [] : this.#sorted(this.#chains.get(chain)!)
  }

  /** The last of each chain. */
  *lasts(): Generator<LibraryEntry> {
    for (const ids of this.#chains.values()) yield this.#sorted(ids).at(-1)!
  }

  /** Puts an item in the place of what is there under its id. */
  put({ item, content }: StoredItem): LibraryEntry {
    const { id, parentId, originalName: name, createdAt, version, size } = item
    const before = this.#entries.get(id)
    if (before) this.#count(before, -1)
    const ownerId = this.#owners.get(item.ownerId)?.id ?? item.ownerId
    const created = Date.parse(createdAt) || 0
    const written = size + Buffer.byteLength(JSON.stringify({ ...item, content }))
    return this.#set({ id, ownerId, parentId, name, created, version, size, written })
  }

  /** Puts an item in that is a new one, or was taken out. */
  add(entry: LibraryEntry): void {
    this.#set(entry)
    this.join(entry)
  }

  /** Enters an item into the chain of its parent. The parents of many are to be put before. */
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

  /** The first item of a chain; a version whose parent is gone begins one. */
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
