import { MediaprocError } from '../../errors.ts'
import { type Kind, type Kinds, NAMED, sameName } from '../kinds.ts'
import type { Page, Patch, Repositories } from '../repositories.ts'
import type { Access } from './access.ts'
import type { Entry } from './table.ts'
import type { Draft } from './tables.ts'

/** Kinds whose records contain their own id. */
type WithId = Exclude<Kind, 'settings' | 'preferences'>
/** The kinds among them that have unique names. */
type WithName = keyof typeof NAMED

const records = <T>(entries: readonly Entry<T>[]): T[] => entries.map(([, record]) => record)

function paged<T>(entries: readonly Entry<T>[], page?: Page): T[] {
  return records(page ? entries.slice(page.offset, page.offset + page.limit) : entries)
}

/** Operations shared by all repositories of records with an id. */
function common<K extends WithId>(access: Access, kind: K) {
  return {
    byId: async (id: string) => access.rows(kind).get(id),
    list: async (page?: Page) => paged(access.rows(kind).all(), page),
    add: (record: Kinds[K]) => access.write((draft) => draft.put(kind, record.id, record)),
    remove: (id: string) => access.write((draft) => draft.put(kind, id, undefined)),
  }
}

/** Stores a record unless another one has its name. @throws CONFLICT */
function putNamed<K extends WithName>(draft: Draft, kind: K, name: string, record: Kinds[K]): void {
  const others = draft.rows(kind).where('name', sameName(name))
  if (others.some(([id]) => id !== record.id)) throw new MediaprocError('CONFLICT', NAMED[kind].taken)
  draft.put(kind, record.id, record)
}

/** Names are unique: checked in the same transaction that writes them. */
function named<K extends WithName>(access: Access, kind: K, nameOf: (record: Kinds[K]) => string) {
  return {
    ...common(access, kind),
    byName: async (name: string) => records(access.rows(kind).where('name', sameName(name)))[0],
    add: (record: Kinds[K]) => access.write((draft) => putNamed(draft, kind, nameOf(record), record)),
    update: (id: string, patch: Patch<Kinds[K]>) =>
      access.write((draft) => {
        const before = draft.rows(kind).get(id)
        if (before === undefined) throw new MediaprocError('NOT_FOUND', `There is no such ${NAMED[kind].one}`)
        const record: Kinds[K] = { ...before, ...patch, id }
        putNamed(draft, kind, nameOf(record), record)
        return record
      }),
  }
}

/** Removes the records that an index has under a key and `isDoomed` matches; returns their ids. */
function removeWhere<K extends WithId>(
  draft: Draft,
  kind: K,
  [index, word]: readonly [string, string],
  isDoomed: (id: string) => boolean = () => true,
): string[] {
  const ids = draft
    .rows(kind)
    .where(index, word)
    .map(([id]) => id)
    .filter(isDoomed)
  for (const id of ids) draft.put(kind, id, undefined)
  return ids
}

function sessions(access: Access): Repositories['sessions'] {
  const { byId, add, remove } = common(access, 'sessions')
  return {
    ...{ find: byId, add, remove },
    ofUser: async (userId) => records(access.rows('sessions').where('user', userId)),
    touch: async (id, lastSeenAt) => access.touch('sessions', id, (session) => ({ ...session, lastSeenAt })),
    confirm: async (id, confirmedAt) => access.touch('sessions', id, (session) => ({ ...session, confirmedAt })),
    removeOfUser: (userId, keptId) =>
      access.write((draft) => {
        removeWhere(draft, 'sessions', ['user', userId], (id) => id !== keptId)
      }),
    removeDead: (expiredAt, idleSince) =>
      access.write((draft) => {
        const dead = records(draft.rows('sessions').all()).filter(
          ({ expiresAt, lastSeenAt }) => expiresAt <= expiredAt || (idleSince !== undefined && lastSeenAt <= idleSince),
        )
        for (const { id } of dead) draft.put('sessions', id, undefined)
        return dead.length
      }),
  }
}

function apiKeys(access: Access): Repositories['apiKeys'] {
  return {
    ...common(access, 'apiKeys'),
    byPrefix: async (prefix) => records(access.rows('apiKeys').where('prefix', prefix)),
    ofUser: async (userId) => records(access.rows('apiKeys').where('user', userId)),
    touch: async (id, lastUsedAt) => access.touch('apiKeys', id, (key) => ({ ...key, lastUsedAt })),
    removeOfUser: (userId) => access.write((draft) => removeWhere(draft, 'apiKeys', ['user', userId])),
  }
}

function factors(access: Access): Repositories['factors'] {
  const { byId, list, add, remove } = common(access, 'factors')
  return { byId, list, put: add, remove }
}

function passkeys(access: Access): Repositories['passkeys'] {
  const { byId, list, add, remove } = common(access, 'passkeys')
  return {
    ...{ byId, list, put: add, remove },
    ofUser: async (userId) => records(access.rows('passkeys').where('user', userId)),
    removeOfUser: (userId) =>
      access.write((draft) => {
        removeWhere(draft, 'passkeys', ['user', userId])
      }),
  }
}

function identities(access: Access): Repositories['identities'] {
  const { byId, list, add } = common(access, 'identities')
  return {
    ...{ byId, list, add },
    ofUser: async (userId) => records(access.rows('identities').where('user', userId)),
    removeOfUser: (userId) =>
      access.write((draft) => {
        removeWhere(draft, 'identities', ['user', userId])
      }),
  }
}

/** Removes the records that have expired at a given time; returns their number. */
function removeDead(draft: Draft, kind: 'tickets' | 'idempotencyKeys' | 'deliveries', at: string): number {
  const dead = records<Kinds[typeof kind]>(draft.rows(kind).all()).filter(({ expiresAt }) => expiresAt <= at)
  for (const { id } of dead) draft.put(kind, id, undefined)
  return dead.length
}

/** Removes the oldest records of a user, except the given number of newest ones; returns how many it removed. */
function removeSurplus(draft: Draft, kind: 'idempotencyKeys' | 'deliveries', userId: string, kept: number): number {
  const all = draft.rows(kind).where('user', userId)
  const surplus = all.slice(0, Math.max(0, all.length - kept))
  for (const [id] of surplus) draft.put(kind, id, undefined)
  return surplus.length
}

function tickets(access: Access): Repositories['tickets'] {
  const { byId, add, remove } = common(access, 'tickets')
  return {
    ...{ byId, put: add, remove },
    ofUser: async (userId) => records(access.rows('tickets').where('user', userId)),
    removeDead: (at) => access.write((draft) => removeDead(draft, 'tickets', at)),
  }
}

function pipelines(access: Access): Repositories['pipelines'] {
  const { byId, add, remove } = common(access, 'pipelines')
  const ofOwner = (userId: string) => access.rows('pipelines').where('owner', userId)
  return {
    ...{ byId, add, remove },
    ofOwner: async (userId, page) =>
      paged(userId === undefined ? access.rows('pipelines').all() : ofOwner(userId), page),
    countOf: async (userId) => ofOwner(userId).length,
    removeOfOwner: (userId) =>
      access.write((draft) => {
        removeWhere(draft, 'pipelines', ['owner', userId])
      }),
  }
}

function idempotencyKeys(access: Access): Repositories['idempotencyKeys'] {
  const { byId, list, add, remove } = common(access, 'idempotencyKeys')
  return {
    ...{ byId, list, put: add, remove },
    removeOfUser: (userId) =>
      access.write((draft) => {
        removeWhere(draft, 'idempotencyKeys', ['user', userId])
      }),
    removeSurplus: (userId, kept) => access.write((draft) => removeSurplus(draft, 'idempotencyKeys', userId, kept)),
    removeDead: (at) => access.write((draft) => removeDead(draft, 'idempotencyKeys', at)),
  }
}

function webhooks(access: Access): Repositories['webhooks'] {
  const { byId, list, add, remove } = common(access, 'webhooks')
  return {
    ...{ byId, list, put: add, remove },
    ofUser: async (userId) => records(access.rows('webhooks').where('user', userId)),
    removeOfUser: (userId) =>
      access.write((draft) => {
        removeWhere(draft, 'webhooks', ['user', userId])
      }),
  }
}

function deliveries(access: Access): Repositories['deliveries'] {
  const { byId, list, add } = common(access, 'deliveries')
  const rows = () => access.rows('deliveries')
  const removeBy = (index: 'user' | 'webhook', word: string): Promise<void> =>
    access.write((draft) => {
      removeWhere(draft, 'deliveries', [index, word])
    })
  return {
    ...{ byId, list, put: add },
    async query({ userId, webhookId, status }, page) {
      const [index, word] = webhookId !== undefined ? ['webhook', webhookId] : ['user', userId]
      const found = records(word === undefined ? rows().all() : rows().where(index, word))
        .filter((one) => (userId ?? one.userId) === one.userId && (status ?? one.status) === one.status)
        .reverse()
      return { deliveries: found.slice(page.offset, page.offset + page.limit), total: found.length }
    },
    async due(at, limit, exceptUsers) {
      const pending = records(rows().where('status', 'pending'))
      return pending
        .flatMap((one) => (one.dueAt !== null && one.dueAt <= at ? [{ one, dueAt: one.dueAt }] : []))
        .filter(({ one }) => !exceptUsers.includes(one.userId))
        .sort((a, b) => (a.dueAt < b.dueAt ? -1 : a.dueAt > b.dueAt ? 1 : 0))
        .slice(0, limit)
        .map(({ one }) => one)
    },
    removeOfUser: (userId) => removeBy('user', userId),
    removeOfWebhook: (webhookId) => removeBy('webhook', webhookId),
    removeSurplus: (userId, kept) => access.write((draft) => removeSurplus(draft, 'deliveries', userId, kept)),
    removeDead: (at) => access.write((draft) => removeDead(draft, 'deliveries', at)),
  }
}

/** All repositories of small records in the file-backed store. */
export function repositories(access: Access): Repositories {
  return {
    users: {
      ...named(access, 'users', ({ username }) => username),
      first: async () => records(access.rows('users').all())[0],
      count: async () => access.rows('users').size,
      ofTeam: async (teamId) => records(access.rows('users').where('team', teamId)),
      countOfRole: async (role) => access.rows('users').where('role', role).length,
    },
    sessions: sessions(access),
    apiKeys: apiKeys(access),
    factors: factors(access),
    passkeys: passkeys(access),
    identities: identities(access),
    tickets: tickets(access),
    teams: named(access, 'teams', ({ name }) => name),
    roles: named(access, 'roles', ({ name }) => name),
    settings: {
      get: async (name) => access.rows('settings').get(name),
      all: async () => Object.fromEntries(access.rows('settings').all()),
      set: (name, setting) => access.write((draft) => draft.put('settings', name, setting)),
      remove: (name) => access.write((draft) => draft.put('settings', name, undefined)),
    },
    preferences: {
      of: async (userId) => access.rows('preferences').get(userId) ?? {},
      set: (userId, preferences) => access.write((draft) => draft.put('preferences', userId, preferences)),
      remove: (userId) => access.write((draft) => draft.put('preferences', userId, undefined)),
    },
    pipelines: pipelines(access),
    idempotencyKeys: idempotencyKeys(access),
    webhooks: webhooks(access),
    deliveries: deliveries(access),
  }
}
