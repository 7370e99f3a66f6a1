import { randomUUID } from 'node:crypto'
import type { RawBuilder } from 'kysely'
import { MediaprocError } from '../../errors.ts'
import type { BlobPlace, Blobs } from '../blobs.ts'
import { lengthened } from '../library-rules.ts'
import { PromisedSpace } from '../library-space.ts'
import { storageFailure } from '../local/atomic-write.ts'
import type { LibraryItem } from '../records.ts'
import type { Library, LibraryQuery, NewLibraryItem, Reservation, SharedLimit } from '../store.ts'
import { Turns } from '../turns.ts'
import { type Access, type Executor, jsonOf, pageOf, textOf } from './access.ts'

interface Row {
  record: LibraryItem
  content: string
  chain: string
}

const missing = (): MediaprocError => new MediaprocError('NOT_FOUND', 'There is no such file in the library')

/** How long a file without an item is kept, in milliseconds: it may belong to one that is being added. */
const KEPT_MS = 3_600_000

/** Items removed from the blobs concurrently with others of the same call. */
const BATCH = 500

/** The library's items in PostgreSQL, and their contents as blobs. */
export class PostgresLibrary implements Library {
  readonly damaged: readonly string[] = []
  readonly #access: Access
  readonly #blobs: Blobs
  readonly #promised = new PromisedSpace()
  readonly #turns = new Turns()

  constructor(access: Access, blobs: Blobs) {
    this.#access = access
    this.#blobs = blobs
  }

  async #rows(rest: RawBuilder<unknown>, executor: Executor = this.#access.executor): Promise<Row[]> {
    const { sql } = this.#access
    return (await sql<Row>`select record, content, chain from library ${rest}`.execute(executor)).rows
  }

  async #row(id: string, executor?: Executor): Promise<Row> {
    const [row] = await this.#rows(this.#access.sql`where id = ${textOf(id)}`, executor)
    if (!row) throw missing()
    return row
  }

  /** Stores a content under a name of its own; returns its size in bytes. */
  async #place(content: string, path: string, how: 'move' | 'copy'): Promise<number> {
    await this.#blobs.put(content, { path, how })
    const about = await this.#blobs.stat(content)
    if (!about) throw missing()
    return about.size
  }

  async add(about: NewLibraryItem, path: string, how: 'move' | 'copy' = 'move'): Promise<LibraryItem> {
    const { sql } = this.#access
    const { parentId } = about
    if (parentId !== null) await this.#row(parentId)
    const id = randomUUID()
    const content = `${id}/${randomUUID()}`
    try {
      const size = await this.#place(content, path, how)
      return await this.#access.write(async (executor) => {
        // The parent may have been deleted while the content was copied.
        const chain = parentId === null ? id : (await this.#row(parentId, executor)).chain
        // The order of uploads is the order of times: no millisecond is used twice.
        const { rows } = await sql<{ last: string | null }>`select max(created) as last from library`.execute(executor)
        const last = Number(rows[0]?.last ?? 0)
        const created = Date.now() <= last && last - Date.now() < 1000 ? last + 1 : Date.now()
        const item = { ...about, id, size, createdAt: new Date(created).toISOString() }
        await sql`insert into library (id, owner_id, chain, version, name_key, created, size, written, content, record)
          values (${id}, ${item.ownerId}, ${chain}, ${item.version}, ${nameKey(item)}, ${created}, ${size},
            ${written(item)}, ${content}, ${jsonOf(item)}::json)`.execute(executor)
        return item
      })
    } catch (error) {
      throw await this.#failed(content, error)
    }
  }

  /**
   * Removes a content that no row refers to. If the connection was lost, the row may exist: then the next start removes the
   * content, or keeps it with its row.
   */
  async #failed(content: string, error: unknown): Promise<MediaprocError> {
    const failure = storageFailure(error)
    if (failure.code !== 'STORE_UNAVAILABLE') await this.#blobs.remove(content).catch(() => {})
    return failure
  }

  async get(id: string): Promise<LibraryItem | undefined> {
    return (await this.#rows(this.#access.sql`where id = ${textOf(id)}`))[0]?.record
  }

  async list({ ownerId, search = '', limit, offset }: LibraryQuery): Promise<{ items: LibraryItem[]; total: number }> {
    const { sql, executor } = this.#access
    const isLast = sql`not exists (select from library as later where later.chain = library.chain
      and (later.created, later.version) > (library.created, library.version))`
    const conditions = [
      isLast,
      ...(ownerId === undefined ? [] : [sql`owner_id = ${textOf(ownerId)}`]),
      ...(search === '' ? [] : [sql`position(${textOf(search.toLowerCase())} in name_key) > 0`]),
    ]
    const where = sql`where ${sql.join(conditions, sql` and `)}`
    const counted = await sql<{ total: string }>`select count(*) as total from library ${where}`.execute(executor)
    const rows = await this.#rows(sql`${where} order by created desc, version desc ${pageOf(sql, { limit, offset })}`)
    return { items: rows.map(({ record }) => record), total: Number(counted.rows[0]?.total) }
  }

  async #chain(id: string, executor?: Executor): Promise<Row[]> {
    const { sql } = this.#access
    return this.#rows(
      sql`where chain = (select chain from library where id = ${textOf(id)}) order by created, version`,
      executor,
    )
  }

  versions = async (id: string): Promise<LibraryItem[]> => (await this.#chain(id)).map(({ record }) => record)

  async replace(
    id: string,
    path: string,
    toolId: string,
    changes: Partial<Pick<LibraryItem, 'originalName' | 'mimeType' | 'width' | 'height'>> = {},
    how: 'move' | 'copy' = 'move',
  ): Promise<LibraryItem> {
    const { sql } = this.#access
    await this.#row(id)
    // A name that no row refers to: writing the row switches to the new content.
    const content = `${id}/${randomUUID()}`
    try {
      const size = await this.#place(content, path, how)
      const [item, old] = await this.#access.write(async (executor) => {
        const { record, content: old } = await this.#row(id, executor)
        const item = { ...record, ...changes, size, toolChain: lengthened(record.toolChain, toolId) }
        await sql`update library set size = ${size}, written = ${written(item)}, name_key = ${nameKey(item)},
          content = ${content}, record = ${jsonOf(item)}::json where id = ${id}`.execute(executor)
        return [item, old] as const
      })
      await this.#blobs.remove(old).catch(() => {})
      return item
    } catch (error) {
      throw await this.#failed(content, error)
    }
  }

  async deleteChains(ids: readonly string[], mayDelete: (item: LibraryItem) => boolean): Promise<readonly string[]> {
    return this.#delete(async (executor) => {
      const chosen: Row[] = []
      for (const id of new Set(ids)) {
        const chain = await this.#chain(id, executor)
        if (chain.every(({ record }) => mayDelete(record))) chosen.push(...chain)
      }
      return chosen
    })
  }

  async deleteOwner(ownerId: string): Promise<number> {
    const { sql } = this.#access
    return (await this.#delete((executor) => this.#rows(sql`where owner_id = ${textOf(ownerId)}`, executor))).length
  }

  /** Removes the rows first: a content without a row is removed at the next start. */
  async #delete(choose: (executor: Executor) => Promise<Row[]>): Promise<string[]> {
    const { sql } = this.#access
    const doomed = await this.#access.write(async (executor) => {
      const rows = new Map((await choose(executor)).map((row) => [row.record.id, row]))
      await sql`delete from library where id = any(${[...rows.keys()]})`.execute(executor)
      // A version whose parent no longer exists starts a chain.
      await sql`update library set chain = id where chain = any(${[...rows.keys()]})`.execute(executor)
      return rows
    })
    for (const { content } of doomed.values()) await this.#blobs.remove(content).catch(() => {})
    return [...doomed.keys()]
  }

  /** The sum of a column for some owners. */
  async #sums(column: 'size' | 'written', owners: readonly string[]): Promise<(owner: string) => number> {
    const { sql, executor } = this.#access
    const query = sql<{ owner_id: string; sum: string }>`select owner_id, sum(${sql.ref(column)}) as sum from library
      where owner_id = any(${owners.map(textOf)}) group by 1`
    const sums = new Map((await query.execute(executor)).rows.map((row) => [row.owner_id, Number(row.sum)]))
    return (owner) => sums.get(textOf(owner)) ?? 0
  }

  usedBytes = async (ownerId: string): Promise<number> => (await this.#sums('size', [ownerId]))(ownerId)

  reserve(ownerId: string, bytes: number, limit: number, shared?: SharedLimit): Promise<Reservation> {
    return this.#turns.run('reserve', () => this.#reserve(ownerId, bytes, limit, shared))
  }

  async #reserve(ownerId: string, bytes: number, limit: number, shared?: SharedLimit): Promise<Reservation> {
    const owners = [...new Set([ownerId, ...(shared?.owners ?? [])])]
    const before = new Map(owners.map((owner) => [owner, this.#promised.of(owner)]))
    const stored = await this.#sums('written', owners)
    // What was stored meanwhile is missing in the sums, and was promised before them.
    const taken = (owner: string): number => stored(owner) + Math.max(before.get(owner) ?? 0, this.#promised.of(owner))
    return this.#promised.reserve(ownerId, bytes, limit, taken, shared)
  }

  async totals(): Promise<{ items: number; bytes: number }> {
    const { sql, executor } = this.#access
    const query = sql<{ items: string; bytes: string }>`
      select count(*) as items, coalesce(sum(size), 0) as bytes from library`
    const { rows } = await query.execute(executor)
    return { items: Number(rows[0]?.items), bytes: Number(rows[0]?.bytes) }
  }

  content = async (id: string): Promise<BlobPlace> => ({ blobs: this.#blobs, key: (await this.#row(id)).content })

  /** Removes contents of items that a crash prevented, or that could not be removed with their items. */
  async removeLeftovers(): Promise<void> {
    const { sql, executor } = this.#access
    const removeUnknown = async (keys: readonly string[]): Promise<void> => {
      const { rows } = await sql<{ content: string }>`
        select content from library where content = any(${keys})`.execute(executor)
      const known = new Set(rows.map(({ content }) => content))
      for (const key of keys) {
        const about = known.has(key) ? undefined : await this.#blobs.stat(key)
        if (about && about.modifiedMs < Date.now() - KEPT_MS) await this.#blobs.remove(key)
      }
    }
    let keys: string[] = []
    for await (const key of this.#blobs.keys()) {
      keys.push(key)
      if (keys.length < BATCH) continue
      await removeUnknown(keys)
      keys = []
    }
    await removeUnknown(keys)
  }
}

const nameKey = ({ originalName }: LibraryItem): string => textOf(originalName.toLowerCase())

/** The size of an item with its record, which counts against the owner's quota. */
const written = (item: LibraryItem): number => item.size + Buffer.byteLength(JSON.stringify(item))
