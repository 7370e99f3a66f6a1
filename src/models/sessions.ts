/** Models that are loaded in this process: made when first needed, kept by least recent use within a budget of memory. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { threadsPerProcess } from '../concurrency.ts'
import { type Device, type OpenModel, openModel } from '../engines/onnx/session.ts'
import { environmentWord } from '../environment.ts'
import { MediaprocError } from '../errors.ts'
import { freeModelMemory, modelBudget } from './memory.ts'
import { findRuntime, type RuntimePlace } from './runtime.ts'

/**
 * What a runtime holds back for its next run spares a sixth of the time, and is about twice what a run needs (both measured with
 * IS-Net): it may for models that need little, and where there is plenty.
 */
const KEPT_RUN_BYTES = 1024 ** 3
const PLENTY = 4
const mayKeepMemory = (bytes: number): boolean => bytes <= KEPT_RUN_BYTES || PLENTY * bytes <= freeModelMemory()

interface Session {
  /** Loads once; a batch waits for it together. */
  model: Promise<OpenModel>
  bytes: number
  /** The end of the work that came last: a model does one thing at a time. */
  tail: Promise<unknown>
  users: number
}

/** By the path of the model, the least recently used first. */
const sessions = new Map<string, Session>()

async function release(path: string): Promise<void> {
  const session = sessions.get(path)
  sessions.delete(path)
  // One that never loaded has nothing to close.
  await session?.model.then((model) => model.close()).catch(() => undefined)
}

/** Gives up models that nobody uses until what stays fits the budget and the memory that is left. */
async function makeRoom(bytes: number): Promise<void> {
  for (const [path, { users }] of [...sessions]) {
    const held = [...sessions.values()].reduce((sum, session) => sum + session.bytes, 0)
    if (held + bytes <= modelBudget() && bytes <= freeModelMemory()) return
    if (users === 0) await release(path)
  }
}

/** @throws MediaprocError ENGINE_UNAVAILABLE where no runtime is installed */
async function neededRuntime(): Promise<RuntimePlace> {
  const runtime = await findRuntime()
  if (runtime) return runtime
  throw new MediaprocError('ENGINE_UNAVAILABLE', 'Models need the runtime onnxruntime, which is not installed', {
    hint: { shell: 'mediaproc models install onnxruntime' },
    fields: { engine: 'onnxruntime' },
  })
}

/** What makes a runtime compute on an NVIDIA GPU; the package on npm has it not, its own install script fetches it. */
const CUDA_PROVIDER = join('bin', 'napi-v6', process.platform, process.arch, 'libonnxruntime_providers_cuda.so')

/** What a runtime can compute on, the fastest first. */
export function devicesOf({ folder }: RuntimePlace): readonly Device[] {
  return existsSync(join(folder, CUDA_PROVIDER)) ? ['cuda', 'cpu'] : ['cpu']
}

async function load(path: string, bytes: number): Promise<OpenModel> {
  const runtime = await neededRuntime()
  const device = environmentWord('MEDIAPROC_DEVICE', ['auto', 'cpu', 'cuda'])
  const hasCuda = devicesOf(runtime).includes('cuda')
  if (device === 'cuda' && !hasCuda)
    throw new MediaprocError(
      'ENGINE_UNAVAILABLE',
      'MEDIAPROC_DEVICE is cuda, and the runtime cannot compute on a GPU',
      {
        hint: 'docs/models.md says how to add it; auto takes the processor where there is no GPU.',
        fields: { engine: 'onnxruntime' },
      },
    )
  const options = {
    runtime: runtime.entry,
    threads: threadsPerProcess(),
    keepsMemory: mayKeepMemory(bytes),
  }
  const open = (device: Device): Promise<OpenModel> => openModel(path, { ...options, device })
  if (!hasCuda || device === 'cpu') return open('cpu')
  // With a provider but without a driver or a GPU the processor does, as it would without the provider.
  return device === 'cuda' ? open('cuda') : open('cuda').catch(() => open('cpu'))
}

function sessionOf(path: string, bytes: number): Session {
  const known = sessions.get(path)
  sessions.delete(path)
  const session = known ?? { model: load(path, bytes), bytes, tail: Promise.resolve(), users: 0 }
  sessions.set(path, session)
  if (!known) session.model.catch(() => sessions.get(path) === session && sessions.delete(path))
  return session
}

/**
 * Does work with the model of a file, alone with it.
 * @param bytes what it takes while it works
 * @throws what the work throws; what `openModel` throws
 */
export async function withSession<T>(path: string, bytes: number, work: (model: OpenModel) => Promise<T>): Promise<T> {
  if (!sessions.has(path)) await makeRoom(bytes)
  const session = sessionOf(path, bytes)
  session.users += 1
  const turn = session.tail.then(async () => {
    const model = await session.model
    return model.isAlive ? { done: await work(model) } : undefined
  })
  session.tail = turn.catch(() => undefined)
  try {
    const result = await turn
    if (result) return result.done
  } finally {
    session.users -= 1
  }
  // The work before this one was stopped, and the model went with it.
  if (sessions.get(path) === session) await release(path)
  return withSession(path, bytes, work)
}

/** Whether a model is loaded: it needs no further memory then. */
export function isLoaded(path: string): boolean {
  return sessions.has(path)
}

/** Gives up all models that nobody uses, or one, whose memory is needed. */
export async function releaseModels(path?: string): Promise<void> {
  const idle = [...sessions].filter(([key, { users }]) => users === 0 && (path === undefined || key === path))
  await Promise.all(idle.map(([key]) => release(key)))
}
