import { randomUUID } from 'node:crypto'
import { mapConcurrently } from '../../../concurrency.ts'
import { MediaprocError } from '../../../errors.ts'
import type { BlobPlace } from '../../blobs.ts'
import { compareNames, hasExtension, lengthened } from '../../library-rules.ts'
import { PromisedSpace } from '../../library-space.ts'
import { storageFailure } from '../../local/atomic-write.ts'
import type { LibraryItem } from '../../records.ts'
import type { Library, LibraryQuery, NewLibraryItem, Reservation, SharedLimit } from '../../store.ts'
import { LibraryFolder, type StoredItem } from './folder.ts'
import { byAge, type LibraryEntry, LibraryIndex } from './index.ts'

const ORDERS: Readonly<Record<NonNullable<LibraryQuery['order']>, (one: LibraryEntry, other: LibraryEntry) => number>> =
  {
    newest: (one, other) => byAge(other, one),
    oldest: byAge,
    name: (one, other) => compareNames(one.name, other.name) || byAge(other, one),
    largest: (one, other) => other.size - one.size || byAge(other, one),
  }

/** Records read concurrently. */
const MAX_READERS = 16

const missing = (): MediaprocError => new MediaprocError('NOT_FOUND', 'There is no such file in the library')

class FileLibrary implements Library {
  damaged: readonly string[] = []
  readonly #folder: LibraryFolder
  readonly #index = new LibraryIndex()
  readonly #promised = new PromisedSpace()
  /** Serializes writes and removals of records; contents are copied in parallel. */
  #turn: Promise<unknown> = Promise.resolve()

  private constructor(folder: LibraryFolder) {
    this.#folder = folder
  }

  static async open(folder: LibraryFolder): Promise<FileLibrary> {
    const library = new FileLibrary(folder)
    library.damaged = await folder.load((stored) => library.#index.put(stored))
    for (const entry of library.#index.all()) library.#index.join(entry)
    return library
  }

  async add(attributes: NewLibraryItem, sourcePath: string, how: 'move' | 'copy' = 'move'): Promise<LibraryItem> {
    const { id = randomUUID() } = attributes
    const known = attributes.id === undefined ? undefined : await this.get(id)
    if (known) return known
    const content = 'content'
    const { parentId } = attributes
    if (parentId !== null) this.#entry(parentId)
    try {
      await this.#folder.begin(id)
      const size = await this.#folder.place(id, content, sourcePath, how)
      return await this.#inTurn(async () => {
        // The parent may have been deleted while the content was copied.
        if (parentId !== null) this.#entry(parentId)
        const item = { ...attributes, id, size, createdAt: this.#time() }
        await this.#folder.acknowledge({ item, content })
        this.#index.join(this.#index.put({ item, content }))
        return item
      })
    } catch (error) {
      await this.#folder.discard(id)
      throw storageFailure(error)
    }
  }

  async get(id: string): Promise<LibraryItem | undefined> {
    return (await this.#record(id))?.item
  }

  /** Reads the full record of an item; undefined when it does not exist any more. */
  async #record(id: string): Promise<StoredItem | undefined> {
    const entry = this.#index.get(id)
    if (!entry) return undefined
    const stored = await this.#folder.record(id)
    // The record was removed from outside; the item may also have been removed in the meantime.
    if (stored === undefined && this.#index.get(id) === entry) this.#index.remove(entry)
    return stored === 'damaged' ? undefined : stored
  }

  async #items(entries: readonly LibraryEntry[]): Promise<LibraryItem[]> {
    const found = await mapConcurrently(entries, MAX_READERS, ({ id }) => this.get(id))
    return found.filter((item) => item !== undefined)
  }

  async list(query: LibraryQuery): Promise<{ items: LibraryItem[]; total: number }> {
    const { ownerId, search = '', extensions, order = 'newest', limit, offset } = query
    const wanted = search.toLowerCase()
    const found: LibraryEntry[] = []
    for (const last of this.#index.lasts()) {
      if (ownerId !== undefined && last.ownerId !== ownerId) continue
      if (last.name.toLowerCase().includes(wanted) && hasExtension(last.name, extensions)) found.push(last)
    }
    found.sort(ORDERS[order])
    return { items: await this.#items(found.slice(offset, offset + limit)), total: found.length }
  }

  versions(id: string): Promise<LibraryItem[]> {
    return this.#items(this.#index.chain(id))
  }

  async replace(
    id: string,
    sourcePath: string,
    toolId: string,
    changes: Partial<Pick<LibraryItem, 'originalName' | 'mimeType' | 'width' | 'height'>> = {},
    how: 'move' | 'copy' = 'move',
  ): Promise<LibraryItem> {
    this.#entry(id)
    // A name that no record refers to: writing the record switches to the new content atomically.
    const content = `content-${randomUUID()}`
    try {
      const size = await this.#folder.place(id, content, sourcePath, how)
      return await this.#inTurn(async () => {
        const old = await this.#stored(id)
        const item = { ...old.item, ...changes, size, toolChain: lengthened(old.item.toolChain, toolId) }
        await this.#folder.acknowledge({ item, content })
        this.#index.put({ item, content })
        await this.#folder.discardContent(id, old.content)
        return item
      })
    } catch (error) {
      await this.#folder.discardContent(id, content)
      throw storageFailure(error)
    }
  }

  rename(id: string, originalName: string): Promise<LibraryItem> {
    return this.#inTurn(async () => {
      const { item: old, content } = await this.#stored(id)
      const item = { ...old, originalName }
      await this.#folder.acknowledge({ item, content })
      this.#index.put({ item, content })
      return item
    })
  }

  deleteChains(ids: readonly string[], mayDelete: (item: LibraryItem) => boolean): Promise<readonly string[]> {
    return this.#inTurn(async () => {
      const chosen = new Set<string>()
      for (const id of ids) {
        const chain = await this.versions(id)
        if (chain.every(mayDelete)) for (const item of chain) chosen.add(item.id)
      }
      return this.#delete(chosen)
    })
  }

  deleteOwner(ownerId: string): Promise<number> {
    return this.#inTurn(async () => {
      const chosen = [...this.#index.all()].flatMap((entry) => (entry.ownerId === ownerId ? entry.id : []))
      return (await this.#delete(new Set(chosen))).length
    })
  }

  async usedBytes(ownerId: string): Promise<number> {
    let bytes = 0
    for (const entry of this.#index.all()) if (entry.ownerId === ownerId) bytes += entry.size
    return bytes
  }

  async reserve(ownerId: string, bytes: number, limit: number, shared?: SharedLimit): Promise<Reservation> {
    return this.#promised.reserve({ ownerId, bytes, limit, shared }, (owner) => this.#taken(owner))
  }

  /** An owner's stored and reserved bytes. */
  #taken(ownerId: string): number {
    return this.#index.writtenBytes(ownerId) + this.#promised.of(ownerId)
  }

  async totals(): Promise<{ items: number; bytes: number }> {
    let bytes = 0
    for (const { size } of this.#index.all()) bytes += size
    return { items: this.#index.size, bytes }
  }

  async content(id: string): Promise<BlobPlace> {
    return this.#folder.content(id, (await this.#stored(id)).content)
  }

  #entry(id: string): LibraryEntry {
    const entry = this.#index.get(id)
    if (!entry) throw missing()
    return entry
  }

  async #stored(id: string): Promise<StoredItem> {
    const stored = await this.#record(id)
    if (!stored) throw missing()
    return stored
  }

  /** Removes the last versions first, so that after a crash the chain is shorter but has its beginning. */
  async #delete(ids: ReadonlySet<string>): Promise<readonly string[]> {
    const doomed = [...ids].flatMap((id) => this.#index.get(id) ?? []).sort((one, other) => byAge(other, one))
    for (const entry of doomed) {
      const { id } = entry
      this.#index.remove(entry)
      try {
        await this.#folder.withdraw(id)
      } catch (error) {
        this.#index.add(entry)
        throw storageFailure(error)
      }
      await this.#folder.discard(id)
    }
    return doomed.map(({ id }) => id)
  }

  #inTurn<R>(work: () => Promise<R>): Promise<R> {
    const result = this.#turn.then(work)
    this.#turn = result.catch(() => {})
    return result
  }

  /** The current time, but never the same millisecond twice: the order of uploads is the order of times. */
  #time(): string {
    const now = Date.now()
    const last = this.#index.lastTime
    this.#index.lastTime = now <= last && last - now < 1000 ? last + 1 : now
    return new Date(this.#index.lastTime).toISOString()
  }
}

/** Opens the library in a folder, which is created if needed. */
export function openLibrary(path: string): Promise<Library> {
  return FileLibrary.open(new LibraryFolder(path))
}
