/** A PostgreSQL server of Debian for the tests of one file, on a socket and a port of its own. */
import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'
import { sharedSample } from './shared-samples.ts'

const ROOT = '/usr/lib/postgresql'

/** The folder with the programs of the newest version; undefined if none is installed. */
export const postgresPrograms = (): string | undefined => {
  const versions = existsSync(ROOT) ? readdirSync(ROOT).sort((one, other) => Number(other) - Number(one)) : []
  return versions.map((version) => join(ROOT, version, 'bin')).find((folder) => existsSync(join(folder, 'initdb')))
}

export interface TestPostgres {
  /** Creates an empty database and returns its URL. */
  database(): Promise<string>
  /** Ends the server at once, as a power failure does. */
  kill(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

/** PostgreSQL refuses to run as root: then it runs as the user that its package creates. */
function asServerUser(program: string, given: readonly string[]): [string, string[]] {
  return process.getuid?.() === 0 ? ['runuser', ['-u', 'postgres', '--', program, ...given]] : [program, [...given]]
}

async function run(program: string, ...given: string[]): Promise<void> {
  const [command, words] = asServerUser(program, given)
  await promisify(execFile)(command, words, { cwd: '/tmp' })
}

/** A new folder that only the user of the server can read, as PostgreSQL requires. */
function serverFolder(): string {
  const folder = mkdtempSync('/tmp/mediaproc-postgres-')
  if (process.getuid?.() === 0) {
    const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'postgres'])))
    chownSync(folder, uid!, gid!)
  }
  chmodSync(folder, 0o700)
  return folder
}

/** An empty cluster to copy: initdb takes a second of processor time, a copy of its 39 MB takes 0.1. */
const emptyCluster = (bin: string): Promise<string> =>
  sharedSample(['postgres', bin], 'cluster', async (path) => {
    const folder = serverFolder()
    const data = join(folder, 'data')
    const locale = ['--locale=C.UTF-8', '-E', 'UTF8']
    await run(join(bin, 'initdb'), '-D', data, '-U', 'mediaproc', '--auth=trust', '--no-sync', ...locale)
    await copy(data, path)
    await remove(folder)
  })

/** With the owners and modes of all files. */
const copy = async (from: string, to: string): Promise<void> => void (await promisify(execFile)('cp', ['-a', from, to]))
const remove = async (path: string): Promise<void> => void (await promisify(execFile)('rm', ['-rf', path]))

/** Starts a server with an empty cluster. */
export async function startPostgres(): Promise<TestPostgres> {
  const bin = postgresPrograms()
  if (bin === undefined) throw new Error('PostgreSQL is not installed')
  const folder = serverFolder()
  const port = await freePort()
  const data = join(folder, 'data')
  await copy(await emptyCluster(bin), data)
  const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=60`
  const start = (): Promise<void> =>
    run(join(bin, 'pg_ctl'), '-D', data, '-o', options, '-l', join(folder, 'log'), '-w', 'start')
  await start()
  let made = 0
  return {
    async database() {
      const name = `test${made++}`
      await run(join(bin, 'createdb'), '-h', '127.0.0.1', '-p', String(port), '-U', 'mediaproc', name)
      return `postgres://mediaproc@127.0.0.1:${port}/${name}`
    },
    kill: () => run(join(bin, 'pg_ctl'), '-D', data, '-m', 'immediate', '-w', 'stop'),
    start,
    async stop() {
      await run(join(bin, 'pg_ctl'), '-D', data, '-m', 'immediate', '-w', 'stop').catch(() => {})
      await remove(folder)
    },
  }
}
