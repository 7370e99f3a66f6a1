import type { Kind, Kinds } from '../kinds.ts'
import type { Database } from './database.ts'
import type { Rows } from './table.ts'
import type { Draft } from './tables.ts'

/** How repositories access their rows: each write on its own, or all within one transaction. */
export interface Access {
  rows<K extends Kind>(kind: K): Rows<Kinds[K]>
  /** @throws the error of `edit`; nothing is changed then */
  write<R>(edit: (draft: Draft) => R): Promise<R>
  touch<K extends Kind>(kind: K, id: string, edit: (record: Kinds[K]) => Kinds[K]): void
}

/** Every write is a transaction of its own. */
export function directly(database: Database): Access {
  return {
    rows: (kind) => database.read(kind),
    write: (edit) => database.transaction(edit),
    touch: (kind, id, edit) => database.touch(kind, id, edit),
  }
}

/** All writes go into the draft of a transaction. */
export function within(draft: Draft): Access {
  return {
    rows: (kind) => draft.rows(kind),
    write: async (edit) => edit(draft),
    touch: (kind, id, edit) => {
      const record = draft.rows(kind).get(id)
      if (record !== undefined) draft.put(kind, id, edit(record))
    },
  }
}
