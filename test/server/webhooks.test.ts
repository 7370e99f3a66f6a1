/** Webhooks of accounts and of single jobs, against a server that receives them. */
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { announceEnd } from '../../src/server/webhooks/announce.ts'
import { MOST_DELIVERIES, PAUSES } from '../../src/server/webhooks/rules.ts'
import { allText } from '../helpers/accounts.ts'
import { RECEIVER_ENVIRONMENT, type Received, type Receiver, startReceiver } from '../helpers/receiver.ts'
import { type Answer, call, makeUser, PASSWORD, send, signIn } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'
import { resize, smallPicture, startEndless } from '../helpers/server-jobs.ts'

let server: ServerHere
let receiver: Receiver
let admin: string
let user: string

const WEBHOOKS = '/api/v1/webhooks'

beforeAll(async () => {
  receiver = await startReceiver()
  server = await serveHere({ environment: { ...RECEIVER_ENVIRONMENT, MAX_WEBHOOKS_PER_USER: '3' } })
  admin = await signIn(server)
  user = await makeUser(server, admin, 'tess')
})
afterEach(async () => {
  vi.useRealTimers()
  // A test that failed must not change the next one.
  for (const { id, url } of await server.context.store.webhooks.list())
    if (url !== null) await server.context.store.webhooks.remove(id)
})

const ask = (method: string, path: string, body?: unknown, token = user): Promise<Answer> =>
  call(server, method, path, { token, ...(body !== undefined && { body }) })

/** Makes a webhook for a path of the receiver. */
async function make(path: string, more: object = {}, token = user) {
  const { status, json } = await ask('POST', WEBHOOKS, { url: receiver.base + path, ...more }, token)
  expect([status, json.code]).toEqual([201, undefined])
  return json as { id: string; secret: string; url: string }
}

const remove = (id: string) => ask('DELETE', `${WEBHOOKS}/${id}`)
const poll = <T>(what: () => T | Promise<T>) => expect.poll(what, { timeout: 30_000 })
const deliveriesOf = async (query = '', token = user) =>
  (await ask('GET', `${WEBHOOKS}/deliveries${query}`, undefined, token)).json.deliveries

/** The first request for a path. */
async function first(path: string): Promise<Received> {
  await poll(() => receiver.at(path).length).toBeGreaterThan(0)
  return receiver.at(path)[0] as Received
}

/** Whether the signature of a request is that of a secret, by the library of Standard Webhooks. */
function isSignedBy(secret: string, { body, headers }: Received): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}

/** Moves the clock, and makes what is due. */
async function later(ms: number): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
  server.context.webhooks.wake()
  await server.context.webhooks.idle()
}

describe('a webhook of an account', () => {
  test('receives the end of jobs, signed', async () => {
    const { id, secret } = await make('/done')
    const { json: job } = await resize(server, user, { clientJobId: 'mine-1' })
    const request = await first('/done')
    expect(request.json).toEqual({
      type: 'job.completed',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: {
        ...{ jobId: 'mine-1', artifactJobId: expect.any(String), type: 'single', toolId: 'resize' },
        ...{ status: 'completed', createdAt: expect.any(String), startedAt: expect.any(String) },
        ...{ completedAt: expect.any(String), expiresAt: expect.any(String), error: null },
        result: {
          downloadUrl: job.downloadUrl,
          originalSize: job.originalSize,
          processedSize: job.processedSize,
        },
      },
    })
    expect(request.headers['content-type']).toBe('application/json')
    expect(request.headers['user-agent']).toMatch(/^mediaproc\/\d/)
    expect([isSignedBy(secret, request), isSignedBy(`whsec_${btoa('x'.repeat(32))}`, request)]).toEqual([true, false])
    expect(isSignedBy(secret, { ...request, body: request.body.replace('mine-1', 'mine-2') })).toBe(false)
    const status = await ask('GET', `/api/v1/jobs/${request.json.data.jobId}`)
    expect(status.json.status).toBe('completed')
    await poll(() => deliveriesOf()).toMatchObject([
      {
        ...{ id: request.headers['webhook-id'], webhookId: id, url: `${receiver.base}/done`, event: 'job.completed' },
        ...{ status: 'delivered', nextAttemptAt: null, jobId: request.json.data.artifactJobId },
        attempts: [{ status: 204, error: null }],
      },
    ])
    await remove(id)
    expect(await deliveriesOf()).toEqual([])
  })

  test('receives only its events, and only of the jobs of its account', async () => {
    const failed = await make('/failed', { events: ['job.failed'] })
    const canceled = await make('/canceled', { events: ['job.canceled'] })
    const other = await makeUser(server, admin, 'ugo')
    await resize(server, other)
    await resize(server, user)
    const bad = { name: 'a.png', bytes: Buffer.from('no picture, but with a name of one') }
    // Refused before it is a job.
    expect((await send(server, '/api/v1/tools/image/resize', [['file', bad]], user)).status).toBe(400)
    const empty = { name: 'b.png', bytes: Buffer.from('\u0089PNG\r\n\u001a\n', 'latin1') }
    const parts = [
      ['file', empty],
      ['settings', '{"width":8}'],
    ] as const
    const broken = await send(server, '/api/v1/tools/image/resize', parts, user)
    expect(broken.status).toBe(400)
    const failure = await first('/failed')
    expect(failure.json).toMatchObject({ type: 'job.failed', data: { status: 'failed', result: null } })
    expect(failure.json.data.error).toEqual({ code: broken.json.code, message: broken.json.error })
    const { answer } = await startEndless(server, user, 'endless')
    await ask('POST', '/api/v1/jobs/endless/cancel')
    expect((await answer).json.code).toBe('CANCELED')
    expect((await first('/canceled')).json).toMatchObject({ type: 'job.canceled', data: { jobId: 'endless' } })
    expect([receiver.at('/failed').length, receiver.at('/canceled').length]).toEqual([1, 1])
    for (const { id } of [failed, canceled]) await remove(id)
  })

  test('is changed, switched off and on', async () => {
    const { id } = await make('/changed', { description: 'build' })
    const shown = (await ask('GET', `${WEBHOOKS}/${id}`)).json
    expect(shown).toMatchObject({ description: 'build', enabled: true, offReason: null, previousSecretUntil: null })
    expect(shown).not.toHaveProperty('secret')
    const change = { url: `${receiver.base}/moved#part`, events: ['job.completed'], enabled: false }
    expect((await ask('PATCH', `${WEBHOOKS}/${id}`, change)).json).toMatchObject({
      ...{ url: `${receiver.base}/moved`, events: ['job.completed'], enabled: false, description: 'build' },
    })
    await resize(server, user)
    expect((await ask('PATCH', `${WEBHOOKS}/${id}`, { enabled: true })).json.enabled).toBe(true)
    await resize(server, user)
    await first('/moved')
    await server.context.webhooks.idle()
    expect([receiver.at('/moved').length, receiver.at('/changed').length]).toEqual([1, 0])
    await remove(id)
    expect((await ask('GET', `${WEBHOOKS}/${id}`)).status).toBe(404)
  })

  test('has a new secret after a rotation, and the former one for a day', async () => {
    const { id, secret } = await make('/rotated')
    const rotated = (await ask('POST', `${WEBHOOKS}/${id}/rotate`)).json
    expect(Date.parse(rotated.previousSecretUntil)).toBeGreaterThan(Date.now() + 23 * 3_600_000)
    await ask('POST', `${WEBHOOKS}/${id}/test`)
    const both = await first('/rotated')
    expect(String(both.headers['webhook-signature']).split(' ').length).toBe(2)
    expect([isSignedBy(secret, both), isSignedBy(rotated.secret, both)]).toEqual([true, true])
    const again = (await ask('POST', `${WEBHOOKS}/${id}/rotate`)).json
    await ask('POST', `${WEBHOOKS}/${id}/test`)
    const second = receiver.at('/rotated')[1] as Received
    expect([secret, rotated.secret, again.secret].map((one) => isSignedBy(one, second))).toEqual([false, true, true])
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 25 * 3_600_000 })
    await ask('POST', `${WEBHOOKS}/${id}/test`)
    const third = receiver.at('/rotated')[2] as Received
    expect([rotated.secret, again.secret].map((one) => isSignedBy(one, third))).toEqual([false, true])
    expect((await ask('GET', `${WEBHOOKS}/${id}`)).json.previousSecretUntil).toBeNull()
    vi.useRealTimers()
    const stored = allText(server.data)
    for (const one of [secret, rotated.secret, again.secret]) expect(stored).not.toContain(one)
    await remove(id)
  })

  test('is tested once, with the outcome as the answer', async () => {
    const { id } = await make('/tested')
    const good = await ask('POST', `${WEBHOOKS}/${id}/test`)
    expect([good.status, good.json.status, good.json.event]).toEqual([200, 'delivered', 'webhook.test'])
    expect((await first('/tested')).json).toMatchObject({ type: 'webhook.test', data: { webhookId: id } })
    receiver.answers.set('/tested', { status: 500, body: 'a secret of the receiver' })
    const bad = await ask('POST', `${WEBHOOKS}/${id}/test`)
    expect(bad.json).toMatchObject({ status: 'dead', nextAttemptAt: null })
    expect(bad.json.attempts).toMatchObject([{ status: 500, error: 'The receiver answered with the status 500' }])
    expect(bad.bytes.toString()).not.toContain('secret')
    await remove(id)
  })
})

describe('a delivery', () => {
  test('is repeated with pauses, with the same id and body, and given up after a day', async () => {
    receiver.answers.set('/down', { status: 503 })
    const { id, secret } = await make('/down')
    await resize(server, user)
    await first('/down')
    for (const [index, pause] of PAUSES.entries()) {
      await poll(async () => (await deliveriesOf())[0].attempts.length).toBe(index + 1)
      const [{ nextAttemptAt, attempts }] = await deliveriesOf()
      const planned = Date.parse(nextAttemptAt) - Date.parse(attempts.at(-1).at)
      expect(planned).toBeGreaterThanOrEqual(pause)
      expect(planned).toBeLessThan(pause * 1.1 + 11_000)
      await later(Date.parse(nextAttemptAt) - Date.now() + 1)
    }
    const requests = receiver.at('/down')
    expect(requests.length).toBe(PAUSES.length + 1)
    expect(new Set(requests.map(({ body, headers }) => body + headers['webhook-id'])).size).toBe(1)
    const stamps = requests.map(({ headers }) => Number(headers['webhook-timestamp']))
    const day = (stamps.at(-1) ?? 0) - (stamps[0] ?? 0)
    expect([day > 23 * 3600, day <= 27 * 3600]).toEqual([true, true])
    // The time stamp of each attempt is its own: the library refuses old ones.
    expect(isSignedBy(secret, requests.at(-1) as Received)).toBe(true)
    const [dead] = await deliveriesOf('?status=dead')
    expect([dead.status, dead.nextAttemptAt, (await deliveriesOf('?status=pending')).length]).toEqual(['dead', null, 0])

    receiver.answers.delete('/down')
    const again = await ask('POST', `${WEBHOOKS}/deliveries/${dead.id}/redeliver`)
    expect([again.status, again.json.status]).toEqual([200, 'pending'])
    await poll(async () => (await deliveriesOf())[0].status).toBe('delivered')
    expect(receiver.at('/down').at(-1)?.headers['webhook-id']).toBe(dead.id)
    expect((await ask('GET', `${WEBHOOKS}/${id}/deliveries`)).json.total).toBe(1)
    await remove(id)
  })

  test('follows no redirect, and reports what else went wrong', async () => {
    receiver.answers.set('/away', { status: 307, headers: { location: `${receiver.base}/target` } })
    receiver.answers.set('/cut', { status: 0 })
    receiver.answers.set('/long', { status: 200, body: 'x'.repeat(5_000_000) })
    const { id } = await make('/away')
    const outcome = async (path: string) => {
      await ask('PATCH', `${WEBHOOKS}/${id}`, { url: receiver.base + path })
      return (await ask('POST', `${WEBHOOKS}/${id}/test`)).json.attempts[0]
    }
    expect(await outcome('/away')).toMatchObject({ status: 307, error: expect.stringContaining('not followed') })
    expect(await outcome('/cut')).toMatchObject({ status: null, error: 'The connection failed' })
    expect(await outcome('/long')).toMatchObject({ status: 200, error: null })
    expect(receiver.at('/target')).toEqual([])
    await remove(id)
  })

  test('to a receiver that is gone switches the webhook off, as do five that were given up', async () => {
    receiver.answers.set('/gone', { status: 410 })
    const gone = await make('/gone')
    await resize(server, user)
    await poll(async () => (await ask('GET', `${WEBHOOKS}/${gone.id}`)).json.enabled).toBe(false)
    const shown = (await ask('GET', `${WEBHOOKS}/${gone.id}`)).json
    expect(shown.offReason).toContain('410')
    expect((await ask('PATCH', `${WEBHOOKS}/${gone.id}`, { enabled: true })).json.offReason).toBeNull()
    await remove(gone.id)

    receiver.answers.set('/dead', { status: 500 })
    const { id } = await make('/dead')
    for (let number = 0; number < 5; number++) await resize(server, user)
    await poll(() => receiver.at('/dead').length).toBe(5)
    await server.context.webhooks.idle()
    for (const pause of PAUSES) await later(pause * 1.2)
    expect((await deliveriesOf('?status=dead')).length).toBe(5)
    expect((await ask('GET', `${WEBHOOKS}/${id}`)).json).toMatchObject({
      ...{ enabled: false, offReason: '5 deliveries in a row failed' },
    })
    vi.useRealTimers()
    await remove(id)
  })

  test('that was stored before the end of its job waits for it', async () => {
    const { id } = await make('/early')
    const { answer, job } = await startEndless(server, user, 'early')
    const { store } = server.context
    const record = await store.jobs.get(job.artifactJobId)
    if (!record) throw new Error('there is no job')
    // As by a process that was killed before it stored the end.
    const subscribers = await store.webhooks.list()
    await announceEnd(store, { ...record, status: 'completed' }, subscribers, Date.now())
    server.context.webhooks.wake()
    await server.context.webhooks.idle()
    expect(receiver.at('/early')).toEqual([])
    expect(await deliveriesOf()).toMatchObject([{ status: 'pending', attempts: [], event: 'job.completed' }])
    await ask('POST', '/api/v1/jobs/early/cancel')
    expect((await answer).json.code).toBe('CANCELED')
    expect((await first('/early')).json).toMatchObject({ type: 'job.canceled', data: { status: 'canceled' } })
    await server.context.webhooks.idle()
    expect([(await deliveriesOf()).length, receiver.at('/early').length]).toEqual([1, 1])
    await remove(id)
  })

  test('about an end that was not stored is not sent if the job ended in a way that the webhook does not want', async () => {
    const { id } = await make('/completed', { events: ['job.completed'] })
    const { answer, job } = await startEndless(server, user, 'otherwise')
    const { store } = server.context
    const record = await store.jobs.get(job.artifactJobId)
    if (!record) throw new Error('there is no job')
    await announceEnd(store, { ...record, status: 'completed' }, await store.webhooks.list(), Date.now())
    await ask('POST', '/api/v1/jobs/otherwise/cancel')
    expect((await answer).json.code).toBe('CANCELED')
    await later(5000)
    vi.useRealTimers()
    const states = await deliveriesOf('?status=dead')
    expect([states[0]?.jobId, states[0]?.attempts.at(-1).error, receiver.at('/completed')]).toEqual([
      ...[job.artifactJobId, 'job.canceled is not an event of the webhook', []],
    ])
    await remove(id)
  })

  test('that waits is not sent for a disabled account', async () => {
    receiver.answers.set('/waits', { status: 500 })
    const token = await makeUser(server, admin, 'dora')
    await make('/waits', {}, token)
    await resize(server, token)
    await first('/waits')
    await server.context.webhooks.idle()
    const { users } = (await ask('GET', '/api/auth/users', undefined, admin)).json
    const { id } = users.find(({ username }: { username: string }) => username === 'dora')
    await ask('PUT', `/api/auth/users/${id}`, { role: 'disabled' }, admin)
    await later(60_000)
    const { deliveries, webhooks } = server.context.store
    const [last] = (await deliveries.query({ userId: id }, { limit: 1, offset: 0 })).deliveries
    expect([receiver.at('/waits').length, last?.status, last?.attempts.at(-1)?.error]).toEqual([
      ...[1, 'dead', 'The account is disabled'],
    ])
    vi.useRealTimers()
    await ask('DELETE', `/api/auth/users/${id}`, undefined, admin)
    expect([
      await webhooks.ofUser(id),
      (await deliveries.query({ userId: id }, { limit: 1, offset: 0 })).total,
    ]).toEqual([[], 0])
  })
})

describe('the callbackUrl of a job', () => {
  const SECRET = `${WEBHOOKS}/callback-secret`

  test('needs a secret, and is sent the end of this job only', async () => {
    const callbackUrl = `${receiver.base}/callback?token=1`
    const refused = await resize(server, user, { callbackUrl })
    expect([refused.status, refused.json.code]).toEqual([400, 'VALIDATION_ERROR'])
    expect((await ask('GET', SECRET)).json).toEqual({ exists: false, updatedAt: null, previousSecretUntil: null })
    const { secret, previousSecretUntil } = (await ask('POST', SECRET)).json
    expect(previousSecretUntil).toBeNull()
    const { json: job } = await resize(server, user, { callbackUrl })
    await resize(server, user)
    const request = await first('/callback?token=1')
    expect(isSignedBy(secret, request)).toBe(true)
    expect(request.json).toMatchObject({ type: 'job.completed', data: { jobId: job.jobId } })
    await server.context.webhooks.idle()
    expect(receiver.at('/callback?token=1').length).toBe(1)
    expect((await deliveriesOf())[0]).toMatchObject({ webhookId: null, url: callbackUrl, status: 'delivered' })
    // It is no webhook.
    expect((await ask('GET', WEBHOOKS)).json.webhooks).toEqual([])
    const rotated = (await ask('POST', SECRET)).json
    expect([rotated.secret === secret, typeof rotated.previousSecretUntil]).toEqual([false, 'string'])
    expect((await ask('GET', SECRET)).json.exists).toBe(true)
  })

  test('is a field of every route that makes jobs', async () => {
    const picture = await smallPicture()
    const callbackUrl = (path: string) => ['callbackUrl', receiver.base + path] as const
    const steps = ['pipeline', JSON.stringify({ steps: [{ toolId: 'resize', settings: { width: 8 } }] })] as const
    const file = ['file', picture] as const
    const settings = ['settings', '{"width":8}'] as const
    const [batch, pipeline] = ['/api/v1/tools/image/resize/batch', '/api/v1/pipeline']
    await send(server, batch, [file, ['file', { ...picture, name: 'b.png' }], settings, callbackUrl('/batch')], user)
    await send(server, `${pipeline}/execute`, [file, steps, callbackUrl('/pipeline')], user)
    await send(server, `${pipeline}/batch`, [file, steps, callbackUrl('/pipelines')], user)
    const body = { text: 'hello', callbackUrl: `${receiver.base}/json` }
    expect((await ask('POST', '/api/v1/tools/image/qr-generate', body)).status).toBe(200)
    expect((await first('/batch')).json.data).toMatchObject({ type: 'batch', status: 'completed' })
    expect((await first('/pipeline')).json.data).toMatchObject({ type: 'pipeline', toolId: null })
    expect((await first('/pipelines')).json.data.type).toBe('batch')
    expect((await first('/json')).json.data.toolId).toBe('qr-generate')
    const wrong = await ask('POST', '/api/v1/tools/image/qr-generate', { text: 'hello', callbackUrl: 5 })
    expect([wrong.status, wrong.json.code]).toEqual([400, 'VALIDATION_ERROR'])
  })
})

describe('refused are', () => {
  const REFUSED = [
    ...['https://10.0.0.1/', 'https://169.254.169.254/latest', 'https://[::1]/', 'https://[::ffff:192.168.0.1]/'],
    ...[
      'https://2130706434/',
      'https://0x7f.2/',
      'https://[64:ff9b::a00:1]/',
      'https://0.0.0.0/',
      'https://[fe80::1]/',
    ],
    ...['ftp://example.com/', 'file:///etc/passwd', 'javascript:alert(1)', 'example.com', 'https://', ' '],
    ...['https://user:pass@example.com/', `https://example.com/${'x'.repeat(990)}`],
  ]

  test('addresses that are private, of other schemes, with a password, or too long', async () => {
    await ask('POST', `${WEBHOOKS}/callback-secret`)
    for (const url of REFUSED) {
      const made = await ask('POST', WEBHOOKS, { url })
      expect([url, made.status, ['URL_REFUSED', 'VALIDATION_ERROR'].includes(made.json.code)]).toEqual([url, 400, true])
      const job = await resize(server, user, { callbackUrl: url })
      // A field of blanks is an address that is none, too.
      expect([url, job.status]).toEqual([url, 400])
    }
    expect((await ask('GET', WEBHOOKS)).json.webhooks).toEqual([])
  })

  test('names of private addresses, when a message is sent', async () => {
    const { id } = (await ask('POST', WEBHOOKS, { url: `http://localhost:${receiver.port}/inside` })).json
    const { json } = await ask('POST', `${WEBHOOKS}/${id}/test`)
    expect(json.attempts).toMatchObject([{ status: null, error: 'localhost is not a host of the public Internet' }])
    expect(receiver.at('/inside')).toEqual([])
    await remove(id)
  })

  test('http, unless the operator allows it', async () => {
    const strict = await serveHere()
    const token = await signIn(strict)
    for (const [url, status] of [
      ['http://example.com/hook', 400],
      [`${receiver.base}/hook`, 400],
      ['https://example.com/hook', 201],
    ] as const)
      expect([url, (await call(strict, 'POST', WEBHOOKS, { token, body: { url } })).status]).toEqual([url, status])
    await strict.stop()
  })

  test('bodies that are not valid, and more webhooks than are allowed', async () => {
    const url = `${receiver.base}/many`
    for (const body of [
      ...[{}, { url: 5 }, { url, events: [] }, { url, events: ['job.started'] }, { url, description: 'x'.repeat(201) }],
      ...[{ url, events: ['job.failed', 'job.failed'] }, [], 'text'],
    ])
      expect([body, (await ask('POST', WEBHOOKS, body)).status]).toEqual([body, 400])
    const ids = []
    for (let number = 0; number < 3; number++) ids.push((await make(`/many-${number}`)).id)
    const over = await ask('POST', WEBHOOKS, { url })
    expect([over.status, over.json.error]).toEqual([400, expect.stringContaining('delete one')])
    expect((await ask('PATCH', `${WEBHOOKS}/${ids[0]}`, {})).status).toBe(400)
    expect((await ask('PATCH', `${WEBHOOKS}/${ids[0]}`, { url: 'https://127.0.0.2/' })).status).toBe(400)
    for (const id of ids) await remove(id)
  })
})

describe('the webhooks of others', () => {
  test('are hidden from ordinary accounts', async () => {
    const { id } = await make('/mine')
    await ask('POST', `${WEBHOOKS}/${id}/test`)
    const [delivery] = await deliveriesOf()
    const thief = await makeUser(server, admin, 'theo')
    const tries: [string, string, unknown?][] = [
      ['GET', id],
      ['PATCH', id, { url: `${receiver.base}/stolen` }],
      ['PATCH', id, { enabled: false }],
      ['DELETE', id],
      ['POST', `${id}/rotate`],
      ['POST', `${id}/test`],
      ['GET', `${id}/deliveries`],
      ['POST', `deliveries/${delivery.id}/redeliver`],
    ]
    for (const [method, path, body] of tries)
      expect([path, (await ask(method, `${WEBHOOKS}/${path}`, body, thief)).status]).toEqual([path, 404])
    expect((await ask('GET', WEBHOOKS, undefined, thief)).json.webhooks).toEqual([])
    expect(await deliveriesOf('', thief)).toEqual([])
    // Nor does a key for something else reach those of its owner.
    const key = (await ask('POST', '/api/v1/api-keys', { name: 'files', permissions: ['files:own'] })).json.key
    for (const path of ['', `/${id}`, '/deliveries'])
      expect((await ask('GET', WEBHOOKS + path, undefined, key)).status).toBe(403)
    await remove(id)
  })

  test('are seen, switched off and deleted by administrators, without what is secret', async () => {
    const { id } = await make('/watched?token=hidden')
    const seen = (await ask('GET', `${WEBHOOKS}/${id}`, undefined, admin)).json
    expect(seen).toMatchObject({ url: `${receiver.base}/watched`, userId: expect.any(String) })
    expect((await ask('GET', WEBHOOKS, undefined, admin)).bytes.toString()).not.toContain('hidden')
    for (const path of ['rotate', 'test'])
      expect((await ask('POST', `${WEBHOOKS}/${id}/${path}`, undefined, admin)).status).toBe(404)
    for (const body of [{ enabled: true }, { enabled: false, url: `${receiver.base}/x` }, { description: 'x' }])
      expect((await ask('PATCH', `${WEBHOOKS}/${id}`, body, admin)).status).toBe(404)
    expect((await ask('PATCH', `${WEBHOOKS}/${id}`, { enabled: false }, admin)).json.enabled).toBe(false)
    expect((await ask('DELETE', `${WEBHOOKS}/${id}`, undefined, admin)).status).toBe(200)
  })
})

test('deliveries of an account are bounded', async () => {
  const { id } = await make('/bounded')
  const { store } = server.context
  const [owner] = (await store.webhooks.ofUser((await store.users.byName('tess'))?.id ?? '')).filter(
    (one) => one.id === id,
  )
  const at = new Date().toISOString()
  await store.transaction(async ({ deliveries }) => {
    for (let number = 0; number < MOST_DELIVERIES; number++)
      await deliveries.put({
        ...{ id: `old-${number}`, userId: owner?.userId ?? '', webhookId: id, url: null, event: 'job.failed' },
        ...{ jobId: null, payload: '{}', status: 'delivered', tries: 1, attempts: [], dueAt: null },
        ...{ createdAt: at, expiresAt: at },
      })
  })
  await resize(server, user)
  await first('/bounded')
  expect((await ask('GET', `${WEBHOOKS}/deliveries?limit=1`)).json).toMatchObject({
    ...{ total: MOST_DELIVERIES, deliveries: [{ event: 'job.completed' }] },
  })
  await remove(id)
})

test('deliveries that wait are made after a restart', async () => {
  receiver.answers.set('/restart', { status: 500 })
  const { id, secret } = await make('/restart')
  await resize(server, user)
  await first('/restart')
  await server.context.webhooks.idle()
  await server.stop()
  receiver.answers.delete('/restart')
  // A new key of the vault encrypts the secrets again.
  const environment = { ...RECEIVER_ENVIRONMENT, DATA_ENCRYPTION_KEY: 'ab'.repeat(32) }
  server = await serveHere({ data: server.data, environment })
  expect((await server.context.store.webhooks.byId(id))?.secret).not.toMatch(/^plain\./)
  const login = await call(server, 'POST', '/api/auth/login', { body: { username: 'tess', password: PASSWORD } })
  user = login.json.token
  await later(60_000)
  vi.useRealTimers()
  await poll(async () => (await deliveriesOf())[0].status).toBe('delivered')
  const requests = receiver.at('/restart')
  expect([requests.length, requests[0]?.body === requests[1]?.body]).toEqual([2, true])
  expect(isSignedBy(secret, { ...(requests[1] as Received) })).toBe(true)
  await remove(id)
})
