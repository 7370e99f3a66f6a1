import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { mapConcurrently } from '../../../concurrency.ts'
import { makeFolder } from '../../../make-folder.ts'
import type { BlobPlace, Blobs } from '../../blobs.ts'
import { syncFolder, writeDurably } from '../../local/atomic-write.ts'
import { FileBlobs } from '../../local/blobs.ts'
import type { LibraryItem } from '../../records.ts'
import { parseChecked, withChecksum } from '../checksum.ts'

/** An item, and the name of its content file next to `item.json`. */
export interface StoredItem {
  item: LibraryItem
  content: string
}

const RECORD = 'item.json'
/**
 * Cleanup only touches folders that the library created: the operator chooses the location, which may hold other files.
 */
const ITEM_FOLDER = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const CONTENT = /^content(-[0-9a-f-]{36})?$/
/** Folders read concurrently at start. */
const MAX_READERS = 16

const isText = (value: unknown): value is string => typeof value === 'string'

function parseItem(text: string, id: string): StoredItem | undefined {
  try {
    const { content, ...item } = parseChecked(text) as LibraryItem & { content: string }
    const whole =
      item.id === id &&
      isText(content) &&
      CONTENT.test(content) &&
      [item.originalName, item.mimeType, item.createdAt].every(isText) &&
      [item.size, item.version].every(Number.isInteger) &&
      Array.isArray(item.toolChain)
    return whole ? { item, content } : undefined
  } catch {
    return undefined
  }
}

/** Item folders: `<folder>/<id>/item.json`, which exists only for complete items, with the content next to it. */
export class LibraryFolder {
  readonly #folder: string
  readonly #blobs: Blobs

  constructor(folder: string) {
    this.#folder = folder
    this.#blobs = new FileBlobs(folder, { isDurable: true })
  }

  path(id: string, name = ''): string {
    return join(this.#folder, id, name)
  }

  /**
   * Reads all items one after the other. Removes items that a crash left incomplete; unreadable items are kept.
   * @returns the ids of unreadable items
   */
  async load(onItem: (stored: StoredItem) => void): Promise<string[]> {
    await makeFolder(this.#folder, 0o700)
    const entries = await readdir(this.#folder, { withFileTypes: true })
    const ids = entries.flatMap((entry) => (entry.isDirectory() && ITEM_FOLDER.test(entry.name) ? entry.name : []))
    const damaged: string[] = []
    await mapConcurrently(ids, MAX_READERS, async (id) => {
      const found = await this.#read(id)
      if (found === 'damaged') damaged.push(id)
      else if (found) onItem(found)
    })
    return damaged.sort()
  }

  async #read(id: string): Promise<StoredItem | 'damaged' | undefined> {
    const names = await readdir(this.path(id))
    if (!names.includes(RECORD)) return this.discard(id).then(() => undefined)
    const stored = parseItem(await readFile(this.path(id, RECORD), 'utf8'), id)
    if (!stored || !names.includes(stored.content)) return 'damaged'
    for (const name of names)
      if (name !== RECORD && name !== stored.content) await rm(this.path(id, name), { force: true, recursive: true })
    return stored
  }

  /** The record of an item; undefined when it no longer exists. */
  async record(id: string): Promise<StoredItem | 'damaged' | undefined> {
    try {
      return parseItem(await readFile(this.path(id, RECORD), 'utf8'), id) ?? 'damaged'
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : 'damaged'
    }
  }

  /** Creates the folder of a new item. */
  async begin(id: string): Promise<void> {
    await mkdir(this.path(id), { mode: 0o700 })
  }

  /** Adds a file under a name that no record refers to yet; returns its size in bytes. */
  async place(id: string, content: string, path: string, how: 'move' | 'copy'): Promise<number> {
    const { blobs, key } = this.content(id, content)
    await blobs.put(key, { path, how })
    return (await blobs.stat(key))!.size
  }

  content(id: string, content: string): BlobPlace {
    return { blobs: this.#blobs, key: `${id}/${content}` }
  }

  /** Writes the record, which makes an item or its new content visible. */
  async acknowledge({ item, content }: StoredItem): Promise<void> {
    await writeDurably(this.path(item.id, RECORD), withChecksum(JSON.stringify({ ...item, content })))
    await syncFolder(this.#folder)
  }

  /** Removes the record first, so that the item is gone even if the rest of the removal fails. */
  async withdraw(id: string): Promise<void> {
    await rm(this.path(id, RECORD), { force: true })
    await syncFolder(this.path(id))
  }

  /** Removes the folder of an item without a record. A failed removal is repeated at the next start. */
  async discard(id: string): Promise<void> {
    await rm(this.path(id), { recursive: true, force: true, maxRetries: 3 }).catch(() => {})
  }

  async discardContent(id: string, content: string): Promise<void> {
    await this.#blobs.remove(this.content(id, content).key).catch(() => {})
  }
}
