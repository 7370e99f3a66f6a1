/** Changes in the audit log, and its verification. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { runProgramHere } from '../helpers/program-here.ts'
import { call, makeUser, signIn } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'

let server: ServerHere
let admin: string

beforeAll(async () => {
  server = await serveHere()
  admin = await signIn(server)
})

const ask = async (method: 'GET' | 'PUT' | 'POST', path: string, body?: object) =>
  (await call(server, method, path, { token: admin, ...(body && { body }) })).json
/** The details of the newest entry. */
const detailsOf = async (action: string) =>
  (await ask('GET', `/api/v1/audit-log?action=${action}&limit=1`)).entries[0].details

test('logs a change of a user, a role, a team or a setting with old and new values, and only the changed ones', async () => {
  await makeUser(server, admin, 'lisa')
  const { users } = await ask('GET', '/api/auth/users')
  const { id } = users.find(({ username }: { username: string }) => username === 'lisa')
  await ask('PUT', `/api/auth/users/${id}`, { role: 'editor', email: 'lisa@example.com' })
  expect(await detailsOf('USER_UPDATED')).toEqual({
    role: 'editor',
    before: { role: 'user', email: null },
    after: { role: 'editor', email: 'lisa@example.com' },
  })
  const role = await ask('POST', '/api/v1/roles', { name: 'press', permissions: ['tools:use'] })
  await ask('PUT', `/api/v1/roles/${role.id}`, { permissions: ['tools:use', 'files:own'] })
  expect(await detailsOf('ROLE_UPDATED')).toMatchObject({
    before: { permissions: ['tools:use'] },
    after: { permissions: ['tools:use', 'files:own'] },
  })
  const team = await ask('POST', '/api/v1/teams', { name: 'Desk', retentionHours: 24 })
  await ask('PUT', `/api/v1/teams/${team.id}`, { retentionHours: 48 })
  const { before, after } = await detailsOf('TEAM_UPDATED')
  expect([before, after]).toEqual([{ retentionHours: 24 }, { retentionHours: 48 }])
  await ask('PUT', '/api/v1/settings', { mfaPolicy: 'admins_only', mine: 'a token', disabledTools: '[]' })
  await ask('PUT', '/api/v1/settings', { mfaPolicy: 'optional', disabledTools: JSON.stringify(['x'.repeat(300)]) })
  expect(await detailsOf('SETTINGS_UPDATED')).toEqual({
    keys: ['mfaPolicy', 'disabledTools'],
    before: { mfaPolicy: 'admins_only', disabledTools: '[]' },
    after: { mfaPolicy: 'optional', disabledTools: '304 characters' },
  })
  expect(JSON.stringify((await ask('GET', '/api/v1/audit-log?limit=100')).entries)).not.toContain('a token')
})

test('`admin audit verify` reads the log of a running server, and reports altered entries', async () => {
  const verify = (...hash: string[]) =>
    runProgramHere(['admin', 'audit', 'verify', ...hash, '--data', server.data], { cwd: server.data })
  await ask('PUT', '/api/v1/settings', { tamperResistantAudit: 'true' })
  const whole = await verify()
  expect([whole.code, whole.stderr]).toEqual([0, expect.stringContaining('the audit log is intact')])
  const head = /last entry: ([0-9a-f]{64})/.exec(whole.stdout)![1]!
  await ask('PUT', '/api/v1/settings', { defaultLocale: 'de' })
  expect((await verify(head)).code).toBe(0)
  expect((await verify('abc')).code).toBe(2)
  expect((await verify('ab'.repeat(32))).stderr).toContain('is not in the log')

  const folder = join(server.data, 'audit')
  const path = join(folder, readdirSync(folder)[0]!)
  await server.stop()
  writeFileSync(path, readFileSync(path, 'utf8').replace('"lisa@example.com"', '"eve@example.com"'))
  const altered = await verify()
  expect(altered.code).toBe(1)
  expect(altered.stderr).toMatch(/line \d+ \(.*\): the entry does not follow the one before it/)
  expect((await runProgramHere(['admin', 'audit'], { cwd: server.data })).code).toBe(2)
  const nowhere = ['admin', 'audit', 'verify', '--data', join(server.data, 'nowhere')]
  expect((await runProgramHere(nowhere, { cwd: server.data })).stderr).toContain('has no audit log of a server')

  // With the setting enabled, a start reports it in the server's log.
  server = await serveHere({ data: server.data, environment: { LOG_LEVEL: 'error' } })
  const log = join(server.context.config.logFolder, 'mediaproc.log')
  await expect.poll(() => readFileSync(log, 'utf8')).toContain('the audit log is not as it was written')
})
