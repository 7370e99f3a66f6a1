import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEveryFile } from './clean-up.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/mediaproc.js', import.meta.url))
const CHEAP_SCRYPT = new URL('./cheap-scrypt.mjs', import.meta.url).href

export const FIRST_PASSWORD = 'Start-Passw0rd-1'
export const PASSWORD = 'Second-Passw0rd-2'

/** Handles requests. */
export interface Served {
  base: string
  data: string
}

export interface TestServer extends Served {
  process: ChildProcess
  /** Its standard error so far. */
  log(): string
  /** Stops it; its data stay until the end of the test file. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

export interface StartOptions {
  environment?: Record<string, string>
  /** The data folder of an earlier run. */
  data?: string
  /** What it does, of several servers. */
  role?: 'api' | 'worker' | 'all'
  /** Uses the real scrypt cost: for data that other processes write, too. */
  realScrypt?: true
}

/** Environment of every test server. */
export const SERVER_ENVIRONMENT = {
  DEFAULT_PASSWORD: FIRST_PASSWORD,
  RATE_LIMIT_PER_MIN: '0',
  LOGIN_ATTEMPT_LIMIT: '1000',
  CONCURRENT_JOBS: '2',
  // Only tests of downloads enable them.
  MODEL_OFFLINE: 'true',
  MEDIAPROC_MODELS: '',
}

const folders: string[] = []
const running = new Set<TestServer>()

afterEveryFile(async () => {
  for (const server of running) await server.stop('SIGKILL')
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** Starts `mediaproc serve` as a user would, on a free port with a fresh data folder. Requires a build. */
export async function startServer({
  environment = {},
  data,
  role = 'all',
  realScrypt,
}: StartOptions = {}): Promise<TestServer> {
  const folder = data ?? mkdtempSync(join(tmpdir(), 'mediaproc-server-'))
  if (data === undefined) folders.push(folder)
  const child = spawn(
    process.execPath,
    [
      ...(realScrypt ? [] : ['--import', CHEAP_SCRYPT]),
      PROGRAM,
      'serve',
      '--port',
      '0',
      '--host',
      '127.0.0.1',
      '--data',
      folder,
      ...(role === 'all' ? [] : ['--role', role]),
    ],
    {
      env: {
        ...process.env,
        ...SERVER_ENVIRONMENT,
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let text = ''
  child.stderr!.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  const exited = once(child, 'exit') as Promise<[number | null]>
  const address = new Promise<string>((resolve) => {
    child.stdout!.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()))
  })
  const base = await Promise.race([address, exited.then(() => undefined)])
  if (base === undefined) throw new Error(`the server did not start:\n${text}`)
  const server: TestServer = {
    base,
    data: folder,
    process: child,
    log: () => text,
    async stop(signal = 'SIGTERM') {
      running.delete(server)
      if (child.exitCode === null && child.signalCode === null) child.kill(signal)
      const [code] = await exited
      return code
    },
  }
  running.add(server)
  return server
}

export interface Answer {
  status: number
  headers: Headers
  /** The body as JSON; undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: what a server answers has no type before it is looked at
  json: any
  bytes: Buffer
}

async function answerOf(response: Response): Promise<Answer> {
  const bytes = Buffer.from(await response.arrayBuffer())
  const isJson = /^application\/(?:scim\+)?json\b/.test(response.headers.get('content-type') ?? '')
  return {
    status: response.status,
    headers: response.headers,
    // The answer to HEAD has no body.
    json: isJson && bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined,
    bytes,
  }
}

const credential = (token?: string): Record<string, string> => (token ? { authorization: `Bearer ${token}` } : {})

/** A request with or without a JSON body. */
export async function call(
  server: Served,
  method: string,
  path: string,
  { token, body, headers = {} }: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const json = body === undefined ? {} : { body: JSON.stringify(body) }
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
  return answerOf(
    await fetch(server.base + path, { method, headers: { ...type, ...credential(token), ...headers }, ...json }),
  )
}

export type Part = string | { name: string; bytes: Uint8Array; type?: string }

/** As browsers write names of fields and files. */
const quoted = (name: string): string => name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

/**
 * A form: text fields and files, in the given order; a field may occur several times. Written here instead of with
 * FormData, which takes a millisecond per file.
 */
export async function send(
  server: Served,
  path: string,
  parts: readonly (readonly [field: string, part: Part])[],
  token?: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const boundary = `form-${randomUUID()}`
  const pieces = parts.flatMap(([field, part]) => {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(field)}"`
    if (typeof part === 'string') return [Buffer.from(`${head}\r\n\r\n${part}\r\n`)]
    const type = part.type || 'application/octet-stream'
    const start = `${head}; filename="${quoted(part.name)}"\r\nContent-Type: ${type}\r\n\r\n`
    return [Buffer.from(start), part.bytes, Buffer.from('\r\n')]
  })
  const body = Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)])
  const headers = { ...more, ...credential(token), 'content-type': `multipart/form-data; boundary=${boundary}` }
  return answerOf(await fetch(server.base + path, { method: 'POST', headers, body }))
}

/** Signs the first administrator in and changes the first password, if not done yet. */
export async function signIn(server: Served): Promise<string> {
  const login = (password: string) => call(server, 'POST', '/api/auth/login', { body: { username: 'admin', password } })
  const known = await login(PASSWORD)
  if (known.status === 200) return known.json.token
  const { token } = (await login(FIRST_PASSWORD)).json
  const body = { currentPassword: FIRST_PASSWORD, newPassword: PASSWORD }
  await call(server, 'POST', '/api/auth/change-password', { token, body })
  return token
}

/** Creates a user with a changed password; returns the token of a session. */
export async function makeUser(server: Served, admin: string, username: string, role = 'user'): Promise<string> {
  const body = { username, password: FIRST_PASSWORD, role }
  await call(server, 'POST', '/api/auth/register', { token: admin, body })
  const { token } = (await call(server, 'POST', '/api/auth/login', { body: { username, password: FIRST_PASSWORD } }))
    .json
  const change = { currentPassword: FIRST_PASSWORD, newPassword: PASSWORD }
  await call(server, 'POST', '/api/auth/change-password', { token, body: change })
  return token
}
