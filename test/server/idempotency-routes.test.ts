/** Idempotency-Key on routes with an own protocol, form or error format, and with answers that are refusals. */
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { plain } from '../helpers/picture.ts'
import { base64, TUS } from '../helpers/resumable.ts'
import { type Answer, call, makeUser, PASSWORD, send, signIn } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'

let server: ServerHere
let admin: string
let user: string

beforeAll(async () => {
  server = await serveHere({
    environment: { EXTERNAL_URL: 'https://media.example', MAX_UPLOADS_PER_USER: '3' },
  })
  admin = await signIn(server)
  user = await makeUser(server, admin, 'tess')
})

const isReplay = ({ headers }: Answer): boolean => headers.get('idempotency-replayed') === 'true'
/** What a repeat must have in common with the first answer. */
const answered = ({ status, bytes, headers }: Answer) => [
  status,
  bytes.toString(),
  ...['content-type', 'location', 'upload-expires'].map((name) => headers.get(name)),
]
const post = (path: string, key: string, body: unknown, token = user, headers: Record<string, string> = {}) =>
  call(server, 'POST', path, { token, body, headers: { 'idempotency-key': key, ...headers } })
const pipeline = (name: string) => ({ name, steps: [{ toolId: 'resize', settings: { width: 32 } }] })

describe('SCIM', () => {
  const SCIM = '/api/v1/scim/v2'
  const makeToken = async (): Promise<string> =>
    (await call(server, 'POST', '/api/v1/enterprise/scim/token', { token: admin })).json.token
  const create = (token: string, key: string, resource: 'Users' | 'Groups', body: object) =>
    post(`${SCIM}/${resource}`, key, body, token, { 'content-type': 'application/scim+json' })
  const person = (userName: string) => ({ schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName })
  const team = (displayName: string) => ({ schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], displayName })

  test('a user and a group are created once, also after the token was replaced', async () => {
    const token = await makeToken()
    const [first, second] = [
      await create(token, 's-1', 'Users', person('ida')),
      await create(token, 's-1', 'Users', person('ida')),
    ]
    expect([first.status, isReplay(first), isReplay(second)]).toEqual([201, false, true])
    expect(answered(second)).toEqual(answered(first))
    expect(first.headers.get('content-type')).toContain('application/scim+json')
    const next = await makeToken()
    expect(isReplay(await create(next, 's-1', 'Users', person('ida')))).toBe(true)
    expect((await create(token, 's-1', 'Users', person('ida'))).status).toBe(401)
    const groups = [
      await create(next, 's-2', 'Groups', team('Press')),
      await create(next, 's-2', 'Groups', team('Press')),
    ]
    expect(groups.map((one) => [one.status, isReplay(one)])).toEqual([
      [201, false],
      [201, true],
    ])
    const { users } = (await call(server, 'GET', '/api/auth/users', { token: admin })).json
    expect(users.filter(({ username }: { username: string }) => username === 'ida').length).toBe(1)
  })

  test('refusals have the format of SCIM, and a name that was taken is no final answer', async () => {
    const token = await makeToken()
    expect((await create(token, 's-3', 'Users', person('ole'))).status).toBe(201)
    const reused = await create(token, 's-3', 'Users', person('pia'))
    expect([reused.status, reused.json.schemas]).toEqual([422, ['urn:ietf:params:scim:api:messages:2.0:Error']])
    const taken = await create(token, 's-4', 'Users', person('ole'))
    expect([taken.status, isReplay(taken)]).toEqual([409, false])
    expect(isReplay(await create(token, 's-4', 'Users', person('ole')))).toBe(false)
    const bad = await create(token, 's-ö', 'Users', person('pia'))
    expect([bad.status, bad.json.schemas]).toEqual([400, ['urn:ietf:params:scim:api:messages:2.0:Error']])
  })
})

describe('tus', () => {
  const create = (key: string, bytes: number, name = 'a.png', token = user) =>
    call(server, 'POST', '/api/v1/uploads', {
      token,
      headers: {
        ...{ ...TUS, 'upload-length': String(bytes), 'upload-metadata': `filename ${base64(name)}` },
        'idempotency-key': key,
      },
    })
  const uploads = async (token = user): Promise<{ uploadId: string }[]> =>
    (await call(server, 'GET', '/api/v1/uploads', { token })).json.uploads

  test('an upload is created once, with its address; length and metadata are its contents', async () => {
    const [first, second] = [await create('t-1', 10), await create('t-1', 10)]
    expect([first.status, isReplay(first), isReplay(second)]).toEqual([201, false, true])
    expect(answered(second)).toEqual(answered(first))
    expect([first.headers.get('location'), second.headers.get('tus-resumable')]).toEqual([
      expect.stringContaining(first.json.uploadId),
      '1.0.0',
    ])
    for (const other of [await create('t-1', 11), await create('t-1', 10, 'b.png')])
      expect([other.status, other.json.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
    expect((await uploads()).map(({ uploadId }) => uploadId)).toEqual([first.json.uploadId])
  })

  test('a limit that passes is no answer: the key is free', async () => {
    const token = await makeUser(server, admin, 'many')
    for (let number = 0; number < 3; number += 1) await create(`t-many-${number}`, 10, 'a.png', token)
    const full = await create('t-full', 10, 'a.png', token)
    expect([full.status, full.json.code]).toEqual([429, 'TOO_MANY_UPLOADS'])
    const [oldest] = await uploads(token)
    await call(server, 'DELETE', `/api/v1/uploads/${oldest?.uploadId}`, { token, headers: TUS })
    const now = await create('t-full', 10, 'a.png', token)
    expect([now.status, isReplay(now)]).toEqual([201, false])
    expect(isReplay(await create('t-full', 10, 'a.png', token))).toBe(true)
  })
})

test('a logo is set once: the repeat does not replace a later one', async () => {
  const set = async (key: string, colour: string) =>
    send(
      server,
      '/api/v1/settings/logo',
      [['file', { name: 'logo.png', bytes: await plain(8, 8, colour).png().toBuffer() }]],
      admin,
      { 'idempotency-key': key },
    )
  const logo = async () => (await call(server, 'GET', '/api/v1/settings/logo')).bytes
  expect((await set('l-1', '#ff0000')).status).toBe(200)
  const red = await logo()
  expect((await set('l-2', '#0000ff')).status).toBe(200)
  const blue = await logo()
  const again = await set('l-1', '#ff0000')
  expect([again.status, again.json, isReplay(again)]).toEqual([200, { ok: true }, true])
  expect([(await logo()).equals(blue), blue.equals(red)]).toEqual([true, false])
  expect((await set('l-1', '#00ff00')).status).toBe(422)
  const entries = (await call(server, 'GET', '/api/v1/audit-log?limit=50', { token: admin })).json.entries
  expect(entries.filter(({ action }: { action: string }) => action === 'BRANDING_UPDATED').length).toBe(2)
})

describe('a refusal', () => {
  test.each([
    ['400', '/api/v1/teams', { name: ' ' }, 400],
    ['404', '/api/v1/teams/none/members', { userId: 'nobody' }, 404],
    ['404 of a pipeline', '/api/v1/jobs/none/cancel', undefined, 404],
  ])('%s is repeated if the request reached the route, and nothing else', async (name, path, body, status) => {
    const [first, second] = [await post(path, `r-${name}`, body, admin), await post(path, `r-${name}`, body, admin)]
    expect([first.status, second.status, isReplay(first)]).toEqual([status, status, false])
    expect([second.json.code, second.json.error]).toEqual([first.json.code, first.json.error])
  })

  test('of a file that cannot be processed is repeated without another job', async () => {
    const parts = [
      ['file', { name: 'a.png', bytes: (await plain(9, 9, '#123456').png().toBuffer()).subarray(0, 60) }],
      ['settings', '{"width":5}'],
    ] as const
    const jobs = async () => (await call(server, 'GET', '/api/v1/jobs', { token: user })).json.total
    const run = () => send(server, '/api/v1/tools/image/resize', parts, user, { 'idempotency-key': 'r-file' })
    const first = await run()
    const before = await jobs()
    const second = await run()
    expect([first.status >= 400, first.status < 500, isReplay(first)]).toEqual([true, true, false])
    expect([isReplay(second), second.status, second.json]).toEqual([true, first.status, first.json])
    expect(await jobs()).toBe(before)
  })

  test('of a missing permission is none of the route: the key is free after it was granted', async () => {
    expect((await post('/api/v1/teams', 'r-granted', { name: 'Granted' })).status).toBe(403)
    const { users } = (await call(server, 'GET', '/api/auth/users', { token: admin })).json
    const { id } = users.find(({ username }: { username: string }) => username === 'tess')
    await call(server, 'PUT', `/api/auth/users/${id}`, { token: admin, body: { role: 'admin' } })
    const token = (await call(server, 'POST', '/api/auth/login', { body: { username: 'tess', password: PASSWORD } }))
      .json.token
    const now = await post('/api/v1/teams', 'r-granted', { name: 'Granted' }, token)
    expect([now.status, isReplay(now)]).toEqual([201, false])
  })
})

test('a fault of the server is no answer: the repeat is a new request', async () => {
  const { store } = server.context
  const token = await makeUser(server, admin, 'vera')
  const transaction = store.transaction.bind(store)
  let faults = 0
  const add = (): never => {
    faults += 1
    throw new Error('the disk is gone')
  }
  // Only the transaction that saves the pipeline fails.
  const spy = vi.spyOn(store, 'transaction').mockImplementation((work) =>
    transaction((known) => {
      const pipelines = new Proxy(known.pipelines, {
        get: (one, name) => (name === 'add' ? add : Reflect.get(one, name)),
      })
      return work(new Proxy(known, { get: (all, name) => (name === 'pipelines' ? pipelines : Reflect.get(all, name)) }))
    }),
  )
  const failed = await post('/api/v1/pipeline/save', 'f-1', pipeline('faulty'), token)
  spy.mockRestore()
  expect([failed.status, failed.json.code, faults]).toEqual([500, 'INTERNAL', 1])
  const now = await post('/api/v1/pipeline/save', 'f-1', pipeline('faulty'), token)
  expect([now.status, isReplay(now)]).toEqual([201, false])
  expect(isReplay(await post('/api/v1/pipeline/save', 'f-1', pipeline('faulty'), token))).toBe(true)
})
