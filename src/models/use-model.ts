import type { OpenModel, RunOptions } from '../engines/onnx/session.ts'
import type { Tensor } from '../engines/onnx/tensor.ts'
import { MediaprocError } from '../errors.ts'
import { firstOf } from '../lists.ts'
import { modelOf } from './manifest.ts'
import { freeModelMemory, memoryOf } from './memory.ts'
import { featureMissing } from './missing.ts'
import { findRuntime } from './runtime.ts'
import { isLoaded, withSession } from './sessions.ts'
import { damagedFile } from './store/checked-file.ts'
import { type InstalledModel, installedModel } from './store/installed.ts'

/** A loaded model, for the duration of one task. */
export interface LoadedModel extends Pick<OpenModel, 'inputs' | 'outputs' | 'device'> {
  id: string
  /** Its files by manifest name: dictionaries and tokenizers are next to the graph. */
  files: ReadonlyMap<string, string>
  run(feeds: Readonly<Record<string, Tensor>>, options?: Omit<RunOptions, 'signal'>): Promise<Record<string, Tensor>>
  /** Clears state carried over between runs. */
  reset(): Promise<void>
}

export interface ModelContext {
  signal: AbortSignal
  warn(message: string): void
}

const MEBIBYTE = 1024 * 1024

/** Out-of-memory messages of the runtime and the system. */
const OUT_OF_MEMORY = /bad_alloc|failed to allocate|out of memory|cannot allocate/i

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof MediaprocError && OUT_OF_MEMORY.test(`${error.message} ${error.detail ?? ''}`)

/** The runtime does not accept the file. */
const isRefusal = (error: unknown): error is MediaprocError =>
  error instanceof MediaprocError && error.code === 'PROCESSING_FAILED'

const inMegabytes = (bytes: number): string => `${Math.round(bytes / MEBIBYTE)} MB`

/** The graph among a model's files. */
export function graphOf({ files }: Pick<InstalledModel, 'files'>, name?: string): string {
  for (const [file, path] of files) if (name === undefined ? file.endsWith('.onnx') : file === name) return path
  throw new MediaprocError('INTERNAL', `A model has no graph${name === undefined ? '' : ` ${name}`}`)
}

/**
 * Whether a model of a chain is installed, with its runtime.
 * @param store the model folder; the user's by default
 */
export async function hasModel(chain: readonly string[], store?: string): Promise<boolean> {
  if (!(await findRuntime(store))) return false
  const installed = await Promise.all(chain.map((id) => installedModel(id, store)))
  return installed.some((model) => model !== undefined)
}

/**
 * Refuses the job if no model of a chain is installed. Called before a step that needs only the runtime, so that the
 * error names everything that is missing.
 * @param bundle the id of the bundle with the chain's models
 * @param store the model folder; the user's by default
 * @throws MediaprocError FEATURE_NOT_INSTALLED
 */
export async function requireModel(chain: readonly string[], bundle: string, store?: string): Promise<void> {
  if (!(await hasModel(chain, store))) throw featureMissing(bundle)
}

/**
 * Runs work with the first model of a chain that is installed, fits in free memory, and loads. Installed models that
 * are skipped cause a warning; the result identifies the model by `model.id`.
 * @param graphs the files of a model with several graphs; the work receives them in this order
 * @returns undefined if none of them, or no runtime, is installed
 * @throws MediaprocError PROCESSING_FAILED if all installed models are too large; errors of the work
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
    const bytes = memoryOf(modelOf(id))
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
        return withSession(firstOf(rest), bytes / paths.length, (model) =>
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
