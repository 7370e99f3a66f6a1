import { randomUUID } from 'node:crypto'
import type { RawBuilder, Sql } from 'kysely'
import { MediaprocError } from '../../errors.ts'
import type { BlobPlace, Blobs } from '../blobs.ts'
import { MOST_SKEW_MS } from '../clock-skew.ts'
import { lengthened } from '../library-rules.ts'
import { storageFailure } from '../local/atomic-write.ts'
import type { LibraryItem } from '../records.ts'
import type { Library, LibraryQuery, NewLibraryItem, Reservation, SharedLimit } from '../store.ts'
import { type Access, type Executor, jsonOf, pageOf, textOf } from './access.ts'
import type { LibrarySpace } from './space.ts'

/** An item with the key of its content, and the chain of versions that it belongs to. */
export interface ItemRow {
  item: LibraryItem
  content: string
  chain: string
}

/** Adds an item with the columns that repeat its fields. */
export const insertItem = (sql: Sql, { item, content, chain }: ItemRow): RawBuilder<unknown> => {
  const { id, ownerId, version, createdAt, size } = item
  return sql`insert into library (id, owner_id, chain, version, name_key, created, size, written, content, record)
    values (${id}, ${ownerId === null ? null : textOf(ownerId)}, ${chain}, ${version}, ${nameKey(item)},
      ${Date.parse(createdAt) || 0}, ${size}, ${written(item)}, ${content}, ${jsonOf(item)}::json)`
}

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
  readonly #space: LibrarySpace

  constructor(access: Access, blobs: Blobs, space: LibrarySpace) {
    this.#access = access
    this.#blobs = blobs
    this.#space = space
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
    const { id = randomUUID() } = about
    const known = about.id === undefined ? undefined : await this.get(id)
    if (known) return known
    const content = `${id}/${randomUUID()}`
    let isNew = true
    try {
      const size = await this.#place(content, path, how)
      const added = await this.#access.write(async (executor) => {
        const [same] = about.id === undefined ? [] : await this.#rows(sql`where id = ${textOf(id)}`, executor)
        if (same) {
          isNew = false
          return same.record
        }
        // The parent may have been deleted while the content was copied.
        const chain = parentId === null ? id : (await this.#row(parentId, executor)).chain
        const created = await this.#time(chain, executor)
        const item = { ...about, id, size, createdAt: new Date(created).toISOString() }
        await insertItem(sql, { item, content, chain }).execute(executor)
        return item
      })
      if (!isNew) await this.#blobs.remove(content)
      return added
    } catch (error) {
      throw await this.#failed(content, error)
    }
  }

  /**
   * The time of a new item, in milliseconds since 1970. The order of uploads is the order of times: no millisecond is used
   * twice, and a version is later than those before it, also if a clock was wrong for days.
   */
  async #time(chain: string, executor: Executor): Promise<number> {
    const { sql } = this.#access
    const query = sql<{ last: string | null; version: string | null }>`select max(created) as last,
      (select max(created) from library where chain = ${chain}) as version from library`
    const [row] = (await query.execute(executor)).rows
    const [last, version] = [Number(row?.last ?? 0), Number(row?.version ?? 0)]
    const now = Date.now()
    return Math.max(last - now < MOST_SKEW_MS ? Math.max(now, last + 1) : now, version + 1)
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

  async list(query: LibraryQuery): Promise<{ items: LibraryItem[]; total: number }> {
    const { ownerId, search = '', extensions, order = 'newest', limit, offset } = query
    const { sql, executor } = this.#access
    const isLast = sql`not exists (select from library as later where later.chain = library.chain
      and (later.created, later.version) > (library.created, library.version))`
    const conditions = [
      isLast,
      ...(ownerId === undefined ? [] : [sql`owner_id = ${textOf(ownerId)}`]),
      ...(search === '' ? [] : [sql`position(${textOf(search.toLowerCase())} in name_key) > 0`]),
      // Extensions have only letters and digits, which are no wildcards.
      ...(extensions ? [sql`name_key like any(${extensions.map((one) => `%.${one}`)})`] : []),
    ]
    const where = sql`where ${sql.join(conditions, sql` and `)}`
    const counted = await sql<{ total: string }>`select count(*) as total from library ${where}`.execute(executor)
    const orders = {
      newest: sql`created desc, version desc`,
      oldest: sql`created, version`,
      name: sql`name_key collate "C", created desc, version desc`,
      largest: sql`size desc, created desc, version desc`,
    }
    const rows = await this.#rows(sql`${where} order by ${orders[order]} ${pageOf(sql, { limit, offset })}`)
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

  async rename(id: string, originalName: string): Promise<LibraryItem> {
    const { sql } = this.#access
    return this.#access.write(async (executor) => {
      const item = { ...(await this.#row(id, executor)).record, originalName }
      await sql`update library set written = ${written(item)}, name_key = ${nameKey(item)}, record = ${jsonOf(item)}::json
        where id = ${id}`.execute(executor)
      return item
    })
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

  async usedBytes(ownerId: string): Promise<number> {
    const { sql, executor } = this.#access
    const query = sql<{
      sum: string
    }>`select coalesce(sum(size), 0) as sum from library where owner_id = ${textOf(ownerId)}`
    return Number((await query.execute(executor)).rows[0]?.sum)
  }

  reserve(ownerId: string, bytes: number, limit: number, shared?: SharedLimit): Promise<Reservation> {
    return this.#space.reserve({ ownerId, bytes, limit, shared })
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
