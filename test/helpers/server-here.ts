import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig, type ServerConfig } from '../../src/server/config.ts'
import type { ServerContext } from '../../src/server/context.ts'
import { type RunningServer, startServer } from '../../src/server/server.ts'
import type { openStore } from '../../src/store/file/open.ts'
import { cheapenScrypt, restoreScrypt } from './cheap-scrypt.mjs'
import { afterEveryFile } from './clean-up.ts'
import { SERVER_ENVIRONMENT, type Served, type StartOptions } from './server.ts'

export interface ServerHere extends Served {
  /** The context of its routes. */
  context: ServerContext
  /** Stops it; its data stay until the end of the test file. */
  stop(): Promise<void>
}

const folders: string[] = []
const running = new Set<RunningServer>()

afterEveryFile(async () => {
  for (const server of running) await server.close()
  running.clear()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
  restoreScrypt()
})

/** Environment variables of the server. */
function configWith(environment: Record<string, string>, dataFolder: string): ServerConfig {
  const before = { ...process.env }
  Object.assign(process.env, environment)
  try {
    // Most tests have no job, or one: a process that waits for the next one would cost more than the test.
    return { ...readConfig({ port: 0, host: '127.0.0.1', dataFolder }), hasWarmPool: false }
  } finally {
    for (const name of Object.keys(environment)) if (!(name in before)) delete process.env[name]
    Object.assign(process.env, before)
  }
}

/**
 * Starts the server in this process: the same code as `mediaproc serve`, without the second that a separate process takes
 * to start. For tests that only send requests; values that are read after the start (PATH, environment of job processes),
 * signals and output are for `startServer`.
 * @param open opens another store than that in files
 */
export async function serveHere({
  environment = {},
  data,
  open,
}: Omit<StartOptions, 'realScrypt'> & { open?: typeof openStore } = {}): Promise<ServerHere> {
  cheapenScrypt()
  const folder = data ?? mkdtempSync(join(tmpdir(), 'mediaproc-server-'))
  if (data === undefined) folders.push(folder)
  const server = await startServer(
    configWith({ ...SERVER_ENVIRONMENT, LOG_LEVEL: 'silent', ...environment }, folder),
    open,
  )
  running.add(server)
  return {
    base: server.address,
    data: folder,
    context: server.context,
    async stop() {
      running.delete(server)
      await server.close()
    },
  }
}
