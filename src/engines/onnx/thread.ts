/**
 * The thread of one open model. onnxruntime-node blocks the calling thread for seconds or minutes; in its own thread it
 * blocks no caller, and can be terminated. `session.ts` sends the requests.
 */
import { createRequire } from 'node:module'
import { workerData } from 'node:worker_threads'
import type { InferenceSession, Tensor as OrtTensor } from 'onnxruntime-node'
import { answerRequests, type Reply } from '../workers/worker-answers.ts'
import type { Tensor, TensorInfo } from './tensor.ts'

type Runtime = typeof import('onnxruntime-node')

/** The thread's `workerData`. */
export interface ModelThreadData {
  /** The module of onnxruntime-node, by its path. */
  runtime: string
  model: string
  threads: number
  device: 'cpu' | 'cuda'
  /** Keep the memory of a run for the next; not for models whose runs take gigabytes. */
  keepsMemory: boolean
}

export type ModelRequest =
  | { kind: 'open' }
  | {
      kind: 'run'
      feeds: Readonly<Record<string, Tensor>>
      /** The outputs that are wanted; all by default. */
      wanted?: readonly string[]
      /** Outputs that stay in the thread and are inputs of the next run, by output; so that a decoder's cache is never copied. */
      carry?: Readonly<Record<string, string>>
      /** Feeds that stay in the thread for the runs that follow, too. */
      keep?: readonly string[]
    }
  /** Forgets what was carried and kept. */
  | { kind: 'reset' }

export interface ModelAnswer {
  inputs?: TensorInfo[]
  outputs?: TensorInfo[]
  tensors?: Record<string, Tensor>
}

/** Errors only. */
const LOG_LEVEL = 3

const { runtime, model, threads, device, keepsMemory } = workerData as ModelThreadData
const ort = createRequire(import.meta.url)(runtime) as Runtime

let session: InferenceSession | undefined
let carried: Record<string, OrtTensor> = {}

async function open(): Promise<ModelAnswer> {
  session ??= await ort.InferenceSession.create(model, {
    executionProviders: device === 'cuda' ? ['cuda', 'cpu'] : ['cpu'],
    graphOptimizationLevel: 'all',
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    enableCpuMemArena: keepsMemory,
    enableMemPattern: keepsMemory,
    logSeverityLevel: LOG_LEVEL,
    // Threads that wait for work in a loop take the cores from other jobs: twice the processor time of small models.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  })
  const described = (values: readonly InferenceSession.ValueMetadata[]): TensorInfo[] =>
    values.map((value) => ({
      name: value.name,
      ...(value.isTensor ? { type: value.type, shape: value.shape } : { type: 'other', shape: [] }),
    }))
  return { inputs: described(session.inputMetadata), outputs: described(session.outputMetadata) }
}

async function run({
  feeds,
  wanted,
  carry = {},
  keep = [],
}: Extract<ModelRequest, { kind: 'run' }>): Promise<{ answer: ModelAnswer; transfer: ArrayBufferLike[] }> {
  const given = Object.fromEntries(
    Object.entries(feeds).map(([name, { type, data, dims }]) => [
      name,
      new ort.Tensor(type, data as Float32Array, dims) as OrtTensor,
    ]),
  )
  for (const name of keep) carried[name] = given[name]!
  const fetched = wanted && [...new Set([...wanted, ...Object.keys(carry)])]
  const all = { ...carried, ...given }
  const outputs = fetched ? await session!.run(all, fetched) : await session!.run(all)
  const tensors: Record<string, Tensor> = {}
  const transfer: ArrayBufferLike[] = []
  for (const [name, { type, data, dims }] of Object.entries(outputs)) {
    const carriedAs = carry[name]
    if (carriedAs !== undefined) carried[carriedAs] = outputs[name]!
    if (carriedAs !== undefined && !wanted?.includes(name)) continue
    tensors[name] = { type, data, dims } as Tensor
    if (carriedAs === undefined) transfer.push((data as Float32Array).buffer)
  }
  return { answer: { tensors }, transfer: [...new Set(transfer)] }
}

answerRequests<ModelRequest, ModelAnswer>(async (request): Promise<Reply<ModelAnswer>> => {
  if (request.kind === 'open') return { answer: await open() }
  if (request.kind === 'run') return run(request)
  carried = {}
  return { answer: {} }
})
