import type { RawBuilder } from 'kysely'
import { MediaprocError } from '../../errors.ts'
import { sameName } from '../kinds.ts'
import type { Page } from '../repositories.ts'
import { type Access, type Executor, jsonOf, pageOf, textOf } from './access.ts'

/** The table of a kind of record, and the columns that repeat what is looked up. */
export interface Table<T> {
  name: string
  columns?(record: T): Readonly<Record<string, string | null>>
}

interface Row<T> {
  id: string
  record: T
}

/** Records of one kind, in insertion order; a record that is replaced keeps its place. */
export class Rows<T> {
  readonly #access: Access
  readonly #table: Table<T>

  constructor(access: Access, table: Table<T>) {
    this.#access = access
    this.#table = table
  }

  async #select(rest: RawBuilder<unknown>, executor: Executor = this.#access.executor): Promise<Row<T>[]> {
    const { sql } = this.#access
    const { rows } = await sql<Row<T>>`select id, record from ${sql.table(this.#table.name)} ${rest}`.execute(executor)
    return rows
  }

  get = async (id: string, executor?: Executor): Promise<T | undefined> => {
    const [row] = await this.#select(this.#access.sql`where id = ${textOf(id)}`, executor)
    return row?.record
  }

  /** The records whose column has a value. */
  async where(column: string, value: string, page?: Page): Promise<T[]> {
    const { sql } = this.#access
    const rows = await this.#select(sql`where ${sql.ref(column)} = ${textOf(value)} order by seq ${this.#page(page)}`)
    return rows.map(({ record }) => record)
  }

  /** The records that a clause selects. @param rest what follows the name of the table */
  select = async (rest: RawBuilder<unknown>): Promise<T[]> => (await this.#select(rest)).map(({ record }) => record)

  async entries(page?: Page): Promise<[string, T][]> {
    const rows = await this.#select(this.#access.sql`order by seq ${this.#page(page)}`)
    return rows.map(({ id, record }) => [id, record])
  }

  list = async (page?: Page): Promise<T[]> => (await this.entries(page)).map(([, record]) => record)

  #page(page?: Page): RawBuilder<unknown> {
    const { sql } = this.#access
    return page ? pageOf(sql, page) : sql``
  }

  async count(column?: string, value?: string): Promise<number> {
    const { sql } = this.#access
    return this.countWhere(column === undefined ? sql`` : sql`where ${sql.ref(column)} = ${value}`)
  }

  /** @param where empty for all */
  async countWhere(where: RawBuilder<unknown>): Promise<number> {
    const { sql, executor } = this.#access
    const query = sql<{ count: string }>`select count(*) as count from ${sql.table(this.#table.name)} ${where}`
    return Number((await query.execute(executor)).rows[0]?.count)
  }

  /** Stores a record, in place of one with this id. */
  put = (id: string, record: T): Promise<void> => this.#access.write((executor) => this.putWithin(executor, id, record))

  /** As `put`, within a change that has begun. */
  async putWithin(executor: Executor, id: string, record: T): Promise<void> {
    const { sql } = this.#access
    const found = Object.entries(this.#table.columns?.(record) ?? {})
    const names = found.map(([name]) => sql`, ${sql.ref(name)}`)
    const values = found.map(([, value]) => sql`, ${value === null ? null : textOf(value)}`)
    const changes = found.map(([name]) => sql`, ${sql.ref(name)} = excluded.${sql.ref(name)}`)
    await sql`insert into ${sql.table(this.#table.name)} (id, record ${sql.join(names, sql``)})
      values (${textOf(id)}, ${jsonOf(record)}::json ${sql.join(values, sql``)})
      on conflict (id) do update set record = excluded.record ${sql.join(changes, sql``)}`.execute(executor)
  }

  remove = (id: string): Promise<void> =>
    this.#access.write(async (executor) => {
      const { sql } = this.#access
      await sql`delete from ${sql.table(this.#table.name)} where id = ${textOf(id)}`.execute(executor)
    })

  /** Removes the records that a condition matches; returns their ids. */
  removeWhere = (condition: RawBuilder<unknown>): Promise<string[]> =>
    this.#access.write(async (executor) => {
      const { sql } = this.#access
      const query = sql<{ id: string }>`delete from ${sql.table(this.#table.name)} where ${condition} returning id`
      return (await query.execute(executor)).rows.map(({ id }) => id)
    })

  /** Changes fields of a record, if it exists, without waiting for other changes. @param columns what repeats the fields */
  async touch(id: string, patch: Partial<T>, columns: Readonly<Record<string, string>> = {}): Promise<void> {
    const { sql, executor } = this.#access
    const changes = Object.entries(columns).map(([name, value]) => sql`, ${sql.ref(name)} = ${value}`)
    await sql`update ${sql.table(this.#table.name)}
      set record = (record::jsonb || ${jsonOf(patch)}::jsonb)::json ${sql.join(changes, sql``)} where id = ${textOf(id)}`.execute(
      executor,
    )
  }

  /**
   * Stores a record whose name no other one has, in any case.
   * @throws CONFLICT when the name is taken
   */
  putNamed = (
    id: string,
    nameOf: (record: T) => string,
    change: (before: T | undefined) => T,
    taken: string,
  ): Promise<T> =>
    this.#access.write(async (executor) => {
      const { sql } = this.#access
      const record = change(await this.get(id, executor))
      const [other] = await this.#select(
        sql`where name_key = ${nameKey(nameOf(record))} and id <> ${textOf(id)} limit 1`,
        executor,
      )
      if (other) throw new MediaprocError('CONFLICT', taken)
      await this.putWithin(executor, id, record)
      return record
    })
}

/** A name as it is compared. */
export const nameKey = (name: string): string => textOf(sameName(name))
