/** Runs the decoders and encoders of plugins on threads, with limits of time and memory. */
import { openWorker, type WorkerThread } from '../../engines/workers/worker-thread.ts'
import { environmentNumber } from '../../environment.ts'
import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { builtFile } from '../../root.ts'
import type { FormatAnswer, FormatThreadData, FormatWork } from './format-thread.ts'

/** An idle thread is ended after this time, in milliseconds. */
const IDLE_MS = 5000

type Thread = WorkerThread<FormatWork, FormatAnswer>

/** One idle thread per plugin, for the next picture of a batch. */
const idle = new Map<string, { thread: Thread; clock: NodeJS.Timeout }>()

const megabytes = (): number => environmentNumber('MEDIAPROC_FORMAT_MEMORY_MB')

/** Maximum memory of a decoder or encoder, in bytes; `Infinity` for no limit. */
export const maxFormatBytes = (): number => (megabytes() === 0 ? Number.POSITIVE_INFINITY : megabytes() * 2 ** 20)

function take(path: string): Thread {
  const kept = idle.get(path)
  if (kept) {
    clearTimeout(kept.clock)
    idle.delete(path)
    if (kept.thread.isFree) return kept.thread
  }
  const data: FormatThreadData = { path, maxBytes: megabytes() * 2 ** 20 }
  const limit = megabytes() > 0 ? { heapMebibytes: megabytes() } : {}
  return openWorker(builtFile('src/tool/plugins/format-thread.js'), { data, ...limit })
}

async function putBack(path: string, thread: Thread): Promise<void> {
  if (!thread.isFree || idle.has(path)) return thread.close()
  const end = () => {
    idle.delete(path)
    void thread.close()
  }
  idle.set(path, { thread, clock: setTimeout(end, IDLE_MS).unref() })
}

/** An error of the catalogue for the reason why a thread ended. */
function endError(error: unknown, what: string): MediaprocError {
  if (error instanceof MediaprocError) return error
  if ((error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY')
    return new MediaprocError('LIMIT_EXCEEDED', `${what} needs more than ${megabytes()} MB of memory`, {
      ...{ cause: error, hint: 'Raise the limit with the environment variable MEDIAPROC_FORMAT_MEMORY_MB.' },
    })
  const [reason] = String((error as Error | undefined)?.message ?? error).split('\n')
  return new MediaprocError('INVALID_PLUGIN', `${what} stopped: ${reason}`, {
    ...{ cause: error, detail: (error as Error | undefined)?.stack },
  })
}

/**
 * Asks the plugin at a path for one picture or file. A thread that takes too long is ended.
 * @param check receives the declared size, and throws when it is too large
 * @throws MediaprocError TIMEOUT, LIMIT_EXCEEDED, INVALID_PLUGIN, and those of the plugin
 */
export async function runFormat(
  path: string,
  work: FormatWork,
  { signal, check }: { signal?: AbortSignal; check?: (size: unknown) => void } = {},
): Promise<FormatAnswer> {
  signal?.throwIfAborted()
  const thread = take(path)
  const seconds = environmentNumber('MEDIAPROC_FORMAT_TIMEOUT_S')
  let stop: (error: unknown) => void = () => {}
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = reject
  })
  const onAbort = () => stop(toMediaprocError(signal?.reason, 'CANCELED'))
  const late = () =>
    stop(
      new MediaprocError('TIMEOUT', `${work.what} took longer than ${seconds} s`, {
        hint: 'Raise the limit with the environment variable MEDIAPROC_FORMAT_TIMEOUT_S.',
      }),
    )
  const clock = seconds > 0 ? setTimeout(late, seconds * 1000) : undefined
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    const answer = thread.ask(work, { onQuestion: async (size) => check?.(size) })
    answer.catch(() => {})
    return await Promise.race([answer, stopped])
  } catch (error) {
    throw endError(error, work.what)
  } finally {
    clearTimeout(clock)
    signal?.removeEventListener('abort', onAbort)
    await putBack(path, thread)
  }
}
