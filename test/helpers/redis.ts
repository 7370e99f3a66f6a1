/** A Redis server of Debian for the tests of one file, without persistence. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { freePort } from './free-port.ts'

export interface TestRedis {
  port: number
  url: string
  /** Runs a command of redis-cli and returns its output. */
  command(...words: string[]): string
  /** Ends the server at once, as a power failure does. */
  kill(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    }).once('error', () => resolve(false))
  })

/** @param settings of the server, such as `--maxmemory-policy`, `allkeys-lru` */
export async function startRedis(...settings: string[]): Promise<TestRedis> {
  const folder = mkdtempSync('/tmp/mediaproc-redis-')
  const port = await freePort()
  let child: ChildProcess | undefined
  const start = async (): Promise<void> => {
    const given = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', ...settings]
    const server = spawn('redis-server', given, { stdio: 'ignore' })
    child = server
    while (!(await answers(port))) {
      if (server.exitCode !== null) throw new Error('redis-server did not start')
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const kill = async (): Promise<void> => {
    const server = child
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill('SIGKILL')
    await ended
  }
  await start()
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    command: (...words) => execFileSync('redis-cli', ['-p', String(port), ...words], { encoding: 'utf8' }).trim(),
    kill,
    start,
    async stop() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
