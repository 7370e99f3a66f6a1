import { EXIT, type ExitCode } from '../../errors.ts'
import { keepHeapSmall } from '../../job/batch.ts'
import { parseOwnOptions } from '../input/own-options.ts'
import { SERVE_SETTINGS } from '../input/server-options.ts'
import type { Io } from '../output/io.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** Delay in milliseconds: starting a program blocks the main thread, and the first requests take precedence. */
const ASK_ENGINES_MS = 500

/** Warnings of an engine: a server receives untrusted files, so an outdated ffmpeg is reported at startup. */
async function warnOfEngines(io: Io): Promise<void> {
  const { ffmpeg } = await import('../../engines/ffmpeg/ffmpeg.ts')
  const { warning } = await ffmpeg.probe()
  if (warning) io.err(`mediaproc: warning: ffmpeg: ${warning}\n`)
}

/**
 * Preloads the most used tool, and with it the common code of all image tools: settings are checked in this process,
 * and the first request would have to wait. Errors are left to the request.
 */
async function loadUsualTool(): Promise<void> {
  const { findTool } = await import('../../pipeline/read/find-tool.ts')
  await findTool('image/resize')
    .loadTool()
    .catch(() => undefined)
}

/** `mediaproc serve`: runs until SIGINT or SIGTERM, then ends running jobs and flushes all data. */
export async function serveCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values } = parseOwnOptions('serve', args, SERVE_SETTINGS, 0)
  keepHeapSmall()
  const [{ readConfig }, { startServer }] = await Promise.all([
    import('../../server/config.ts'),
    import('../../server/server.ts'),
  ])
  const { port, host, data, role } = values
  const config = readConfig({
    ...(port !== undefined && { port }),
    ...(host !== undefined && { host }),
    ...(data !== undefined && { dataFolder: data }),
    role,
  })
  const server = await startServer(config)
  const { firstAdmin } = server
  // A single line for scripts that wait for the server; everything else is for display.
  io.out(`${server.address}\n`)
  io.err(`mediaproc: serving at ${server.address}${config.basePath}, data in ${config.dataFolder}\n`)
  io.err(`mediaproc: API documentation at ${server.address}${config.basePath}/api/docs\n`)
  if (!config.authEnabled) io.err('mediaproc: authentication is off: anyone who can reach the server has full access\n')
  if (firstAdmin?.password)
    io.err(`mediaproc: sign in as ${firstAdmin.username} with ${firstAdmin.password} (also in ${firstAdmin.file})\n`)
  void loadUsualTool()
  const asking = setTimeout(() => void warnOfEngines(io), ASK_ENGINES_MS)
  let stop = (): void => undefined
  const stopped = new Promise<void>((resolve) => {
    stop = resolve
  })
  // Not `once`: a running engine would otherwise find no listener, and end the process.
  for (const signal of SIGNALS) process.on(signal, stop)
  await stopped
  clearTimeout(asking)
  io.err('mediaproc: shutting down …\n')
  // A second signal forces the end; acknowledged data is already on disk.
  process.once('SIGINT', () => process.exit(EXIT.interrupted))
  await server.close()
  for (const signal of SIGNALS) process.removeListener(signal, stop)
  return EXIT.ok
}
