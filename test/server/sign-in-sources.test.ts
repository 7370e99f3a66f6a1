/** Where accounts come from, as administrators see it. */
import { expect, test } from 'vitest'
import { everySignIn } from '../helpers/every-sign-in.ts'
import { call, makeUser, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'

const PATH = '/api/v1/admin/sign-in-sources'

test('a server without providers has passwords alone, until a SCIM token is made', async () => {
  const server = await serveHere()
  const admin = await signIn(server)
  const sources = async () => (await call(server, 'GET', PATH, { token: admin })).json.sources
  const enabled = async () =>
    (await sources()).flatMap(({ kind, enabled: on }: { kind: string; enabled: boolean }) => (on ? [kind] : []))
  expect((await sources()).map(({ kind }: { kind: string }) => kind)).toEqual([
    ...['password', 'ldap', 'oidc', 'saml', 'header', 'scim', 'machine', 'device'],
  ])
  expect(await enabled()).toEqual(['password', 'device'])
  await call(server, 'POST', '/api/v1/enterprise/scim/token', { token: admin })
  expect(await enabled()).toEqual(['password', 'scim', 'device'])
  expect((await sources())[5]).toMatchObject({ createsUsers: true, since: expect.stringMatching(/Z$/) })
  const user = await makeUser(server, admin, 'sina')
  expect((await call(server, 'GET', PATH, { token: user })).status).toBe(403)
})

test('names and addresses of providers are shown, and none of their secrets', async () => {
  const environment = { ...everySignIn(), OIDC_CLIENT_SECRET: 'only-the-server-knows' }
  const server = await serveHere({ environment })
  const { json, bytes } = await call(server, 'GET', PATH, { token: await signIn(server) })
  const found = Object.fromEntries(json.sources.map((source: { kind: string }) => [source.kind, source]))
  expect(found.oidc).toMatchObject({ enabled: true, address: 'http://127.0.0.1:9' })
  expect(found.saml).toMatchObject({ enabled: true })
  expect(bytes.toString()).not.toMatch(/only-the-server-knows|BEGIN/)
})

test('the actions of the audit log are those that it has', async () => {
  const server = await serveHere()
  const admin = await signIn(server)
  const { actions } = (await call(server, 'GET', '/api/v1/audit-log/actions', { token: admin })).json
  const { entries } = (await call(server, 'GET', '/api/v1/audit-log', { token: admin })).json
  for (const { action } of entries) expect(actions).toContain(action)
  expect(actions.length).toBeGreaterThan(50)
})
