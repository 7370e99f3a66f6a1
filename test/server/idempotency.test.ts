import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { buildApp } from '../../src/server/http/app.ts'
import { MOST_BYTES, MOST_KEYS, RULES } from '../../src/server/idempotency/rules.ts'
import { Metrics } from '../../src/server/instance/metrics.ts'
import { allText } from '../helpers/accounts.ts'
import { type Answer, call, makeUser, PASSWORD, type Part, send, signIn } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'
import { smallPicture } from '../helpers/server-jobs.ts'

let server: ServerHere
let admin: string
let user: string

beforeAll(async () => {
  server = await serveHere()
  admin = await signIn(server)
  user = await makeUser(server, admin, 'tess')
})

const RESIZE = '/api/v1/tools/image/resize'
const UPLOAD = '/api/v1/files/upload'

/** A POST with a key and a JSON body. */
const post = (path: string, key: string, body: unknown, token = user): Promise<Answer> =>
  call(server, 'POST', path, { token, body, headers: { 'idempotency-key': key } })

/** A form with a key. */
const form = (path: string, key: string, parts: Parameters<typeof send>[2], token = user): Promise<Answer> =>
  send(server, path, parts, token, { 'idempotency-key': key })

const file = (text: string, name = 'a.txt'): Part => ({ name, bytes: Buffer.from(text), type: 'text/plain' })
const list = async (path: string, token = user) => (await call(server, 'GET', path, { token })).json
const isReplay = ({ headers }: Answer): boolean => headers.get('idempotency-replayed') === 'true'
const pipeline = (name: string) => ({ name, steps: [{ toolId: 'resize', settings: { width: 32 } }] })
const kept = async (name: string, token = user): Promise<number> =>
  (await list('/api/v1/pipeline/list', token)).pipelines.filter((one: { name: string }) => one.name === name).length

describe('a repeated request', () => {
  test('with a JSON body gets the same answer, and creates nothing', async () => {
    const [first, second] = [
      await post('/api/v1/pipeline/save', 'k-1', pipeline('once')),
      await post('/api/v1/pipeline/save', 'k-1', pipeline('once')),
    ]
    expect([first.status, isReplay(first), isReplay(second)]).toEqual([201, false, true])
    expect([second.status, second.bytes, second.headers.get('content-type')]).toEqual([
      ...[first.status, first.bytes, first.headers.get('content-type')],
    ])
    expect(await kept('once')).toBe(1)
  })

  test('with a form is known by its fields and the bytes of its files', async () => {
    const key = 'k-form'
    const first = await form(UPLOAD, key, [['file', file('one')]])
    const second = await form(UPLOAD, key, [['file', file('one')]])
    expect([first.status, second.status, isReplay(second), second.json]).toEqual([201, 201, true, first.json])
    for (const parts of [
      [['file', file('two')]],
      [['file', file('one', 'b.txt')]],
      [
        ['file', file('one')],
        ['file', file('one')],
      ],
      [
        ['file', file('one')],
        ['more', 'x'],
      ],
    ] as const) {
      const other = await form(UPLOAD, key, parts)
      expect([other.status, other.json.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
    }
    const files = (await list('/api/v1/files')).files.map(({ id }: { id: string }) => id)
    expect(files).toEqual([first.json.files[0].id])
  })

  test('of a tool has one job; its folder is removed', async () => {
    const parts = [
      ['file', await smallPicture()],
      ['settings', '{"width":32}'],
    ] as const
    const first = await form(RESIZE, 'k-tool', parts)
    const second = await form(RESIZE, 'k-tool', [...parts].reverse())
    expect([first.status, second.status, isReplay(second), second.json]).toEqual([200, 200, true, first.json])
    const { jobs } = await list('/api/v1/jobs')
    expect(jobs.length).toBe(1)
    const folders = () => readdirSync(join(server.data, 'workspace'))
    await expect.poll(folders).toEqual([first.json.jobId])
  })

  test('at the same time creates one, and the others get 409 with Retry-After, or the answer', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => post('/api/v1/pipeline/save', 'k-race', pipeline('raced'))),
    )
    expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThan(0)
    expect(answers.filter((one) => one.status === 201 && !isReplay(one)).length).toBe(1)
    for (const { status, json, headers } of answers.filter((one) => one.status !== 201))
      expect([status, json.code, headers.get('retry-after')]).toEqual([409, 'REQUEST_IN_PROGRESS', '2'])
    expect(await kept('raced')).toBe(1)
  })

  test('after a lost connection gets the answer that nobody has read', async () => {
    const body = JSON.stringify(pipeline('lost'))
    const head = [
      ...['POST /api/v1/pipeline/save HTTP/1.1', 'Host: localhost', `Authorization: Bearer ${user}`],
      ...['Content-Type: application/json', `Content-Length: ${body.length}`, 'Idempotency-Key: k-lost'],
    ]
    const { hostname, port } = new URL(server.base)
    const socket = connect(Number(port), hostname)
    await new Promise<void>((done) => socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, done))
    socket.destroy()
    await vi.waitFor(async () => expect(await kept('lost')).toBe(1), { timeout: 30_000 })
    await vi.waitFor(
      async () => expect(isReplay(await post('/api/v1/pipeline/save', 'k-lost', pipeline('lost')))).toBe(true),
      {
        timeout: 30_000,
      },
    )
    expect(await kept('lost')).toBe(1)
  })

  test('of a refused request gets the refusal, unless its cause may pass', async () => {
    const first = await form(RESIZE, 'k-bad', [['file', file('no picture')]])
    expect([first.status, isReplay(first)]).toEqual([400, false])
    expect(isReplay(await form(RESIZE, 'k-bad', [['file', file('no picture')]]))).toBe(true)
    // Refused before it is known: the key is free.
    expect((await post('/api/v1/pipeline/save', 'k-free', { name: 'x' })).status).toBe(400)
    expect((await post('/api/v1/pipeline/save', 'k-free', pipeline('free'))).status).toBe(201)
    const team = { name: 'Press' }
    expect((await post('/api/v1/teams', 'k-team', team, admin)).status).toBe(201)
    const taken = await post('/api/v1/teams', 'k-team-2', team, admin)
    expect(taken.status).toBe(409)
    const { id } = (await list('/api/v1/teams', admin)).teams.find(({ name }: { name: string }) => name === 'Press')
    await call(server, 'DELETE', `/api/v1/teams/${id}`, { token: admin })
    expect((await post('/api/v1/teams', 'k-team-2', team, admin)).status).toBe(201)
  })
})

describe('answers that are not stored', () => {
  test('a secret is in no file, and the repeat says that the key exists already', async () => {
    const first = await post('/api/v1/api-keys', 'k-secret', { name: 'ci' })
    const second = await post('/api/v1/api-keys', 'k-secret', { name: 'ci' })
    expect([first.status, second.status, second.json.code]).toEqual([201, 409, 'ANSWER_NOT_STORED'])
    expect((await list('/api/v1/api-keys')).apiKeys.length).toBe(1)
    const secret: string = first.json.key
    const stored = allText(server.data)
    expect([stored.includes(secret), stored.includes('k-secret')]).toEqual([false, false])
  })

  test('a password in a request cannot be guessed from what is stored', async () => {
    const body = { username: 'vera', password: PASSWORD, role: 'user' }
    expect((await post('/api/auth/register', 'k-user', body, admin)).status).toBe(201)
    expect(isReplay(await post('/api/auth/register', 'k-user', body, admin))).toBe(true)
    const contents = JSON.stringify([body, undefined, undefined])
    const guess = createHash('sha256')
      .update(JSON.stringify(['idempotency', {}, contents]))
      .digest('hex')
    expect(allText(server.data)).not.toContain(guess)
  })

  test('a file: the repeat names the job', async () => {
    const parts = [
      ['file', await smallPicture()],
      ['file', { ...(await smallPicture()), name: 'b.png' }],
      ['settings', '{"width":32}'],
    ] as const
    const first = await form(`${RESIZE}/batch`, 'k-batch', parts)
    expect([first.status, first.headers.get('content-type')]).toEqual([200, 'application/zip'])
    const second = await form(`${RESIZE}/batch`, 'k-batch', parts)
    expect([second.status, second.json.code, second.json.jobId]).toEqual([
      ...[409, 'ANSWER_NOT_STORED', first.headers.get('x-job-id')],
    ])
    expect((await list(`/api/v1/jobs/${second.json.jobId}`)).status).toBe('completed')
  })

  test('a long answer', async () => {
    const parts = Array.from({ length: 80 }, (_, index) => ['file', file(`${index}`, `long-${index}.txt`)] as const)
    const first = await form(UPLOAD, 'k-long', parts)
    expect([first.status, first.bytes.length > MOST_BYTES]).toEqual([201, true])
    const { total } = await list('/api/v1/files')
    const second = await form(UPLOAD, 'k-long', parts)
    expect([second.status, second.json.code]).toEqual([409, 'ANSWER_NOT_STORED'])
    expect((await list('/api/v1/files')).total).toBe(total)
  })
})

describe('a key', () => {
  test('belongs to its account and its address', async () => {
    const other = await makeUser(server, admin, 'ugo')
    const mine = await post('/api/v1/pipeline/save', 'k-mine', pipeline('mine'))
    const theirs = await post('/api/v1/pipeline/save', 'k-mine', pipeline('mine'), other)
    expect([theirs.status, isReplay(theirs), theirs.json.id === mine.json.id]).toEqual([201, false, false])
    const elsewhere = await form(UPLOAD, 'k-mine', [['file', file('elsewhere')]])
    expect([elsewhere.status, isReplay(elsewhere)]).toEqual([201, false])
    // Nor does the key help anyone whose credential is not valid, or whose permission is missing.
    expect((await post('/api/v1/pipeline/save', 'k-mine', pipeline('mine'), 'si_0')).status).toBe(401)
    expect((await post('/api/v1/teams', 'k-team', { name: 'Press' })).status).toBe(403)
  })

  test('has 1 to 255 printable characters', async () => {
    const statusOf = async (key: string) => (await post('/api/v1/pipeline/save', key, pipeline('keys'))).status
    expect([await statusOf(''), await statusOf('x'.repeat(256)), await statusOf('ä')]).toEqual([400, 400, 400])
    expect([await statusOf('x'.repeat(255)), await statusOf('"quoted key"')]).toEqual([201, 201])
    const sent = await form(UPLOAD, 'x'.repeat(256), [['file', file('refused')]])
    expect([sent.status, sent.json.code]).toEqual([400, 'VALIDATION_ERROR'])
  })

  test('is ignored where nothing is created, and by other methods', async () => {
    const body = { username: 'tess', password: PASSWORD }
    const [one, two] = [await post('/api/auth/login', 'k', body), await post('/api/auth/login', 'k', body)]
    expect([one.status, isReplay(two), one.json.token === two.json.token]).toEqual([200, false, false])
    const routes = new Set<string>()
    const app = await buildApp({ ...server.context, metrics: new Metrics() })
    for (const url of Object.keys(RULES)) if (app.hasRoute({ method: 'POST', url })) routes.add(url)
    await app.close()
    expect([...routes]).toEqual(Object.keys(RULES))
  })

  test('of a server that ended is free when its lock has expired; others keep theirs', async () => {
    const { idempotencyKeys } = server.context.store
    await post('/api/v1/pipeline/save', 'k-lock', pipeline('locked'))
    const before = (await idempotencyKeys.list()).at(-1)
    if (!before) throw new Error('no key is stored')
    await idempotencyKeys.put({ ...before, answer: null, lockedUntil: new Date(Date.now() + 60_000).toISOString() })
    const locked = await post('/api/v1/pipeline/save', 'k-lock', pipeline('locked'))
    expect([locked.status, locked.json.code]).toEqual([409, 'REQUEST_IN_PROGRESS'])
    expect((await post('/api/v1/pipeline/save', 'k-lock', pipeline('other'))).status).toBe(422)
    await idempotencyKeys.put({ ...before, answer: null, lockedUntil: new Date(Date.now() - 1).toISOString() })
    expect(isReplay(await post('/api/v1/pipeline/save', 'k-lock', pipeline('locked')))).toBe(false)
    // After a day it is a new key.
    const answered = (await idempotencyKeys.list()).at(-1)
    if (!answered) throw new Error('no key is stored')
    await idempotencyKeys.put({ ...answered, expiresAt: new Date(Date.now() - 1).toISOString() })
    expect(isReplay(await post('/api/v1/pipeline/save', 'k-lock', pipeline('another')))).toBe(false)
  })

  test('is one of the newest of its account; a deleted account has none', async () => {
    const { idempotencyKeys } = server.context.store
    const token = await makeUser(server, admin, 'many')
    const { users } = await list('/api/auth/users', admin)
    const userId = users.find(({ username }: { username: string }) => username === 'many').id
    const at = new Date(Date.now() + 60_000).toISOString()
    const record = { userId, fingerprint: 'f', runId: 'r', lockedUntil: at, answer: null, createdAt: at, expiresAt: at }
    await server.context.store.transaction(async (known) => {
      for (let number = 0; number < MOST_KEYS; number += 1)
        await known.idempotencyKeys.put({ ...record, id: `many-${number}` })
    })
    await post('/api/v1/pipeline/save', 'k-many', pipeline('many'), token)
    const own = (await idempotencyKeys.list()).filter((one) => one.userId === userId)
    expect([own.length, own[0]?.id]).toEqual([MOST_KEYS, 'many-1'])
    await call(server, 'DELETE', `/api/auth/users/${userId}`, { token: admin })
    expect((await idempotencyKeys.list()).filter((one) => one.userId === userId)).toEqual([])
  })
})

test('keys are known after a restart', async () => {
  const first = await post('/api/v1/pipeline/save', 'k-restart', pipeline('restart'))
  await server.stop()
  server = await serveHere({ data: server.data })
  const second = await post('/api/v1/pipeline/save', 'k-restart', pipeline('restart'))
  expect([isReplay(second), second.json]).toEqual([true, first.json])
})
