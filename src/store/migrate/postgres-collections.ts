import type { Blobs } from '../blobs.ts'
import type { JobRecord } from '../job-record.ts'
import type { Access } from '../postgres/access.ts'
import { upsert } from '../postgres/job-rows.ts'
import { JobTable } from '../postgres/job-table.ts'
import { type ItemRow, insertItem } from '../postgres/library.ts'
import type { LibraryItem } from '../records.ts'
import { type Collection, type Content, type Holding, PAGE } from './dump.ts'
import { contentsOf } from './job-files.ts'

/** Ids of a table in pages. */
async function* idsIn({ sql, executor }: Access, table: 'library' | 'jobs'): AsyncGenerator<string[]> {
  for (let last = ''; ; ) {
    const { rows } = await sql<{ id: string }>`select id from ${sql.table(table)}
      where id > ${last} order by id limit ${PAGE}`.execute(executor)
    if (rows.length > 0) yield rows.map(({ id }) => id)
    const end = rows.at(-1)
    if (rows.length < PAGE || !end) return
    last = end.id
  }
}

/** The library of a database. */
export class PostgresItems implements Collection<LibraryItem> {
  readonly blobs: Blobs
  readonly #access: Access

  constructor(access: Access, blobs: Blobs) {
    this.#access = access
    this.blobs = blobs
  }

  ids(): AsyncIterable<string[]> {
    return idsIn(this.#access, 'library')
  }

  async find(ids: readonly string[]): Promise<Holding<LibraryItem>[]> {
    const { sql, executor } = this.#access
    const { rows } = await sql<ItemRow>`select record as item, content, chain from library
      where id = any(${ids})`.execute(executor)
    return rows.map(({ item, content: key, chain }) => {
      const content: Content = { key, name: `${item.id}/content`, bytes: item.size, mayBeGone: false }
      return { record: item, contents: [content], chain }
    })
  }

  async put(holdings: readonly Holding<LibraryItem>[]): Promise<void> {
    const { sql } = this.#access
    await this.#access.write(async (executor) => {
      await sql`delete from library where id = any(${holdings.map(({ record }) => record.id)})`.execute(executor)
      for (const { record: item, chain = item.id } of holdings)
        await insertItem(sql, { item, content: `${item.id}/content`, chain }).execute(executor)
    })
  }

  async remove(ids: readonly string[]): Promise<void> {
    const { sql, executor } = this.#access
    const found = await this.find(ids)
    await sql`delete from library where id = any(${ids})`.execute(executor)
    for (const { contents } of found) for (const { key } of contents) await this.blobs.remove(key)
  }
}

/** The jobs of a database. */
export class PostgresJobRecords implements Collection<JobRecord> {
  readonly blobs: Blobs
  readonly #access: Access
  readonly #table: JobTable

  constructor(access: Access, blobs: Blobs) {
    this.#access = access
    this.#table = new JobTable(access)
    this.blobs = blobs
  }

  ids(): AsyncIterable<string[]> {
    return idsIn(this.#access, 'jobs')
  }

  async find(ids: readonly string[]): Promise<Holding<JobRecord>[]> {
    return (await this.#table.some(ids)).map((record) => ({ record, contents: contentsOf(record) }))
  }

  async put(holdings: readonly Holding<JobRecord>[]): Promise<void> {
    const { sql } = this.#access
    const [first, ...others] = holdings.map(({ record }) => record)
    if (!first) return
    const ids = holdings.map(({ record }) => record.id)
    // Results that are gone take no space.
    const sizes = holdings.map(({ contents }) =>
      contents.reduce((sum, content) => sum + (content.mayBeGone ? 0 : content.bytes), 0),
    )
    await this.#access.write(async (executor) => {
      await upsert(sql, [first, ...others]).execute(executor)
      await sql`update jobs set bytes = size from unnest(${ids}::text[], ${sizes}::bigint[]) as sizes (job, size)
        where id = job`.execute(executor)
    })
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (const { record, contents } of await this.find(ids)) {
      await this.#table.remove(record.id)
      for (const { key } of contents) await this.blobs.remove(key)
    }
  }
}
