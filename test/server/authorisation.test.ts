/**
 * The matrix of who may call what, made from the description of the API: every route against nobody, each role, sessions and
 * keys that are dead, keys with a scope, and strangers who name the records of others. A route that the description does
 * not say enough of fails here.
 */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { BUILT_IN_ROLES, PERMISSIONS, type Permission } from '../../src/accounts/directory/permissions.ts'
import { everySignIn } from '../helpers/every-sign-in.ts'
import { plain } from '../helpers/picture.ts'
import { startPostgres } from '../helpers/postgres.ts'
import { startRedis } from '../helpers/redis.ts'
import { call, makeUser, PASSWORD, send, signIn } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'
import { temporaryFolder } from '../helpers/tool.ts'

/** Servers that the test starts for the store of several servers. */
const started: { stop(): Promise<void> }[] = []
afterAll(async () => {
  for (const one of started) await one.stop()
})

async function severalServers(): Promise<Record<string, string>> {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()])
  started.push(postgres, redis)
  const SHARED_DIR = mkdtempSync(join(temporaryFolder(), 'shared-'))
  return { DATABASE_URL: await postgres.database(), REDIS_URL: redis.url, SHARED_DIR }
}

/** Where the records are, and the environment for it. */
const STORES: [string, () => Promise<Record<string, string>>][] = [
  ['files', async () => ({})],
  ['PostgreSQL, Redis and a shared folder', severalServers],
]

interface Route {
  method: string
  path: string
  id: string
  access: string
}

/** A caller: a credential, and what may be done with it. */
interface Identity {
  name: string
  token?: string
  /** Undefined: the credential is no longer one. */
  permissions?: readonly Permission[]
  /** What it gets then. */
  refusal?: '401' | '403'
  isKey?: boolean
  /** The one section whose tools the role includes. */
  section?: string
}

let server: ServerHere
let admin: string
let routes: Route[]
let identities: Identity[]

const idOf = async (username: string): Promise<string> => {
  const { users } = (await call(server, 'GET', '/api/auth/users', { token: admin })).json
  return users.find((user: { username: string }) => user.username === username).id
}
const login = async (username: string): Promise<string> =>
  (await call(server, 'POST', '/api/auth/login', { body: { username, password: PASSWORD } })).json.token
const makeKey = async (token: string, permissions?: Permission[]) =>
  (await call(server, 'POST', '/api/v1/api-keys', { token, body: { name: 'key', permissions } })).json as {
    id: string
    key: string
  }

async function makeIdentities(): Promise<Identity[]> {
  const users = { user: 'ulla', editor: 'erik', admin: 'anna' } as const
  const roles: Identity[] = []
  for (const [role, username] of Object.entries(users) as ['user' | 'editor' | 'admin', string][])
    roles.push({
      name: role,
      token: await makeUser(server, admin, username, role),
      permissions: BUILT_IN_ROLES[role],
    })
  const held: Permission[] = ['tools:use', 'files:own', 'audit:read', 'teams:manage']
  const body = { name: 'auditor', permissions: held, toolPermissions: { mode: 'category', allowed: ['audio'] } }
  await call(server, 'POST', '/api/v1/roles', { token: admin, body })
  roles.push({
    ...{ name: 'a role of our own', token: await makeUser(server, admin, 'otto', 'auditor') },
    ...{ permissions: held, section: 'audio' },
  })
  const disabled = await makeUser(server, admin, 'dora')
  const disabledKey = await makeKey(disabled)
  await call(server, 'PUT', `/api/auth/users/${await idOf('dora')}`, { token: admin, body: { role: 'disabled' } })
  const ended = await login('ulla')
  await call(server, 'POST', '/api/auth/logout', { token: ended })
  const revoked = await makeKey(admin)
  await call(server, 'DELETE', `/api/v1/api-keys/${revoked.id}`, { token: admin })
  const whole = await makeKey(roles[2]!.token!)
  const scope: Permission[] = ['settings:read']
  const scoped = await makeKey(roles[2]!.token!, scope)
  return [
    { name: 'nobody' },
    { name: 'an ended session', token: ended },
    { name: 'a session of a disabled user', token: disabled },
    { name: 'a key of a disabled user', token: disabledKey.key, refusal: '403' },
    { name: 'a revoked key', token: revoked.key },
    ...roles,
    { name: 'a key of an administrator', token: whole.key, permissions: PERMISSIONS, isKey: true },
    { name: 'a key for reading settings', token: scoped.key, permissions: scope, isKey: true },
  ]
}

/** What the guard owes an identity: 401, 403, or the route itself, whatever that makes of an empty request. */
function owed(
  { access, id, path }: Route,
  { permissions, refusal = '401', isKey, section }: Identity,
): '401' | '403' | 'the route' {
  if (access === 'public') return 'the route'
  // The token of the provider is no credential of a user, and no user's credential is that token.
  if (access === 'scim') return '401'
  if (permissions === undefined) return refusal
  // A key has no session to speak of.
  if (id === 'getAuthSession' && isKey) return '401'
  if (access === 'auth') return 'the route'
  if (access === 'session') return isKey ? '403' : 'the route'
  // The second part is none for html-to-image, which has two addresses.
  const [, of] = /^\/api\/v1\/tools\/(?:(\w+)\/)?[\w-]+/.exec(path) ?? []
  if (section && path.startsWith('/api/v1/tools/') && access === 'tools:use' && of !== section) return '403'
  return permissions.includes(access as Permission) ? 'the route' : '403'
}

describe.each(STORES)('with %s', (_name, environmentOf) => {
  beforeAll(async () => {
    // With providers that are not there: their routes are asked, too.
    server = await serveHere({ environment: { ...everySignIn(), ...(await environmentOf()) } })
    admin = await signIn(server)
    const { bytes } = await call(server, 'GET', '/api/v1/openapi.yaml')
    const { paths } = parse(bytes.toString()) as {
      paths: Record<string, Record<string, { operationId: string; 'x-access': string }>>
    }
    routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        ...{ method: method.toUpperCase(), path, id: operation.operationId, access: operation['x-access'] },
      })),
    )
    identities = await makeIdentities()
  })

  test('every route says who may call it', () => {
    const known = new Set<string>(['public', 'auth', 'session', 'scim', ...PERMISSIONS])
    expect(routes.filter(({ access }) => !known.has(access))).toEqual([])
    expect(routes.length).toBeGreaterThan(300)
    const ids = routes.map(({ id }) => id)
    const elsewhere = ['getAuthOidcLogin', 'getAuthOidcCallback', 'getAuthSamlLogin', 'getAuthSamlMetadata']
    expect(ids).toEqual(
      expect.arrayContaining([...elsewhere, 'postAuthSamlCallback', 'postAuthMfaComplete', 'getRoles', 'postMcp']),
    )
  })

  test('every route against every identity', { timeout: 180_000 }, async () => {
    const wrong: string[] = []
    const ask = async (identity: Identity): Promise<void> => {
      for (const route of routes) {
        // It would end the session that the next routes are asked with.
        if (route.id === 'postAuthLogout' && identity.permissions) continue
        const path = route.path.replaceAll(/\{\w+\}/g, 'none')
        // A stream of progress waits for a job that is not there yet.
        const method = route.id === 'getJobsByJobIdProgress' ? 'HEAD' : route.method
        // It would go to another site.
        if (route.id === 'getAuthSamlLogin') continue
        const { status, json } = await call(server, method, path, identity.token ? { token: identity.token } : {})
        const isRefused = status === 401 || status === 403
        const found = isRefused ? String(status) : 'the route'
        if (found !== owed(route, identity)) wrong.push(`${identity.name}: ${route.id}: ${found} ${json?.code}`)
        if (status >= 500 && status !== 501) wrong.push(`${identity.name}: ${route.id}: ${status}`)
      }
    }
    // Waiting for answers takes longer than making them.
    await Promise.all(identities.map(ask))
    expect(wrong).toEqual([])
  })

  describe('records of others', () => {
    /** Routes that name a record which has an owner, by the beginning of their addresses. */
    const owned: Record<string, () => string> = {}
    /** Those that name what belongs to the instance. */
    const SHARED = [
      '/api/v1/settings/',
      '/api/v1/meme-templates/',
      '/api/v1/admin/',
      '/api/auth/users/',
      '/api/v1/roles/',
      '/api/v1/teams/',
      '/api/v1/tools/',
      '/api/v1/service-accounts/',
      '/api/v1/scim/',
      '/api/v1/opened-files/',
    ]

    beforeAll(async () => {
      const owner = await makeUser(server, admin, 'olaf')
      const png = await plain(8, 6, '#ff0000').png().toBuffer()
      const file = ['file', { name: 'a.png', bytes: png }] as const
      const item = (await send(server, '/api/v1/files/upload', [file], owner)).json.files[0].id
      const job = (await send(server, '/api/v1/tools/image/resize', [file, ['settings', '{"width":4}']], owner)).json
      const body = { name: 'mine', steps: [{ toolId: 'resize', settings: { width: 4 } }] }
      const pipeline = (await call(server, 'POST', '/api/v1/pipeline/save', { token: owner, body })).json.id
      const key = await makeKey(owner)
      const session = (await call(server, 'GET', '/api/auth/sessions', { token: owner })).json.sessions[0].id
      const { passkeys } = server.context.store
      const passkey = { id: 'made-here', userId: await idOf('olaf'), publicKey: 'k', counter: 0, transports: [] }
      await passkeys.put({
        ...passkey,
        isBackedUp: false,
        name: 'Laptop',
        createdAt: new Date().toISOString(),
        lastUsedAt: null,
      })
      const listed = (await call(server, 'GET', '/api/auth/passkeys', { token: owner })).json.passkeys[0].id
      const address = { url: 'https://example.com/hook' }
      const webhook = (await call(server, 'POST', '/api/v1/webhooks', { token: owner, body: address })).json.id
      const at = new Date().toISOString()
      await server.context.store.deliveries.put({
        ...{ id: 'made-here', userId: await idOf('olaf'), webhookId: webhook, url: null, event: 'job.failed' },
        ...{ jobId: null, payload: '{}', status: 'dead', tries: 8, attempts: [], dueAt: null },
        ...{ createdAt: at, expiresAt: new Date(Date.now() + 3_600_000).toISOString() },
      })
      const [, download] = /\/api\/v1\/download\/[^/]+\/(.+)$/.exec(job.downloadUrl)!
      const headers = { 'tus-resumable': '1.0.0', 'upload-length': '5' }
      const upload = (await call(server, 'POST', '/api/v1/uploads', { token: owner, headers })).json.uploadId
      Object.assign(owned, {
        '/api/v1/uploads/': () => upload,
        '/api/v1/files/': () => item,
        '/api/v1/jobs/': () => job.jobId,
        '/api/v1/pipeline/': () => pipeline,
        '/api/v1/api-keys/': () => key.id,
        '/api/v1/download/': () => `${job.jobId}/${download}`,
        '/api/v1/links/': () => `${job.jobId}/${download}`,
        '/api/auth/sessions/': () => session,
        '/api/auth/passkeys/': () => listed,
        '/api/v1/webhooks/deliveries/': () => 'made-here',
        '/api/v1/webhooks/': () => webhook,
      })
    })

    test('are not found by a stranger, and every route that names a record is asked', async () => {
      const stranger = identities.find(({ name }) => name === 'user')!.token!
      const named = routes.filter(({ path }) => path.includes('{') && !SHARED.some((start) => path.startsWith(start)))
      for (const { method, path, id } of named) {
        const start = Object.keys(owned).find((one) => path.startsWith(one))
        expect([id, start]).toEqual([id, expect.any(String)])
        const address = path.replace(/\{.*\}/, (part) => owned[start!]!() + part.replace(/^(\{\w+\}\/?)+/, '/'))
        const { status } = await call(server, method, address.replace(/\/$/, ''), {
          token: stranger,
          ...(method === 'PATCH' && { body: { name: 'x' } }),
        })
        expect([id, status]).toEqual([id, 404])
      }
      expect(named.length).toBeGreaterThanOrEqual(10)
    })
  })
})
