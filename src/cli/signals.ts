import { existsSync } from 'node:fs'
import { EXIT, type ExitCode, MediaprocError } from '../errors.ts'
import { abandonedWork } from '../job/run.ts'
import type { Io } from './output/io.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

/** Grace period for aborted work to end by itself, in milliseconds. */
const GRACE_MS = 1000

/**
 * Ends the process immediately with the status that a shell shows as 130. `process.exit` would wait for threads inside
 * libraries, which may take minutes; dying by SIGINT does not.
 */
function endAtOnce(): never {
  // The listeners remove staging folders and end child processes; death by a signal would skip them.
  process.emit('exit', EXIT.interrupted)
  if (process.platform !== 'win32') {
    for (const signal of SIGNALS) process.removeAllListeners(signal)
    process.kill(process.pid, 'SIGINT')
  }
  process.exit(EXIT.interrupted)
}

const SHELL = '/bin/sh'

/** `execve`, available in Node since 22.15 and 23.11, and not on Windows. */
type Execve = (file: string, args: readonly string[], environment: Record<string, string>) => never

/**
 * Ends the process immediately with a given exit code: replaces it with another program, which also ends its threads.
 * If Node does not support that, the exit waits for the threads.
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
 * Ends the process: normally if nothing is running. A library that continues although its job was aborted (an encode in
 * libvips) gets one second, and is then not waited for.
 */
export async function endProcess(code: ExitCode): Promise<never> {
  const work = abandonedWork()
  if (work) await Promise.race([work, new Promise((resolve) => setTimeout(resolve, GRACE_MS))])
  if (!abandonedWork()) process.exit(code)
  return code === EXIT.interrupted ? endAtOnce() : endReplaced(code)
}

/**
 * Runs `work` so that Ctrl-C (or a termination signal) aborts it: child processes end, staging folders are removed, and
 * the exit code is 130. A second signal ends the process immediately, also without leaving partial outputs.
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
    // An aborted run keeps its listener: a second signal may arrive during the abort.
    if (!controller.signal.aborted) for (const signal of SIGNALS) process.removeListener(signal, stop)
  }
}
