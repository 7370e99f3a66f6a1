/** An S3 server for the tests of one file: s3rver in a process of its own, with objects in a folder. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { S3Options } from '../../src/engines/s3/s3.ts'
import { freePort } from './free-port.ts'

const PROGRAM = fileURLToPath(new URL('s3-server.mjs', import.meta.url))
/** The only key that s3rver accepts. */
const KEY = 'S3RVER'

export interface TestS3 {
  port: number
  /** Options for the bucket. @param over replaces some, such as the endpoint by that of a proxy */
  options(over?: Partial<S3Options>): S3Options
  /** Identifiers of uploads that were neither completed nor aborted. */
  unfinished(): string[]
  /** Ends the server at once, as a power failure does. */
  kill(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

/** Starts a server with an empty bucket. */
export async function startS3(): Promise<TestS3> {
  const folder = mkdtempSync('/tmp/mediaproc-s3-')
  const port = await freePort()
  let child: ChildProcess | undefined
  const start = async (): Promise<void> => {
    // s3rver encrypts the tokens of its listings with DES.
    const given = ['--openssl-legacy-provider', PROGRAM, folder, String(port), 'media']
    const server = spawn(process.execPath, given, { stdio: ['ignore', 'pipe', 'inherit'] })
    child = server
    await new Promise<void>((resolve, reject) => {
      server.stdout.once('data', () => resolve())
      server.once('exit', () => reject(new Error('the S3 server did not start')))
    })
  }
  const kill = async (): Promise<void> => {
    const server = child
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    const ended = new Promise((resolve) => server.once('exit', resolve))
    server.kill('SIGKILL')
    await ended
  }
  await start()
  return {
    port,
    options: (over) => ({
      ...{ bucket: 'media', region: 'us-east-1', endpoint: `http://127.0.0.1:${port}`, prefix: '' },
      ...{ accessKeyId: KEY, secretAccessKey: KEY, forcePathStyle: true, presign: true },
      ...over,
    }),
    unfinished: () => readdirSync(join(folder, 'uploads')),
    kill,
    start,
    async stop() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
