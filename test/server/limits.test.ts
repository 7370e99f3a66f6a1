import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { filesBelow } from '../helpers/machine.ts'
import { until } from '../helpers/pool.ts'
import { call, makeUser, type Part, send, signIn, startServer, type TestServer } from '../helpers/server.ts'
import { sendEndless, smallPicture } from '../helpers/server-jobs.ts'

let server: TestServer
let admin: string
let una: string
let otto: string

beforeAll(async () => {
  server = await startServer({
    environment: {
      ...{ MAX_STORAGE_PER_USER_MB: '0.5', MAX_WORKSPACE_SIZE_GB: '0.01', CONCURRENT_JOBS: '1', MAX_QUEUED_JOBS: '4' },
      SYNC_WAIT_MS: '0',
    },
  })
  admin = await signIn(server)
  una = await makeUser(server, admin, 'una')
  otto = await makeUser(server, admin, 'otto')
})

const bytes = (size: number): Part => ({ name: 'a.bin', bytes: Buffer.alloc(size, 1) })
const upload = (size: number, token: string) => send(server, '/api/v1/upload', [['file', bytes(size)]], token)
const remove = (id: string, token: string) => call(server, 'DELETE', `/api/v1/jobs/${id}`, { token })
const workspace = (): string => join(server.data, 'workspace')

describe('library items', () => {
  const keep = (size: number, fields: readonly (readonly [string, string])[] = []) =>
    send(server, '/api/v1/files/upload', [['file', bytes(size)], ...fields], otto)
  const files = async () => (await call(server, 'GET', '/api/v1/files', { token: otto })).json.total

  test('have text lengths within their schema', async () => {
    const { status, json } = await keep(1, [['toolId', 'x'.repeat(101)]])
    expect([status, json.code, await files()]).toEqual([400, 'VALIDATION_ERROR', 0])
    const { json: kept } = await keep(1, [['toolId', 'x'.repeat(100)]])
    const parentId = kept.files[0].id
    const version = [['file', bytes(1)] as const, ['parentId', parentId] as const]
    const long = await send(server, '/api/v1/files/save-result', [...version, ['toolId', 'x'.repeat(101)]], otto)
    expect([long.status, long.json.code]).toEqual([400, 'VALIDATION_ERROR'])
    const { json: item } = await call(server, 'GET', `/api/v1/files/${parentId}`, { token: otto })
    expect([item.versions.length, item.file.toolChain]).toEqual([1, ['x'.repeat(100)]])
    await call(server, 'DELETE', '/api/v1/files', { token: otto, body: { ids: [parentId] } })
  })

  test('stay within the quota, with any number of concurrent uploads', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => keep(450_000)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...new Array(11).fill(413)])
    expect(await files()).toBe(1)
    expect(readdirSync(join(server.data, 'files'))).toHaveLength(1)
    // The reservations of refused uploads are free again.
    expect((await keep(44_000)).status).toBe(201)
  })

  test('include the size of their records', async () => {
    const statuses = []
    for (let count = 0; count < 30; count++) statuses.push((await keep(1)).status)
    // Five thousand bytes remain: about the size of fifteen records.
    expect(statuses.filter((status) => status === 201).length).toBeLessThan(30)
    expect(statuses.at(-1)).toBe(413)
  })
})

describe('the workspace', () => {
  test('counts arriving bytes, with or without a stated size', async () => {
    const before = filesBelow(workspace())
    const boundary = 'chunks'
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n`
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from(head))
        for (let count = 0; count < 12; count++) controller.enqueue(Buffer.alloc(1_000_000))
        controller.enqueue(Buffer.from(`\r\n--${boundary}--\r\n`))
        controller.close()
      },
    })
    const headers = { authorization: `Bearer ${una}`, 'content-type': `multipart/form-data; boundary=${boundary}` }
    const options = { method: 'POST', headers, body, duplex: 'half' } as RequestInit
    const answer = await fetch(`${server.base}/api/v1/upload`, options)
    expect([answer.status, await answer.json()]).toMatchObject([503, { code: 'workspace-cap' }])
    // The folder is removed after the response.
    await until(() => filesBelow(workspace()).length === before.length)
  })

  test('has a share for each user: one who fills it waits or deletes, and others continue', async () => {
    const { jobId } = (await upload(7_000_000, una)).json
    const { status, json } = await upload(2_000_000, una)
    expect([status, json.code]).toEqual([429, 'RATE_LIMITED'])
    const others = await upload(2_000_000, otto)
    expect(others.status).toBe(200)
    expect((await remove(jobId, otto)).status).toBe(404)
    expect((await remove(jobId, una)).json).toEqual({ ok: true })
    expect(readdirSync(workspace())).toEqual([others.json.jobId])
    expect((await remove(jobId, una)).status).toBe(404)
    expect((await upload(2_000_000, una)).status).toBe(200)
    expect((await remove(others.json.jobId, admin)).json).toEqual({ ok: true })
  })
})

describe('the queue', () => {
  const stopAll = async (token: string) => {
    const { jobs } = (await call(server, 'GET', '/api/v1/jobs', { token })).json
    for (const { jobId } of jobs) expect((await remove(jobId, token)).json).toEqual({ ok: true })
    expect((await call(server, 'GET', '/api/v1/jobs', { token })).json.total).toBe(0)
  }

  test('has slots for others when one has used a share; deleted jobs stop', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => sendEndless(server, una, `job-${index}`)),
    )
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([...new Array(4).fill(202), ...new Array(6).fill(429)])
    expect(answers.find(({ status }) => status === 429)!.json).toMatchObject({ code: 'CONCURRENCY_LIMIT', limit: 4 })
    expect((await sendEndless(server, otto, 'mine')).status).toBe(202)
    await stopAll(una)
    await stopAll(otto)
  })

  test('maxConcurrentJobsPerUser applies to concurrent requests', async () => {
    const set = (limit: number) =>
      call(server, 'PUT', '/api/v1/settings', { token: admin, body: { maxConcurrentJobsPerUser: limit } })
    await set(1)
    const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => sendEndless(server, una, `one-${index}`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([202, ...new Array(7).fill(429)])
    await set(0)
    await stopAll(una)
  })

  test('a clientJobId names one batch, also in concurrent requests', async () => {
    const file = ['file', await smallPicture()] as const
    const parts = [file, ['settings', '{"width":8}'], ['clientJobId', 'twice']] as const
    const batch = () => send(server, '/api/v1/tools/image/resize/batch', parts, una)
    const answers = await Promise.all([batch(), batch(), batch()])
    expect(answers.map(({ status }) => status).filter((status) => status === 409)).toHaveLength(2)
    await stopAll(una)
  })
})

test('a key with another scope cannot access jobs and results', async () => {
  const { jobId, files } = (await upload(10, una)).json
  const body = { permissions: ['settings:read'] }
  const { key } = (await call(server, 'POST', '/api/v1/api-keys', { token: una, body })).json
  const address = `/api/v1/download/${jobId}/${files[0].name}`
  expect((await call(server, 'GET', address, { token: una })).status).toBe(200)
  for (const [method, path] of [
    ['GET', address],
    ['GET', '/api/v1/jobs'],
    ['GET', `/api/v1/jobs/${jobId}`],
    ['GET', `/api/v1/jobs/${jobId}/progress`],
    ['POST', `/api/v1/jobs/${jobId}/cancel`],
    ['DELETE', `/api/v1/jobs/${jobId}`],
  ] as const)
    expect([path, (await call(server, method, path, { token: key })).json.code]).toEqual([path, 'FORBIDDEN'])
})
