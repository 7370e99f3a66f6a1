import { randomUUID } from 'node:crypto'
import { MediaprocError } from '../../../src/errors.ts'
import type { BlobPlace, Blobs } from '../../../src/store/blobs.ts'
import { compareNames, hasExtension } from '../../../src/store/library-rules.ts'
import type { LibraryItem } from '../../../src/store/records.ts'
import type { Library, LibraryQuery, NewLibraryItem, Reservation, SharedLimit } from '../../../src/store/store.ts'

const missing = (): MediaprocError => new MediaprocError('NOT_FOUND', 'There is no such file in the library')

/** Library files of users, in memory. */
export class MemoryLibrary implements Library {
  readonly damaged: readonly string[] = []
  readonly #blobs: Blobs
  /** In the order of arrival. */
  readonly #items = new Map<string, LibraryItem>()
  readonly #promised = new Map<string, number>()
  #lastTime = 0

  constructor(blobs: Blobs) {
    this.#blobs = blobs
  }

  #get(id: string): LibraryItem {
    const item = this.#items.get(id)
    if (!item) throw missing()
    return item
  }

  /** The first item of a chain. */
  #firstOf(item: LibraryItem): LibraryItem {
    const parent = this.#items.get(item.parentId ?? '')
    return parent ? this.#firstOf(parent) : item
  }

  #chain(id: string): LibraryItem[] {
    const item = this.#items.get(id)
    return item ? [...this.#items.values()].filter((one) => this.#firstOf(one) === this.#firstOf(item)) : []
  }

  async add(about: NewLibraryItem, path: string, how: 'move' | 'copy' = 'move'): Promise<LibraryItem> {
    if (about.parentId !== null) this.#get(about.parentId)
    const { id = randomUUID() } = about
    const known = this.#items.get(id)
    if (known) return known
    await this.#blobs.put(id, { path, how })
    this.#lastTime = Math.max(Date.now(), this.#lastTime + 1)
    const { size } = (await this.#blobs.stat(id))!
    const item = { ...about, id, size, createdAt: new Date(this.#lastTime).toISOString() }
    this.#items.set(id, item)
    return item
  }

  get = async (id: string): Promise<LibraryItem | undefined> => this.#items.get(id)
  versions = async (id: string): Promise<LibraryItem[]> => this.#chain(id)

  async list(query: LibraryQuery): Promise<{ items: LibraryItem[]; total: number }> {
    const { ownerId, search = '', extensions, order = 'newest', limit, offset } = query
    const items = [...this.#items.values()]
    const lasts = items.filter((item) => this.#chain(item.id).at(-1) === item)
    const found = lasts
      .filter((item) => ownerId === undefined || item.ownerId === ownerId)
      .filter(({ originalName }) => originalName.toLowerCase().includes(search.toLowerCase()))
      .filter(({ originalName }) => hasExtension(originalName, extensions))
      .reverse()
    if (order === 'oldest') found.reverse()
    if (order === 'name') found.sort((one, other) => compareNames(one.originalName, other.originalName))
    if (order === 'largest') found.sort((one, other) => other.size - one.size)
    return { items: found.slice(offset, offset + limit), total: found.length }
  }

  async replace(
    id: string,
    path: string,
    toolId: string,
    changes: Partial<LibraryItem> = {},
    how: 'move' | 'copy' = 'move',
  ): Promise<LibraryItem> {
    const before = this.#get(id)
    await this.#blobs.put(id, { path, how })
    const { size } = (await this.#blobs.stat(id))!
    const item = { ...before, ...changes, id, size, toolChain: [...before.toolChain, toolId] }
    this.#items.set(id, item)
    return item
  }

  async rename(id: string, originalName: string): Promise<LibraryItem> {
    const item = { ...this.#get(id), originalName }
    this.#items.set(id, item)
    return item
  }

  async #remove(items: Iterable<LibraryItem>): Promise<number> {
    const doomed = new Set(items)
    for (const { id } of doomed) {
      this.#items.delete(id)
      await this.#blobs.remove(id)
    }
    return doomed.size
  }

  async deleteChains(ids: readonly string[], mayDelete: (item: LibraryItem) => boolean): Promise<readonly string[]> {
    const chosen = ids.map((id) => this.#chain(id)).flatMap((chain) => (chain.every(mayDelete) ? chain : []))
    await this.#remove(chosen)
    return [...new Set(chosen.map(({ id }) => id))]
  }

  deleteOwner(ownerId: string): Promise<number> {
    return this.#remove([...this.#items.values()].filter((item) => item.ownerId === ownerId))
  }

  async usedBytes(ownerId: string): Promise<number> {
    const own = [...this.#items.values()].filter((item) => item.ownerId === ownerId)
    return own.reduce((sum, { size }) => sum + size, 0)
  }

  /** Bytes that are stored with their records, and reserved. */
  #taken(ownerId: string): number {
    const own = [...this.#items.values()].filter((item) => item.ownerId === ownerId)
    const kept = own.reduce((sum, item) => sum + item.size + Buffer.byteLength(JSON.stringify(item)), 0)
    return kept + (this.#promised.get(ownerId) ?? 0)
  }

  async reserve(ownerId: string, bytes: number, limit: number, shared?: SharedLimit): Promise<Reservation> {
    const together = shared?.owners.reduce((sum, owner) => sum + this.#taken(owner), 0) ?? 0
    if (this.#taken(ownerId) + bytes > limit || (shared && together + bytes > shared.limit))
      throw new MediaprocError('QUOTA_EXCEEDED')
    let open = 0
    const change = async (by: number): Promise<void> => {
      open += by
      this.#promised.set(ownerId, (this.#promised.get(ownerId) ?? 0) + by)
    }
    void change(bytes)
    return { stored: (part) => change(-Math.min(part, open)), release: () => change(-open) }
  }

  async totals(): Promise<{ items: number; bytes: number }> {
    const sizes = [...this.#items.values()].map(({ size }) => size)
    return { items: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) }
  }

  async content(id: string): Promise<BlobPlace> {
    return { blobs: this.#blobs, key: this.#get(id).id }
  }
}
