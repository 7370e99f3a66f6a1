/** Roles and teams over HTTP: what they allow, who may assign them, and that their limits apply to concurrent requests. */
import { beforeAll, expect, test } from 'vitest'
import { plain } from '../helpers/picture.ts'
import { call, makeUser, PASSWORD, type Served, send, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'

let server: Served
let admin: string
let png: readonly [string, { name: string; bytes: Buffer }]

beforeAll(async () => {
  // A busy machine must not cause a 202.
  server = await serveHere({ environment: { SYNC_WAIT_MS: '60000' } })
  admin = await signIn(server)
  png = ['file', { name: 'a.png', bytes: await plain(8, 6, '#ff0000').png().toBuffer() }]
})

const idOf = async (username: string): Promise<string> => {
  const { users } = (await call(server, 'GET', '/api/auth/users', { token: admin })).json
  return users.find((user: { username: string }) => user.username === username).id
}
const role = async (body: object, token = admin) => call(server, 'POST', '/api/v1/roles', { token, body })
const give = async (username: string, body: object, token = admin) =>
  call(server, 'PUT', `/api/auth/users/${await idOf(username)}`, { token, body })
const login = async (username: string) =>
  (await call(server, 'POST', '/api/auth/login', { body: { username, password: PASSWORD } })).json

test('a role includes tools, individually or by section, also in pipelines, batches and presets', async () => {
  await role({
    name: 'small',
    permissions: ['tools:use', 'pipelines:own'],
    toolPermissions: { mode: 'tool', allowed: ['resize'] },
  })
  const token = await makeUser(server, admin, 'rita', 'small')
  const width = ['settings', '{"width":4}'] as const
  expect((await send(server, '/api/v1/tools/image/resize', [png, width], token)).status).toBe(200)
  // A preset is its tool with other settings.
  const { tools } = (await call(server, 'GET', '/api/v1/tools', { token })).json
  expect(tools.map(({ id }: { id: string }) => id)).toContain('resize')
  expect(tools.map(({ id }: { id: string }) => id)).not.toContain('rotate')
  for (const path of ['rotate', 'rotate/batch', 'convert', 'jpg-to-png'])
    expect([path, (await send(server, `/api/v1/tools/image/${path}`, [png], token)).json.code]).toEqual([
      path,
      'FORBIDDEN',
    ])
  const steps = [
    { toolId: 'resize', settings: { width: 4 } },
    { toolId: 'rotate', settings: { angle: 90 } },
  ]
  const pipeline = ['pipeline', JSON.stringify({ steps })] as const
  const refused = await send(server, '/api/v1/pipeline/execute', [png, pipeline], token)
  expect([refused.status, refused.json.error]).toEqual([
    403,
    'Step 2 (rotate): Your role does not include the tool rotate',
  ])
  const body = { name: 'p', steps }
  expect((await call(server, 'POST', '/api/v1/pipeline/save', { token, body })).status).toBe(403)
  expect((await send(server, '/api/v1/tools/image/no-such-tool', [png], token)).status).toBe(404)
})

test('a changed role applies immediately, keeps its users when renamed, and they become user when it is deleted', async () => {
  const { json } = await role({ name: ' Press_Desk ', permissions: ['tools:use', 'files:own'] })
  expect(json).toMatchObject({ name: 'press_desk', isBuiltin: false, toolPermissions: null })
  const token = await makeUser(server, admin, 'paul', 'PRESS_desk')
  await makeUser(server, admin, 'pia', 'press_desk')
  await give('pia', { role: 'disabled' })
  expect((await call(server, 'GET', '/api/v1/files', { token })).status).toBe(200)
  const path = `/api/v1/roles/${json.id}`
  await call(server, 'PUT', path, { token: admin, body: { name: 'desk', permissions: ['tools:use'] } })
  expect((await call(server, 'GET', '/api/v1/files', { token })).status).toBe(403)
  expect((await login('paul')).user.role).toBe('desk')
  const { roles } = (await call(server, 'GET', '/api/v1/roles', { token: admin })).json
  expect(roles.find(({ name }: { name: string }) => name === 'desk')).toMatchObject({ userCount: 2 })
  await call(server, 'DELETE', path, { token: admin })
  expect((await call(server, 'GET', '/api/auth/session', { token })).status).toBe(401)
  const { users } = (await call(server, 'GET', '/api/auth/users', { token: admin })).json
  const left = users.filter(({ username }: { username: string }) => username.startsWith('p'))
  expect(left.map((user: { role: string }) => user.role)).toEqual(['user', 'disabled:user'])
})

test('checks names and permissions of roles, and protects the built-in ones', async () => {
  const codes = async (...bodies: object[]) => {
    const found: string[] = []
    for (const body of bodies) found.push((await role(body)).json.code)
    return found
  }
  const held = { permissions: ['tools:use'] }
  expect(
    await codes(
      ...[
        { name: 'admin', ...held },
        { name: 'User ', ...held },
        { name: 'x', ...held },
        { name: 'a b', ...held },
      ],
      ...[
        { name: 'disabled', ...held },
        { name: 'ok', permissions: ['fly'] },
        { name: 'ok', permissions: [] },
      ],
      ...['compliance:manage', 'webhooks:manage', 'security:manage'].map((one) => ({ name: 'ok', permissions: [one] })),
      { name: 'ok', ...held, toolPermissions: { mode: 'tool', allowed: ['no-such-tool'] } },
      { name: 'ok', ...held, toolPermissions: { mode: 'category', allowed: ['films'] } },
      { name: 'ok', ...held, description: 'x'.repeat(501) },
    ),
  ).toEqual(['CONFLICT', 'CONFLICT', ...new Array(11).fill('VALIDATION_ERROR')])
  for (const name of ['admin', 'editor', 'user']) {
    const path = `/api/v1/roles/builtin-${name}`
    expect((await call(server, 'PUT', path, { token: admin, body: { name: 'x1' } })).json.code).toBe('VALIDATION_ERROR')
    expect((await call(server, 'DELETE', path, { token: admin })).json.code).toBe('VALIDATION_ERROR')
  }
})

test('users cannot grant permissions that they do not have: by roles, keys or tools', async () => {
  // Only a key gives an administrator fewer permissions.
  const keyFor = async (...permissions: string[]) =>
    (await call(server, 'POST', '/api/v1/api-keys', { token: admin, body: { permissions } })).json.key as string
  const security = await keyFor('security:manage', 'tools:use')
  expect((await role({ name: 'more', permissions: ['tools:use', 'files:all'] }, security)).json.code).toBe(
    'ESCALATION_DENIED',
  )
  const { json } = await role({ name: 'less', permissions: ['tools:use'] }, security)
  const path = `/api/v1/roles/${json.id}`
  const grow = { permissions: ['tools:use', 'users:manage'] }
  expect((await call(server, 'PUT', path, { token: security, body: grow })).json.code).toBe('ESCALATION_DENIED')
  await makeUser(server, admin, 'lena', 'less')
  // Its users would become `user`, which has more permissions than the key.
  expect((await call(server, 'DELETE', path, { token: security })).json.code).toBe('ESCALATION_DENIED')
  await call(server, 'PUT', path, { token: admin, body: grow })
  expect((await call(server, 'DELETE', path, { token: security })).json.code).toBe('ESCALATION_DENIED')

  const video = { mode: 'category', allowed: ['video'] }
  await role({ name: 'chief', permissions: ['tools:use', 'users:manage'], toolPermissions: video })
  await role({ name: 'all-tools', permissions: ['tools:use'] })
  await role({ name: 'trim', permissions: ['tools:use'], toolPermissions: { mode: 'tool', allowed: ['trim-video'] } })
  const chief = await makeUser(server, admin, 'carla', 'chief')
  await makeUser(server, admin, 'vera', 'trim')
  expect((await give('vera', { role: 'all-tools' }, chief)).json.code).toBe('ESCALATION_DENIED')
  expect((await give('vera', { role: 'user' }, chief)).json.code).toBe('ESCALATION_DENIED')
  expect((await give('vera', { role: 'trim', team: 'Default' }, chief)).status).toBe(200)
  expect((await give('carla', { role: 'admin' }, chief)).json.code).toBe('ESCALATION_DENIED')
})

test('one of two administrators who demote each other concurrently remains', async () => {
  const others = await Promise.all(['ada', 'ben', 'cem'].map((name) => makeUser(server, admin, name, 'admin')))
  const [first, ...ids] = await Promise.all(['admin', 'ada', 'ben', 'cem'].map(idOf))
  const demote = (id: string, token: string) =>
    call(server, 'PUT', `/api/auth/users/${id}`, { token, body: { role: 'user' } })
  const all = [first!, ...ids]
  const tokens = [admin, ...others]
  const answers = await Promise.all(all.map((id, index) => demote(id, tokens[(index + 1) % tokens.length]!)))
  expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(3)
  // The remaining administrator signs in and repairs it.
  let left = ''
  for (const name of ['admin', 'ada', 'ben', 'cem']) {
    const { token, user } = await login(name)
    if (user.role === 'admin') left = token
  }
  admin = left
  const own = await idOf('admin')
  await call(server, 'PUT', `/api/auth/users/${own}`, { token: left, body: { role: 'admin' } })
  admin = await signIn(server)
})

test('a team keeps its quota in concurrent uploads of its members, and its results expire earlier', async () => {
  const make = async (body: object) => call(server, 'POST', '/api/v1/teams', { token: admin, body })
  const file = ['file', { name: 'a.txt', bytes: Buffer.alloc(20_000, 'x') }] as const
  // Room for three items of two members, with their records.
  const { json: team } = await make({ name: 'Press', storageQuota: 65_000, retentionHours: 2 })
  expect((await make({ name: 'pRESS' })).json.code).toBe('CONFLICT')
  const [tina, theo] = await Promise.all(['tina', 'theo'].map((name) => makeUser(server, admin, name)))
  for (const name of ['tina', 'theo']) await give(name, { team: 'press' })
  const answers = await Promise.all(
    [tina, theo, tina, theo, tina, theo, tina, theo].map((token) =>
      send(server, '/api/v1/files/upload', [file], token),
    ),
  )
  let kept = answers.filter(({ status }) => status < 300).length
  expect(kept).toBeLessThanOrEqual(3)
  // While an item is written it briefly counts twice: a refused upload fits afterwards.
  let last = answers.find(({ status }) => status >= 300)!
  while (kept < 4) {
    last = await send(server, '/api/v1/files/upload', [file], tina)
    if (last.status >= 300) break
    kept++
  }
  expect([kept, last.json.code]).toEqual([3, 'QUOTA_EXCEEDED'])
  expect((await send(server, '/api/v1/files/upload', [file], admin)).status).toBeLessThan(300)

  const ends = async (token: string) => {
    const { json } = await send(server, '/api/v1/tools/image/resize', [png, ['settings', '{"width":4}']], token)
    const job = (await call(server, 'GET', `/api/v1/jobs/${json.jobId}`, { token })).json
    return Math.round((Date.parse(job.expiresAt) - Date.parse(job.completedAt)) / 3_600_000)
  }
  const hours = await Promise.all([tina!, theo!, admin, tina!].map(ends))
  expect(hours).toEqual([2, 2, 72, 2])
  const path = `/api/v1/teams/${team.id}`
  // The instance keeps nothing longer than configured.
  await call(server, 'PUT', path, { token: admin, body: { retentionHours: 500, storageQuota: null } })
  expect([await ends(tina!), (await send(server, '/api/v1/files/upload', [file], theo)).status < 300]).toEqual([
    72,
    true,
  ])
  expect((await call(server, 'DELETE', path, { token: admin })).json.code).toBe('VALIDATION_ERROR')
  for (const name of ['tina', 'theo']) await give(name, { team: 'Default' })
  expect((await call(server, 'DELETE', path, { token: admin })).status).toBe(200)
})
