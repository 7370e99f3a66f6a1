import { type Kind, type Kinds, sameName } from '../kinds.ts'
import { type Indexes, Overlay, type Rows, Table } from './table.ts'

const INDEXES: { readonly [K in Kind]: Indexes<Kinds[K]> } = {
  users: {
    name: ({ username }) => sameName(username),
    role: ({ role, isService }) => (isService ? '' : role),
    team: ({ teamId }) => teamId,
  },
  sessions: { user: ({ userId }) => userId },
  apiKeys: { prefix: ({ prefix }) => prefix, user: ({ userId }) => userId },
  factors: {},
  passkeys: { user: ({ userId }) => userId },
  identities: { user: ({ userId }) => userId },
  tickets: { user: ({ userId }) => userId ?? '' },
  teams: { name: ({ name }) => sameName(name) },
  roles: { name: ({ name }) => sameName(name) },
  settings: {},
  preferences: {},
  pipelines: { owner: ({ userId }) => userId },
  idempotencyKeys: { user: ({ userId }) => userId },
  webhooks: { user: ({ userId }) => userId },
  deliveries: { user: ({ userId }) => userId, webhook: ({ webhookId }) => webhookId, status: ({ status }) => status },
}

export const KINDS = Object.keys(INDEXES) as Kind[]

/** One record to be stored; null removes the existing one. */
export type Change = readonly [kind: Kind, id: string, record: unknown]

/** Rows of every kind. */
export interface Layer {
  rows<K extends Kind>(kind: K): Rows<Kinds[K]>
}

/** The durable records of every kind. */
export class Tables implements Layer {
  readonly #tables = Object.fromEntries(KINDS.map((kind) => [kind, new Table(INDEXES[kind] as Indexes<unknown>)]))

  rows<K extends Kind>(kind: K): Table<Kinds[K]> {
    return this.#tables[kind] as Table<Kinds[K]>
  }

  apply(changes: readonly Change[]): void {
    for (const [kind, id, record] of changes) this.#tables[kind]!.put(id, record ?? undefined)
  }
}

/** Pending changes of every kind, over the durable records. */
export class Draft implements Layer {
  /** The layer below; it can be replaced once that layer's changes are durable. */
  below: Layer
  readonly changes: Change[] = []
  readonly #overlays = new Map<Kind, Overlay<unknown>>()

  constructor(below: Layer) {
    this.below = below
  }

  rows<K extends Kind>(kind: K): Rows<Kinds[K]> {
    return (this.#overlays.get(kind) as Overlay<Kinds[K]> | undefined) ?? this.below.rows(kind)
  }

  /** @param record undefined removes the existing one */
  put<K extends Kind>(kind: K, id: string, record: Kinds[K] | undefined): void {
    this.add([kind, id, record ?? null])
  }

  add(change: Change): void {
    const [kind, id, record] = change
    let overlay = this.#overlays.get(kind)
    if (!overlay) {
      overlay = new Overlay(INDEXES[kind] as Indexes<unknown>, () => this.below.rows(kind) as Rows<unknown>)
      this.#overlays.set(kind, overlay)
    }
    overlay.put(id, record ?? undefined)
    this.changes.push(change)
  }
}
