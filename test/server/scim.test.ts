/** Users and teams managed by an identity provider: the requests that Okta and Entra ID send, and what an attacker tries. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { call, makeUser, signIn } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'

const SCIM = '/api/v1/scim/v2'
const TOKEN = '/api/v1/enterprise/scim/token'
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error'

let server: ServerHere
let admin: string
let token: string

const makeToken = async (by = admin) => (await call(server, 'POST', TOKEN, { token: by })).json.token as string
const scim = (method: string, path: string, body?: unknown, credential = token) =>
  call(server, method, SCIM + path, {
    token: credential,
    ...(body !== undefined && { body, headers: { 'content-type': 'application/scim+json' } }),
  })
const create = (userName: string, more: object = {}) => scim('POST', '/Users', { schemas: [USER], userName, ...more })
const patch = (path: string, ...Operations: object[]) => scim('PATCH', path, { schemas: [PATCH], Operations })
const find = (resource: 'Users' | 'Groups', filter: string) =>
  scim('GET', `/${resource}?filter=${encodeURIComponent(filter)}`)
const refusal = ({ status, json }: { status: number; json: { scimType?: string } }) => [status, json?.scimType]

type Listed = Record<string, unknown> & { id: string }
const users = async (): Promise<Listed[]> => (await call(server, 'GET', '/api/auth/users', { token: admin })).json.users
const userNamed = async (name: string) => (await users()).find(({ username }) => username === name)
const lastEntries = async (limit: number) =>
  (await call(server, 'GET', `/api/v1/audit-log?limit=${limit}`, { token: admin })).json.entries

beforeAll(async () => {
  server = await serveHere({ environment: { EXTERNAL_URL: 'https://media.example' } })
  admin = await signIn(server)
  token = await makeToken()
})

describe('discovery', () => {
  test('is public, and says what is there', async () => {
    const config = await call(server, 'GET', `${SCIM}/ServiceProviderConfig`)
    expect([config.status, config.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^application\/scim\+json/),
    ])
    expect(config.json).toMatchObject({ patch: { supported: true }, filter: { supported: true, maxResults: 200 } })
    const { json: types } = await call(server, 'GET', `${SCIM}/ResourceTypes`)
    expect(types.Resources.map(({ endpoint, schema }: Record<string, string>) => [endpoint, schema])).toEqual([
      ['/Users', USER],
      ['/Groups', GROUP],
    ])
    const { json: schemas } = await call(server, 'GET', `${SCIM}/Schemas`)
    expect(schemas).toMatchObject({ totalResults: 2, startIndex: 1, itemsPerPage: 2 })
    expect(schemas.Resources[0].attributes.map(({ name }: { name: string }) => name)).toContain('userName')
  })
})

describe('as Okta does it', () => {
  test('a user is looked for, created, read, replaced, disabled and enabled', async () => {
    const none = await find('Users', 'userName eq "olga@example.com"')
    expect([none.status, none.json.totalResults, none.json.Resources]).toEqual([200, 0, []])
    const body = {
      ...{ name: { givenName: 'Olga', familyName: 'Ström' }, displayName: 'Olga Ström', locale: 'en-US' },
      emails: [{ primary: true, value: 'olga@example.com', type: 'work' }],
      ...{ externalId: '00ujl29u0le5T6Aj10h7', groups: [], password: '1mz050nq', active: true },
    }
    const made = await create('olga@example.com', body)
    const location = `https://media.example${SCIM}/Users/${made.json.id}`
    expect([made.status, made.headers.get('location')]).toEqual([201, location])
    const moment = expect.stringMatching(/Z$/)
    expect(made.json).toEqual({
      ...{ schemas: [USER], id: expect.any(String), externalId: '00ujl29u0le5T6Aj10h7', userName: 'olga@example.com' },
      ...{ name: { givenName: 'Olga', familyName: 'Ström' }, displayName: 'Olga Ström', active: true },
      emails: [{ value: 'olga@example.com', type: 'work', primary: true }],
      meta: { resourceType: 'User', created: moment, lastModified: moment, location },
    })
    const path = `/Users/${made.json.id}`
    expect((await scim('GET', path)).json).toEqual(made.json)
    const listed = await userNamed('olga_example.com')
    expect(listed).toMatchObject({
      ...{ role: 'user', team: 'Default', authProvider: 'scim', hasLocalPassword: false, email: 'olga@example.com' },
    })
    expect((await create('Olga@Example.com')).json).toEqual({
      ...{ schemas: [ERROR], status: '409', scimType: 'uniqueness', detail: 'The userName is taken', code: 'CONFLICT' },
    })
    const name = { givenName: 'Olga', familyName: 'Berg' }
    const replaced = await scim('PUT', path, { schemas: [USER], ...made.json, name, displayName: 'Olga Berg' })
    expect([replaced.status, replaced.json.name, replaced.json.displayName]).toEqual([200, name, 'Olga Berg'])
    const off = await patch(path, { op: 'replace', value: { active: false } })
    expect([off.status, off.json.active]).toEqual([200, false])
    expect((await userNamed('olga_example.com'))?.role).toBe('disabled:user')
    // A replacement that does not say it leaves the state.
    expect((await scim('PUT', path, { schemas: [USER], userName: 'olga@example.com' })).json.active).toBe(false)
    const found = await find('Users', 'userName eq "OLGA@example.com"')
    expect(found.json.Resources.map(({ id }: Listed) => id)).toEqual([made.json.id])
    const on = await scim('PUT', path, { schemas: [USER], ...body, userName: 'olga@example.com', active: true })
    expect([on.status, on.json.active]).toEqual([200, true])
    expect((await userNamed('olga_example.com'))?.role).toBe('user')
  })

  test('a group is pushed with its members, renamed and deleted', async () => {
    const [ada, ben] = await Promise.all(
      ['ada@okta.example', 'ben@okta.example'].map(async (one) => (await create(one)).json),
    )
    const members = [{ value: ada.id, display: 'ada@okta.example' }]
    const made = await scim('POST', '/Groups', { schemas: [GROUP], displayName: 'Press', members })
    expect([made.status, made.json.displayName, made.json.members]).toEqual([
      ...[201, 'Press'],
      [{ value: ada.id, display: 'ada@okta.example', $ref: `https://media.example${SCIM}/Users/${ada.id}` }],
    ])
    const path = `/Groups/${made.json.id}`
    expect((await userNamed('ada_okta.example'))?.team).toBe('Press')
    const moved = await patch(
      path,
      { op: 'remove', path: `members[value eq "${ada.id}"]` },
      { op: 'add', path: 'members', value: [{ value: ben.id, display: 'ben@okta.example' }] },
    )
    expect(moved.json.members.map(({ value }: { value: string }) => value)).toEqual([ben.id])
    expect((await userNamed('ada_okta.example'))?.team).toBe('Default')
    expect((await scim('GET', `/Users/${ben.id}`)).json.groups).toMatchObject([
      { value: made.json.id, display: 'Press' },
    ])
    const renamed = await patch(path, { op: 'replace', value: { id: made.json.id, displayName: 'Newsroom' } })
    expect([renamed.status, renamed.json.displayName]).toEqual([200, 'Newsroom'])
    expect((await find('Groups', 'displayName eq "newsroom"')).json.totalResults).toBe(1)
    expect((await scim('POST', '/Groups', { displayName: 'NEWSROOM' })).status).toBe(409)
    expect((await scim('DELETE', path)).status).toBe(204)
    expect((await scim('GET', path)).status).toBe(404)
    expect((await userNamed('ben_okta.example'))?.team).toBe('Default')
  })
})

describe('as Entra ID does it', () => {
  test('capitals, dotted names, a selected address, and false as a text', async () => {
    const made = await create('ines@entra.example', {
      schemas: [USER, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
      ...{ externalId: '0a21f0f2-8d2a', active: true, displayName: 'Ines', meta: { resourceType: 'User' } },
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'Press' },
    })
    expect(made.status).toBe(201)
    const path = `/Users/${made.json.id}`
    expect((await find('Users', 'externalId eq "0a21f0f2-8d2a"')).json.totalResults).toBe(1)
    expect((await find('Users', 'externalId eq "0A21F0F2-8D2A"')).json.totalResults).toBe(0)
    const changed = await patch(
      path,
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'ines@work.example' },
      { op: 'Add', path: 'name.familyName', value: 'Costa' },
      { op: 'Add', value: { 'name.givenName': 'Ines', displayName: 'Ines Costa' } },
      { op: 'Add', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department', value: 'Sales' },
      { op: 'Replace', path: `${USER}:externalId`, value: 'new-id' },
    )
    expect([changed.status, changed.json]).toEqual([
      200,
      expect.objectContaining({
        ...{ name: { givenName: 'Ines', familyName: 'Costa' }, displayName: 'Ines Costa', externalId: 'new-id' },
        emails: [{ value: 'ines@work.example', type: 'work', primary: true }],
      }),
    ])
    expect((await patch(path, { op: 'Replace', path: 'active', value: 'False' })).json.active).toBe(false)
    expect((await userNamed('ines_entra.example'))?.role).toBe('disabled:user')
    expect((await patch(path, { op: 'Replace', path: 'active', value: 'True' })).json.active).toBe(true)
    expect(refusal(await patch(path, { op: 'Replace', path: 'active', value: 'perhaps' }))).toEqual([
      400,
      'invalidValue',
    ])
    const none = await patch(path, { op: 'remove', path: 'externalId' }, { op: 'remove', path: 'name.givenName' })
    expect([none.json.externalId, none.json.name]).toEqual([undefined, { familyName: 'Costa' }])
    const renamed = await patch(path, { op: 'Replace', path: 'userName', value: 'ines.costa@entra.example' })
    expect(renamed.json.userName).toBe('ines.costa@entra.example')
    expect(await userNamed('ines.costa_entra.example')).toBeDefined()
  })

  test('a group without its members, and members removed by their list', async () => {
    const ids = await Promise.all(
      ['u1@entra.example', 'u2@entra.example'].map(async (one) => (await create(one)).json.id),
    )
    const made = await scim('POST', '/Groups', { schemas: [GROUP], displayName: 'Sales', externalId: 'group-1' })
    expect([made.status, made.json.members]).toEqual([201, undefined])
    const path = `/Groups/${made.json.id}`
    const added = await patch(path, { op: 'Add', path: 'members', value: ids.map((value) => ({ value })) })
    expect(added.json.members).toHaveLength(2)
    const short = (await scim('GET', `${path}?excludedAttributes=members`)).json
    expect([short.id, short.displayName, short.members]).toEqual([made.json.id, 'Sales', undefined])
    expect(Object.keys((await scim('GET', `${path}?attributes=displayName`)).json)).toEqual([
      ...['schemas', 'id', 'displayName'],
    ])
    const removed = await patch(path, { op: 'Remove', path: 'members', value: [{ value: ids[0] }] })
    expect(removed.json.members.map(({ value }: { value: string }) => value)).toEqual([ids[1]])
    const replaced = await patch(path, { op: 'Replace', path: 'members', value: [{ value: ids[0] }] })
    expect(replaced.json.members.map(({ value }: { value: string }) => value)).toEqual([ids[0]])
    expect((await patch(path, { op: 'Remove', path: 'members' })).json.members).toBeUndefined()
    expect((await find('Groups', 'externalId eq "group-1"')).json.totalResults).toBe(1)
    expect((await scim('DELETE', path)).status).toBe(204)
  })
})

test('a deleted user loses sessions and keys at once, and comes back with the same account', async () => {
  const { id } = (await create('kai@example.com')).json
  // Keys of such a user are made in a session of single sign-on, which oidc.test.ts has; here they are put in the store.
  const { store } = server.context
  const at = new Date().toISOString()
  const later = new Date(Date.now() + 3_600_000).toISOString()
  await store.sessions.add({
    ...{ id: 'a'.repeat(64), userId: id, createdAt: at, expiresAt: later, lastSeenAt: at, loginMethod: 'oidc' },
  })
  await store.apiKeys.add({
    ...{ id: 'kai-key', userId: id, name: 'x', prefix: '0', hash: 'x', permissions: null, createdAt: at },
    ...{ lastUsedAt: null, expiresAt: null },
  })
  expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204)
  expect([await store.sessions.ofUser(id), await store.apiKeys.ofUser(id)]).toEqual([[], []])
  expect(await store.users.byId(id)).toMatchObject({ role: 'disabled:user', passwordHash: null })
  expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204)
  expect((await create('kai@example.com')).status).toBe(409)
  const back = await patch(`/Users/${id}`, { op: 'replace', path: 'active', value: true })
  expect([back.json.id, back.json.active, (await store.users.byId(id))?.role]).toEqual([id, true, 'user'])
})

test('two creations at the same time make one user, and two of one group make one team', async () => {
  const made = await Promise.all([create('twin@example.com'), create('twin@example.com'), create('TWIN@example.com')])
  expect(made.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  const groups = await Promise.all(['Twins', 'twins'].map((displayName) => scim('POST', '/Groups', { displayName })))
  expect(groups.map(({ status }) => status).sort()).toEqual([201, 409])
})

test('lists come in pages of at most 200', async () => {
  const before = (await scim('GET', '/Users?count=0')).json.totalResults
  for (let index = 0; index < 205; index += 41)
    await Promise.all(Array.from({ length: 41 }, (_, more) => create(`page${index + more}@example.com`)))
  const page = async (query: string) => {
    const { totalResults, startIndex, itemsPerPage, Resources } = (await scim('GET', `/Users?${query}`)).json
    return [totalResults, startIndex, itemsPerPage, Resources.length]
  }
  const total = before + 205
  expect(await page('count=100000')).toEqual([total, 1, 200, 200])
  expect(await page('')).toEqual([total, 1, 100, 100])
  expect(await page(`startIndex=${total}&count=5`)).toEqual([total, total, 1, 1])
  expect(await page('startIndex=0&count=-3')).toEqual([total, 1, 0, 0])
  expect(await page('startIndex=100000000')).toEqual([total, 100_000_000, 0, 0])
  expect((await scim('GET', '/Users?count=many')).status).toBe(400)
  const first = (await scim('GET', '/Users?startIndex=2&count=1')).json.Resources[0].id
  expect((await scim('GET', '/Users?count=2')).json.Resources[1].id).toBe(first)
})

describe('the token', () => {
  test('is the only credential, one at a time, and is not stored', async () => {
    const key = (await call(server, 'POST', '/api/v1/api-keys', { token: admin, body: {} })).json.key
    for (const wrong of ['', 'scim_', `scim_${'a'.repeat(43)}`, admin, key, 'x'.repeat(5000)]) {
      const { status, json } = await scim('GET', '/Users', undefined, wrong)
      expect([wrong.slice(0, 10), status, json.schemas, json.status]).toEqual([wrong.slice(0, 10), 401, [ERROR], '401'])
    }
    const cookie = { headers: { cookie: `mediaproc-session=${token}` } }
    expect((await call(server, 'GET', `${SCIM}/Users`, cookie)).status).toBe(401)
    // It opens nothing else.
    for (const path of ['/api/auth/users', '/api/v1/files', '/api/auth/session', TOKEN])
      expect([path, (await call(server, path === TOKEN ? 'POST' : 'GET', path, { token })).status]).toEqual([path, 401])
    const former = token
    const { status, json } = await call(server, 'POST', TOKEN, { token: admin })
    expect([status, Object.keys(json)]).toEqual([200, ['token', 'message']])
    token = json.token
    expect((await scim('GET', '/Users', undefined, former)).status).toBe(401)
    expect((await scim('GET', '/Users')).status).toBe(200)
    const { settings } = (await call(server, 'GET', '/api/v1/settings', { token: admin })).json
    expect(Object.keys(settings)).not.toContain('scim_token')
    const write = { token: admin, body: { scim_token: 'a'.repeat(64) } }
    expect((await call(server, 'PUT', '/api/v1/settings', write)).json.code).toBe('READONLY_SETTING')
    expect((await server.context.store.settings.get('scim_token'))?.value).toMatch(/^[0-9a-f]{64}$/)
    expect((await call(server, 'DELETE', TOKEN, { token: admin })).json).toEqual({ ok: true })
    expect((await scim('GET', '/Users')).status).toBe(401)
    token = await makeToken()
    expect((await lastEntries(3)).map(({ action }: { action: string }) => action)).toEqual([
      ...['SCIM_TOKEN_CREATED', 'SCIM_TOKEN_REVOKED', 'SCIM_TOKEN_CREATED'],
    ])
  })

  test('is made by those who manage users, and by nobody who has less than its users', async () => {
    const user = await makeUser(server, admin, 'ulf')
    expect((await call(server, 'POST', TOKEN, { token: user })).status).toBe(403)
    expect((await call(server, 'DELETE', TOKEN, { token: user })).status).toBe(403)
    const body = { name: 'clerk', permissions: ['users:manage'] }
    await call(server, 'POST', '/api/v1/roles', { token: admin, body })
    const clerk = await makeUser(server, admin, 'clara', 'clerk')
    expect((await call(server, 'POST', TOKEN, { token: clerk })).json.code).toBe('ESCALATION_DENIED')
    expect((await scim('GET', '/Users')).status).toBe(200)
  })

  test('is refused where the feature is off, and can still be ended', async () => {
    const off = await serveHere({ environment: { MEDIAPROC_FEATURES: 'mfa' } })
    const by = await signIn(off)
    const { store } = off.context
    expect((await call(off, 'POST', TOKEN, { token: by })).json.code).toBe('FEATURE_NOT_LICENSED')
    await store.settings.set('scim_token', (await server.context.store.settings.get('scim_token'))!)
    const { status, json } = await call(off, 'GET', `${SCIM}/Users`, { token })
    expect([status, json.schemas, json.code]).toEqual([403, [ERROR], 'FEATURE_NOT_LICENSED'])
    expect((await call(off, 'GET', `${SCIM}/Users`)).status).toBe(401)
    expect((await call(off, 'GET', `${SCIM}/Schemas`)).status).toBe(403)
    expect((await call(off, 'DELETE', TOKEN, { token: by })).status).toBe(200)
    expect(await store.settings.get('scim_token')).toBeUndefined()
  })

  test('allows 1000 requests a minute, even where others may send fewer', async () => {
    const busy = await serveHere({ environment: { RATE_LIMIT_PER_MIN: '50' } })
    const statuses: number[] = []
    let last: Awaited<ReturnType<typeof call>> | undefined
    for (let index = 0; index < 1005; index += 15) {
      const answers = await Promise.all(
        Array.from({ length: 15 }, (_, more) => call(busy, 'GET', `${SCIM}/${more % 2 ? 'Users' : 'Schemas'}`)),
      )
      statuses.push(...answers.map(({ status }) => status))
      last = answers.at(-1)
    }
    expect(statuses.filter((status) => status !== 429)).toHaveLength(1000)
    expect([last?.status, last?.json.status, last?.headers.get('retry-after')]).toEqual([
      ...[429, '429'],
      expect.stringMatching(/^\d+$/),
    ])
  })
})

describe('an attacker with the token', () => {
  let victim: string
  beforeAll(async () => {
    await makeUser(server, admin, 'local-lena', 'editor')
    const { id } = (await userNamed('local-lena'))!
    victim = id
    await call(server, 'PUT', `/api/auth/users/${id}`, { token: admin, body: { email: 'lena@example.com' } })
  })

  test('neither sees nor changes users of this server', async () => {
    const boss = (await userNamed('admin'))!.id
    const service = await call(server, 'POST', '/api/v1/service-accounts', { token: admin, body: { name: 'robot' } })
    for (const id of [victim, boss, service.json.id]) {
      expect((await scim('GET', `/Users/${id}`)).status).toBe(404)
      expect((await scim('PUT', `/Users/${id}`, { userName: 'mine' })).status).toBe(404)
      expect((await patch(`/Users/${id}`, { op: 'replace', value: { active: false } })).status).toBe(404)
      expect((await scim('DELETE', `/Users/${id}`)).status).toBe(404)
    }
    for (const name of ['local-lena', 'LOCAL-LENA', 'lena@example.com', 'admin', 'anonymous', 'robot']) {
      expect([name, ...refusal(await create(name))]).toEqual([name, 409, 'uniqueness'])
      expect((await find('Users', `userName eq "${name}"`)).json.totalResults).toBe(0)
    }
    const { id } = (await create('climber@example.com')).json
    expect(refusal(await patch(`/Users/${id}`, { op: 'replace', path: 'userName', value: 'admin' }))).toEqual([
      ...[409, 'uniqueness'],
    ])
    expect(await userNamed('admin')).toMatchObject({ id: boss, role: 'admin' })
  })

  test('sets no role, password or other field of the record', async () => {
    const fields = {
      ...{ role: 'admin', roles: [{ value: 'admin', primary: true }], password: 'Correct-Horse-7-Staple' },
      ...{
        passwordHash: 'x',
        authProvider: 'local',
        isService: true,
        teamId: 'x',
        id: victim,
        permissions: ['users:manage'],
      },
      ...{ groups: [{ value: 'x' }], mustChangePassword: true, username: 'local-lena' },
    }
    const made = await create('mass@example.com', fields)
    expect(made.status).toBe(201)
    const { id } = made.json
    expect((await scim('PUT', `/Users/${id}`, { ...fields, userName: 'mass@example.com' })).status).toBe(200)
    for (const [path, value] of Object.entries(fields)) {
      if (path !== 'username') await patch(`/Users/${id}`, { op: 'replace', path, value })
      const { username: _name, ...rest } = fields
      await patch(`/Users/${id}`, { op: 'add', value: rest })
    }
    const { scim: kept, ...record } = (await server.context.store.users.byId(id))!
    expect(record).toEqual({
      ...{ id, username: 'mass_example.com', role: 'user', teamId: 'default-team-00000000', passwordHash: null },
      ...{ mustChangePassword: false, authProvider: 'scim', email: null, createdAt: expect.any(String) },
    })
    expect(kept).toEqual({ userName: 'mass@example.com', updatedAt: expect.any(String) })
  })

  test('does not touch a user who was made an administrator', async () => {
    const { id } = (await create('risen@example.com')).json
    await call(server, 'PUT', `/api/auth/users/${id}`, { token: admin, body: { role: 'admin' } })
    const denied = [403, 'mutability']
    expect(refusal(await patch(`/Users/${id}`, { op: 'replace', value: { active: false } }))).toEqual(denied)
    expect(refusal(await scim('PUT', `/Users/${id}`, { userName: 'other@example.com' }))).toEqual(denied)
    expect(refusal(await scim('DELETE', `/Users/${id}`))).toEqual(denied)
    const members = [{ value: id }]
    expect(refusal(await scim('POST', '/Groups', { displayName: 'Trap', members }))).toEqual(denied)
    expect((await find('Groups', 'displayName eq "Trap"')).json.totalResults).toBe(0)
    await call(server, 'PUT', `/api/auth/users/${id}`, { token: admin, body: { role: 'disabled' } })
    expect(refusal(await patch(`/Users/${id}`, { op: 'replace', value: { active: true } }))).toEqual(denied)
    expect((await server.context.store.users.byId(id))?.role).toBe('disabled:admin')
  })

  test('leaves the teams of this server as they are', async () => {
    const { id } = (await call(server, 'POST', '/api/v1/teams', { token: admin, body: { name: 'Board' } })).json
    await call(server, 'PUT', `/api/auth/users/${victim}`, { token: admin, body: { team: 'Board' } })
    expect((await scim('GET', `/Groups/${id}`)).json.members).toBeUndefined()
    expect(refusal(await patch(`/Groups/${id}`, { op: 'replace', value: { displayName: 'Mine' } }))).toEqual([
      ...[403, 'mutability'],
    ])
    expect(refusal(await scim('DELETE', `/Groups/${id}`))).toEqual([403, 'mutability'])
    // Its own users may be in it, as where a provider finds a team of the same name.
    const own = (await create('board@example.com')).json.id
    expect((await scim('PUT', `/Groups/${id}`, { displayName: 'Board', members: [{ value: own }] })).status).toBe(200)
    expect((await userNamed('board_example.com'))?.team).toBe('Board')
    expect(refusal(await patch(`/Groups/${id}`, { op: 'add', path: 'members', value: [{ value: victim }] }))).toEqual([
      ...[400, 'invalidValue'],
    ])
    await patch(`/Groups/${id}`, { op: 'remove', path: 'members' })
    expect((await userNamed('local-lena'))?.team).toBe('Board')
    expect((await scim('GET', '/Groups/default-team-00000000')).status).toBe(404)
    expect((await scim('POST', '/Groups', { displayName: 'default' })).status).toBe(409)
    const { teams } = (await call(server, 'GET', '/api/v1/teams', { token: admin })).json
    expect(teams.filter((team: object) => 'scim' in team)).toEqual([])
    // A team of the provider with a local member is not deleted.
    const mixed = (await scim('POST', '/Groups', { displayName: 'Mixed', members: [{ value: own }] })).json.id
    await call(server, 'PUT', `/api/auth/users/${victim}`, { token: admin, body: { team: 'Mixed' } })
    expect((await scim('DELETE', `/Groups/${mixed}`)).status).toBe(409)
    expect((await userNamed('board_example.com'))?.team).toBe('Mixed')
  })

  test('gets nothing by a crafted filter', async () => {
    const filters = [
      ...['', 'userName', 'userName eq', 'userName eq x', 'userName eq "a" or userName eq "b"', 'userName co "a"'],
      ...['userName eq "a', 'userName eq "\\"', 'userName eq "a" and 1 eq 1', 'not (userName eq "a")', 'id eq "x"'],
      ...['role eq "admin"', 'passwordHash eq "x"', '__proto__ eq "x"', 'displayName eq "x"', 'username eq true'],
      ...[`userName eq "${'\\\\'.repeat(400)}`, `${' '.repeat(900)}x`, `userName eq "\\x41"`],
    ]
    for (const filter of filters)
      expect([filter, ...refusal(await find('Users', filter))]).toEqual([filter, 400, 'invalidFilter'])
    expect((await find('Users', `userName eq "${'x'.repeat(2000)}"`)).status).toBe(400)
    expect((await find('Users', 'userName eq "*"')).json.totalResults).toBe(0)
    expect((await find('Users', 'userName eq "\\u0061dmin"')).json.totalResults).toBe(0)
    expect((await find('Groups', 'userName eq "x"')).status).toBe(400)
  })

  test('sends no more than the limits', async () => {
    const { id } = (await create('limits@example.com')).json
    const path = `/Users/${id}`
    const many = Array.from({ length: 101 }, () => ({ op: 'replace', path: 'displayName', value: 'x' }))
    expect((await patch(path, ...many)).status).toBe(400)
    expect((await patch(path)).status).toBe(400)
    expect((await create('x'.repeat(256))).status).toBe(400)
    expect((await create('')).status).toBe(400)
    expect((await create('   ')).status).toBe(400)
    expect((await create('a\u0000b')).status).toBe(400)
    expect((await create('l1@example.com', { displayName: 'x'.repeat(256) })).status).toBe(400)
    expect((await create('l2@example.com', { emails: [{ value: 'no address' }] })).status).toBe(400)
    const emails = new Array(101).fill({ value: 'a@example.com' })
    expect((await create('l3@example.com', { emails })).status).toBe(400)
    expect((await patch(path, { op: 'replace', path: 'emails', value: emails })).status).toBe(400)
    expect((await patch(path, { op: 'replace', path: 'displayName', value: 'x'.repeat(256) })).status).toBe(400)
    expect((await patch(path, { op: 'replace', path: 'displayName', value: { a: 1 } })).status).toBe(400)
    expect(refusal(await patch(path, { op: 'replace', path: 'a[[b', value: 1 }))).toEqual([400, 'invalidPath'])
    expect(refusal(await patch(path, { op: 'remove' }))).toEqual([400, 'noTarget'])
    expect(refusal(await patch(path, { op: 'move', path: 'active', value: true }))).toEqual([400, 'invalidSyntax'])
    expect(refusal(await patch(path, { op: 'remove', path: 'userName' }))).toEqual([400, 'invalidValue'])
    const members = Array.from({ length: 1001 }, (_, index) => ({ value: `user-${index}` }))
    expect((await scim('POST', '/Groups', { displayName: 'Many', members })).status).toBe(400)
    const group = (await scim('POST', '/Groups', { displayName: 'Few' })).json.id
    expect((await patch(`/Groups/${group}`, { op: 'add', path: 'members', value: members })).status).toBe(400)
    const halves = [members.slice(0, 600), members.slice(400)].map((value) => ({ op: 'add', path: 'members', value }))
    expect(refusal(await patch(`/Groups/${group}`, ...halves))).toEqual([400, 'tooMany'])
    const unknown = { op: 'add', path: 'members', value: [{ value: 'nobody' }] }
    expect(refusal(await patch(`/Groups/${group}`, unknown))).toEqual([400, 'invalidValue'])
    expect(refusal(await patch(`/Groups/${group}`, { op: 'remove', path: 'members[value ne "x"]' }))).toEqual([
      ...[400, 'invalidFilter'],
    ])
    const large = await create('l4@example.com', { note: 'x'.repeat(1_100_000) })
    expect([large.status, large.json.schemas]).toEqual([413, [ERROR]])
    const text = await fetch(`${server.base}${SCIM}/Users`, {
      ...{
        method: 'POST',
        body: '{"userName":',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      },
    })
    expect([text.status, ((await text.json()) as { scimType: string }).scimType]).toEqual([400, 'invalidSyntax'])
    const polluted = await fetch(`${server.base}${SCIM}/Users`, {
      method: 'POST',
      body: '{"userName":"p@example.com","__proto__":{"role":"admin"}}',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
    })
    expect(polluted.status).toBe(400)
    const type = { 'content-type': 'text/plain' }
    const plain = await call(server, 'POST', `${SCIM}/Users`, { token, body: {}, headers: type })
    expect([plain.status, plain.json.schemas]).toEqual([415, [ERROR]])
  })

  test('creates no more users than the instance has room for', async () => {
    const full = await serveHere({ environment: { MAX_USERS: '2' } })
    const by = (await call(full, 'POST', TOKEN, { token: await signIn(full) })).json.token
    const statuses = await Promise.all(
      ['a@x.example', 'b@x.example'].map(
        async (userName) => (await call(full, 'POST', `${SCIM}/Users`, { token: by, body: { userName } })).status,
      ),
    )
    expect(statuses.sort()).toEqual([201, 403])
  })
})

describe('the audit log', () => {
  beforeEach(async () => {
    expect((await scim('GET', '/Users?count=0')).status).toBe(200)
  })

  test('has the changes with the actor scim, and nothing where nothing changed', async () => {
    const { id } = (await create('audited@example.com')).json
    await patch(`/Users/${id}`, { op: 'replace', path: 'displayName', value: 'Audited' })
    await patch(`/Users/${id}`, { op: 'replace', path: 'displayName', value: 'Audited' })
    await scim('DELETE', `/Users/${id}`)
    const group = (await scim('POST', '/Groups', { displayName: 'Audited' })).json.id
    await scim('DELETE', `/Groups/${group}`)
    const entries = await lastEntries(5)
    expect(entries.map(({ action }: { action: string }) => action)).toEqual([
      ...['TEAM_DELETED', 'TEAM_CREATED', 'USER_UPDATED', 'USER_UPDATED', 'USER_CREATED'],
    ])
    const actors = entries.map(({ actorUsername, actorId }: Record<string, unknown>) => [actorUsername, actorId])
    expect(new Set(actors.map(String))).toEqual(new Set(['scim,']))
    expect(entries[2].details).toMatchObject({ before: { role: 'user' }, after: { role: 'disabled:user' } })
  })
})
