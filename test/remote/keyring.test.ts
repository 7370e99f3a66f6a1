/** Keys in the keyring of the system: a real Secret Service that is unlocked, locked or absent. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { plain } from '../helpers/picture.ts'
import { PROGRAM } from '../helpers/program.ts'
import { call, makeUser, type Served, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'

let server: Served
let token: string
let folder: string
/** The session bus; '' without one. */
let bus = ''
const services: ChildProcess[] = []

beforeAll(async () => {
  server = await serveHere()
  token = await makeUser(server, await signIn(server), 'ulla')
})
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mediaproc-keyring-'))
  const body = { name: 'test' }
  const { key } = (await call(server, 'POST', '/api/v1/api-keys', { token, body })).json
  writeFileSync(join(folder, 'key'), key)
  writeFileSync(join(folder, 'logo.png'), await plain(60, 60, '#cc3300').png().toBuffer())
})
afterEach(async () => {
  for (const service of services.splice(0)) {
    if (service.exitCode === null && service.kill()) await once(service, 'exit')
  }
  bus = ''
  rmSync(folder, { recursive: true, force: true })
})

const environment = (more: Record<string, string> = {}): Record<string, string> => ({
  ...{ PATH: process.env.PATH ?? '', HOME: folder, XDG_RUNTIME_DIR: folder, ...more },
  ...(bus !== '' && { DBUS_SESSION_BUS_ADDRESS: bus }),
})

interface Ended {
  code: number
  stdout: string
  stderr: string
}

const node = (args: readonly string[], more?: Record<string, string>): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder, env: environment(more) }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    )
  })
const run = (command: string, more?: Record<string, string>): Promise<Ended> =>
  node([PROGRAM, ...command.split(' ')], more)
const login = (flags = '', more?: Record<string, string>): Promise<Ended> =>
  run(`login ${server.base} --api-key-file key${flags}`, more)
const file = (): string => join(folder, '.local/share/mediaproc/servers.json')
const stored = () => JSON.parse(readFileSync(file(), 'utf8'))[server.base]

function start(program: string, args: readonly string[], input?: string): ChildProcess {
  const child = spawn(program, args, { env: environment(), stdio: ['pipe', 'pipe', 'ignore'] })
  services.push(child)
  child.stdin?.end(input)
  return child
}

async function startBus(): Promise<void> {
  const { stdout } = start('dbus-daemon', ['--session', '--print-address', '--nofork', '--nopidfile'])
  if (!stdout) throw new Error('the bus has no output')
  const [address] = (await once(createInterface(stdout), 'line')) as [string]
  bus = address
}

/** Starts the Secret Service; it owns its name when it answers. @param password of the keyring; without it, it is locked */
async function startKeyring(password?: string): Promise<ChildProcess> {
  mkdirSync(join(folder, '.local/share/keyrings'), { recursive: true })
  mkdirSync(join(folder, '.cache'), { recursive: true })
  const args = ['--foreground', '--components=secrets', ...(password === undefined ? [] : ['--unlock'])]
  const child = start('gnome-keyring-daemon', args, password)
  const { stdout } = child
  stdout?.resume()
  const isThere = () =>
    execFileSync(
      'dbus-send',
      [
        ...['--session', '--print-reply', '--dest=org.freedesktop.DBus', '/org/freedesktop/DBus'],
        ...['org.freedesktop.DBus.NameHasOwner', 'string:org.freedesktop.secrets'],
      ],
      { env: environment(), encoding: 'utf8' },
    )
  await expect.poll(isThere, { timeout: 30_000 }).toContain('boolean true')
  return child
}

/** The secret as another program of the user finds it. */
const secretOf = async (address: string): Promise<string> => {
  const script = `import { AsyncEntry } from '@napi-rs/keyring'
    console.log(await new AsyncEntry('mediaproc', process.argv[1], { linux: { store: 'secret-service' } }).getPassword())`
  const child = execFileSync(process.execPath, ['--input-type=module', '-e', script, address], {
    env: environment(),
    encoding: 'utf8',
  })
  return child.trim()
}

function has(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe.skipIf(!has('gnome-keyring-daemon') || !has('dbus-daemon'))('a Secret Service', () => {
  test('has the key after login, and not after logout', async () => {
    await startBus()
    await startKeyring('secret')
    const key = readFileSync(join(folder, 'key'), 'utf8')
    const done = await login()
    expect([done.code, done.stderr]).toEqual([0, expect.stringMatching(/stored in the keyring of the system\n$/)])
    expect([stored(), await secretOf(server.base)]).toEqual([{ isInKeyring: true }, key])
    expect((await run('whoami')).stdout).toMatch(/keyring +accepted/)
    const made = await run(`image resize logo.png --width 20 --server ${server.base}`)
    expect([made.code, made.stdout]).toEqual([0, 'logo_resize.png\n'])
    expect((await run(`logout ${server.base}`)).code).toBe(0)
    expect(await secretOf(server.base)).toBe('null')
    expect((await run('whoami')).code).toBe(4)
  })

  test('that its user empties: commands say how to sign in, and logout works', async () => {
    await startBus()
    await startKeyring('secret')
    await login()
    rmSync(join(folder, '.local/share/keyrings'), { recursive: true })
    services.pop()?.kill()
    await startKeyring('secret')
    const { code, stderr } = await run(`image resize logo.png --width 20 --server ${server.base}`)
    expect([code, stderr]).toEqual([4, expect.stringContaining('no longer has the key')])
    expect((await run(`logout ${server.base}`)).code).toBe(0)
    expect((await run('whoami')).code).toBe(4)
  })

  test('that is locked: a warning and the file, or an error with --strict; the former key is not lost', async () => {
    await startBus()
    const open = await startKeyring('secret')
    await login()
    open.kill()
    await once(open, 'exit')
    await startKeyring()
    const read = await run('whoami')
    expect([read.code, read.stdout]).toEqual([4, expect.stringContaining('keyring not readable')])
    const used = await run(`image resize logo.png --width 20 --server ${server.base}`)
    expect([used.code, used.stderr]).toEqual([3, expect.stringContaining('keyring of the system cannot be used')])
    expect((await run(`logout ${server.base}`)).code).toBe(3)
    const strict = await login(' --strict')
    expect([strict.code, strict.stderr]).toEqual([1, expect.stringContaining('cannot be used')])
    expect(stored()).toEqual({ isInKeyring: true })
    const lax = await login()
    expect([lax.code, lax.stderr]).toEqual([
      0,
      expect.stringMatching(/warning: The keyring[\s\S]*stored in .*servers\.json/),
    ])
    expect(stored()).toEqual({ key: readFileSync(join(folder, 'key'), 'utf8') })
    expect((await run('whoami')).stdout).toMatch(/file +accepted/)
  })

  test('is left when a later login keeps the key in the file', async () => {
    await startBus()
    await startKeyring('secret')
    await login()
    expect((await login(' --no-keyring')).stderr).toContain('servers.json')
    expect(stored()).toEqual({ key: readFileSync(join(folder, 'key'), 'utf8') })
    expect(await secretOf(server.base)).toBe('null')
    // The variable decides as well, and --keyring overrides it.
    expect((await login('', { MEDIAPROC_KEYRING: 'false' })).stderr).toContain('servers.json')
    expect((await login(' --keyring', { MEDIAPROC_KEYRING: 'false' })).stderr).toContain('the keyring')
  })
})

test('without a keyring: a warning and the file that only its owner can read, or an error with --strict', async () => {
  const strict = await login(' --keyring --strict')
  expect([strict.code, strict.stderr]).toEqual([1, expect.stringContaining('cannot be used')])
  expect((await run('whoami')).code).toBe(4)
  const lax = await login(' --keyring')
  expect([lax.code, lax.stderr]).toEqual([0, expect.stringMatching(/warning: [\s\S]*stored in .*servers\.json/)])
  expect(statSync(file()).mode & 0o777).toBe(0o600)
  expect((await run('whoami')).stdout).toMatch(/file +accepted/)
  const plainly = await login('', { MEDIAPROC_KEYRING: 'false' })
  expect(plainly.stderr).not.toContain('warning')
  expect((await run(`logout ${server.base}`)).code).toBe(0)
})
