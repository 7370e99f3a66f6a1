import type { OpenModel, RunOptions } from '../engines/onnx/session.ts'
import type { Tensor } from '../engines/onnx/tensor.ts'
import { MediaprocError } from '../errors.ts'
import { findModel } from './manifest.ts'
import { freeModelMemory, memoryOf } from './memory.ts'
import { featureMissing } from './missing.ts'
import { findRuntime } from './runtime.ts'
import { isLoaded, withSession } from './sessions.ts'
import { damagedFile } from './store/checked-file.ts'
import { type InstalledModel, installedModel } from './store/installed.ts'

/** A loaded model, for the time of one piece of work. */
export interface LoadedModel extends Pick<OpenModel, 'inputs' | 'outputs' | 'device'> {
  id: string
  /** Its files by their names in the manifest: dictionaries and tokenizers lie beside the graph. */
  files: ReadonlyMap<string, string>
  run(feeds: Readonly<Record<string, Tensor>>, options?: Omit<RunOptions, 'signal'>): Promise<Record<string, Tensor>>
  /** Forgets what runs carried over and kept. */
  reset(): Promise<void>
}

export interface ModelContext {
  signal: AbortSignal
  warn(message: string): void
}

const MEBIBYTE = 1024 * 1024

/** How runtime and system say that memory ran out. */
const OUT_OF_MEMORY = /bad_alloc|failed to allocate|out of memory|cannot allocate/i

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof MediaprocError && OUT_OF_MEMORY.test(`${error.message} ${error.detail ?? ''}`)

/** The file is none that the runtime takes. */
const isRefusal = (error: unknown): error is MediaprocError =>
  error instanceof MediaprocError && error.code === 'PROCESSING_FAILED'

const inMegabytes = (bytes: number): string => `${Math.round(bytes / MEBIBYTE)} MB`

/** The graph among a model's files. */
export function graphOf({ files }: Pick<InstalledModel, 'files'>, name?: string): string {
  for (const [file, path] of files) if (name === undefined ? file.endsWith('.onnx') : file === name) return path
  throw new MediaprocError('INTERNAL', `A model has no graph${name === undefined ? '' : ` ${name}`}`)
}

/**
 * Whether a chain has a model that is installed, with what runs it.
 * @param store folder of the models; the user's by default
 */
export async function hasModel(chain: readonly string[], store?: string): Promise<boolean> {
  if (!(await findRuntime(store))) return false
  const installed = await Promise.all(chain.map((id) => installedModel(id, store)))
  return installed.some((model) => model !== undefined)
}

/**
 * Refuses work without a model of a chain. Called before a part of the work that needs only the runtime, the error names
 * everything that is missing.
 * @param bundle the id of the bundle that has the chain's models
 * @param store folder of the models; the user's by default
 * @throws MediaprocError FEATURE_NOT_INSTALLED
 */
export async function requireModel(chain: readonly string[], bundle: string, store?: string): Promise<void> {
  if (!(await hasModel(chain, store))) throw featureMissing(bundle)
}

/**
 * Does work with the first model of a chain that is installed, fits the memory that is free, and loads. What was passed over
 * although it is installed is told as a warning; the work's answer says which one did it, by `model.id`.
 * @param graphs the files of a model that consists of several graphs; the work gets them in this order
 * @returns undefined where none of them, or no runtime, is installed
 * @throws MediaprocError PROCESSING_FAILED where all that are installed are too large; what the work throws
 */
export async function useModel<T>(
  chain: readonly string[],
  { signal, warn }: ModelContext,
  work: (model: LoadedModel, ...others: LoadedModel[]) => Promise<T>,
  ...graphs: readonly string[]
): Promise<T | undefined> {
  if (!(await findRuntime())) return undefined
  const reasons: string[] = []
  for (const id of chain) {
    const installed = await installedModel(id)
    if (!installed) continue
    const paths = graphs.length === 0 ? [graphOf(installed)] : graphs.map((graph) => graphOf(installed, graph))
    const bytes = memoryOf(findModel(id)!)
    const free = freeModelMemory()
    if (!paths.every(isLoaded) && bytes > free) {
      reasons.push(`${id} needs about ${inMegabytes(bytes)} of memory, and ${inMegabytes(free)} are free`)
      continue
    }
    const damaged = paths.every(isLoaded) ? undefined : await damagedFile(installed, signal)
    if (damaged !== undefined) {
      reasons.push(`${id} is not used: its file ${damaged} is damaged (mediaproc models verify takes it out of use)`)
      continue
    }
    for (const reason of reasons.splice(0)) warn(reason)
    let isRunning = false
    const loaded = (model: OpenModel): LoadedModel => {
      const { inputs, outputs, device } = model
      const run: LoadedModel['run'] = (feeds, options) => model.run(feeds, { ...options, signal })
      return { id, files: installed.files, inputs, outputs, device, run, reset: () => model.reset() }
    }
    const openAll = (rest: readonly string[], models: readonly LoadedModel[]): Promise<T> => {
      if (rest.length > 0)
        return withSession(rest[0]!, bytes / paths.length, (model) =>
          openAll(rest.slice(1), [...models, loaded(model)]),
        )
      isRunning = true
      return work(...(models as [LoadedModel, ...LoadedModel[]]))
    }
    try {
      return await openAll(paths, [])
    } catch (error) {
      signal.throwIfAborted()
      if (isOutOfMemory(error)) reasons.push(`${id} ran out of memory`)
      else if (isRunning || !isRefusal(error)) throw error
      else reasons.push(`${id} could not be loaded (${error.detail ?? error.message})`)
    }
  }
  if (reasons.length === 0) return undefined
  throw new MediaprocError('PROCESSING_FAILED', `No model could be used: ${reasons.join('; ')}`, {
    hint: {
      shell:
        'mediaproc models verify looks for damaged files; where memory is short, close other programs or take a smaller model.',
    },
  })
}
