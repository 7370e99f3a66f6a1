/** The protocol of a worker thread, on the thread's side; the side that asks is worker-thread.ts. */
import { parentPort } from 'node:worker_threads'

/** What a thread gives for a request; `transfer` names the answer's own buffers, which are then moved and not copied. */
export interface Reply<Answer> {
  answer: Answer
  transfer?: readonly ArrayBufferLike[]
}

/** Tells the part of a request that is done, 0 to 1. */
export type TellProgress = (part: number) => void

/** An error as data: an Error of a library may hold what cannot be cloned. */
export interface WorkerFailure {
  name: string
  message: string
  stack?: string
}

/** What a thread posts: any number of progress messages, then an answer or a failure. */
export type WorkerMessage<Answer> = { progress: number } | { answer: Answer } | { failure: WorkerFailure }

function failureOf(error: unknown): WorkerFailure {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  const { name, message, stack } = error
  return { name, message, ...(stack !== undefined && { stack }) }
}

/** Makes this thread answer every request with what `work` gives or throws. */
export function answerRequests<Request, Answer>(
  work: (request: Request, tell: TellProgress) => Reply<Answer> | Promise<Reply<Answer>>,
): void {
  const port = parentPort!
  const post = (message: WorkerMessage<Answer>, transfer: readonly ArrayBufferLike[] = []): void =>
    port.postMessage(message, transfer as ArrayBuffer[])
  port.on('message', async (request: Request) => {
    try {
      const { answer, transfer } = await work(request, (part) => post({ progress: part }))
      post({ answer }, transfer)
    } catch (error) {
      post({ failure: failureOf(error) })
    }
  })
}
