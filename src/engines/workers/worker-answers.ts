/** The protocol of a worker thread, on the thread's side; the side that asks is worker-thread.ts. */
import { parentPort } from 'node:worker_threads'
import { errorOf, failureOf, type WorkerFailure } from './worker-failure.ts'

/** A thread's answer to a request; `transfer` lists the buffers of the answer that are moved instead of copied. */
export interface Reply<Answer> {
  answer: Answer
  transfer?: readonly ArrayBufferLike[]
}

/** Reports the finished fraction of a request, 0 to 1. */
export type TellProgress = (part: number) => void

/** Sends a request to the other side. @throws its error, with the same code and message */
export type Consult = (question: unknown) => Promise<unknown>

/** Messages of a thread: any number of notifications and questions, then an answer or a failure. */
export type WorkerMessage<Answer, Message> =
  | { notification: Message }
  | { question: { id: number; value: unknown } }
  | { answer: Answer }
  | { failure: WorkerFailure }

/** Messages to a thread. */
export type ToWorker<Request> =
  | { request: Request }
  | { reply: { id: number; value: unknown } }
  | { refusal: { id: number; failure: WorkerFailure } }
  | { abort: WorkerFailure }

interface Waiting {
  resolve(value: unknown): void
  reject(error: unknown): void
}

/**
 * Makes this thread answer every request with the result or exception of `work`.
 * @param work `notify` sends notifications to the requesting side; the signal aborts when that side asks to stop
 */
export function answerRequests<Request, Answer, Message = number>(
  work: (
    request: Request,
    notify: (message: Message) => void,
    consult: Consult,
    signal: AbortSignal,
  ) => Reply<Answer> | Promise<Reply<Answer>>,
): void {
  const port = parentPort!
  const post = (message: WorkerMessage<Answer, Message>, transfer: readonly ArrayBufferLike[] = []): void =>
    port.postMessage(message, transfer as ArrayBuffer[])
  const waiting = new Map<number, Waiting>()
  /** Which question an error is the refusal of. */
  const refusals = new Map<unknown, number>()
  let controller = new AbortController()
  let asked = 0
  const consult: Consult = (value) =>
    new Promise((resolve, reject) => {
      asked += 1
      waiting.set(asked, { resolve, reject })
      post({ question: { id: asked, value } })
    })
  const settle = (id: number): Waiting | undefined => {
    const one = waiting.get(id)
    waiting.delete(id)
    return one
  }
  const answer = async (request: Request): Promise<void> => {
    controller = new AbortController()
    refusals.clear()
    try {
      const { answer, transfer } = await work(
        request,
        (notification) => post({ notification }),
        consult,
        controller.signal,
      )
      post({ answer }, transfer)
    } catch (error) {
      post({ failure: failureOf(error, refusals) })
    }
  }
  port.on('message', (message: ToWorker<Request>) => {
    if ('request' in message) void answer(message.request)
    else if ('abort' in message) controller.abort(errorOf(message.abort))
    else if ('reply' in message) settle(message.reply.id)?.resolve(message.reply.value)
    else {
      const { id, failure } = message.refusal
      const error = errorOf(failure)
      refusals.set(error, id)
      settle(id)?.reject(error)
    }
  })
}
