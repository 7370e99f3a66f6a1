/** Keys reach only the server that they are for; large files are sent once; lost and busy servers; Ctrl-C. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { isExposed } from '../../src/remote/address.ts'
import { noisePng } from '../helpers/pdf.ts'
import { animation, plain } from '../helpers/picture.ts'
import { endlessPdf } from '../helpers/pool.ts'
import { PROGRAM } from '../helpers/program.ts'
import { type Ran, runProgramHere } from '../helpers/program-here.ts'
import { call, makeUser, signIn, startServer, type TestServer } from '../helpers/server.ts'

let server: TestServer
let token: string
let key: string
let folder: string
let other: Server | undefined
beforeAll(async () => {
  server = await startServer()
  token = await makeUser(server, await signIn(server), 'ulla')
  key = (await call(server, 'POST', '/api/v1/api-keys', { token, body: { name: 'test' } })).json.key
}, 60_000)
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mediaproc-keys-'))
  writeFileSync(join(folder, 'logo.png'), await plain(60, 60, '#cc3300').png().toBuffer())
  writeFileSync(join(folder, 'key'), `${key}\n`)
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
  other?.close()
  other?.closeAllConnections()
  other = undefined
})

/** HOME is the folder, so that stored keys are in it. */
const run = (command: string, environment: Record<string, string> = {}): Promise<Ran> =>
  runProgramHere(command.split(' '), { cwd: folder, environment })

const RESIZE = 'image resize logo.png --width 20'

/** Another server; returns its address. */
async function serveOther(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  other = createServer(answer)
  await new Promise<void>((resolve) => other?.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(other.address() as AddressInfo).port}`
}

test('login stores a key that only its owner can read, whoami checks it, logout removes it', async () => {
  expect((await run(RESIZE, { MEDIAPROC_SERVER: server.base })).code).toBe(4)
  const login = await run(`login ${server.base} --api-key-file key`)
  expect([login.code, login.stderr]).toEqual([0, expect.stringContaining('is stored in')])
  const file = join(folder, '.local/share/mediaproc/servers.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect((await run('whoami')).stdout).toContain('accepted')
  expect((await run(`${RESIZE} --server ${server.base}`)).stdout).toBe('logo_resize.png\n')
  expect((await run(`logout ${server.base}`)).code).toBe(0)
  expect((await run('whoami')).code).toBe(4)
  expect((await run(`${RESIZE} -f --server ${server.base}`)).code).toBe(4)
})

test('a key that the server refuses is not stored', async () => {
  writeFileSync(join(folder, 'key'), `si_${'0'.repeat(96)}\n`)
  const { code, stderr } = await run(`login ${server.base} --api-key-file key`)
  expect([code, stderr]).toEqual([4, expect.stringContaining('refused the key')])
  expect((await run('whoami')).code).toBe(4)
})

test('a server that only a configuration of the folder names gets neither key nor files', async () => {
  const seen: string[] = []
  const address = await serveOther((request, response) => {
    seen.push(String(request.url))
    response.end('{}')
  })
  writeFileSync(join(folder, '.mediaprocrc.json'), JSON.stringify({ server: address }))
  const { code, stderr } = await run(RESIZE, { MEDIAPROC_API_KEY: key })
  expect([code, stderr]).toEqual([4, expect.stringContaining('which you have not signed in to')])
  expect(seen).toEqual([])
  expect((await run(`${RESIZE} --server local`)).code).toBe(0)
  writeFileSync(join(folder, '.mediaprocrc.json'), JSON.stringify({ server: server.base }))
  await run(`login ${server.base} --api-key-file key`)
  expect((await run(`${RESIZE} -f`)).code).toBe(0)
})

test('login without an address goes to no server that only the folder names', async () => {
  const seen: string[] = []
  const address = await serveOther((request, response) => {
    seen.push(String(request.url))
    response.end('{}')
  })
  const inner = join(folder, 'project')
  mkdirSync(join(inner, '.git'), { recursive: true })
  writeFileSync(join(inner, '.mediaprocrc.json'), JSON.stringify({ server: address }))
  const there = (command: string, environment: Record<string, string> = {}): Promise<Ran> =>
    runProgramHere(command.split(' '), { cwd: inner, environment: { HOME: folder, ...environment } })
  const { code, stderr } = await there('login --api-key-file ../key')
  expect([code, stderr]).toEqual([2, expect.stringContaining(`run mediaproc login ${address}`)])
  expect(seen).toEqual([])
  expect((await there('login --api-key-file ../key', { MEDIAPROC_SERVER: server.base })).code).toBe(0)
  // The configuration of the home folder is the user's own.
  await run(`logout ${server.base}`)
  writeFileSync(join(folder, '.mediaprocrc.json'), JSON.stringify({ server: server.base }))
  expect((await run('login --api-key-file key')).code).toBe(0)
})

test('a warning names a connection that is not encrypted, unless it is of this machine', async () => {
  const environment = { MEDIAPROC_API_KEY: key, MEDIAPROC_SERVER: 'http://192.0.2.1:9' }
  const warning = 'is not encrypted: others on the network can read'
  const far = await run(`${RESIZE} --timeout 0.2`, environment)
  expect([far.code, far.stderr]).toEqual([1, expect.stringContaining(warning)])
  expect((await run(`${RESIZE} --timeout 0.2 -q`, environment)).stderr).not.toContain(warning)
  expect((await run(`${RESIZE} --server ${server.base}`, environment)).stderr).toBe('')
  expect(['http://localhost:1', 'http://127.3.2.1', 'http://[::1]', 'https://a.example'].map(isExposed)).toEqual([
    ...[false, false, false, false],
  ])
  expect(['http://a.example', 'http://127.0.0.1.example', 'http://10.0.0.1'].map(isExposed)).toEqual([true, true, true])
})

test('--strict: what the tool lost on the server is an error, and no file is left', async () => {
  const environment = { MEDIAPROC_API_KEY: key, MEDIAPROC_SERVER: server.base }
  await animation(join(folder, 'twice.gif'), ['#ff0000', '#00ff00'])
  const lax = await run('image convert twice.gif --format jpg', environment)
  expect([lax.code, lax.stderr]).toEqual([0, expect.stringMatching(/\w/)])
  rmSync(join(folder, 'twice.jpg'))
  const { code, stderr } = await run('image convert twice.gif --format jpg --strict', environment)
  expect([code, stderr]).toEqual([1, expect.stringMatching(/\w/)])
  expect(readdirSync(folder)).not.toContain('twice.jpg')
})

test('an answer that is lost, and the id of whose job is taken then: the job runs once', async () => {
  let posts = 0
  const address = await serveOther(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    // fetch adds the length again, and undici refuses the two: it serves fetch once a test of this process has loaded it.
    const {
      host: _host,
      connection: _connection,
      'content-length': _length,
      ...headers
    } = request.headers as Record<string, string>
    const answer = await fetch(server.base + request.url, {
      ...{ method: request.method ?? 'GET', headers },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    })
    const body = Buffer.from(await answer.arrayBuffer())
    if (request.method !== 'POST') return response.writeHead(answer.status).end(body)
    posts += 1
    // A proxy gives up the first request after the job began; the id is taken for the second one.
    if (posts === 1) response.writeHead(504, { 'retry-after': '0' }).end('gateway timeout')
    else response.writeHead(409).end(JSON.stringify({ error: 'The id is taken', code: 'CONFLICT' }))
  })
  const { code, stdout, stderr } = await run(RESIZE, { MEDIAPROC_API_KEY: key, MEDIAPROC_SERVER: address })
  expect([code, stdout, stderr]).toEqual([0, 'logo_resize.png\n', ''])
  expect(posts).toBe(2)
})

test('Ctrl-C cancels the job on the server', { timeout: 60_000 }, async () => {
  writeFileSync(join(folder, 'endless.pdf'), endlessPdf())
  const args = [PROGRAM, 'pdf', 'pdf-to-image', 'endless.pdf', '--server', server.base]
  const env = { ...process.env, HOME: folder, MEDIAPROC_API_KEY: key }
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: 'ignore' })
  const ended = once(child, 'exit')
  const last = async () => (await call(server, 'GET', '/api/v1/jobs?limit=1', { token })).json.jobs[0]
  await expect.poll(async () => (await last()).status, { timeout: 30_000 }).toMatch(/queued|processing/)
  const { jobId } = await last()
  child.kill('SIGINT')
  expect(await ended).toEqual([130, null])
  const status = async () => (await call(server, 'GET', `/api/v1/jobs/${jobId}`, { token })).json.status
  await expect.poll(status, { timeout: 30_000 }).toBe('canceled')
  expect(readdirSync(folder).filter((name) => name.endsWith('.png'))).toEqual(['logo.png'])
})

test('a redirect is not followed', async () => {
  const seen: (string | undefined)[] = []
  const address = await serveOther((request, response) => {
    seen.push(request.headers.authorization)
    request.resume()
    response.writeHead(307, { location: `${server.base}${request.url}` }).end()
  })
  const { code, stderr } = await run(`${RESIZE} --server ${address}`, { MEDIAPROC_API_KEY: key })
  expect([code, stderr]).toEqual([1, expect.stringContaining('redirects to another address')])
  expect(seen).toEqual([`Bearer ${key}`])
})

test.each([
  ['no address', 'media', 'Expected an http or https address'],
  ['another scheme', 'ftp://127.0.0.1', 'Expected an http or https address'],
  ['a password', 'http://ulla:secret@127.0.0.1', 'must have no password'],
])('%s is refused', async (_name, address, message) => {
  const { code, stderr } = await run(`${RESIZE} --server ${address}`)
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  expect(stderr).not.toContain('secret')
})

test('a server that is not of mediaproc is named', async () => {
  const address = await serveOther((request, response) => {
    request.resume()
    response.writeHead(404).end('<html>')
  })
  const { code, stderr } = await run(`${RESIZE} --server ${address}`, { MEDIAPROC_API_KEY: key })
  expect([code, stderr]).toEqual([1, expect.stringContaining('answered with the status 404')])
  expect(readdirSync(folder)).not.toContain('logo_resize.png')
})

test('a busy server is asked again', async () => {
  let requests = 0
  const address = await serveOther((request, response) => {
    request.resume()
    requests += 1
    if (requests < 3) response.writeHead(503, { 'retry-after': '0' }).end('{"error":"busy","code":"SHUTTING_DOWN"}')
    else response.writeHead(403).end('{"error":"Not allowed","code":"FORBIDDEN"}')
  })
  const { code, stderr } = await run(`${RESIZE} --server ${address}`, { MEDIAPROC_API_KEY: key })
  expect([code, requests, stderr]).toEqual([4, 3, expect.stringContaining('Not allowed')])
})

test('a large file is sent once, and keeps its name', async () => {
  const bytes = noisePng(900, 700, 5)
  writeFileSync(join(folder, 'one.png'), bytes)
  writeFileSync(join(folder, 'two.png'), bytes)
  const environment = { MEDIAPROC_SERVER: server.base, MEDIAPROC_API_KEY: key }
  const { stdout } = await run('image resize one.png two.png --width 20', environment)
  expect(stdout).toBe('one_resize.png\ntwo_resize.png\n')
  await run('image duotone two.png', environment)
  const { uploads } = (await call(server, 'GET', '/api/v1/uploads', { token })).json
  expect(uploads).toHaveLength(1)
  // The server loses it: the file is sent again.
  const path = `/api/v1/uploads/${uploads[0].uploadId}`
  expect((await call(server, 'DELETE', path, { token, headers: { 'tus-resumable': '1.0.0' } })).status).toBe(204)
  expect((await run('image rotate two.png --angle 90', environment)).code).toBe(0)
})

test('names that a server would change are kept', async () => {
  writeFileSync(join(folder, 'a..b.png'), await plain(30, 30, '#00ff00').png().toBuffer())
  const { stdout } = await run('image resize a..b.png --width 20', {
    MEDIAPROC_SERVER: server.base,
    MEDIAPROC_API_KEY: key,
  })
  expect(stdout).toBe('a..b_resize.png\n')
})

test('a time limit cancels the job on the server, and leaves no file', async () => {
  const environment = { MEDIAPROC_SERVER: server.base, MEDIAPROC_API_KEY: key }
  writeFileSync(join(folder, 'large.png'), await plain(9000, 9000, '#336699').png().toBuffer())
  const { code, stderr } = await run('image convert large.png --format avif --timeout 4', environment)
  expect([code, stderr]).toEqual([1, expect.stringContaining('TIMEOUT')])
  expect(readdirSync(folder)).not.toContain('large.avif')
  await expect
    .poll(async () => (await call(server, 'GET', '/api/v1/jobs', { token })).json.jobs[0].status, { timeout: 30_000 })
    .toBe('canceled')
})
