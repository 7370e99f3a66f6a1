/** Streamable HTTP at `/mcp`, with the client of the SDK, and attacked like every route. */
import { readdirSync } from 'node:fs'
import type { CallToolResult, Client } from '@modelcontextprotocol/client'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { rawCall } from '../helpers/http.ts'
import { ask, connectAgent, dataOf, errorOf, NEWEST } from '../helpers/mcp.ts'
import { call, makeUser, send, signIn } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'

const picture = async (): Promise<string> =>
  (
    await sharp({ create: { width: 60, height: 40, channels: 3, background: '#3366cc' } })
      .png()
      .toBuffer()
  ).toString('base64')

let server: ServerHere
let admin: string
let ulla: string
let olaf: string
let content: string

const keyOf = async (token: string, body: object = {}): Promise<string> =>
  (await call(server, 'POST', '/api/v1/api-keys', { token, body: { name: 'agent', ...body } })).json.key

beforeAll(async () => {
  server = await serveHere({})
  admin = await signIn(server)
  ulla = await makeUser(server, admin, 'ulla')
  olaf = await makeUser(server, admin, 'olaf')
  content = await picture()
})

const resize = (file: object, more: object = {}) => ({
  ...{ tool: 'image/resize', files: [file], settings: { width: 20 } },
  ...more,
})

const firstOutput = (result: CallToolResult): { uri: string; name: string; downloadUrl: string } =>
  dataOf(result).results[0].outputs[0]

describe.each([
  ['the newest protocol', false],
  ['the protocol of 2025', true],
])('with %s', (_name, isOld) => {
  let client: Client
  beforeAll(async () => {
    client = await connectAgent(server.base, await keyOf(ulla), { isOld })
  })

  test('a tool runs as a job of the account, and its result is a resource and an input', async () => {
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('inspect_file')
    const result = await ask(client, 'run_tool', resize({ name: 'a.png', content }))
    const { uri, name, downloadUrl } = firstOutput(result)
    expect(result.content.map(({ type }) => type)).toEqual(['text', 'resource_link', 'image'])
    const [read] = (await client.readResource({ uri })).contents
    const bytes = Buffer.from((read as { blob: string }).blob, 'base64')
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 20, height: 13 })
    expect((await call(server, 'GET', downloadUrl, { token: ulla })).bytes.equals(bytes)).toBe(true)
    const [, jobId] = /jobs\/([^/]+)\//.exec(uri) ?? []
    const next = await ask(client, 'run_tool', { ...resize({ jobId, filename: name }), settings: { width: 10 } })
    const [again] = (await client.readResource({ uri: firstOutput(next).uri })).contents
    expect((await sharp(Buffer.from((again as { blob: string }).blob, 'base64')).metadata()).width).toBe(10)
    expect((await client.listResources()).resources.map((one) => one.uri)).toContain(uri)
    const [state] = (await client.readResource({ uri: `mediaproc://jobs/${jobId}` })).contents
    expect(JSON.parse((state as { text: string }).text)).toMatchObject({ status: 'completed', toolId: 'resize' })
  })

  test('files of the library, several at once; a report; additional files', async () => {
    const bytes = Buffer.from(content, 'base64')
    const kept = await send(server, '/api/v1/files/upload', [['file', { name: 'k.png', bytes }]], ulla)
    const fileId = kept.json.files[0].id
    const files = [{ fileId }, { name: 'b.png', content }]
    const many = dataOf(await ask(client, 'run_tool', { ...resize({}), files }))
    expect(many.results.map((one: { outputs: { name: string }[] }) => one.outputs[0]?.name)).toEqual([
      'k_resize.png',
      'b_resize.png',
    ])
    const info = dataOf(await ask(client, 'run_tool', { tool: 'image/info', files: [{ fileId }] }))
    expect(info.results[0].report).toMatchObject({ width: 60, height: 40 })
    const marked = await ask(client, 'run_tool', {
      ...{ tool: 'image/watermark-image', files: [{ fileId }] },
      extra_files: { watermark: { name: 'w.png', content } },
    })
    expect(firstOutput(marked).name).toMatch(/^k_/)
  })

  test('a pipeline is explained and run; progress reaches the end', async () => {
    const steps = [
      { tool: 'image/resize', settings: { width: 10 } },
      { tool: 'image/convert', settings: { format: 'webp' } },
    ]
    const plan = dataOf(await ask(client, 'run_pipeline', { steps, explain: true }))
    expect([plan.faults, plan.steps.length]).toEqual([[], 2])
    const seen: number[] = []
    const result = await client.callTool(
      { name: 'run_pipeline', arguments: { steps, files: [{ name: 'a.png', content }] } },
      { onprogress: ({ progress }) => void seen.push(progress) },
    )
    expect(firstOutput(result).name).toMatch(/\.webp$/)
    expect(seen.at(-1)).toBe(1)
  })

  test('errors have a code and a hint, and no path of the server', async () => {
    const wrong = errorOf(
      await ask(client, 'run_tool', { ...resize({ name: 'a.png', content }), settings: { width: 0 } }),
    )
    expect(wrong).toMatchObject({ isError: true, code: 'INVALID_SETTINGS' })
    expect(wrong.message).toContain('width')
    const broken = { name: 'a.png', content: Buffer.from('no picture').toString('base64') }
    const failed = await ask(client, 'run_tool', resize(broken))
    expect(failed.isError).toBe(true)
    expect(JSON.stringify(failed)).not.toContain(server.data)
    for (const files of [[{}], ['a.png'], [{ name: 'a.png', content: '*' }], [{ fileId: 'x', uploadId: 'y' }]])
      expect(errorOf(await ask(client, 'run_tool', { ...resize({}), files }))).toMatchObject({
        code: 'VALIDATION_ERROR',
      })
  })

  test('files, results and uploads of others do not exist', async () => {
    const { uri, name } = firstOutput(await ask(client, 'run_tool', resize({ name: 'secret.png', content })))
    const [, jobId] = /jobs\/([^/]+)\//.exec(uri) ?? []
    const bytes = Buffer.from(content, 'base64')
    const kept = await send(server, '/api/v1/files/upload', [['file', { name: 'k.png', bytes }]], ulla)
    const stranger = await connectAgent(server.base, olaf, { isOld })
    for (const address of [uri, `mediaproc://jobs/${jobId}`, 'mediaproc://jobs/..', 'file:///etc/passwd'])
      await expect(stranger.readResource({ uri: address })).rejects.toThrow(/no such resource/)
    const headers = { 'tus-resumable': '1.0.0', 'upload-length': String(bytes.length) }
    const { uploadId } = (await call(server, 'POST', '/api/v1/uploads', { token: ulla, headers })).json
    const sent = await fetch(`${server.base}/api/v1/uploads/${uploadId}`, {
      method: 'PATCH',
      headers: {
        ...{ authorization: `Bearer ${ulla}`, 'tus-resumable': '1.0.0', 'upload-offset': '0' },
        'content-type': 'application/offset+octet-stream',
      },
      body: bytes,
    })
    expect(sent.status).toBe(204)
    const own = await ask(client, 'run_tool', resize({ uploadId }))
    expect(firstOutput(own).name).toMatch(/_resize/)
    const wanted = [{ jobId, filename: name }, { fileId: kept.json.files[0].id }, { uploadId }, { uploadId: jobId }]
    for (const file of wanted)
      expect(errorOf(await ask(stranger, 'run_tool', resize(file)))).toMatchObject({ code: 'NOT_FOUND' })
    expect((await stranger.listResources()).resources).toEqual([])
  })
})

/** A message without the client of the SDK. */
const post = (
  body: unknown,
  { token = ulla, headers = {} }: { token?: string; headers?: Record<string, string> } = {},
) =>
  call(server, 'POST', '/mcp', { token, body, headers: { accept: 'application/json, text/event-stream', ...headers } })

const PING = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }

test('who may not use tools gets nothing: no credential, a wrong one, a key without the permission', async () => {
  const scoped = await keyOf(admin, { permissions: ['settings:read'] })
  const statuses = await Promise.all(
    ['', 'si_wrong', scoped].map(async (token) => (await post(PING, { token })).status),
  )
  expect(statuses).toEqual([401, 401, 403])
  await call(server, 'POST', '/api/v1/roles', {
    token: admin,
    body: {
      ...{ name: 'hearing', permissions: ['tools:use', 'files:own'] },
      toolPermissions: { mode: 'category', allowed: ['audio'] },
    },
  })
  const client = await connectAgent(server.base, await makeUser(server, admin, 'otto', 'hearing'))
  expect(errorOf(await ask(client, 'run_tool', resize({ name: 'a.png', content })))).toMatchObject({
    code: 'UNKNOWN_TOOL',
  })
  expect(dataOf(await ask(client, 'search_tools', { query: 'resize image' })).tools).toEqual([])
  const steps = [{ tool: 'image/resize', settings: { width: 5 } }]
  expect(errorOf(await ask(client, 'run_pipeline', { steps, explain: true }))).toMatchObject({ code: 'UNKNOWN_TOOL' })
})

test('a page of another site is refused, and so are sessions that nobody began', async () => {
  expect((await post(PING, { headers: { origin: 'https://evil.example' } })).status).toBe(403)
  expect((await post(PING, { headers: { origin: server.base } })).status).toBe(200)
  for (const method of ['GET', 'DELETE'])
    expect((await call(server, method, '/mcp', { token: ulla, headers: { 'mcp-session-id': 'x' } })).status).toBe(405)
})

test('a page that reaches the server by a name of its own gets nothing', async () => {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const from = (target: ServerHere, more: Record<string, string>) =>
    rawCall(target, { method: 'POST', path: '/mcp', headers: { ...headers, ...more }, body: JSON.stringify(PING) })
  // Such a page has neither a key nor the cookie of the server, which has another name; with a key the name does not matter.
  const evil = { host: 'evil.example', origin: 'http://evil.example' }
  expect((await from(server, evil)).status).toBe(401)
  expect((await from(server, { host: 'proxy.example', authorization: `Bearer ${ulla}` })).status).toBe(200)
  // Without accounts no key is needed: then the name decides.
  const open = await serveHere({ environment: { AUTH_ENABLED: 'false' } })
  expect((await from(open, evil)).status).toBe(403)
  expect((await from(open, { host: 'evil.example' })).status).toBe(403)
  expect((await from(open, {})).status).toBe(200)
})

test('malformed messages are client errors', async () => {
  const raw = (body: string, type = 'application/json') =>
    fetch(`${server.base}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ulla}`, 'content-type': type, accept: 'application/json, text/event-stream' },
      body,
    })
  const bodies = ['{', '[]', '""', 'null', '{}', '{"jsonrpc":"1.0","id":1,"method":"x"}', '{"__proto__":{"a":1}}']
  for (const body of [...bodies, `[${'['.repeat(2000)}${']'.repeat(2000)}]`, JSON.stringify(Array(11).fill(PING))]) {
    const { status } = await raw(body)
    expect([body.slice(0, 60), status >= 400 && status < 500]).toEqual([body.slice(0, 60), true])
  }
  expect((await raw('x', 'text/plain')).status).toBe(415)
  expect((await raw(JSON.stringify({ ...PING, params: { a: 'x'.repeat(6 * 1024 * 1024) } }))).status).toBe(413)
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }
  const unknown = await post(
    { ...PING, params: { _meta: meta } },
    { headers: { 'mcp-protocol-version': '2099-01-01' } },
  )
  expect(unknown.status).toBe(400)
  expect(JSON.stringify(unknown.json)).toContain(NEWEST)
})

test('subscriptions are refused, in the old and in the newest protocol', async () => {
  const old = await connectAgent(server.base, ulla, { isOld: true })
  expect(old.getServerCapabilities()?.resources?.subscribe).not.toBe(true)
  await expect(old.subscribeResource({ uri: 'mediaproc://jobs/x' })).rejects.toThrow()
  const meta = {
    'io.modelcontextprotocol/protocolVersion': NEWEST,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const body = {
    ...{ jsonrpc: '2.0', id: 7, method: 'subscriptions/listen' },
    params: { notifications: { toolsListChanged: true }, _meta: meta },
  }
  const headers = { 'mcp-protocol-version': NEWEST, 'mcp-method': 'subscriptions/listen' }
  const { status, bytes } = await post(body, { headers })
  expect([status, bytes.toString()]).toEqual([
    expect.any(Number),
    expect.stringContaining('Subscription limit reached'),
  ])
})

test('every message of a batch is checked', async () => {
  const run = {
    ...{ jsonrpc: '2.0', method: 'tools/call' },
    params: {
      name: 'run_tool',
      arguments: { tool: 'image/resize', files: [{ uploadId: 'x' }], settings: { width: 2 } },
    },
  }
  const { status, bytes } = await post([
    { ...run, id: 1 },
    { ...run, id: 2 },
  ])
  expect(status).toBe(200)
  expect(bytes.toString().match(/NOT_FOUND/g)?.length).toBeGreaterThanOrEqual(2)
})

test('a call that the client gives up cancels its job', async () => {
  const client = await connectAgent(server.base, ulla)
  const stop = new AbortController()
  const big = (
    await sharp({
      create: {
        width: 4000,
        height: 4000,
        channels: 3,
        background: '#123456',
        noise: { type: 'gaussian', mean: 128, sigma: 40 },
      },
    })
      .jpeg({ quality: 40 })
      .toBuffer()
  ).toString('base64')
  const running = client.callTool(
    {
      name: 'run_tool',
      arguments: {
        tool: 'image/convert',
        files: [{ name: 'big.jpg', content: big.slice(0, 4 * 1024 * 1024) }],
        settings: { format: 'avif' },
      },
    },
    { signal: stop.signal },
  )
  running.catch(() => undefined)
  const mine = async () => (await call(server, 'GET', '/api/v1/jobs?limit=1', { token: ulla })).json.jobs[0]
  await expect.poll(async () => (await mine()).toolId, { timeout: 30_000 }).toBe('convert')
  stop.abort()
  await expect(running).rejects.toThrow()
  await expect.poll(async () => (await mine()).status, { timeout: 30_000 }).toBe('canceled')
})

test('refused calls leave no folder in the workspace', async () => {
  const folder = server.context.config.workspaceFolder
  const before = readdirSync(folder).length
  const client = await connectAgent(server.base, ulla)
  const wrong = { ...resize({ name: 'a.png', content }), settings: { width: 0 } }
  for (let turn = 0; turn < 3; turn++) expect((await ask(client, 'run_tool', wrong)).isError).toBe(true)
  await expect.poll(() => readdirSync(folder).length, { timeout: 30_000 }).toBe(before)
})
