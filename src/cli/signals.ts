import { existsSync } from 'node:fs'
import { EXIT, type ExitCode, MediaprocError } from '../errors.ts'
import { abandonedWork } from '../job/run.ts'
import type { Io } from './output/io.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

/** How long work that is being stopped may take to end by itself, in milliseconds. */
const GRACE_MS = 1000

/**
 * Ends the process at once with the status that a shell shows as 130. `process.exit` would wait for threads inside
 * libraries, which may take minutes; dying by SIGINT does not.
 */
function endAtOnce(): never {
  // The listeners remove staging folders and end child processes; a death by a signal would pass them over.
  process.emit('exit', EXIT.interrupted)
  if (process.platform !== 'win32') {
    for (const signal of SIGNALS) process.removeAllListeners(signal)
    process.kill(process.pid, 'SIGINT')
  }
  process.exit(EXIT.interrupted)
}

const SHELL = '/bin/sh'

/** `execve`, which Node has since 22.15 and 23.11, and not on Windows. */
type Execve = (file: string, args: readonly string[], environment: Record<string, string>) => never

/**
 * Ends the process at once with an exit code of its own choice: another program takes its place, which threads do not outlive.
 * Where Node cannot do that, the end waits for them.
 */
function endReplaced(code: ExitCode): never {
  const { execve } = process as { execve?: Execve }
  if (execve && existsSync(SHELL)) {
    process.emit('exit', code)
    execve.call(process, SHELL, ['sh', '-c', `exit ${code}`], {})
  }
  process.exit(code)
}

/**
 * Ends the process: in the ordinary way where nothing runs any more. A library that goes on although its job was stopped (an
 * encode in libvips) has a second, and is then not waited for.
 */
export async function endProcess(code: ExitCode): Promise<never> {
  const work = abandonedWork()
  if (work) await Promise.race([work, new Promise((resolve) => setTimeout(resolve, GRACE_MS))])
  if (!abandonedWork()) process.exit(code)
  return code === EXIT.interrupted ? endAtOnce() : endReplaced(code)
}

/**
 * Runs `work` so that Ctrl-C (or a termination signal) aborts it: children end, staging folders go, and the exit code is
 * 130. A second signal ends the process at once, still without leaving anything half done.
 */
export async function withSignals<T>(io: Io, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const stop = (): void => {
    if (controller.signal.aborted) endAtOnce()
    io.err('\nmediaproc: stopping …\n')
    controller.abort(new MediaprocError('CANCELED'))
  }
  for (const signal of SIGNALS) process.on(signal, stop)
  try {
    return await work(controller.signal)
  } finally {
    // An aborted run keeps its listener: a second signal may come while the first is being obeyed.
    if (!controller.signal.aborted) for (const signal of SIGNALS) process.removeListener(signal, stop)
  }
}
