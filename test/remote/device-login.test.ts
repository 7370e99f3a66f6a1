/** `mediaproc login` in the browser: the code, the questions, and what ends them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { PROGRAM } from '../helpers/program.ts'
import { type Ran, runProgramHere } from '../helpers/program-here.ts'
import { call, makeUser, type Served, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'

let server: Served
let token: string
let folder: string
let other: Server | undefined
beforeAll(async () => {
  server = await serveHere()
  token = await makeUser(server, await signIn(server), 'ulla')
})
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mediaproc-device-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
  other?.close()
  other?.closeAllConnections()
  other = undefined
})

const run = (command: string): Promise<Ran> => runProgramHere(command.split(' '), { cwd: folder })

/** A server that answers with the given bodies, one after the other; the last one is repeated. */
async function scripted(script: Record<string, readonly (readonly [number, object])[]>) {
  const asked: { path: string; at: number }[] = []
  const left = new Map(Object.entries(script).map(([path, answers]) => [path, [...answers]]))
  other = createServer((request, response) => {
    request.resume()
    const path = String(request.url)
    asked.push({ path, at: performance.now() })
    const answers = left.get(path) ?? []
    const [status, body] = (answers.length > 1 ? answers.shift() : answers[0]) ?? [404, {}]
    // A status of 0 cuts the connection.
    if (status === 0) return void request.socket.destroy()
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => other?.listen(0, '127.0.0.1', resolve))
  return { address: `http://127.0.0.1:${(other.address() as AddressInfo).port}`, asked }
}

const CONFIG = '/api/v1/config/auth'
const START = '/api/v1/auth/device'
const TOKEN = '/api/v1/auth/device/token'
const OFFERED = [200, { authEnabled: true, deviceEnabled: true }] as const
const STARTED = {
  ...{ device_code: 'd', user_code: 'WDJB-MJHT', expires_in: 600, interval: 0.05 },
  ...{
    verification_uri: 'https://media.example/device',
    verification_uri_complete: 'https://media.example/device#code=x',
  },
}
const failure = (code: string) => [400, { error: code, code }] as const
const GIVEN = [
  200,
  { access_token: `si_${'a'.repeat(96)}`, token_type: 'Bearer', key_id: 'k', username: 'ulla' },
] as const

test('login --web shows the code and stores the key, whose name is that of the machine', async () => {
  const args = [PROGRAM, 'login', server.base, '--web']
  const env = { PATH: process.env.PATH, HOME: folder }
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] })
  let shown = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    shown += text
  })
  const ended = once(child, 'exit')
  await expect.poll(() => shown, { timeout: 30_000 }).toContain('waiting for up to 10 minutes')
  const [, userCode] = /#code=([A-Z]{4}-[A-Z]{4})\n/.exec(shown) ?? []
  const approved = await call(server, 'POST', `${START}/approve`, { token, body: { userCode } })
  expect(approved.json).toEqual({ ok: true })
  expect(await ended).toEqual([0, null])
  expect(shown).toContain(`${server.base}/device\n`)
  const stored = JSON.parse(readFileSync(join(folder, '.local/share/mediaproc/servers.json'), 'utf8'))
  expect(stored[server.base]).toMatchObject({ username: 'ulla', key: expect.stringMatching(/^si_/) })
  expect((await run('whoami')).stdout).toMatch(/ulla .*accepted/)
  const { apiKeys } = (await call(server, 'GET', '/api/v1/api-keys', { token })).json
  expect(apiKeys.map(({ name }: { name: string }) => name)).toEqual([expect.stringMatching(/^mediaproc on /)])
  expect((await run(`logout ${server.base}`)).code).toBe(0)
  expect((await call(server, 'GET', '/api/v1/api-keys', { token })).json.apiKeys).toEqual([])
})

test('it asks at longer intervals when the server wants that, and continues after a lost connection', async () => {
  const { address, asked } = await scripted({
    ...{ [CONFIG]: [OFFERED], [START]: [[200, STARTED]], '/api/v1/tools/popular': [[200, {}]] },
    [TOKEN]: [failure('AUTHORIZATION_PENDING'), failure('SLOW_DOWN'), [0, {}], GIVEN],
  })
  expect((await run(`login ${address} --web`)).code).toBe(0)
  const times = asked.filter(({ path }) => path === TOKEN).map(({ at }) => at)
  expect(times.length).toBe(4)
  expect((times[2] ?? 0) - (times[1] ?? 0)).toBeGreaterThanOrEqual(4900)
  expect((times[3] ?? 0) - (times[2] ?? 0)).toBeGreaterThanOrEqual(9900)
})

test.each([
  ['refused', [failure('ACCESS_DENIED')], {}, 'ACCESS_DENIED'],
  ['expired', [failure('EXPIRED_TOKEN')], {}, 'Run mediaproc login again'],
  ['pending when its time is over', [failure('AUTHORIZATION_PENDING')], { expires_in: 1 }, 'not approved in time'],
] as const)('a code that is %s ends with 4, and nothing is stored', async (_name, answers, change, message) => {
  const { address } = await scripted({
    [CONFIG]: [OFFERED],
    [START]: [[200, { ...STARTED, ...change }]],
    [TOKEN]: answers,
  })
  const { code, stderr } = await run(`login ${address} --web`)
  expect([code, stderr]).toEqual([4, expect.stringContaining(message)])
  expect((await run('whoami')).code).toBe(4)
})

test.each([
  ['an address that is no page', { verification_uri: 'file:///etc/passwd' }, 'not of a web page'],
  ['a code with control characters', { user_code: '\u001b[2J' }, 'cannot be typed'],
])('%s is not shown', async (_name, change, message) => {
  const { address } = await scripted({ [CONFIG]: [OFFERED], [START]: [[200, { ...STARTED, ...change }]] })
  const { code, stderr } = await run(`login ${address} --web`)
  expect([code, stderr]).toEqual([1, expect.stringContaining(message)])
  expect(stderr).not.toMatch(/\u001b|passwd/)
})

test('a server without it: --web says what to do; without a terminal a key is asked for as before', async () => {
  const { address } = await scripted({ [CONFIG]: [[200, { authEnabled: true }]] })
  const web = await run(`login ${address} --web`)
  expect([web.code, web.stderr]).toEqual([2, expect.stringContaining('--api-key-file')])
  const plain = await run(`login ${address}`)
  expect([plain.code, plain.stderr]).toEqual([2, expect.stringContaining('no terminal')])
  // A server that offers it asks only with --web, or on a terminal.
  const offered = await run(`login ${server.base}`)
  expect([offered.code, offered.stderr]).toEqual([2, expect.stringContaining('--web')])
})

test('Ctrl-C ends the wait at once', { timeout: 60_000 }, async () => {
  const args = [PROGRAM, 'login', server.base, '--web']
  const env = { PATH: process.env.PATH, HOME: folder }
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] })
  let shown = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    shown += text
  })
  const ended = once(child, 'exit')
  await expect.poll(() => shown, { timeout: 30_000 }).toContain('waiting for')
  child.kill('SIGINT')
  expect(await ended).toEqual([130, null])
})
