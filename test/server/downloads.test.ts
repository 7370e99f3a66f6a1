import { beforeAll, describe, expect, test } from 'vitest'
import { rawCall } from '../helpers/http.ts'
import { until } from '../helpers/pool.ts'
import { call, makeUser, type Served, send, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'
import { resize } from '../helpers/server-jobs.ts'

const CONTENT = 'abcdefghijklmnopqrstuvwxyz'

let server: Served
let admin: string
let user: string
let address: string

const upload = async (by: string, name = 'letters.txt', at = server): Promise<string> => {
  const file = { name, bytes: Buffer.from(CONTENT) }
  const { status, json } = await send(at, '/api/v1/upload', [['file', file]], by)
  expect([status, json.files]).toEqual([200, [{ name, size: 26, format: name.split('.')[1] ?? '' }]])
  return `/api/v1/download/${json.jobId}/${encodeURIComponent(name)}`
}
const get = (path: string, token: string | undefined = user, headers: Record<string, string> = {}, method = 'GET') =>
  rawCall(server, { method, path, headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers } })

beforeAll(async () => {
  server = await serveHere()
  admin = await signIn(server)
  user = await makeUser(server, admin, 'ida')
  address = await upload(user)
})

test('a download is an attachment of the correct type without caching', async () => {
  const { status, headers, text } = await get(address)
  expect([status, text]).toEqual([200, CONTENT])
  expect(headers).toMatchObject({
    ...{ 'content-type': 'text/plain; charset=utf-8', 'content-length': '26', 'accept-ranges': 'bytes' },
    'content-disposition': `attachment; filename="letters.txt"; filename*=UTF-8''letters.txt`,
    ...{ 'cache-control': 'private, no-store', 'x-accel-buffering': 'no', 'x-content-type-options': 'nosniff' },
  })
  const html = await get(await upload(user, 'page.html'))
  expect(html.headers['content-disposition']).toMatch(/^attachment/)
  expect(html.headers['content-security-policy']).toBe("default-src 'none'")
  expect((await get(await upload(user, 'odd.zzz'))).headers['content-type']).toBe('application/octet-stream')
})

describe('ranges', () => {
  test.each([
    ['bytes=0-0', 'a', 'bytes 0-0/26'],
    ['bytes=2-4', 'cde', 'bytes 2-4/26'],
    ['bytes=20-', 'uvwxyz', 'bytes 20-25/26'],
    ['bytes=20-999', 'uvwxyz', 'bytes 20-25/26'],
    ['bytes=-3', 'xyz', 'bytes 23-25/26'],
    ['bytes=-999', CONTENT, 'bytes 0-25/26'],
  ])('%s', async (range, text, contentRange) => {
    const answer = await get(address, user, { range })
    expect([answer.status, answer.text, answer.headers['content-range']]).toEqual([206, text, contentRange])
    expect(answer.headers['content-length']).toBe(String(text.length))
  })

  test.each(['bytes=26-', 'bytes=30-40', 'bytes=5-2', 'bytes=-0', 'bytes=-', 'bytes=a-b'])(
    '%s cannot be satisfied',
    async (range) => {
      const { status, headers, text } = await get(address, user, { range })
      expect([status, headers['content-range']]).toEqual([416, 'bytes */26'])
      expect(JSON.parse(text).code).toBe('RANGE_NOT_SATISFIABLE')
      expect(headers).not.toHaveProperty('content-disposition')
    },
  )

  test('answers several with the whole file; HEAD ignores ranges', async () => {
    for (const range of ['bytes=0-1,4-5', 'letters=1-2'])
      expect(await get(address, user, { range })).toMatchObject({ status: 200, text: CONTENT })
    for (const range of [undefined, 'bytes=2-4']) {
      const { status, headers, text } = await get(address, user, range ? { range } : {}, 'HEAD')
      expect([status, headers['content-length'], text]).toEqual([200, '26', ''])
    }
  })
})

describe('conditional requests', () => {
  test('do not resend the file, and never continue another one', async () => {
    const { headers } = await get(address)
    const { etag, 'last-modified': modified } = headers as { etag: string; 'last-modified': string }
    expect(etag).toMatch(/^"[\w-]{22}"$/)
    expect(Math.abs(Date.parse(modified) - Date.now())).toBeLessThan(600_000)
    const conditions: Record<string, string>[] = [
      { 'if-none-match': `"x", W/${etag}` },
      { 'if-none-match': '*' },
      { 'if-modified-since': modified },
    ]
    for (const known of conditions)
      for (const method of ['GET', 'HEAD']) {
        const answer = await get(address, user, known, method)
        expect([answer.status, answer.text, answer.headers.etag]).toEqual([304, '', etag])
        expect(answer.headers).not.toHaveProperty('content-disposition')
      }
    const earlier = new Date(Date.parse(modified) - 1000).toUTCString()
    const others: Record<string, string>[] = [
      { 'if-none-match': '"x"' },
      // The tag decides if both are sent.
      { 'if-none-match': '"x"', 'if-modified-since': modified },
      { 'if-modified-since': earlier },
      { 'if-modified-since': 'soon' },
    ]
    for (const other of others) expect(await get(address, user, other)).toMatchObject({ status: 200, text: CONTENT })
    const part = { range: 'bytes=2-4' }
    for (const known of [etag, modified])
      expect(await get(address, user, { ...part, 'if-range': known })).toMatchObject({ status: 206, text: 'cde' })
    for (const other of ['"x"', `W/${etag}`, earlier])
      expect(await get(address, user, { ...part, 'if-range': other })).toMatchObject({ status: 200, text: CONTENT })
    // The same name in another folder is another file.
    expect((await get(await upload(user))).headers.etag).not.toBe(etag)
  })
})

describe('access', () => {
  test('is for the owner, for files:all and by the cookie; others get 404', async () => {
    expect((await get(address, '')).status).toBe(401)
    expect((await get(address, 'wrong')).status).toBe(401)
    const stranger = await makeUser(server, admin, 'jens')
    const [foreign, unknown] = [await get(address, stranger), await get(`${address}x`)]
    expect([foreign.status, foreign.text]).toEqual([404, '{"error":"Not found","code":"NOT_FOUND"}'])
    expect(unknown.text).toBe(foreign.text)
    expect((await get(address, admin)).status).toBe(200)
    expect((await get(address, '', { cookie: `mediaproc-session=${user}` })).text).toBe(CONTENT)
  })

  test('returns 404 for an id that the client chose', async () => {
    const { json } = await resize(server, user, { clientJobId: 'chosen' })
    const name = json.downloadUrl.split('/').at(-1)
    expect((await get(json.downloadUrl)).status).toBe(200)
    expect((await get(`/api/v1/download/chosen/${name}`)).status).toBe(404)
  })

  test('DOWNLOAD_AUTH=capability: anyone who knows the address, with any credential', async () => {
    const open = await serveHere({ environment: { DOWNLOAD_AUTH: 'capability' } })
    const owner = await signIn(open)
    const path = await upload(owner, 'letters.txt', open)
    const stranger = await makeUser(open, owner, 'kurt')
    for (const token of [undefined, 'wrong', stranger, owner])
      expect((await call(open, 'GET', path, token ? { token } : {})).bytes.toString()).toBe(CONTENT)
    expect((await call(open, 'GET', `${path}x`)).status).toBe(404)
    expect((await call(open, 'GET', `/api/v1/jobs/${path.split('/')[4]}`)).status).toBe(401)
  })

  test.each([
    '..%2f..%2faccounts.json',
    '%2e%2e%2f%2e%2e%2faccounts.json',
    '..%5c..%5caccounts.json',
    'a%2fb',
    'a%00b',
    '%2e%2e',
  ])('returns 404 for %s', async (name) => {
    const { status, text } = await get(address.replace('letters.txt', name))
    expect([status, JSON.parse(text).code]).toEqual([400, 'VALIDATION_ERROR'])
  })

  test('404 for other ids and for dots in the path', async () => {
    for (const path of ['/api/v1/download/..%2f/accounts.json', '/api/v1/download/%2e%2e/x', '/api/v1/download/a..b/x'])
      expect([path, (await get(path)).status]).toEqual([path, 400])
    const id = address.split('/')[4]
    for (const path of [`/api/v1/download/${id}/../../accounts.json`, `/api/v1/download/${id}/job.json`])
      expect([path, (await get(path)).status]).toEqual([path, 404])
  })
})

test('removes results when they expire: the setting applies, and the sweep at the start removes them', async () => {
  const first = await serveHere({ environment: { FILE_MAX_AGE_HOURS: '0.0005' } })
  const owner = await signIn(first)
  const short = (await resize(first, owner)).json
  await call(first, 'PUT', '/api/v1/settings', { token: owner, body: { tempFileMaxAgeHours: 1 } })
  const long = (await resize(first, owner)).json
  const job = async (at: Served, id: string) => (await call(at, 'GET', `/api/v1/jobs/${id}`, { token: owner })).json
  const { expiresAt } = await job(first, short.jobId)
  expect(Date.parse((await job(first, long.jobId)).expiresAt) - Date.now()).toBeGreaterThan(3_000_000)
  await until(() => Date.parse(expiresAt) < Date.now())
  await first.stop()
  const second = await serveHere({ data: first.data })
  const statusOf = async (url: string) => (await call(second, 'GET', url, { token: owner })).status
  expect([await statusOf(short.downloadUrl), await statusOf(long.downloadUrl)]).toEqual([404, 200])
  expect(await job(second, short.jobId)).toMatchObject({ status: 'completed', result: short, expiresAt })
  const stream = await call(second, 'GET', `/api/v1/jobs/${short.jobId}/progress`, { token: owner })
  const frame = JSON.parse(stream.bytes.toString().slice('data: '.length))
  expect(frame).toMatchObject({ phase: 'failed', error: expect.stringContaining('run it again') })
})
