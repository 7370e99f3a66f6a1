/** Work on a thread of its own, so that WebAssembly and pixel loops never keep the thread that serves waiting. */
import { Worker } from 'node:worker_threads'
import { toMediaprocError } from '../errors.ts'
import type { TellProgress, WorkerFailure, WorkerMessage } from './worker-answers.ts'

export interface WorkerOptions {
  /** Ends the thread at once. */
  signal?: AbortSignal
  /** What the thread's module reads as `workerData`. */
  data?: unknown
}

export interface WorkerThread<Request, Answer> {
  /**
   * One request at a time. The request is copied: its buffers stay the caller's.
   * @throws MediaprocError when the signal aborts; otherwise the error that the thread told, or that ended it
   */
  ask(request: Request, onProgress?: TellProgress): Promise<Answer>
  /** Ends the thread, whatever it is doing. */
  close(): Promise<void>
}

interface Pending<Answer> {
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
  onProgress?: TellProgress
}

const errorOf = ({ name, message, stack }: WorkerFailure): Error => Object.assign(new Error(message), { name, stack })

/**
 * Starts a thread that must be closed.
 * @param entry a compiled module (`builtFile`) that calls `answerRequests`: a thread cannot run TypeScript on Node 20
 */
export function openWorker<Request, Answer>(
  entry: URL,
  { signal, data }: WorkerOptions = {},
): WorkerThread<Request, Answer> {
  if (signal?.aborted) throw toMediaprocError(signal.reason, 'CANCELED')
  // A thread only computes: nothing of our environment, where secrets may stand, is its business.
  const worker = new Worker(entry, { workerData: data, env: {} })
  let pending: Pending<Answer> | undefined
  let ended: { error: unknown } | undefined
  const settle = (): Pending<Answer> | undefined => {
    const settled = pending
    pending = undefined
    return settled
  }
  const end = (error: unknown): void => {
    ended ??= { error }
    settle()?.reject(ended.error)
  }
  const onAbort = (): void => end(toMediaprocError(signal!.reason, 'CANCELED'))
  signal?.addEventListener('abort', onAbort, { once: true })
  worker.on('error', end)
  worker.on('messageerror', end)
  worker.on('exit', (code) => end(new Error(`The thread ended without an answer (exit code ${code})`)))
  worker.on('message', (message: WorkerMessage<Answer>) => {
    if ('progress' in message) pending?.onProgress?.(message.progress)
    else if ('answer' in message) settle()?.resolve(message.answer)
    else settle()?.reject(errorOf(message.failure))
  })
  return {
    ask: (request, onProgress) =>
      new Promise((resolve, reject) => {
        if (ended) return reject(ended.error)
        if (pending) return reject(new Error('The thread is still busy with another request'))
        worker.postMessage(request)
        pending = { resolve, reject, ...(onProgress && { onProgress }) }
      }),
    async close() {
      signal?.removeEventListener('abort', onAbort)
      await worker.terminate()
    },
  }
}

/** Asks a thread one thing; see `openWorker`. The thread is gone when this settles. */
export async function askWorker<Request, Answer>(
  entry: URL,
  request: Request,
  { onProgress, ...options }: WorkerOptions & { onProgress?: TellProgress } = {},
): Promise<Answer> {
  const thread = openWorker<Request, Answer>(entry, options)
  try {
    return await thread.ask(request, onProgress)
  } finally {
    await thread.close()
  }
}
