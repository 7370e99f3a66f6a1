/** Work on a thread of its own, so that WebAssembly and pixel loops never keep the thread that serves waiting. */
import { SHARE_ENV, Worker } from 'node:worker_threads'
import { toMediaprocError } from '../../errors.ts'
import { packEnvironment } from '../packs/store.ts'
import { IdleThreads } from './idle-threads.ts'
import type { TellProgress, ToWorker, WorkerMessage } from './worker-answers.ts'
import { errorOf, failureOf } from './worker-failure.ts'

/**
 * Maximum size of the young generation of a thread with a limit, in mebibytes. At its limit V8 grants a heap 16 more to
 * end in: a young generation of the default size, moved to the old one at once, may need more, which aborts the process
 * (7 of 20 runs with a limit of 40 on Node 20; none with 16).
 */
const YOUNG_MEBIBYTES = 16

export interface WorkerOptions {
  /** Ends the thread at once. */
  signal?: AbortSignal
  /** `workerData` of the thread's module. */
  data?: unknown
  /** The thread sees our environment, for one that runs tools; by default it only computes and sees none. */
  seesEnvironment?: boolean
  /** Maximum size of the thread's heap, in mebibytes; without it, Node's default. */
  heapMebibytes?: number
}

/** Receives the messages of a thread before its answer. */
export interface WorkerListener<Message> {
  onMessage?: (message: Message) => void
  /** Answers what the thread asks; what it throws is thrown there, and is the cause of an error that it leads to. */
  onQuestion?: (question: unknown) => Promise<unknown>
}

export interface WorkerThread<Request, Answer, Message = number> {
  /**
   * One request at a time. The request is copied: its buffers stay with the caller. Only a busy thread keeps the process
   * running.
   * @throws MediaprocError when the signal aborts; otherwise the error of the thread, or that ended it
   */
  ask(request: Request, listener?: WorkerListener<Message>): Promise<Answer>
  /** Asks the thread to stop its work, which it notices when it is not computing. */
  abort(reason: unknown): void
  /** Whether it accepts a request: neither busy nor ended. */
  readonly isFree: boolean
  /** Ends the thread, whatever it is doing. */
  close(): Promise<void>
}

interface Pending<Answer, Message> extends WorkerListener<Message> {
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
  /** Errors of refused questions, by number. */
  refusals: Map<number, unknown>
}

/**
 * Starts a thread that must be closed.
 * @param entry a compiled module (`builtFile`) that calls `answerRequests`: a thread cannot run TypeScript on Node 20
 */
export function openWorker<Request, Answer, Message = number>(
  entry: URL,
  { signal, data, seesEnvironment, heapMebibytes }: WorkerOptions = {},
): WorkerThread<Request, Answer, Message> {
  if (signal?.aborted) throw toMediaprocError(signal.reason, 'CANCELED')
  // A thread that only computes receives no environment variables, which may contain secrets, except where engine packs are.
  const worker = new Worker(entry, {
    workerData: data,
    env: seesEnvironment ? SHARE_ENV : packEnvironment(),
    ...(heapMebibytes && {
      resourceLimits: { maxOldGenerationSizeMb: heapMebibytes, maxYoungGenerationSizeMb: YOUNG_MEBIBYTES },
    }),
  })
  worker.unref()
  let pending: Pending<Answer, Message> | undefined
  let ended: { error: unknown } | undefined
  const post = (message: ToWorker<Request>): void => worker.postMessage(message)
  const settle = (): Pending<Answer, Message> | undefined => {
    const settled = pending
    pending = undefined
    worker.unref()
    return settled
  }
  const end = (error: unknown): void => {
    ended ??= { error }
    settle()?.reject(ended.error)
  }
  const onAbort = (): void => end(toMediaprocError(signal!.reason, 'CANCELED'))
  const answerQuestion = async ({ onQuestion, refusals }: Pending<Answer, Message>, id: number, value: unknown) => {
    try {
      if (!onQuestion) throw new Error('No handler for the questions of the thread')
      post({ reply: { id, value: await onQuestion(value) } })
    } catch (error) {
      refusals.set(id, error)
      post({ refusal: { id, failure: failureOf(toMediaprocError(error)) } })
    }
  }
  signal?.addEventListener('abort', onAbort, { once: true })
  worker.on('error', end)
  worker.on('messageerror', end)
  worker.on('exit', (code) => end(new Error(`The thread ended without an answer (exit code ${code})`)))
  worker.on('message', (message: WorkerMessage<Answer, Message>) => {
    if ('notification' in message) pending?.onMessage?.(message.notification)
    else if ('question' in message) {
      if (pending) void answerQuestion(pending, message.question.id, message.question.value)
    } else if ('answer' in message) settle()?.resolve(message.answer)
    else {
      const settled = settle()
      settled?.reject(errorOf(message.failure, settled.refusals.get(message.failure.refused ?? 0)))
    }
  })
  return {
    ask: (request, listener = {}) =>
      new Promise((resolve, reject) => {
        if (ended) return reject(ended.error)
        if (pending) return reject(new Error('The thread is still busy with another request'))
        post({ request })
        worker.ref()
        pending = { resolve, reject, refusals: new Map(), ...listener }
      }),
    abort: (reason) => post({ abort: failureOf(reason) }),
    get isFree() {
      return !ended && !pending
    },
    async close() {
      signal?.removeEventListener('abort', onAbort)
      await worker.terminate()
    },
  }
}

/** Threads that wait for the next use, by their module. */
const idle = new Map<string, IdleThreads<WorkerThread<unknown, unknown>>>()

function idleOf<Request, Answer>({ href }: URL): IdleThreads<WorkerThread<Request, Answer>> {
  const threads = idle.get(href) ?? new IdleThreads()
  idle.set(href, threads)
  return threads as IdleThreads<WorkerThread<Request, Answer>>
}

/** A thread for one use. */
export interface Lease<Request, Answer> extends Pick<WorkerThread<Request, Answer>, 'ask'> {
  /**
   * Must be called at the end.
   * @param isReusable the thread may serve later uses, unless a request failed, or was aborted, or is not answered yet
   */
  release(isReusable: boolean): Promise<void>
}

/**
 * A thread that waits for its next use, or a new one: to start one takes longer than small work. Its module must keep
 * nothing of a request. An abort ends it.
 */
export function leaseWorker<Request, Answer>(entry: URL, signal?: AbortSignal): Lease<Request, Answer> {
  if (signal?.aborted) throw toMediaprocError(signal.reason, 'CANCELED')
  const waiting = idleOf<Request, Answer>(entry)
  const thread = waiting.take() ?? openWorker<Request, Answer>(entry)
  let isSound = true
  const end = (): void => {
    isSound = false
    void thread.close()
  }
  signal?.addEventListener('abort', end, { once: true })
  return {
    async ask(request, listener) {
      try {
        return await thread.ask(request, listener)
      } catch (error) {
        isSound = false
        throw signal?.aborted ? toMediaprocError(signal.reason, 'CANCELED') : error
      }
    },
    async release(isReusable) {
      signal?.removeEventListener('abort', end)
      if (isReusable && isSound && thread.isFree) waiting.keep(thread)
      else await thread.close()
    },
  }
}

export interface AskOptions extends WorkerOptions, Pick<WorkerListener<number>, 'onQuestion'> {
  onProgress?: TellProgress
  /** The thread may serve other uses before and after this one, see `leaseWorker`; other options of a thread are ignored. */
  isReusable?: boolean
}

/** Asks a thread one thing; see `openWorker`. Unless it is reusable, the thread is gone when this settles. */
export async function askWorker<Request, Answer>(
  entry: URL,
  request: Request,
  { onProgress, onQuestion, isReusable = false, ...options }: AskOptions = {},
): Promise<Answer> {
  const listener = { ...(onProgress && { onMessage: onProgress }), ...(onQuestion && { onQuestion }) }
  if (isReusable) {
    const lease = leaseWorker<Request, Answer>(entry, options.signal)
    try {
      return await lease.ask(request, listener)
    } finally {
      await lease.release(true)
    }
  }
  const thread = openWorker<Request, Answer>(entry, options)
  try {
    return await thread.ask(request, listener)
  } finally {
    await thread.close()
  }
}
