/** Links to results that require no account. */
import { beforeAll, expect, test, vi } from 'vitest'
import { rawCall } from '../helpers/http.ts'
import { call, makeUser, send, signIn } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'

const NAME = 'früh & spät.txt'
let server: ServerHere
let admin: string
let owner: string

beforeAll(async () => {
  server = await serveHere()
  admin = await signIn(server)
  owner = await makeUser(server, admin, 'ida')
})

/** A file of a user, and a link to it. */
async function linked(by = owner, body: object | undefined = undefined) {
  const { json } = await send(server, '/api/v1/upload', [['file', { name: NAME, bytes: Buffer.from('abcdef') }]], by)
  const address = `/api/v1/download/${json.jobId}/${encodeURIComponent(NAME)}`
  const answer = await call(server, 'POST', `${address}/link`, { token: by, ...(body && { body }) })
  return { jobId: json.jobId as string, address, answer, url: answer.json.url as string }
}
const get = (path: string, method = 'GET', headers: Record<string, string> = {}) =>
  rawCall(server, { method, path, headers })
const statusOf = async (path: string) => (await get(path)).status
const idOf = async (username: string) => {
  const { users } = (await call(server, 'GET', '/api/auth/users', { token: admin })).json
  return users.find((user: { username: string }) => user.username === username).id as string
}

test('a link needs no account, and is an ordinary download', async () => {
  const { url, address, answer } = await linked()
  expect(answer.status).toBe(200)
  expect(Date.parse(answer.json.expiresAt) - Date.now()).toBeGreaterThan(3_500_000)
  expect(await statusOf(address)).toBe(401)
  const { status, text, headers } = await get(url)
  expect([status, text]).toEqual([200, 'abcdef'])
  expect(headers['content-disposition']).toContain("filename*=UTF-8''fr%C3%BCh%20%26%20sp%C3%A4t.txt")
  expect((await get(url, 'HEAD')).headers['content-length']).toBe('6')
  const part = await get(url, 'GET', { range: 'bytes=2-3' })
  expect([part.status, part.text]).toEqual([206, 'cd'])
  expect((await get(url, 'GET', { 'if-none-match': headers.etag! })).status).toBe(304)
})

test('ends', async () => {
  const { url, answer } = await linked(owner, { expiresInS: 60 })
  const end = Date.parse(answer.json.expiresAt)
  const clock = vi.spyOn(Date, 'now')
  try {
    clock.mockReturnValue(end - 1)
    expect(await statusOf(url)).toBe(200)
    clock.mockReturnValue(end)
    const { status, text } = await get(url)
    expect([status, JSON.parse(text)]).toEqual([410, expect.objectContaining({ code: 'LINK_EXPIRED' })])
  } finally {
    clock.mockRestore()
  }
})

test.each([0, -1, 604_801, 1.5, 'x', null])('refuses %s seconds', async (expiresInS) => {
  expect((await linked(owner, { expiresInS })).answer.status).toBe(400)
})

test('a modified link is invalid, and reveals nothing', async () => {
  const { url } = await linked()
  const other = await linked()
  const changed = [
    url.replace(/until=\d+/, (text) => `until=${Number(text.slice(6)) + 1}`),
    url.replace(/by=[^&]+/, 'by=x'),
    url.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    url.replace(/signature=[^&]+/, 'signature='),
    url.replace(/\?.*/, ''),
    url.replace(/links\/[^/]+/, `links/${other.jobId}`),
    url.replace(/links\/([^/]+)\/[^?]+/, 'links/$1/other.txt'),
    url.replace(/links\/[^/]+/, 'links/no-such-job'),
  ]
  for (const one of changed) expect([one, await statusOf(one)]).toEqual([one, 404])
  expect(await statusOf(`${url.replace(/signature=[^&]+/, '')}signature=${'A'.repeat(200)}`)).toBe(400)
})

test('only users who may fetch a result can create a link to it, and only to an existing one', async () => {
  const { address } = await linked()
  const other = await makeUser(server, admin, 'olaf')
  const make = async (path: string, token?: string) =>
    (await call(server, 'POST', `${path}/link`, { ...(token && { token }) })).status
  expect([await make(address), await make(address, other), await make(address, admin)]).toEqual([401, 404, 200])
  expect(await make(address.replace(/[^/]+$/, 'other.txt'), owner)).toBe(404)
  expect(await make('/api/v1/download/no-such-job/a.txt', owner)).toBe(404)
})

test('ends with the result, and with the account that created it', async () => {
  const leaving = await makeUser(server, admin, 'lea')
  const { url, jobId } = await linked(leaving)
  const second = await linked(leaving)
  expect([await statusOf(url), await statusOf(second.url)]).toEqual([200, 200])
  expect((await call(server, 'DELETE', `/api/v1/jobs/${jobId}`, { token: leaving })).status).toBeLessThan(300)
  expect([await statusOf(url), await statusOf(second.url)]).toEqual([404, 200])
  const id = await idOf('lea')
  const role = (name: string) => call(server, 'PUT', `/api/auth/users/${id}`, { token: admin, body: { role: name } })
  await role('disabled')
  expect(await statusOf(second.url)).toBe(404)
  await role('user')
  expect(await statusOf(second.url)).toBe(200)
  await call(server, 'DELETE', `/api/auth/users/${id}`, { token: admin })
  expect(await statusOf(second.url)).toBe(404)
})

test('uses the public address if configured; works without accounts as well', async () => {
  const environment = { EXTERNAL_URL: 'https://media.example', AUTH_ENABLED: 'false' }
  const open = await serveHere({ environment })
  const file = { name: 'a.txt', bytes: Buffer.from('abc') }
  const { json } = await send(open, '/api/v1/upload', [['file', file]])
  const made = await call(open, 'POST', `/api/v1/download/${json.jobId}/a.txt/link`)
  expect(made.json.url).toMatch(/^https:\/\/media\.example\/api\/v1\/links\//)
  const path = made.json.url.replace('https://media.example', '')
  expect((await rawCall(open, { method: 'GET', path })).text).toBe('abc')
})
