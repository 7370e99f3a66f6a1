import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { ApiKeyRecord, PipelineRecord, SessionRecord, TeamRecord, UserRecord } from '../../../src/store/records.ts'
import type { Store } from '../../../src/store/store.ts'

const AT = '2026-01-01T00:00:00.000Z'

const user = (username: string, more: Partial<UserRecord> = {}): UserRecord => ({
  ...{ id: randomUUID(), username, role: 'user', teamId: 't', passwordHash: null, mustChangePassword: false },
  ...{ authProvider: 'local' as const, email: null, createdAt: AT, ...more },
})

const session = (id: string, userId: string, more: Partial<SessionRecord> = {}): SessionRecord => ({
  ...{
    id,
    userId,
    createdAt: AT,
    expiresAt: '2026-02-01T00:00:00.000Z',
    lastSeenAt: AT,
    loginMethod: 'local' as const,
  },
  ...more,
})

const key = (id: string, userId: string, prefix: string): ApiKeyRecord => ({
  ...{ id, userId, prefix, name: id, hash: 'h', permissions: null, createdAt: AT, lastUsedAt: null, expiresAt: null },
})

const pipeline = (id: string, userId: string): PipelineRecord => ({
  ...{ id, userId, name: id, description: null, steps: [{ toolId: 'resize', settings: { width: 1 } }], createdAt: AT },
})

const team = (id: string, name: string): TeamRecord => ({
  ...{ id, name, storageQuota: null, retentionHours: null, createdAt: AT },
})

const ids = (records: readonly { id: string }[]): string[] => records.map(({ id }) => id)
const conflict = expect.objectContaining({ code: 'CONFLICT' })
const missing = expect.objectContaining({ code: 'NOT_FOUND' })

/** Requirements for the repositories of every store. @param open creates a new, empty store */
export function repositoriesContract(open: () => Promise<Store>): void {
  describe('users', () => {
    test('are found by id and by name in any case, counted and listed in pages, in insertion order', async () => {
      const { users } = await open()
      expect([await users.byId('x'), await users.byName('x'), await users.first(), await users.count()]).toEqual([
        ...[undefined, undefined, undefined, 0],
      ])
      const [ada, bob, eve] = [user('Ada', { role: 'admin' }), user('bob'), user('eve', { teamId: 'u' })]
      for (const one of [ada, bob, eve]) await users.add(one)
      expect([await users.byId(bob.id), await users.byName('aDA'), await users.first()]).toEqual([bob, ada, ada])
      expect([await users.count(), await users.countOfRole('user'), await users.countOfRole('nobody')]).toEqual([
        3, 2, 0,
      ])
      expect([await users.ofTeam('t'), await users.ofTeam('no')]).toEqual([[ada, bob], []])
      expect(await users.list()).toEqual([ada, bob, eve])
      expect(await users.list({ limit: 1, offset: 1 })).toEqual([bob])
    })

    test('are changed and removed; a record that was read does not change', async () => {
      const { users } = await open()
      const before = user('ada')
      await users.add(before)
      const read = await users.byId(before.id)
      const after = await users.update(before.id, { role: 'admin', username: 'Ada2' })
      expect(after).toEqual({ ...before, role: 'admin', username: 'Ada2' })
      expect([read, await users.byId(before.id), await users.byName('ada2')]).toEqual([before, after, after])
      expect([await users.byName('ada'), await users.countOfRole('user')]).toEqual([undefined, 0])
      await users.remove(before.id)
      await users.remove('no-such-id')
      expect([await users.byId(before.id), await users.byName('ada2'), await users.count()]).toEqual([
        ...[undefined, undefined, 0],
      ])
      await expect(users.update(before.id, {})).rejects.toEqual(missing)
    })

    test('names are unique in any case and in concurrent inserts', async () => {
      const { users } = await open()
      const results = await Promise.allSettled(['Ada', 'ada', 'ADA', 'bob'].map((name) => users.add(user(name))))
      const refused = results.filter((result) => result.status === 'rejected')
      expect(refused.map(({ reason }) => reason as unknown)).toEqual([conflict, conflict])
      const all = await users.list()
      const [bob, ada] = [
        all.find(({ username }) => username === 'bob'),
        all.find(({ username }) => username !== 'bob'),
      ]
      await expect(users.update(bob!.id, { username: 'aDa' })).rejects.toEqual(conflict)
      await users.update(ada!.id, { username: 'ADA' })
      expect((await users.list()).map(({ username }) => username).sort()).toEqual(['ADA', 'bob'])
    })
  })

  test('replaces second factors, and finds identities by their users', async () => {
    const { factors, identities } = await open()
    const factor = { ...{ id: 'u', secret: 's', recovery: { salt: 'x', hashes: ['h'] }, lastStep: 0 }, createdAt: AT }
    await factors.put({ ...factor, isOn: false })
    await factors.put({ ...factor, isOn: true })
    expect([await factors.byId('u'), await factors.byId('v')]).toEqual([{ ...factor, isOn: true }, undefined])
    expect(await factors.list()).toHaveLength(1)
    await factors.remove('u')
    expect(await factors.byId('u')).toBeUndefined()
    const identity = { id: 'i', userId: 'u', provider: 'oidc' as const, createdAt: AT }
    await identities.add(identity)
    await identities.add({ ...identity, id: 'j', userId: 'v' })
    expect([await identities.byId('i'), await identities.ofUser('u')]).toEqual([identity, [identity]])
    await identities.removeOfUser('u')
    expect(ids(await identities.list())).toEqual(['j'])
  })

  test('finds passkeys by id and user, replaces and removes them', async () => {
    const { passkeys } = await open()
    const passkey = {
      ...{ id: 'a', userId: 'u', publicKey: 'k', counter: 1, transports: ['usb'], isBackedUp: false, name: 'Key' },
      ...{ createdAt: AT, lastUsedAt: null },
    }
    for (const [id, userId] of [
      ['a', 'u'],
      ['b', 'v'],
      ['c', 'u'],
      ['d', 'u'],
    ] as const)
      await passkeys.put({ ...passkey, id, userId })
    await passkeys.put({ ...passkey, counter: 2, lastUsedAt: AT })
    expect([await passkeys.byId('a'), await passkeys.byId('x')]).toEqual([
      { ...passkey, counter: 2, lastUsedAt: AT },
      undefined,
    ])
    await passkeys.remove('c')
    await passkeys.remove('x')
    expect([ids(await passkeys.ofUser('u')), ids(await passkeys.list({ limit: 1, offset: 1 }))]).toEqual([
      ['a', 'd'],
      ['b'],
    ])
    await passkeys.removeOfUser('u')
    expect(ids(await passkeys.list())).toEqual(['b'])
  })

  test('finds, counts and expires tickets', async () => {
    const { tickets } = await open()
    const ticket = { ...{ id: 'a', kind: 'mfa' as const, userId: 'u', tries: 0 }, expiresAt: AT }
    await tickets.put(ticket)
    await tickets.put({ ...ticket, tries: 1 })
    await tickets.put({ ...ticket, id: 'b', userId: null, kind: 'used', expiresAt: '2026-01-02T00:00:00.000Z' })
    expect([await tickets.byId('a'), ids(await tickets.ofUser('u'))]).toEqual([{ ...ticket, tries: 1 }, ['a']])
    expect([await tickets.removeDead(AT), await tickets.byId('a')]).toEqual([1, undefined])
    await tickets.remove('b')
    expect(await tickets.byId('b')).toBeUndefined()
  })

  test('finds and expires requests with a key, and keeps the newest of a user', async () => {
    const { idempotencyKeys } = await open()
    const answer = { status: 201, headers: { location: 'x' }, body: '{}' }
    const common = { userId: 'u', fingerprint: 'f', runId: 'r', lockedUntil: AT, createdAt: AT, expiresAt: AT, answer }
    for (const id of ['b', 'a', 'c']) await idempotencyKeys.put({ ...common, id })
    await idempotencyKeys.put({ ...common, id: 'd', userId: 'v', expiresAt: '2026-01-02T00:00:00.000Z' })
    await idempotencyKeys.put({ ...common, id: 'b', answer: null })
    expect(await idempotencyKeys.byId('b')).toEqual({ ...common, id: 'b', answer: null })
    expect([await idempotencyKeys.removeSurplus('u', 3), await idempotencyKeys.removeSurplus('u', 2)]).toEqual([0, 1])
    expect(ids(await idempotencyKeys.list())).toEqual(['a', 'c', 'd'])
    expect([await idempotencyKeys.removeDead(AT), ids(await idempotencyKeys.list())]).toEqual([2, ['d']])
    await idempotencyKeys.removeOfUser('v')
    expect(await idempotencyKeys.list()).toEqual([])
  })

  test('keeps webhooks by user, and deliveries by user, webhook, state and time', async () => {
    const { webhooks, deliveries } = await open()
    const hook = {
      userId: 'u',
      url: 'https://example.com/',
      events: ['job.failed' as const],
      description: '',
      isOn: true,
    }
    const own = { offReason: null, secret: 's', previous: null, failures: 0, createdAt: AT, updatedAt: AT }
    for (const id of ['b', 'a']) await webhooks.put({ id, ...hook, ...own })
    await webhooks.put({ id: 'c', ...hook, ...own, userId: 'v', url: null })
    await webhooks.put({ id: 'b', ...hook, ...own, isOn: false })
    expect([ids(await webhooks.ofUser('u')), (await webhooks.byId('b'))?.isOn]).toEqual([['b', 'a'], false])
    await webhooks.remove('a')
    await webhooks.removeOfUser('v')
    expect(ids(await webhooks.list())).toEqual(['b'])

    const [early, late] = ['2026-01-02T00:00:00.000Z', '2026-01-03T00:00:00.000Z']
    const message = { url: null, event: 'job.failed' as const, jobId: 'j', payload: '{}', tries: 0, attempts: [] }
    const common = { ...message, userId: 'u', webhookId: 'b', createdAt: AT, expiresAt: late }
    const waiting = { ...common, status: 'pending' as const }
    for (const [id, dueAt] of [
      ['late', late],
      ['now', AT],
      ['early', early],
    ] as const)
      await deliveries.put({ ...waiting, id, dueAt })
    await deliveries.put({ ...waiting, id: 'other', userId: 'v', webhookId: 'c', dueAt: AT, expiresAt: AT })
    await deliveries.put({ ...common, id: 'done', status: 'delivered', dueAt: null })
    await deliveries.put({ ...waiting, id: 'now', dueAt: AT, tries: 3 })
    expect((await deliveries.byId('now'))?.tries).toBe(3)
    expect(ids(await deliveries.due(early, 9, []))).toEqual(['now', 'other', 'early'])
    expect(ids(await deliveries.due(early, 1, ['v', 'w']))).toEqual(['now'])
    const pages = { limit: 2, offset: 1 }
    const page = await deliveries.query({ userId: 'u', webhookId: 'b' }, pages)
    expect([ids(page.deliveries), page.total]).toEqual([['early', 'now'], 4])
    const done = await deliveries.query({ userId: 'u', status: 'delivered' }, { limit: 5, offset: 0 })
    expect([ids(done.deliveries), done.total]).toEqual([['done'], 1])
    expect((await deliveries.query({}, pages)).total).toBe(5)
    expect([await deliveries.removeDead(AT), await deliveries.removeSurplus('u', 2)]).toEqual([1, 2])
    expect(ids(await deliveries.list())).toEqual(['early', 'done'])
    await deliveries.removeOfWebhook('c')
    await deliveries.removeOfWebhook('b')
    await deliveries.put({ ...waiting, id: 'last', dueAt: AT })
    await deliveries.removeOfUser('u')
    expect(await deliveries.list()).toEqual([])
  })

  test('finds sessions, updates their use, and ends one, those of a user, or expired ones', async () => {
    const { sessions } = await open()
    await sessions.add(session('a', 'u'))
    await sessions.add(session('b', 'u', { lastSeenAt: '2026-01-03T00:00:00.000Z' }))
    await sessions.add(session('c', 'v', { expiresAt: '2026-01-02T00:00:00.000Z' }))
    await sessions.add(session('d', 'v'))
    await sessions.touch('d', '2026-01-04T00:00:00.000Z')
    await sessions.touch('no-such-id', AT)
    await sessions.confirm('d', '2026-01-05T00:00:00.000Z')
    await sessions.confirm('no-such-id', AT)
    expect(await sessions.find('d')).toMatchObject({
      lastSeenAt: '2026-01-04T00:00:00.000Z',
      confirmedAt: '2026-01-05T00:00:00.000Z',
    })
    expect([ids(await sessions.ofUser('u')), await sessions.find('no-such-id')]).toEqual([['a', 'b'], undefined])
    expect(await sessions.removeDead('2026-01-02T00:00:00.000Z', undefined)).toBe(1)
    expect(await sessions.removeDead('2026-01-02T00:00:00.000Z', AT)).toBe(1)
    expect(await sessions.removeDead('2026-01-02T00:00:00.000Z', AT)).toBe(0)
    expect([ids(await sessions.ofUser('u')), ids(await sessions.ofUser('v'))]).toEqual([['b'], ['d']])
    await sessions.add(session('e', 'u'))
    await sessions.removeOfUser('u', 'e')
    expect(ids(await sessions.ofUser('u'))).toEqual(['e'])
    await sessions.removeOfUser('u')
    await sessions.remove('d')
    expect([await sessions.ofUser('u'), await sessions.find('d')]).toEqual([[], undefined])
  })

  test('finds API keys by prefix, which several may share, and by user', async () => {
    const { apiKeys } = await open()
    for (const one of [key('a', 'u', 'p'), key('b', 'v', 'p'), key('c', 'u', 'q')]) await apiKeys.add(one)
    expect(ids(await apiKeys.byPrefix('p'))).toEqual(['a', 'b'])
    expect([await apiKeys.byPrefix('x'), ids(await apiKeys.ofUser('u'))]).toEqual([[], ['a', 'c']])
    await apiKeys.touch('a', AT)
    expect((await apiKeys.byId('a'))!.lastUsedAt).toBe(AT)
    await apiKeys.remove('c')
    expect(ids(await apiKeys.list())).toEqual(['a', 'b'])
    expect(await apiKeys.removeOfUser('u')).toEqual(['a'])
    expect([ids(await apiKeys.byPrefix('p')), await apiKeys.byId('a')]).toEqual([['b'], undefined])
  })

  test('names of teams and roles are unique', async () => {
    const { teams, roles } = await open()
    await teams.add(team('p', 'Press'))
    expect([(await teams.byName('pRESS'))!.id, (await teams.byId('p'))!.name]).toEqual(['p', 'Press'])
    await expect(teams.add(team('q', 'PRESS'))).rejects.toEqual(conflict)
    expect((await teams.update('p', { storageQuota: 5 })).storageQuota).toBe(5)
    const role = { id: 'r', name: 'maker', description: '', permissions: ['tools:use'], toolPermissions: null }
    await roles.add({ ...role, createdAt: AT, updatedAt: AT })
    await expect(roles.add({ ...role, id: 's', createdAt: AT, updatedAt: AT })).rejects.toEqual(conflict)
    await roles.update('r', { name: 'mender' })
    expect([await roles.byName('maker'), (await roles.byName('mender'))!.permissions]).toEqual([
      undefined,
      ['tools:use'],
    ])
    await expect(roles.update('x', {})).rejects.toEqual(missing)
    await roles.remove('r')
    expect(await roles.list()).toEqual([])
  })

  test('settings and preferences, with any name', async () => {
    const { settings, preferences } = await open()
    const one = { value: '1', updatedAt: AT }
    for (const name of ['a', '__proto__', 'constructor']) await settings.set(name, one)
    expect([await settings.get('__proto__'), await settings.get('toString')]).toEqual([one, undefined])
    await settings.set('a', { value: '2', updatedAt: AT })
    await settings.remove('constructor')
    expect(Object.entries(await settings.all())).toEqual([
      ['a', { value: '2', updatedAt: AT }],
      ['__proto__', one],
    ])
    await preferences.set('u', { theme: 'dark', nested: { list: [1, null] } })
    expect(await preferences.of('u')).toEqual({ theme: 'dark', nested: { list: [1, null] } })
    await preferences.remove('u')
    expect(await preferences.of('u')).toEqual({})
  })

  test('pipelines of an owner, and of all users', async () => {
    const { pipelines } = await open()
    for (const one of [pipeline('a', 'u'), pipeline('b', 'v'), pipeline('c', 'u')]) await pipelines.add(one)
    expect(await pipelines.byId('b')).toEqual(pipeline('b', 'v'))
    expect([ids(await pipelines.ofOwner('u')), await pipelines.countOf('u')]).toEqual([['a', 'c'], 2])
    expect(ids(await pipelines.ofOwner(undefined, { limit: 2, offset: 1 }))).toEqual(['b', 'c'])
    expect(ids(await pipelines.ofOwner('u', { limit: 5, offset: 1 }))).toEqual(['c'])
    await pipelines.remove('b')
    await pipelines.removeOfOwner('u')
    expect(await pipelines.ofOwner(undefined)).toEqual([])
  })

  describe('a transaction', () => {
    test('changes records of several repositories, and sees its own changes', async () => {
      const store = await open()
      const ada = user('ada')
      const seen = await store.transaction(async ({ users, sessions, pipelines }) => {
        await users.add(ada)
        await sessions.add(session('s', ada.id))
        await pipelines.add(pipeline('p', ada.id))
        await users.update(ada.id, { role: 'admin' })
        await sessions.touch('s', '2026-01-09T00:00:00.000Z')
        await pipelines.removeOfOwner(ada.id)
        return [await users.countOfRole('admin'), ids(await sessions.ofUser(ada.id)), await pipelines.countOf(ada.id)]
      })
      expect(seen).toEqual([1, ['s'], 0])
      expect([(await store.users.byName('ADA'))!.role, (await store.sessions.find('s'))!.lastSeenAt]).toEqual([
        'admin',
        '2026-01-09T00:00:00.000Z',
      ])
      expect(await store.pipelines.byId('p')).toBeUndefined()
    })

    test('that throws changes nothing', async () => {
      const store = await open()
      await store.users.add(user('ada'))
      const failing = store.transaction(async ({ users, settings }) => {
        await users.add(user('bob'))
        await users.remove((await users.byName('ada'))!.id)
        await settings.set('a', { value: '1', updatedAt: AT })
        throw new RangeError('no')
      })
      await expect(failing).rejects.toThrow(RangeError)
      expect([(await store.users.list()).map(({ username }) => username), await store.settings.all()]).toEqual([
        ['ada'],
        {},
      ])
    })

    test('reads are consistent until the commit: one of two last administrators remains', async () => {
      const store = await open()
      const admins = [user('ada', { role: 'admin' }), user('bob', { role: 'admin' })]
      for (const one of admins) await store.users.add(one)
      const demote = (id: string): Promise<unknown> =>
        store.transaction(async ({ users }) => {
          if ((await users.countOfRole('admin')) === 1) throw new RangeError('last')
          await users.byId(id)
          return users.update(id, { role: 'user' })
        })
      const results = await Promise.allSettled(admins.map(({ id }) => demote(id)))
      expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      expect(await store.users.countOfRole('admin')).toBe(1)
    })

    test('is invisible to others before its commit', async () => {
      const store = await open()
      await store.transaction(async ({ users }) => {
        await users.add(user('ada'))
        expect([await store.users.byName('ada'), await store.users.count()]).toEqual([undefined, 0])
      })
      expect(await store.users.count()).toBe(1)
    })
  })
}
