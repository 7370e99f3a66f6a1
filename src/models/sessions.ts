/** Models loaded in this process: loaded on first use, evicted by least recent use within a memory budget. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { threadsPerProcess } from '../concurrency.ts'
import { type Device, type OpenModel, openModel } from '../engines/onnx/session.ts'
import { environmentWord } from '../environment.ts'
import { MediaprocError } from '../errors.ts'
import { freeModelMemory, modelBudget } from './memory.ts'
import { findRuntime, type RuntimePlace } from './runtime.ts'

/**
 * The runtime's memory arena saves a sixth of the time and takes about twice what a run needs (both measured with
 * IS-Net): enabled for models that need little memory, and if there is plenty.
 */
const KEPT_RUN_BYTES = 1024 ** 3
const PLENTY = 4
const mayKeepMemory = (bytes: number): boolean => bytes <= KEPT_RUN_BYTES || PLENTY * bytes <= freeModelMemory()

interface Session {
  /** Loaded once; a batch waits for it together. */
  model: Promise<OpenModel>
  bytes: number
  /** The end of the last queued task: a model runs one task at a time. */
  tail: Promise<unknown>
  users: number
}

/** By model path, least recently used first. */
const sessions = new Map<string, Session>()

async function release(path: string): Promise<void> {
  const session = sessions.get(path)
  sessions.delete(path)
  // A model that failed to load has nothing to close.
  await session?.model.then((model) => model.close()).catch(() => undefined)
}

/** Unloads idle models until the rest fits the budget and the free memory. */
async function makeRoom(bytes: number): Promise<void> {
  for (const [path, { users }] of [...sessions]) {
    const held = [...sessions.values()].reduce((sum, session) => sum + session.bytes, 0)
    if (held + bytes <= modelBudget() && bytes <= freeModelMemory()) return
    if (users === 0) await release(path)
  }
}

/** @throws MediaprocError ENGINE_UNAVAILABLE if no runtime is installed */
async function neededRuntime(): Promise<RuntimePlace> {
  const runtime = await findRuntime()
  if (runtime) return runtime
  throw new MediaprocError('ENGINE_UNAVAILABLE', 'Models need the runtime onnxruntime, which is not installed', {
    hint: { shell: 'mediaproc models install onnxruntime' },
    fields: { engine: 'onnxruntime' },
  })
}

/** Needed for computing on an NVIDIA GPU; not in the npm package, whose own install script downloads it. */
const CUDA_PROVIDER = join('bin', 'napi-v6', process.platform, process.arch, 'libonnxruntime_providers_cuda.so')

/** The available execution providers, fastest first. */
export function devicesOf({ folder }: RuntimePlace): readonly Device[] {
  return existsSync(join(folder, CUDA_PROVIDER)) ? ['cuda', 'cpu'] : ['cpu']
}

async function load(path: string, bytes: number): Promise<OpenModel> {
  const runtime = await neededRuntime()
  const device = environmentWord('MEDIAPROC_DEVICE', ['auto', 'cpu', 'cuda'])
  const hasCuda = devicesOf(runtime).includes('cuda')
  if (device === 'cuda' && !hasCuda)
    throw new MediaprocError('ENGINE_UNAVAILABLE', 'MEDIAPROC_DEVICE is cuda, but the runtime cannot use a GPU', {
      hint: 'docs/models.md says how to add it; auto takes the processor where there is no GPU.',
      fields: { engine: 'onnxruntime' },
    })
  const options = {
    runtime: runtime.entry,
    threads: threadsPerProcess(),
    keepsMemory: mayKeepMemory(bytes),
  }
  const open = (device: Device): Promise<OpenModel> => openModel(path, { ...options, device })
  if (!hasCuda || device === 'cpu') return open('cpu')
  // With a provider but no driver or GPU, the runtime uses the CPU, as it would without the provider.
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
 * Runs work with exclusive use of the model of a file.
 * @param bytes its memory use at run time
 * @throws errors of the work and of `openModel`
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
  // The previous task was stopped, and the model was unloaded with it.
  if (sessions.get(path) === session) await release(path)
  return withSession(path, bytes, work)
}

/** Whether a model is loaded: it then needs no additional memory. */
export function isLoaded(path: string): boolean {
  return sessions.has(path)
}

/** Unloads all idle models, or one, to free memory. */
export async function releaseModels(path?: string): Promise<void> {
  const idle = [...sessions].filter(([key, { users }]) => users === 0 && (path === undefined || key === path))
  await Promise.all(idle.map(([key]) => release(key)))
}
