import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { missingDesktop, openFile } from '../../engines/desktop.ts'
import { makeOwnedFolder, removeLeftFolders } from '../../engines/process/owned-folder.ts'
import { EXIT, type ExitCode } from '../../errors.ts'
import { keepHeapSmall } from '../../job/batch.ts'
import type { ServerContext } from '../../server/context.ts'
import { parseOwnOptions } from '../input/own-options.ts'
import { OPEN_SETTINGS } from '../input/server-options.ts'
import { openedFiles } from '../open/opened-files.ts'
import { Pages } from '../open/pages.ts'
import { personalConfig } from '../open/personal-config.ts'
import type { Io } from '../output/io.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const PREFIX = 'mediaproc-open-'
/** How long the server stays after its last page was closed, in seconds. */
const STAYS_S = 60

/**
 * Opens the address in the browser. Its token is in a file that only this user can read, because other accounts can see
 * the arguments of programs. Otherwise prints the address, for which this user's terminal is safe.
 */
async function show(io: Io, address: string, folder: string, wantsBrowser: boolean): Promise<void> {
  const { origin, port } = new URL(address)
  const reason = wantsBrowser ? missingDesktop() : ''
  if (reason === undefined) {
    const page = join(folder, 'open.html')
    await writeFile(page, `<!doctype html><meta http-equiv="refresh" content="0;url=${address}">\n`, { mode: 0o600 })
    if (await openFile(page)) {
      io.err(`mediaproc: opened ${origin} in the browser; if no page appears, open this address, which works once:\n`)
      io.err(`${address}\n`)
      return
    }
  }
  const why = reason === undefined ? 'the browser did not start' : reason
  io.err(`mediaproc: ${why && `${why}: `}open this address in a browser of this machine; it works once\n`)
  if (reason === 'this is an SSH session')
    io.err(`mediaproc: from another machine, forward the port first: ssh -L ${port}:127.0.0.1:${port} HOST\n`)
  io.out(`${address}\n`)
}

/** `image/resize of a.jpg` of each job that has not ended. */
async function runningJobs({ store }: ServerContext): Promise<string[]> {
  const records = await store.jobs.unfinished()
  return records.map(({ type, toolId, task }) => `${toolId ?? type} of ${task?.inputs[0]?.name ?? 'no file'}`)
}

/** `mediaproc open`: runs until Ctrl-C, or until its pages were closed for a minute and its jobs have ended. */
export async function openCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const { operands, values } = parseOwnOptions('open', args, OPEN_SETTINGS, Number.POSITIVE_INFINITY)
  const files = await openedFiles(operands)
  keepHeapSmall()
  const { startServer } = await import('../../server/server.ts')
  await removeLeftFolders(tmpdir(), PREFIX)
  const folder = makeOwnedFolder(tmpdir(), PREFIX)
  const pages = new Pages(STAYS_S)
  const stop = new AbortController()
  const end = (): void => stop.abort()
  for (const signal of SIGNALS) process.on(signal, end)
  try {
    const config = await personalConfig(folder, values.port ?? 0, files, (count) => pages.set(count))
    const server = await startServer(config)
    await show(io, `${server.address}/open/${config.personal.token}`, folder, values.browser)
    let named = ''
    await pages.over(async () => {
      const running = (await runningJobs(server.context)).join(', ')
      if (running !== '' && running !== named) io.err(`mediaproc: no page is open; waiting for ${running}\n`)
      named = running
      return running === ''
    }, stop.signal)
    io.err(stop.signal.aborted ? 'mediaproc: shutting down …\n' : 'mediaproc: no page is open any more: done\n')
    // A second signal forces the end; the next start removes the folder.
    process.once('SIGINT', () => process.exit(EXIT.interrupted))
    await server.close()
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    for (const signal of SIGNALS) process.removeListener(signal, end)
  }
  return EXIT.ok
}
