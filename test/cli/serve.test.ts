import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { runProgramHere } from '../helpers/program-here.ts'
import { call, FIRST_PASSWORD, PASSWORD, startServer } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/mediaproc.js', import.meta.url))
const folder = temporaryFolder()

function run(args: readonly string[], environment: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...environment },
    timeout: 30_000,
  })
  return { status, stdout, stderr }
}

describe('mediaproc serve', () => {
  test('generates a first password, prints it once, and forgets it at the first change', async () => {
    const server = await startServer({ environment: { DEFAULT_PASSWORD: '' } })
    const file = join(server.data, 'initial-admin-password')
    const password = readFileSync(file, 'utf8').trim()
    await expect.poll(() => server.log()).toContain(password)
    const login = await call(server, 'POST', '/api/auth/login', { body: { username: 'admin', password } })
    expect(login.json.user.mustChangePassword).toBe(true)
    const body = { currentPassword: password, newPassword: PASSWORD }
    const { token } = login.json
    expect((await call(server, 'POST', '/api/auth/change-password', { token, body })).status).toBe(200)
    expect(existsSync(file)).toBe(false)
    expect(await server.stop()).toBe(0)
    const again = await startServer({ data: server.data })
    expect(again.log()).not.toContain('sign in as')
    await again.stop()
  })

  test('two servers cannot use the same data folder', async () => {
    const server = await serveHere()
    const { status, stderr } = run(['serve', '--port', '0', '--data', server.data])
    expect([status, stderr]).toEqual([1, expect.stringContaining('in use')])
    await server.stop()
  })

  test('reports a port that is in use', async () => {
    const server = await serveHere()
    const { port } = new URL(server.base)
    const { status, stderr } = run(['serve', '--port', port, '--host', '127.0.0.1', '--data', join(folder, 'other')])
    expect([status, stderr]).toEqual([2, expect.stringContaining(`Port ${port} is in use`)])
    await server.stop()
  })

  test.each([
    [{ AUTH_ENABLED: 'no' }, 'AUTH_ENABLED'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL'],
    [{ OIDC_ENABLED: 'true' }, 'OIDC_ENABLED'],
    [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL'],
    [{ REDIS_URL: 'redis://x' }, 'DATABASE_URL'],
    [{ STORAGE_MODE: 's3' }, 'STORAGE_MODE'],
    [{ BASE_PATH: 'media' }, 'BASE_PATH'],
    [{ MAX_USERS: 'many' }, 'MAX_USERS'],
  ])('%j stops the start with a message', async (environment, name) => {
    const args = ['serve', '--port', '0', '--data', join(folder, 'never')]
    const { code, stderr } = await runProgramHere(args, { cwd: folder, environment })
    expect([code, stderr]).toEqual([2, expect.stringContaining(name)])
    expect(existsSync(join(folder, 'never'))).toBe(false)
  })
})

describe('mediaproc user', () => {
  test('adds, lists and resets users while the server is stopped', async () => {
    const data = join(folder, 'accounts')
    const made = run(['user', 'add', 'carol', '--role', 'admin', '--data', data])
    expect(made.status).toBe(0)
    expect(run(['user', 'list', '--data', data]).stdout).toMatch(/carol +admin +Default/)
    const twice = run(['user', 'add', 'Carol', '--data', data])
    expect([twice.status, twice.stderr]).toEqual([1, expect.stringContaining('taken')])
    const server = await startServer({ data, realScrypt: true })
    const login = (password: string) =>
      call(server, 'POST', '/api/auth/login', { body: { username: 'carol', password } })
    expect((await login(made.stdout.trim())).status).toBe(200)
    expect(run(['user', 'list', '--data', data]).status).toBe(1)
    await server.stop()
    expect(run(['user', 'reset-password', 'carol', '--password', FIRST_PASSWORD, '--data', data]).status).toBe(0)
    const later = await startServer({ data, realScrypt: true })
    const answer = await call(later, 'POST', '/api/auth/login', {
      body: { username: 'carol', password: FIRST_PASSWORD },
    })
    expect(answer.json.user).toMatchObject({ role: 'admin', mustChangePassword: true })
    await later.stop()
  })

  test('refuses a weak password, an unknown user and an invalid command', () => {
    const data = join(folder, 'accounts')
    expect(run(['user', 'add', 'dave', '--password', 'short', '--data', data]).stderr).toContain('8')
    expect(run(['user', 'reset-password', 'nobody', '--data', data]).stderr).toContain('no user nobody')
    expect(run(['user', 'remove', 'carol']).status).toBe(2)
    expect(run(['user', 'add']).status).toBe(2)
  })
})
