import { randomUUID } from 'node:crypto'
import { MediaprocError } from '../errors.ts'
import type { BlobPlace } from './blobs.ts'
import { storageFailure } from './durable.ts'
import { LibraryFolder, type StoredItem } from './library-folder.ts'
import type { LibraryItem } from './records.ts'
import type { Library, LibraryQuery, NewLibraryItem, Reservation, SharedLimit } from './seam.ts'

/** What is written for an item. */
const writtenBytes = ({ item, content }: StoredItem): number =>
  item.size + Buffer.byteLength(JSON.stringify({ ...item, content }))

const byAge = (one: LibraryItem, other: LibraryItem): number =>
  one.createdAt < other.createdAt ? -1 : one.createdAt > other.createdAt ? 1 : one.version - other.version

/** So many tools of a chain are kept, the latest: each version holds the whole chain. */
const MAX_TOOL_CHAIN = 100

/** A chain of tools with one more. */
export function lengthened(chain: readonly string[], toolId: string): string[] {
  return [...chain, toolId].slice(-MAX_TOOL_CHAIN)
}

class FileLibrary implements Library {
  readonly damaged: readonly string[]
  readonly #folder: LibraryFolder
  readonly #items = new Map<string, StoredItem>()
  /** Ids of the items of each chain, by the id of its first. */
  readonly #chains = new Map<string, Set<string>>()
  /** The chain of each item. */
  readonly #chainOf = new Map<string, string>()
  /** What each owner's items take on the disk. */
  readonly #written = new Map<string | null, number>()
  /** Bytes that are promised to each owner. */
  readonly #promised = new Map<string, number>()
  /** Records are written and removed one after the other; bytes are brought in at the same time. */
  #turn: Promise<unknown> = Promise.resolve()
  #lastTime = 0

  constructor(folder: LibraryFolder, items: readonly StoredItem[], damaged: readonly string[]) {
    this.#folder = folder
    this.damaged = damaged
    for (const stored of items) this.#put(stored)
    for (const { item } of items) this.#join(item)
  }

  async add(attributes: NewLibraryItem, sourcePath: string, how: 'move' | 'copy' = 'move'): Promise<LibraryItem> {
    const id = randomUUID()
    const content = 'content'
    const { parentId } = attributes
    if (parentId !== null) this.#stored(parentId)
    try {
      await this.#folder.begin(id)
      const size = await this.#folder.place(id, content, sourcePath, how)
      return await this.#inTurn(async () => {
        // The parent may have been deleted while the bytes were copied.
        if (parentId !== null) this.#stored(parentId)
        const item = { ...attributes, id, size, createdAt: this.#time() }
        await this.#folder.acknowledge({ item, content })
        this.#put({ item, content })
        this.#join(item)
        return item
      })
    } catch (error) {
      await this.#folder.discard(id)
      throw storageFailure(error)
    }
  }

  async get(id: string): Promise<LibraryItem | undefined> {
    return this.#items.get(id)?.item
  }

  async list({ ownerId, search = '', limit, offset }: LibraryQuery): Promise<{ items: LibraryItem[]; total: number }> {
    const wanted = search.toLowerCase()
    const found: LibraryItem[] = []
    for (const ids of this.#chains.values()) {
      const last = this.#sorted(ids).at(-1)!
      if (ownerId !== undefined && last.ownerId !== ownerId) continue
      if (last.originalName.toLowerCase().includes(wanted)) found.push(last)
    }
    found.sort((one, other) => byAge(other, one))
    return { items: found.slice(offset, offset + limit), total: found.length }
  }

  async versions(id: string): Promise<LibraryItem[]> {
    return this.#versions(id)
  }

  #versions(id: string): LibraryItem[] {
    const chain = this.#chainOf.get(id)
    return chain === undefined ? [] : this.#sorted(this.#chains.get(chain)!)
  }

  async replace(
    id: string,
    sourcePath: string,
    toolId: string,
    changes: Partial<Pick<LibraryItem, 'originalName' | 'mimeType' | 'width' | 'height'>> = {},
    how: 'move' | 'copy' = 'move',
  ): Promise<LibraryItem> {
    this.#stored(id)
    // A name that no record points at: the record decides in one step which bytes are valid.
    const content = `content-${randomUUID()}`
    try {
      const size = await this.#folder.place(id, content, sourcePath, how)
      return await this.#inTurn(async () => {
        const old = this.#stored(id)
        const item = { ...old.item, ...changes, size, toolChain: lengthened(old.item.toolChain, toolId) }
        await this.#folder.acknowledge({ item, content })
        this.#put({ item, content })
        await this.#folder.discardContent(id, old.content)
        return item
      })
    } catch (error) {
      await this.#folder.discardContent(id, content)
      throw storageFailure(error)
    }
  }

  deleteChains(ids: readonly string[], mayDelete: (item: LibraryItem) => boolean): Promise<number> {
    return this.#inTurn(() => {
      const chosen = new Set<string>()
      for (const id of ids) {
        const chain = this.#versions(id)
        if (chain.every(mayDelete)) for (const item of chain) chosen.add(item.id)
      }
      return this.#delete(chosen)
    })
  }

  deleteOwner(ownerId: string): Promise<number> {
    return this.#inTurn(() => {
      const chosen = [...this.#items.values()].flatMap(({ item }) => (item.ownerId === ownerId ? item.id : []))
      return this.#delete(new Set(chosen))
    })
  }

  async usedBytes(ownerId: string): Promise<number> {
    let bytes = 0
    for (const { item } of this.#items.values()) if (item.ownerId === ownerId) bytes += item.size
    return bytes
  }

  async reserve(ownerId: string, bytes: number, limit: number, shared?: SharedLimit): Promise<Reservation> {
    if (this.#taken(ownerId) + bytes > limit)
      throw new MediaprocError('QUOTA_EXCEEDED', `The library holds at most ${limit / 1_000_000} MB`)
    const together = shared?.owners.reduce((sum, owner) => sum + this.#taken(owner), 0) ?? 0
    if (shared && together + bytes > shared.limit)
      throw new MediaprocError(
        'QUOTA_EXCEEDED',
        `The libraries of the team hold at most ${shared.limit / 1_000_000} MB together`,
      )
    let open = 0
    const change = (by: number): void => {
      open += by
      const all = (this.#promised.get(ownerId) ?? 0) + by
      if (all > 0) this.#promised.set(ownerId, all)
      else this.#promised.delete(ownerId)
    }
    change(bytes)
    return { stored: (part) => change(-Math.min(part, open)), release: () => change(-open) }
  }

  /** Bytes that are kept of an owner, and promised. */
  #taken(ownerId: string): number {
    return (this.#written.get(ownerId) ?? 0) + (this.#promised.get(ownerId) ?? 0)
  }

  async totals(): Promise<{ items: number; bytes: number }> {
    let bytes = 0
    for (const { item } of this.#items.values()) bytes += item.size
    return { items: this.#items.size, bytes }
  }

  async content(id: string): Promise<BlobPlace> {
    return this.#folder.content(id, this.#stored(id).content)
  }

  #stored(id: string): StoredItem {
    const stored = this.#items.get(id)
    if (!stored) throw new MediaprocError('NOT_FOUND', 'There is no such file in the library')
    return stored
  }

  /** Puts an item in the place of what is there under its id; without one, takes out what is there. */
  #put(stored: StoredItem | undefined, before = this.#items.get(stored?.item.id ?? '')): void {
    const count = (one: StoredItem, sign: 1 | -1): void => {
      const { ownerId } = one.item
      this.#written.set(ownerId, (this.#written.get(ownerId) ?? 0) + sign * writtenBytes(one))
    }
    if (before) count(before, -1)
    if (stored) {
      this.#items.set(stored.item.id, stored)
      count(stored, 1)
    } else if (before) this.#items.delete(before.item.id)
  }

  /** Last versions first, so that a crash in between leaves a shorter chain and never one without its beginning. */
  async #delete(ids: ReadonlySet<string>): Promise<number> {
    const doomed = [...ids].map((id) => this.#stored(id)).sort((one, other) => byAge(other.item, one.item))
    for (const stored of doomed) {
      const { id } = stored.item
      this.#leave(stored.item)
      this.#put(undefined, stored)
      try {
        await this.#folder.withdraw(id)
      } catch (error) {
        this.#put(stored)
        this.#join(stored.item)
        throw storageFailure(error)
      }
      await this.#folder.discard(id)
    }
    return doomed.length
  }

  /** The first item of a chain; a version whose parent is gone begins one. */
  #firstOf(item: LibraryItem): string {
    const seen = new Set<string>()
    let first = item
    while (first.parentId !== null && !seen.has(first.id)) {
      seen.add(first.id)
      const parent = this.#items.get(first.parentId)?.item
      if (!parent) break
      first = parent
    }
    return first.id
  }

  #join(item: LibraryItem): void {
    const chain = this.#chainOf.get(item.parentId ?? '') ?? this.#firstOf(item)
    this.#chainOf.set(item.id, chain)
    const ids = this.#chains.get(chain)
    if (ids) ids.add(item.id)
    else this.#chains.set(chain, new Set([item.id]))
    this.#lastTime = Math.max(this.#lastTime, Date.parse(item.createdAt))
  }

  #leave(item: LibraryItem): void {
    const chain = this.#chainOf.get(item.id)!
    this.#chainOf.delete(item.id)
    const ids = this.#chains.get(chain)!
    ids.delete(item.id)
    if (ids.size === 0) this.#chains.delete(chain)
  }

  #inTurn<R>(work: () => Promise<R>): Promise<R> {
    const result = this.#turn.then(work)
    this.#turn = result.catch(() => {})
    return result
  }

  #sorted(ids: ReadonlySet<string>): LibraryItem[] {
    return [...ids].map((id) => this.#items.get(id)!.item).sort(byAge)
  }

  /** Now, but never the same millisecond twice: the order of uploads is the order of times. */
  #time(): string {
    const now = Date.now()
    const last = this.#lastTime
    this.#lastTime = now <= last && last - now < 1000 ? last + 1 : now
    return new Date(this.#lastTime).toISOString()
  }
}

/** Opens the library in a folder, which is made when it is not there. */
export async function openLibrary(path: string): Promise<Library> {
  const folder = new LibraryFolder(path)
  const { items, damaged } = await folder.load()
  return new FileLibrary(folder, items, damaged)
}
