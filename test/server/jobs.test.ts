import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { makeAudio } from '../helpers/av.ts'
import { heldFfmpeg } from '../helpers/http.ts'
import { call, makeUser, send, signIn, startServer } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'
import { resize, sendEndless, startEndless, statusOf, untilStatus } from '../helpers/server-jobs.ts'

let server: ServerHere
let admin: string
let user: string

const cancel = (id: string, token = user) => call(server, 'POST', `/api/v1/jobs/${id}/cancel`, { token })
const list = async (query: string, token = user) => (await call(server, 'GET', `/api/v1/jobs${query}`, { token })).json
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

beforeAll(async () => {
  server = await serveHere()
  admin = await signIn(server)
  user = await makeUser(server, admin, 'xenia')
})

describe('the status', () => {
  test('of a finished job has the result, by either id', async () => {
    const { json } = await resize(server, user, { clientJobId: 'done-1' })
    const job = await statusOf(server, user, 'done-1')
    expect(job).toEqual({
      ...{ jobId: 'done-1', artifactJobId: json.jobId, type: 'single', toolId: 'resize', status: 'completed' },
      ...{ progress: expect.objectContaining({ percent: 100 }), createdAt: ISO, startedAt: ISO, completedAt: ISO },
      ...{ result: json, error: null, expiresAt: ISO, requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    })
    expect(await statusOf(server, user, json.jobId)).toEqual(job)
    const hours = (Date.parse(job.expiresAt) - Date.parse(job.completedAt)) / 3_600_000
    expect(hours).toBeCloseTo(72, 2)
  })

  test('of a failed one has the error', async () => {
    const picture = ['file', { name: 'a.png', bytes: Buffer.from('\u0089PNG\r\n\u001a\n', 'latin1') }] as const
    const own = ['clientJobId', 'failed-1'] as const
    const steps = ['settings', JSON.stringify({ left: 0, top: 0, width: 1, height: 1 })] as const
    const { status, json } = await send(server, '/api/v1/tools/image/crop', [own, picture, steps], user)
    expect(status).toBe(400)
    expect(await statusOf(server, user, 'failed-1')).toMatchObject({
      ...{ status: 'failed', result: null },
      error: { message: json.error, code: json.code },
    })
  })

  test('and the rest of a job is for its owner and for files:all', async () => {
    await resize(server, user, { clientJobId: 'mine' })
    const stranger = await makeUser(server, admin, 'yann')
    for (const path of ['/api/v1/jobs/mine', '/api/v1/jobs/mine/progress', '/api/v1/jobs/never-heard-of'])
      expect([path, (await call(server, 'GET', path, { token: stranger })).json]).toEqual([
        path,
        { error: 'Not found', code: 'NOT_FOUND' },
      ])
    expect((await cancel('mine', stranger)).status).toBe(404)
    expect((await call(server, 'GET', '/api/v1/jobs/mine')).status).toBe(401)
    expect((await statusOf(server, admin, 'mine')).jobId).toBe('mine')
    expect((await list('', stranger)).total).toBe(0)
  })

  test("is found by one's own id even if another user has the same", async () => {
    const other = await makeUser(server, admin, 'zora')
    const [one, two] = [
      await resize(server, user, { clientJobId: 'same' }),
      await resize(server, other, { clientJobId: 'same' }),
    ]
    expect((await statusOf(server, user, 'same')).artifactJobId).toBe(one.json.jobId)
    expect((await statusOf(server, other, 'same')).artifactJobId).toBe(two.json.jobId)
  })
})

test('lists own jobs, newest first, by state and in pages', async () => {
  const own = await makeUser(server, admin, 'anna')
  for (let count = 0; count < 3; count += 1) await resize(server, own, { clientJobId: `list-${count}` })
  const all = await list('', own)
  expect([all.total, all.limit, all.offset]).toEqual([3, 50, 0])
  expect(all.jobs.map(({ jobId }: { jobId: string }) => jobId)).toEqual(['list-2', 'list-1', 'list-0'])
  const page = await list('?limit=1&offset=1', own)
  expect([page.total, page.jobs.map(({ jobId }: { jobId: string }) => jobId)]).toEqual([3, ['list-1']])
  expect((await list('?status=completed', own)).total).toBe(3)
  expect((await list('?status=failed', own)).total).toBe(0)
  expect((await list('', admin)).total).toBeGreaterThan(3)
  for (const query of ['?limit=0', '?limit=101', '?offset=-1', '?status=odd', '?limit=x'])
    expect([query, (await list(query, own)).code]).toEqual([query, 'VALIDATION_ERROR'])
})

describe('canceling', () => {
  test('stops a running job: the waiting client gets 422, and no files remain', async () => {
    const waiting = sendEndless(server, user, 'stop-me')
    const { artifactJobId } = await untilStatus(server, user, 'stop-me', 'processing')
    expect((await cancel('stop-me')).json).toEqual({ canceled: true })
    const { status, json } = await waiting
    expect([status, json]).toEqual([422, { error: 'Canceled', code: 'CANCELED', canceled: true }])
    expect(await statusOf(server, user, artifactJobId)).toMatchObject({
      ...{ status: 'canceled', result: null },
      error: { message: 'Canceled', code: 'CANCELED' },
    })
    expect((await cancel('stop-me')).json).toEqual({ canceled: false })
    expect((await resize(server, user)).status).toBe(200)
  })

  test('of a job whose record is gone, as after a crash of a database, is an error for the client that waits', async () => {
    // The process of such a job computes until its server ends.
    const own = await serveHere({ environment: { SHUTDOWN_TIMEOUT_S: '1' } })
    const { answer, job } = await startEndless(own, await signIn(own), 'gone')
    const { queue, jobs } = own.context.store
    const record = await jobs.get(job.artifactJobId)
    if (!record) throw new Error('there is no job')
    queue.publish({ ...record, status: 'canceled' })
    const { status, json } = await answer
    expect([status, json.code, json.error]).toEqual([
      ...[422, 'INTERRUPTED', 'The job was deleted, or a crash of the database lost it'],
    ])
    await own.stop()
  })

  test('does not change a finished job; an unknown one is 404', async () => {
    const { json } = await resize(server, user)
    expect((await cancel(json.jobId)).json).toEqual({ canceled: false })
    expect((await call(server, 'GET', json.downloadUrl, { token: user })).status).toBe(200)
    expect((await cancel('unknown')).status).toBe(404)
  })

  test("ends a waiting job before it starts; by the server's id and by files:all, too", async () => {
    const narrow = await serveHere({ environment: { CONCURRENT_JOBS: '1', SYNC_WAIT_MS: '0' } })
    const token = await signIn(narrow)
    const owner = await makeUser(narrow, token, 'berta')
    await sendEndless(narrow, owner, 'first')
    await untilStatus(narrow, owner, 'first', 'processing')
    const { artifactJobId } = (await sendEndless(narrow, owner, 'second')).json
    expect(await statusOf(narrow, owner, 'second')).toMatchObject({ status: 'queued', startedAt: null })
    const stop = (id: string) => call(narrow, 'POST', `/api/v1/jobs/${id}/cancel`, { token })
    expect((await stop(artifactJobId)).json).toEqual({ canceled: true })
    expect(await statusOf(narrow, owner, 'second')).toMatchObject({ status: 'canceled', startedAt: null })
    expect((await statusOf(narrow, owner, 'first')).status).toBe('processing')
    expect((await stop('first')).json).toEqual({ canceled: true })
  })
})

describe('with three slots, one of them for light jobs, heavy jobs', () => {
  const start = async (authEnabled: boolean) => {
    const environment = { CONCURRENT_JOBS: '3', SYNC_WAIT_MS: '0', AUTH_ENABLED: String(authEnabled) }
    const wide = await serveHere({ environment })
    const token = authEnabled ? await signIn(wide) : ''
    for (const id of ['first', 'second', 'third']) await sendEndless(wide, token, id)
    await untilStatus(wide, token, 'first', 'processing')
    return { wide, token, stop: (id: string) => call(wide, 'POST', `/api/v1/jobs/${id}/cancel`, { token }) }
  }

  test('have two without accounts', async () => {
    const { wide, token, stop } = await start(false)
    await untilStatus(wide, token, 'second', 'processing')
    expect((await statusOf(wide, token, 'third')).status).toBe('queued')
    for (const id of ['third', 'second', 'first']) expect((await stop(id)).json).toEqual({ canceled: true })
  })

  test('of one owner have one, and those of another the second', async () => {
    const { wide, token, stop } = await start(true)
    const other = await makeUser(wide, token, 'olga')
    await sendEndless(wide, other, 'theirs')
    await untilStatus(wide, other, 'theirs', 'processing')
    for (const id of ['second', 'third']) expect((await statusOf(wide, token, id)).status).toBe('queued')
    for (const id of ['third', 'second', 'first', 'theirs']) expect((await stop(id)).json).toEqual({ canceled: true })
  })
})

test('maxConcurrentJobsPerUser: refuses one more with the numbers, until one is over', async () => {
  const held = heldFfmpeg()
  const own = await startServer({ environment: { ...held.environment, SYNC_WAIT_MS: '0' } })
  const token = await signIn(own)
  await call(own, 'PUT', '/api/v1/settings', { token, body: { maxConcurrentJobsPerUser: 1 } })
  const bytes = readFileSync(await makeAudio({ seconds: 1, extension: 'flac' }))
  const convert = (by: string) => {
    const parts = [['file', { name: 'a.flac', bytes }] as const, ['settings', '{"format":"mp3"}'] as const]
    return send(own, '/api/v1/tools/audio/convert-audio', parts, by)
  }
  const { jobId } = (await convert(token)).json
  const { status, json, headers } = await convert(token)
  expect([status, json]).toMatchObject([429, { code: 'CONCURRENCY_LIMIT', activeJobs: 1, limit: 1 }])
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  const another = await makeUser(own, token, 'carl')
  expect((await convert(another)).status).toBe(202)
  held.release()
  expect((await untilStatus(own, token, jobId, 'completed', 'failed')).status).toBe('completed')
  expect((await convert(token)).status).toBe(202)
})

test("MAX_FINISHED_JOBS_PER_USER: removes the user's oldest one with its result", async () => {
  const own = await serveHere({ environment: { MAX_FINISHED_JOBS_PER_USER: '2' } })
  const token = await signIn(own)
  const another = await makeUser(own, token, 'dora')
  const kept = (await resize(own, another)).json
  const made = []
  for (let count = 0; count < 3; count++) made.push((await resize(own, token)).json)
  const known = async () => (await call(own, 'GET', '/api/v1/jobs', { token })).json
  // The last one was answered before the first was removed.
  await expect.poll(async () => (await known()).total).toBe(3)
  const ids = (await known()).jobs.map(({ jobId }: { jobId: string }) => jobId)
  expect(ids).toEqual([made[2].jobId, made[1].jobId, kept.jobId])
  expect((await call(own, 'GET', made[0].downloadUrl, { token })).status).toBe(404)
})
