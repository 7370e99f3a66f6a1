import { MediaprocError } from '../../errors.ts'
import { type Kind, type Kinds, NAMED } from '../kinds.ts'
import type { Named, Patch, Repositories } from '../repositories.ts'
import { type Access, pageOf, textOf } from './access.ts'
import { nameKey, Rows, type Table } from './rows.ts'

export const TABLES: { readonly [K in Kind]: Table<Kinds[K]> } = {
  users: {
    name: 'users',
    columns: ({ username, teamId, role, isService }) => ({
      name_key: nameKey(username),
      team_id: teamId,
      // Service accounts are not counted among the users of a role.
      role_key: isService ? null : role,
    }),
  },
  sessions: {
    name: 'sessions',
    columns: ({ userId, expiresAt, lastSeenAt }) => ({
      ...{ user_id: userId, expires_at: expiresAt, last_seen_at: lastSeenAt },
    }),
  },
  apiKeys: { name: 'api_keys', columns: ({ prefix, userId }) => ({ prefix, user_id: userId }) },
  factors: { name: 'factors' },
  passkeys: { name: 'passkeys', columns: ({ userId }) => ({ user_id: userId }) },
  identities: { name: 'identities', columns: ({ userId }) => ({ user_id: userId }) },
  tickets: { name: 'tickets', columns: ({ userId, expiresAt }) => ({ user_id: userId, expires_at: expiresAt }) },
  teams: { name: 'teams', columns: ({ name }) => ({ name_key: nameKey(name) }) },
  roles: { name: 'roles', columns: ({ name }) => ({ name_key: nameKey(name) }) },
  settings: { name: 'settings' },
  preferences: { name: 'preferences' },
  pipelines: { name: 'pipelines', columns: ({ userId }) => ({ user_id: userId }) },
  idempotencyKeys: {
    name: 'idempotency_keys',
    columns: ({ userId, expiresAt }) => ({ user_id: userId, expires_at: expiresAt }),
  },
  webhooks: { name: 'webhooks', columns: ({ userId }) => ({ user_id: userId }) },
  deliveries: {
    name: 'deliveries',
    columns: ({ userId, webhookId, dueAt, expiresAt, status }) => ({
      ...{ user_id: userId, webhook_id: webhookId, due_at: dueAt, expires_at: expiresAt, status },
    }),
  },
}

function named<T extends { id: string }>(
  rows: Rows<T>,
  nameOf: (record: T) => string,
  words: { one: string; taken: string },
): Named<T> {
  const put = (id: string, change: (before: T | undefined) => T): Promise<T> =>
    rows.putNamed(id, nameOf, change, words.taken)
  return {
    ...{ byId: rows.get, list: rows.list, remove: rows.remove },
    byName: async (name) => (await rows.where('name_key', nameKey(name)))[0],
    add: async (record) => void (await put(record.id, () => record)),
    update: (id, patch: Patch<T>) =>
      put(id, (before) => {
        if (!before) throw new MediaprocError('NOT_FOUND', `There is no such ${words.one}`)
        return { ...before, ...patch, id }
      }),
  }
}

function sessions(access: Access): Repositories['sessions'] {
  const { sql } = access
  const rows = new Rows(access, TABLES.sessions)
  return {
    ...{ find: rows.get, remove: rows.remove },
    add: (session) => rows.put(session.id, session),
    ofUser: (userId) => rows.where('user_id', userId),
    touch: (id, lastSeenAt) => rows.touch(id, { lastSeenAt }, { last_seen_at: lastSeenAt }),
    confirm: (id, confirmedAt) => rows.touch(id, { confirmedAt }),
    removeOfUser: async (userId, keptId = '') =>
      void (await rows.removeWhere(sql`user_id = ${userId} and id <> ${keptId}`)),
    async removeDead(expiredAt, idleSince) {
      const idle = idleSince === undefined ? sql`` : sql`or last_seen_at <= ${idleSince}`
      return (await rows.removeWhere(sql`expires_at <= ${expiredAt} ${idle}`)).length
    },
  }
}

/** The operations that repositories of records with an id share. */
function plain<T extends { id: string }>(rows: Rows<T>) {
  const put = (record: T): Promise<void> => rows.put(record.id, record)
  return { byId: rows.get, list: rows.list, add: put, put, remove: rows.remove }
}

/** And of records that belong to users. */
function owned<T extends { id: string; userId: string | null }>({ sql }: Access, rows: Rows<T>) {
  return {
    ...plain(rows),
    ofUser: (userId: string) => rows.where('user_id', userId),
    removeOfUser: (userId: string) => rows.removeWhere(sql`user_id = ${userId}`),
  }
}

/** Removes the oldest records of a user, except the given number of newest ones; returns how many it removed. */
async function removeSurplus<T>(
  { sql }: Access,
  rows: Rows<T>,
  table: string,
  userId: string,
  kept: number,
): Promise<number> {
  const surplus = sql`select id from ${sql.table(table)} where user_id = ${userId} order by seq desc offset ${kept}`
  return (await rows.removeWhere(sql`id in (${surplus})`)).length
}

function idempotencyKeys(access: Access): Repositories['idempotencyKeys'] {
  const { sql } = access
  const rows = new Rows(access, TABLES.idempotencyKeys)
  const { byId, list, put, remove, removeOfUser } = owned(access, rows)
  return {
    ...{ byId, list, put, remove },
    removeOfUser: async (userId) => void (await removeOfUser(userId)),
    removeSurplus: (userId, kept) => removeSurplus(access, rows, TABLES.idempotencyKeys.name, userId, kept),
    removeDead: async (at) => (await rows.removeWhere(sql`expires_at <= ${at}`)).length,
  }
}

function deliveries(access: Access): Repositories['deliveries'] {
  const { sql } = access
  const rows = new Rows(access, TABLES.deliveries)
  const { byId, list, put, removeOfUser } = owned(access, rows)
  return {
    ...{ byId, list, put },
    async query({ userId, webhookId, status }, page) {
      const wanted = { user_id: userId, webhook_id: webhookId, status }
      const conditions = Object.entries(wanted).flatMap(([name, value]) =>
        value === undefined ? [] : [sql`${sql.ref(name)} = ${textOf(value)}`],
      )
      const where = conditions.length > 0 ? sql`where ${sql.join(conditions, sql` and `)}` : sql``
      const [found, total] = await Promise.all([
        rows.select(sql`${where} order by seq desc ${pageOf(sql, page)}`),
        rows.countWhere(where),
      ])
      return { deliveries: found, total }
    },
    due: (at, limit, exceptUsers) =>
      rows.select(sql`where status = 'pending' and due_at <= ${at} and not (user_id = any(${[...exceptUsers]}::text[]))
        order by due_at, seq limit ${limit}`),
    removeOfUser: async (userId) => void (await removeOfUser(userId)),
    removeOfWebhook: async (webhookId) => void (await rows.removeWhere(sql`webhook_id = ${webhookId}`)),
    removeSurplus: (userId, kept) => removeSurplus(access, rows, TABLES.deliveries.name, userId, kept),
    removeDead: async (at) => (await rows.removeWhere(sql`expires_at <= ${at}`)).length,
  }
}

/** All repositories of small records in PostgreSQL. */
export function repositories(access: Access): Repositories {
  const { sql } = access
  const users = new Rows(access, TABLES.users)
  const keys = new Rows(access, TABLES.apiKeys)
  const settings = new Rows(access, TABLES.settings)
  const preferences = new Rows(access, TABLES.preferences)
  const pipelines = new Rows(access, TABLES.pipelines)
  const tickets = new Rows(access, TABLES.tickets)
  const passkeys = owned(access, new Rows(access, TABLES.passkeys))
  const identities = owned(access, new Rows(access, TABLES.identities))
  const webhooks = owned(access, new Rows(access, TABLES.webhooks))
  return {
    users: {
      ...named(users, ({ username }) => username, NAMED.users),
      first: async () => (await users.list({ limit: 1, offset: 0 }))[0],
      count: () => users.count(),
      ofTeam: (teamId) => users.where('team_id', teamId),
      countOfRole: (role) => users.count('role_key', role),
    },
    sessions: sessions(access),
    apiKeys: {
      ...owned(access, keys),
      byPrefix: (prefix) => keys.where('prefix', prefix),
      touch: (id, lastUsedAt) => keys.touch(id, { lastUsedAt }),
    },
    factors: plain(new Rows(access, TABLES.factors)),
    passkeys: { ...passkeys, removeOfUser: async (userId) => void (await passkeys.removeOfUser(userId)) },
    identities: { ...identities, removeOfUser: async (userId) => void (await identities.removeOfUser(userId)) },
    tickets: {
      ...owned(access, tickets),
      removeDead: async (at) => (await tickets.removeWhere(sql`expires_at <= ${at}`)).length,
    },
    teams: named(new Rows(access, TABLES.teams), ({ name }) => name, NAMED.teams),
    roles: named(new Rows(access, TABLES.roles), ({ name }) => name, NAMED.roles),
    settings: {
      ...{ get: settings.get, set: settings.put, remove: settings.remove },
      all: async () => Object.fromEntries(await settings.entries()),
    },
    preferences: {
      of: async (userId) => (await preferences.get(userId)) ?? {},
      ...{ set: preferences.put, remove: preferences.remove },
    },
    pipelines: {
      ...{ byId: pipelines.get, remove: pipelines.remove, add: (one) => pipelines.put(one.id, one) },
      ofOwner: (userId, page) =>
        userId === undefined ? pipelines.list(page) : pipelines.where('user_id', userId, page),
      countOf: (userId) => pipelines.count('user_id', userId),
      removeOfOwner: async (userId) => void (await pipelines.removeWhere(sql`user_id = ${userId}`)),
    },
    idempotencyKeys: idempotencyKeys(access),
    webhooks: { ...webhooks, removeOfUser: async (userId) => void (await webhooks.removeOfUser(userId)) },
    deliveries: deliveries(access),
  }
}
