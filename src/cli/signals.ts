import { EXIT, MediaprocError } from '../errors.ts'
import { removeOpenWorkspaces } from '../job/workspace.ts'
import type { Io } from './io.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs `work` so that Ctrl-C (or a termination signal) aborts it: children end, staging folders go, and the exit code is
 * 130. A second signal ends the process at once, still without leaving anything half done.
 */
export async function withSignals<T>(io: Io, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const stop = (): void => {
    if (controller.signal.aborted) {
      removeOpenWorkspaces()
      process.exit(EXIT.interrupted)
    }
    io.err('\nmediaproc: stopping …\n')
    controller.abort(new MediaprocError('CANCELED'))
  }
  for (const signal of SIGNALS) process.on(signal, stop)
  try {
    return await work(controller.signal)
  } finally {
    for (const signal of SIGNALS) process.removeListener(signal, stop)
  }
}
