import { MediaprocError } from '../../../src/errors.ts'
import type { Named, Page, Patch, Repositories } from '../../../src/store/repositories.ts'

type Row = Readonly<Record<string, unknown>>
/** Records by kind and id, in insertion order. Copied whole for a transaction: tests have few of them. */
export type Tables = ReadonlyMap<string, ReadonlyMap<string, Row>>

/** How repositories access their records: each write by itself, or all in one transaction. */
export interface Access {
  tables(): Tables
  write<R>(edit: (tables: Map<string, Map<string, Row>>) => R): Promise<R>
}

/** A copy that can be changed while others read. */
export const copyOf = (tables: Tables): Map<string, Map<string, Row>> =>
  new Map([...tables].map(([kind, rows]) => [kind, new Map(rows)]))

const sameName = (one: unknown, other: unknown): boolean => String(one).toLowerCase() === String(other).toLowerCase()

function pageOf<T>(all: readonly T[], page?: Page): T[] {
  return all.slice(page?.offset ?? 0, page && page.offset + page.limit)
}

/** Records of one kind. */
class Rows<T extends object> {
  readonly #kind: string
  readonly #access: Access

  constructor(access: Access, kind: string) {
    this.#access = access
    this.#kind = kind
  }

  get = async (id: string): Promise<T | undefined> => this.#access.tables().get(this.#kind)?.get(id) as T | undefined
  all = async (): Promise<T[]> => [...(this.#access.tables().get(this.#kind)?.values() ?? [])] as unknown as T[]
  entries = async (): Promise<[string, T][]> =>
    [...(this.#access.tables().get(this.#kind) ?? [])] as unknown as [string, T][]
  with = async (field: keyof T, value: unknown): Promise<T[]> =>
    (await this.all()).filter((record) => record[field] === value)
  list = async (page?: Page): Promise<T[]> => pageOf(await this.all(), page)

  #edit<R>(edit: (rows: Map<string, T>) => R): Promise<R> {
    return this.#access.write((tables) => {
      const rows = tables.get(this.#kind) ?? new Map<string, Row>()
      tables.set(this.#kind, rows)
      return edit(rows as unknown as Map<string, T>)
    })
  }

  set = (id: string, record: T): Promise<void> => this.#edit((rows) => void rows.set(id, record))
  add = (record: T & { id: string }): Promise<void> => this.set(record.id, record)
  remove = (id: string): Promise<void> => this.#edit((rows) => void rows.delete(id))

  /** Removes the matching records; returns their ids. */
  removeWhere = (isDoomed: (record: T) => boolean): Promise<string[]> =>
    this.#edit((rows) => {
      const ids = [...rows].filter(([, record]) => isDoomed(record)).map(([id]) => id)
      for (const id of ids) rows.delete(id)
      return ids
    })

  touch = (id: string, patch: Partial<T>): Promise<void> =>
    this.#edit((rows) => {
      const before = rows.get(id)
      if (before) rows.set(id, { ...before, ...patch })
    })

  /** @param nameField the field whose value is unique */
  putNamed = (nameField: keyof T, id: string, change: (before: T | undefined) => T): Promise<T> =>
    this.#edit((rows) => {
      const record = change(rows.get(id))
      const isTaken = [...rows].some(([other, one]) => other !== id && sameName(one[nameField], record[nameField]))
      if (isTaken) throw new MediaprocError('CONFLICT', 'The name is taken')
      rows.set(id, record)
      return record
    })
}

function named<T extends { id: string }>(rows: Rows<T>, nameField: keyof T): Named<T> {
  return {
    byId: rows.get,
    byName: async (name) => (await rows.all()).find((record) => sameName(record[nameField], name)),
    list: rows.list,
    add: async (record) => void (await rows.putNamed(nameField, record.id, () => record)),
    update: (id, patch: Patch<T>) =>
      rows.putNamed(nameField, id, (before) => {
        if (!before) throw new MediaprocError('NOT_FOUND', 'There is no such record')
        return { ...before, ...patch, id }
      }),
    remove: rows.remove,
  }
}

type RecordOf<K extends keyof Repositories> = Repositories[K] extends { byId(id: string): Promise<infer R> }
  ? NonNullable<R>
  : never

/** All repositories over records in memory. */
export function memoryRepositories(access: Access): Repositories {
  const users = new Rows<RecordOf<'users'>>(access, 'users')
  const sessions = new Rows<NonNullable<Awaited<ReturnType<Repositories['sessions']['find']>>>>(access, 'sessions')
  const keys = new Rows<RecordOf<'apiKeys'>>(access, 'apiKeys')
  const factors = new Rows<RecordOf<'factors'>>(access, 'factors')
  const passkeys = new Rows<RecordOf<'passkeys'>>(access, 'passkeys')
  const identities = new Rows<RecordOf<'identities'>>(access, 'identities')
  const tickets = new Rows<RecordOf<'tickets'>>(access, 'tickets')
  const settings = new Rows<NonNullable<Awaited<ReturnType<Repositories['settings']['get']>>>>(access, 'settings')
  const preferences = new Rows<Record<string, unknown>>(access, 'preferences')
  const idempotencyKeys = new Rows<RecordOf<'idempotencyKeys'>>(access, 'idempotencyKeys')
  const pipelines = new Rows<RecordOf<'pipelines'>>(access, 'pipelines')
  const webhooks = new Rows<RecordOf<'webhooks'>>(access, 'webhooks')
  const deliveries = new Rows<RecordOf<'deliveries'>>(access, 'deliveries')
  const ofOwner = async (userId: string | undefined) =>
    userId === undefined ? pipelines.all() : pipelines.with('userId', userId)
  return {
    users: {
      ...named(users, 'username'),
      first: async () => (await users.all())[0],
      count: async () => (await users.all()).length,
      ofTeam: (teamId) => users.with('teamId', teamId),
      countOfRole: async (role) => (await users.with('role', role)).filter(({ isService }) => !isService).length,
    },
    sessions: {
      ...{ find: sessions.get, add: sessions.add, remove: sessions.remove },
      ofUser: (userId) => sessions.with('userId', userId),
      touch: (id, lastSeenAt) => sessions.touch(id, { lastSeenAt }),
      confirm: (id, confirmedAt) => sessions.touch(id, { confirmedAt }),
      removeOfUser: async (userId, keptId) =>
        void (await sessions.removeWhere((one) => one.userId === userId && one.id !== keptId)),
      removeDead: async (expiredAt, idleSince) =>
        (
          await sessions.removeWhere(
            (one) => one.expiresAt <= expiredAt || (idleSince !== undefined && one.lastSeenAt <= idleSince),
          )
        ).length,
    },
    apiKeys: {
      ...{ byId: keys.get, list: keys.list, add: keys.add, remove: keys.remove },
      byPrefix: (prefix) => keys.with('prefix', prefix),
      ofUser: (userId) => keys.with('userId', userId),
      touch: (id, lastUsedAt) => keys.touch(id, { lastUsedAt }),
      removeOfUser: (userId) => keys.removeWhere((one) => one.userId === userId),
    },
    factors: { byId: factors.get, list: factors.list, put: factors.add, remove: factors.remove },
    passkeys: {
      ...{ byId: passkeys.get, list: passkeys.list, put: passkeys.add, remove: passkeys.remove },
      ofUser: (userId) => passkeys.with('userId', userId),
      removeOfUser: async (userId) => void (await passkeys.removeWhere((one) => one.userId === userId)),
    },
    identities: {
      ...{ byId: identities.get, list: identities.list, add: identities.add },
      ofUser: (userId) => identities.with('userId', userId),
      removeOfUser: async (userId) => void (await identities.removeWhere((one) => one.userId === userId)),
    },
    tickets: {
      ...{ byId: tickets.get, put: tickets.add, remove: tickets.remove },
      ofUser: (userId) => tickets.with('userId', userId),
      removeDead: async (at) => (await tickets.removeWhere(({ expiresAt }) => expiresAt <= at)).length,
    },
    teams: named(new Rows<RecordOf<'teams'>>(access, 'teams'), 'name'),
    roles: named(new Rows<RecordOf<'roles'>>(access, 'roles'), 'name'),
    settings: {
      ...{ get: settings.get, set: settings.set, remove: settings.remove },
      all: async () => Object.fromEntries(await settings.entries()),
    },
    preferences: {
      of: async (userId) => (await preferences.get(userId)) ?? {},
      set: (userId, given) => preferences.set(userId, { ...given }),
      remove: preferences.remove,
    },
    pipelines: {
      ...{ byId: pipelines.get, add: pipelines.add, remove: pipelines.remove },
      ofOwner: async (userId, page) => pageOf(await ofOwner(userId), page),
      countOf: async (userId) => (await ofOwner(userId)).length,
      removeOfOwner: async (userId) => void (await pipelines.removeWhere((one) => one.userId === userId)),
    },
    idempotencyKeys: {
      ...{ byId: idempotencyKeys.get, list: idempotencyKeys.list },
      ...{ put: idempotencyKeys.add, remove: idempotencyKeys.remove },
      removeOfUser: async (userId) => void (await idempotencyKeys.removeWhere((one) => one.userId === userId)),
      removeSurplus: async (userId, kept) => {
        const all = await idempotencyKeys.with('userId', userId)
        const surplus = new Set(all.slice(0, Math.max(0, all.length - kept)).map(({ id }) => id))
        return (await idempotencyKeys.removeWhere(({ id }) => surplus.has(id))).length
      },
      removeDead: async (at) => (await idempotencyKeys.removeWhere(({ expiresAt }) => expiresAt <= at)).length,
    },
    webhooks: {
      ...{ byId: webhooks.get, list: webhooks.list, put: webhooks.add, remove: webhooks.remove },
      ofUser: (userId) => webhooks.with('userId', userId),
      removeOfUser: async (userId) => void (await webhooks.removeWhere((one) => one.userId === userId)),
    },
    deliveries: {
      ...{ byId: deliveries.get, list: deliveries.list, put: deliveries.add },
      query: async (filter, page) => {
        const isWanted = (one: RecordOf<'deliveries'>): boolean =>
          Object.entries(filter).every(([name, value]) => one[name as keyof typeof one] === value)
        const found = (await deliveries.all()).filter(isWanted).reverse()
        return { deliveries: pageOf(found, page), total: found.length }
      },
      due: async (at, limit, exceptUsers) =>
        (await deliveries.with('status', 'pending'))
          .filter(({ dueAt, userId }) => dueAt !== null && dueAt <= at && !exceptUsers.includes(userId))
          .sort((one, other) => Date.parse(one.dueAt ?? '') - Date.parse(other.dueAt ?? ''))
          .slice(0, limit),
      removeOfUser: async (userId) => void (await deliveries.removeWhere((one) => one.userId === userId)),
      removeOfWebhook: async (id) => void (await deliveries.removeWhere(({ webhookId }) => webhookId === id)),
      removeSurplus: async (userId, kept) => {
        const all = await deliveries.with('userId', userId)
        const surplus = new Set(all.slice(0, Math.max(0, all.length - kept)).map(({ id }) => id))
        return (await deliveries.removeWhere(({ id }) => surplus.has(id))).length
      },
      removeDead: async (at) => (await deliveries.removeWhere(({ expiresAt }) => expiresAt <= at)).length,
    },
  }
}
