/** Sessions, the IP allow list, and the export of the audit log. */
import { beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { addressList, allowsAddress } from '../../src/server/http/ip-allow-list.ts'
import { call, makeUser, PASSWORD, type Served, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'

let server: Served
let admin: string

beforeAll(async () => {
  server = await serveHere({ environment: { TRUST_PROXY: 'true' } })
  admin = await signIn(server)
})

const login = async (username: string) =>
  (await call(server, 'POST', '/api/auth/login', { body: { username, password: PASSWORD } })).json.token as string
const status = async (token: string) => (await call(server, 'GET', '/api/auth/session', { token })).status
const from = (address: string, path: string, token = admin) =>
  fetch(server.base + path, { headers: { 'x-forwarded-for': address, authorization: `Bearer ${token}` } })

test('lists sessions with their origin; ends them one by one, all others, or by an administrator', async () => {
  const first = await makeUser(server, admin, 'lisa')
  const headers = { 'content-type': 'application/json', 'user-agent': 'x'.repeat(300), 'x-forwarded-for': '10.1.2.3' }
  const body = JSON.stringify({ username: 'lisa', password: PASSWORD })
  const answer = await fetch(`${server.base}/api/auth/login`, { method: 'POST', headers, body })
  const { token: second } = (await answer.json()) as { token: string }
  const third = await login('lisa')
  const { sessions } = (await call(server, 'GET', '/api/auth/sessions', { token: third })).json
  expect(sessions.map(({ isCurrent }: { isCurrent: boolean }) => isCurrent)).toEqual([true, false, false])
  expect(sessions[1]).toMatchObject({ ipAddress: '10.1.2.3', userAgent: 'x'.repeat(200), loginMethod: 'local' })
  const end = (id: string, token: string) => call(server, 'DELETE', `/api/auth/sessions/${id}`, { token })
  // Of another user, and none.
  expect([(await end(sessions[1].id, admin)).status, (await end('x', third)).status]).toEqual([404, 404])
  await end(sessions[1].id, third)
  expect([await status(first), await status(second), await status(third)]).toEqual([200, 401, 200])
  await call(server, 'DELETE', '/api/auth/sessions', { token: third })
  expect([await status(first), await status(third)]).toEqual([401, 200])
  const { users } = (await call(server, 'GET', '/api/auth/users', { token: admin })).json
  const { id } = users.find(({ username }: { username: string }) => username === 'lisa')
  const path = `/api/auth/users/${id}/sessions`
  expect((await call(server, 'GET', path, { token: admin })).json.sessions).toHaveLength(1)
  await call(server, 'DELETE', path, { token: admin })
  expect(await status(third)).toBe(401)
})

test('answers only listed addresses, except for health; users cannot lock themselves out', async () => {
  const set = async (list: unknown, address: string) => {
    const headers = { 'x-forwarded-for': address, authorization: `Bearer ${admin}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ ipAllowList: list })
    return (await fetch(`${server.base}/api/v1/settings`, { method: 'PUT', headers, body })).status
  }
  expect(await set(['10.0.0.0/8'], '192.0.2.1')).toBe(400)
  for (const list of [['10.0.0.0/33'], ['ten'], ['10.0.0.1/8/8'], ['::/129'], 'x', [1]])
    expect([list, await set(list, '10.0.0.1')]).toEqual([list, 400])
  expect(await set(['10.0.0.0/8', '2001:db8::/32'], '10.0.0.1')).toBe(200)
  const answers = async (path: string, addresses: string[]) =>
    Promise.all(addresses.map(async (address) => (await from(address, path)).status))
  const addresses = ['10.9.9.9', '2001:db8::7', '::ffff:10.0.0.1', '192.0.2.1', '2001:db9::1']
  expect(await answers('/api/v1/tools', addresses)).toEqual([200, 200, 200, 403, 403])
  expect(await answers('/api/v1/config/auth', addresses.slice(3))).toEqual([403, 403])
  expect(await answers('/api/v1/no-such-path', addresses.slice(3))).toEqual([403, 403])
  expect(await answers('/api/v1/readyz', addresses.slice(3))).toEqual([200, 200])
  expect(await set([], '10.0.0.1')).toBe(200)
  expect(await answers('/api/v1/tools', addresses)).toEqual([200, 200, 200, 200, 200])
})

test('an unreadable list admits no address', () => {
  expect([addressList('{'), allowsAddress('{', '10.0.0.1')]).toEqual([undefined, false])
  expect([allowsAddress('["10.0.0.1"]', 'unknown'), allowsAddress('["fe80::1"]', 'fe80::1%eth0')]).toEqual([
    false,
    true,
  ])
})

test('exports the audit log as a file: as much as fits, quoted, and without formulas', async () => {
  // A name that a spreadsheet would execute.
  const body = { username: '=cmd|x,"y"', password: 'wrong' }
  await call(server, 'POST', '/api/auth/login', { body })
  const path = '/api/v1/enterprise/audit/export?action=LOGIN_FAILED'
  const csv = await call(server, 'GET', path, { token: admin })
  expect(csv.headers.get('content-disposition')).toContain('audit-log.csv')
  const [head, line] = csv.bytes.toString().split('\r\n')
  expect(head).toBe('id,createdAt,action,actorId,actorUsername,targetType,targetId,ipAddress,details')
  expect(line).toContain(`,LOGIN_FAILED,,"'=cmd|x,""y""",`)
  const list = parse((await call(server, 'GET', `${path}&format=json`, { token: admin })).bytes.toString())
  const { json } = await call(server, 'GET', '/api/v1/audit-log?action=LOGIN_FAILED', { token: admin })
  expect(list).toEqual(json.entries)
  expect((await call(server, 'GET', '/api/v1/audit-log?action=AUDIT_EXPORTED', { token: admin })).json.total).toBe(2)
  expect(
    (await call(server, 'GET', '/api/v1/enterprise/audit/export?action=none&format=json', { token: admin })).json,
  ).toEqual([])
  const without = await serveHere({ environment: { MEDIAPROC_FEATURES: 'mfa' } })
  const refused = await call(without, 'GET', path, { token: await signIn(without) })
  expect([refused.status, refused.json.code]).toEqual([403, 'FEATURE_NOT_LICENSED'])
})

test('no request changes or removes an entry of the audit log', async () => {
  const { json } = await call(server, 'GET', '/api/v1/audit-log', { token: admin })
  for (const method of ['DELETE', 'PUT', 'PATCH', 'POST'])
    for (const path of ['/api/v1/audit-log', `/api/v1/audit-log/${json.entries[0].id}`])
      expect((await call(server, method, path, { token: admin, body: {} })).status).toBe(404)
})
