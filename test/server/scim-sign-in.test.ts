/** Users of SCIM who sign in with a real OpenID provider: one account, whose end is that of its sessions. */
import { beforeAll, expect, test } from 'vitest'
import { Browser } from '../helpers/browser.ts'
import { CLIENT, type Claims, startProvider, type TestProvider } from '../helpers/openid-provider.ts'
import { call, signIn } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'

const PUBLIC = 'https://media.example'
const USERS = '/api/v1/scim/v2/Users'

let provider: TestProvider
let server: ServerHere
let admin: string
let token: string

beforeAll(async () => {
  provider = await startProvider(`${PUBLIC}/api/auth/oidc/callback`)
  const environment = {
    ...{ OIDC_ENABLED: 'true', OIDC_ISSUER_URL: provider.issuer, OIDC_CLIENT_ID: CLIENT.client_id },
    ...{ OIDC_CLIENT_SECRET: CLIENT.client_secret, EXTERNAL_URL: PUBLIC },
    OIDC_ROLE_MAPPING: '{"media-admins":"admin","press":"editor"}',
  }
  server = await serveHere({ environment })
  admin = await signIn(server)
  token = (await call(server, 'POST', '/api/v1/enterprise/scim/token', { token: admin })).json.token
})

/** Signs in at the provider as a user with these claims. */
async function enter(login: string, claims: Claims) {
  provider.users.set(login, claims)
  const browser = new Browser({ [PUBLIC]: server.base })
  const isAfter = (url: string) => url === `${PUBLIC}/` || url.startsWith(`${PUBLIC}/login`)
  const page = await browser.go(`${PUBLIC}/api/auth/oidc/login`, isAfter)
  const action = /action="([^"]+)"/.exec(page.body)![1]!
  const { url } = await browser.go(new URL(action, page.url).href, isAfter, { form: { login } })
  const session = browser.cookies.get(PUBLIC)?.get('mediaproc-session')
  const answer = session ? await call(server, 'GET', '/api/auth/session', { token: session }) : undefined
  return { error: new URL(url).searchParams.get('error'), session, user: answer?.json.user }
}

const create = async (body: object) => (await call(server, 'POST', USERS, { token, body })).json
const setActive = (id: string, value: boolean) =>
  call(server, 'PATCH', `${USERS}/${id}`, {
    token,
    body: { Operations: [{ op: 'replace', value: { active: value } }] },
  })
const address = (email: string, more: Claims = {}) => ({ email, email_verified: true, ...more })

test('the account is found by the address without automatic linking, and the groups set its role', async () => {
  const made = await create({ userName: 'ada', emails: [{ value: 'Ada@company.example', primary: true }] })
  const { user } = await enter('ada', address('ada@company.example', { groups: ['press'] }))
  expect(user).toMatchObject({
    id: made.id,
    username: 'ada',
    role: 'editor',
    authProvider: 'scim',
    loginMethod: 'oidc',
  })
  expect(user).toMatchObject({ hasLocalPassword: false, hasOidcLink: true })
  const { entries } = (await call(server, 'GET', '/api/v1/audit-log?limit=3', { token: admin })).json
  expect(entries.map(({ action }: { action: string }) => action)).toEqual([
    ...['OIDC_LOGIN_SUCCESS', 'USER_UPDATED', 'OIDC_USER_LINKED'],
  ])
  // The second time it is found by the id of the provider, and the groups count again.
  const again = await enter('ada', { groups: [] })
  expect(again.user).toMatchObject({ id: made.id, role: 'user' })
})

test('a user without an address is found by a userName that is one', async () => {
  const made = await create({ userName: 'Ben@company.example' })
  const { user } = await enter('ben', address('ben@company.example'))
  expect(user).toMatchObject({ id: made.id, username: 'ben_company.example' })
})

test('who is disabled by the provider is out at once, and does not come in as a new account', async () => {
  const { id } = await create({ userName: 'cleo@company.example' })
  const { session, user } = await enter('cleo', address('cleo@company.example'))
  expect(user.id).toBe(id)
  const { key } = (await call(server, 'POST', '/api/v1/api-keys', { token: session!, body: {} })).json
  expect((await call(server, 'GET', '/api/v1/files', { token: key })).status).toBe(200)
  expect((await setActive(id, false)).json.active).toBe(false)
  for (const credential of [session!, key])
    expect((await call(server, 'GET', '/api/v1/files', { token: credential })).status).toBe(401)
  expect((await enter('cleo', address('cleo@company.example'))).error).toBe('oidc_user_not_authorized')
  // Nor with another id of the provider.
  expect((await enter('cleo-2', address('cleo@company.example'))).error).toBe('oidc_user_not_authorized')
  await setActive(id, true)
  expect((await enter('cleo', {})).user).toMatchObject({ id, role: 'user' })
  expect((await call(server, 'GET', '/api/v1/files', { token: key })).status).toBe(401)
})

test('an address that is not verified, or that two users have, links to nobody', async () => {
  const { id } = await create({ userName: 'dan@company.example' })
  const other = await enter('dan', { email: 'dan@company.example', preferred_username: 'stranger' })
  expect(other.user).toMatchObject({ username: 'stranger', authProvider: 'oidc' })
  await create({ userName: 'second', emails: [{ value: 'dan@company.example' }] })
  const third = await enter('dan-2', address('dan@company.example', { preferred_username: 'third' }))
  expect(third.user).toMatchObject({ username: 'third', authProvider: 'oidc' })
  expect([other.user.id, third.user.id]).not.toContain(id)
})

test('users of this server are not linked, and a service account never is', async () => {
  const body = { username: 'eve', password: 'First-Passw0rd-1', email: 'eve@company.example' }
  const { id } = (await call(server, 'POST', '/api/auth/register', { token: admin, body })).json
  const { user } = await enter('eve', address('eve@company.example', { preferred_username: 'other-eve' }))
  expect(user).toMatchObject({ username: 'other-eve', authProvider: 'oidc' })
  expect(user.id).not.toBe(id)
  const made = await call(server, 'POST', '/api/v1/service-accounts', { token: admin, body: { name: 'robot' } })
  await server.context.store.users.update(made.json.id, { email: 'robot@company.example' })
  const robot = await enter('robot', address('robot@company.example', { preferred_username: 'robot' }))
  expect(robot.user).toMatchObject({ username: 'robot_2', authProvider: 'oidc' })
})

test('an administrator by the groups of the provider is no longer changed by SCIM', async () => {
  const { id } = await create({ userName: 'finn@company.example' })
  const { user } = await enter('finn', address('finn@company.example', { groups: ['media-admins'] }))
  expect(user).toMatchObject({ id, role: 'admin' })
  expect((await setActive(id, false)).status).toBe(403)
})
