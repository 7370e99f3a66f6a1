/** `mediaproc open`: one user, one token, the named files, and nothing for anyone else on the machine. */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Pages } from '../../src/cli/open/pages.ts'
import { programEnvironment } from '../helpers/program-here.ts'
import { serveHere } from '../helpers/server-here.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/mediaproc.js', import.meta.url))
const folder = temporaryFolder()
const TEMPORARY = join(folder, 'tmp')
mkdirSync(TEMPORARY)

interface Opened {
  child: ChildProcess
  stdout(): string
  stderr(): string
  /** Resolves with the exit code. */
  ended: Promise<number | null>
}

const all: Opened[] = []
afterAll(() => {
  for (const { child } of all) child.kill('SIGKILL')
})

function open(args: readonly string[], environment: Record<string, string> = {}): Opened {
  const env = { ...programEnvironment({ cwd: folder }), SSH_CONNECTION: '', TMPDIR: TEMPORARY, ...environment }
  const child = spawn(process.execPath, [PROGRAM, 'open', ...args], { cwd: folder, env })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk: Buffer) => {
      texts[name] += chunk.toString()
    })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const opened = { child, stdout: () => texts.stdout, stderr: () => texts.stderr, ended }
  all.push(opened)
  return opened
}

/** The printed address, when it is there. */
async function addressOf({ stdout, stderr, ended }: Opened): Promise<string> {
  let hasEnded = false
  void ended.then(() => {
    hasEnded = true
  })
  await vi.waitUntil(() => stdout().includes('\n') || hasEnded, { timeout: 30_000, interval: 50 })
  expect(stdout(), stderr()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/open\/[\w-]{43}\n$/)
  return stdout().trim()
}

/** Uses a token; returns the cookie. */
async function enter(address: string): Promise<{ status: number; cookie: string; location: string | null }> {
  const answer = await fetch(address, { redirect: 'manual' })
  return {
    status: answer.status,
    cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '',
    location: answer.headers.get('location'),
  }
}

describe('a started program', () => {
  let opened: Opened
  let address: string
  let base: string
  let cookie: string
  beforeAll(async () => {
    writeFileSync(join(folder, 'a note.txt'), 'hello')
    writeFileSync(join(folder, 'secret.txt'), 'other')
    // Variables of a server on this machine do not concern it.
    const server = {
      REDIS_URL: 'redis://nowhere',
      DATABASE_URL: 'mysql://x',
      BASE_PATH: '/media',
      AUTH_ENABLED: 'false',
    }
    opened = open(['a note.txt', '--no-browser'], server)
    address = await addressOf(opened)
    base = new URL(address).origin
  })

  const get = (path: string, headers: Record<string, string> = {}) => fetch(base + path, { headers })

  test('the token of the address works once, and leaves the address', async () => {
    const wrong = await enter(`${base}/open/${'x'.repeat(43)}`)
    expect([wrong.status, wrong.cookie]).toEqual([403, ''])
    const first = await enter(address)
    expect([first.status, first.location]).toEqual([302, '/'])
    expect(first.cookie).toMatch(/^mediaproc-session-[\w-]+=/)
    cookie = first.cookie
    const again = await enter(address)
    expect([again.status, again.cookie]).toEqual([403, ''])
    expect((await get('/', { cookie })).headers.get('content-type')).toContain('text/html')
  })

  test('only the named files are read, and only with the session', async () => {
    const { isPersonal, files } = (await (await get('/api/v1/opened-files', { cookie })).json()) as Record<
      string,
      unknown
    >
    expect([isPersonal, files]).toEqual([true, [{ id: '0', name: 'a note.txt', size: 5, mime: 'text/plain' }]])
    expect(await (await get('/api/v1/opened-files/0', { cookie })).text()).toBe('hello')
    for (const id of ['1', '-1', '..%2fsecret.txt', 'secret.txt', '__proto__'])
      expect([id, (await get(`/api/v1/opened-files/${id}`, { cookie })).status]).toEqual([id, 404])
    for (const path of ['/api/v1/opened-files', '/api/v1/opened-files/0', '/api/v1/presence', '/api/v1/jobs'])
      expect([path, (await get(path)).status]).toEqual([path, 401])
    expect(
      (await get('/api/v1/opened-files/0', { cookie: cookie.replace(/^[^=]+/, 'mediaproc-session') })).status,
    ).toBe(401)
  })

  test('other names of this machine, and pages of other sites, are refused', async () => {
    const { request } = await import('node:http')
    const statusFor = (host: string): Promise<number | undefined> =>
      new Promise((resolve) => {
        const sent = request(`${base}/api/v1/opened-files`, { headers: { cookie, host } }, (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        })
        sent.end()
      })
    const { port } = new URL(base)
    expect(await statusFor(`127.0.0.1:${port}`)).toBe(200)
    expect(await statusFor(`localhost:${port}`)).toBe(200)
    for (const host of [`evil.example:${port}`, 'evil.example', '127.0.0.1', `127.0.0.1.evil.example:${port}`])
      expect([host, await statusFor(host)]).toEqual([host, 403])
    const foreign = await fetch(`${base}/api/auth/logout`, {
      method: 'POST',
      headers: { cookie, origin: 'http://127.0.0.1:1' },
    })
    expect(foreign.status).toBe(403)
  })

  test('Ctrl-C ends it, and its folder is removed', async () => {
    expect(readdirSync(TEMPORARY).filter((name) => name.startsWith('mediaproc-open-'))).toHaveLength(1)
    const [name = ''] = readdirSync(TEMPORARY).filter((one) => one.startsWith('mediaproc-open-'))
    expect(statSync(join(TEMPORARY, name)).mode & 0o777).toBe(0o700)
    opened.child.kill('SIGINT')
    expect(await opened.ended).toBe(0)
    expect(readdirSync(TEMPORARY).filter((one) => one.startsWith('mediaproc-open-'))).toEqual([])
    expect(opened.stderr()).not.toContain('"level"')
  })
})

test('the browser gets the address from a file, because others can list the arguments of programs', async () => {
  const bin = join(folder, 'bin')
  const [seen, copy] = [join(folder, 'seen'), join(folder, 'copy')]
  mkdirSync(bin)
  writeFileSync(
    join(bin, 'xdg-open'),
    `#!/bin/sh\nstat -c %a "$1" > ${copy}.mode\ncp "$1" ${copy}\nprintf %s "$1" > ${seen}\n`,
  )
  chmodSync(join(bin, 'xdg-open'), 0o755)
  const opened = open([], { PATH: `${bin}:${process.env.PATH}`, DISPLAY: ':0' })
  await vi.waitUntil(() => existsSync(seen) && opened.stderr().includes('http'), { timeout: 30_000, interval: 50 })
  const [, address = ''] = /url=([^"]+)"/.exec(readFileSync(copy, 'utf8')) ?? []
  expect(readFileSync(seen, 'utf8')).not.toContain(address.split('/').at(-1))
  expect(readFileSync(`${copy}.mode`, 'utf8').trim()).toBe('600')
  expect((await enter(address)).status).toBe(302)
  expect([opened.stdout(), opened.stderr()]).toEqual(['', expect.stringContaining('opened http://127.0.0.1')])
  opened.child.kill('SIGTERM')
  expect(await opened.ended).toBe(0)
})

test.each([
  ['over SSH', { SSH_CONNECTION: '10.0.0.1 22 10.0.0.2 22', DISPLAY: ':0' }, 'ssh -L'],
  ['without a display', { DISPLAY: '', WAYLAND_DISPLAY: '' }, 'there is no display'],
  ['without a program that opens files', { PATH: '/nowhere', DISPLAY: ':0' }, 'the browser did not start'],
])('prints the address %s', async (_name, environment, words) => {
  const opened = open([], environment)
  await addressOf(opened)
  expect(opened.stderr()).toContain(words)
  opened.child.kill('SIGINT')
  expect(await opened.ended).toBe(0)
})

test('refuses what is no file, and a port that is in use', async () => {
  const server = await serveHere()
  const { port } = new URL(server.base)
  const cases: [string[], number, string][] = [
    [['missing.png'], 1, 'missing.png does not exist'],
    [[folder], 2, 'is a folder'],
    [['--port', port, '--no-browser'], 2, `Port ${port} is in use by another program`],
    [['--port', '0'], 2, 'port'],
    [['--colour'], 2, 'colour'],
  ]
  for (const [args, code, words] of cases) {
    const opened = open(args)
    expect([args, await opened.ended, opened.stderr()]).toEqual([args, code, expect.stringContaining(words)])
  }
  expect(readdirSync(TEMPORARY).filter((name) => name.startsWith('mediaproc-open-'))).toEqual([])
})

describe('the minute after the last page', () => {
  const start = (mayEnd: () => Promise<boolean> = async () => true) => {
    vi.useFakeTimers()
    const pages = new Pages(60)
    let isOver = false
    const stop = new AbortController()
    void pages.over(mayEnd, stop.signal).then(() => {
      isOver = true
    })
    return { pages, stop, isOver: () => isOver, pass: (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000) }
  }

  test('begins when the last page closes, and again after each page', async () => {
    const { pages, isOver, pass } = start()
    await pass(600)
    expect(isOver()).toBe(false)
    pages.set(1)
    await pass(600)
    pages.set(0)
    await pass(58)
    pages.set(1)
    await pass(10)
    pages.set(0)
    await pass(58)
    expect(isOver()).toBe(false)
    await pass(3)
    expect(isOver()).toBe(true)
    vi.useRealTimers()
  })

  test('waits for running jobs', async () => {
    let isBusy = true
    const { pages, isOver, pass } = start(async () => !isBusy)
    pages.set(1)
    pages.set(0)
    await pass(300)
    expect(isOver()).toBe(false)
    isBusy = false
    await pass(2)
    expect(isOver()).toBe(true)
    vi.useRealTimers()
  })
})
