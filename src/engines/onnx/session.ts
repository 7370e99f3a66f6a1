import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { builtFile } from '../../root.ts'
import { openWorker } from '../workers/worker-thread.ts'
import type { Tensor, TensorInfo } from './tensor.ts'
import type { ModelAnswer, ModelRequest, ModelThreadData } from './thread.ts'

export type Device = ModelThreadData['device']

/** How a model is opened. */
export type OpenModelOptions = Omit<ModelThreadData, 'model'>

/** Options of a run besides its tensors. */
export interface RunOptions {
  signal: AbortSignal
  wanted?: readonly string[]
  carry?: Readonly<Record<string, string>>
  keep?: readonly string[]
}

/** A model that is loaded, on a thread of its own. One run at a time. */
export interface OpenModel {
  readonly inputs: readonly TensorInfo[]
  readonly outputs: readonly TensorInfo[]
  readonly device: Device
  /** Whether it can be used again: when its thread ends, the model is gone. */
  readonly isAlive: boolean
  /**
   * Runs the model: tensors by input names to tensors by output names. The runtime cannot be interrupted, so an abort
   * takes effect after the run: terminating its thread in the middle would crash the process, because the
   * runtime's callback has no receiver (`terminate called after throwing an instance of 'Napi::Error'`).
   * @throws MediaprocError of the signal; PROCESSING_FAILED if the runtime fails
   */
  run(feeds: Readonly<Record<string, Tensor>>, options: RunOptions): Promise<Record<string, Tensor>>
  /** Forgets what runs carried over and kept. */
  reset(): Promise<void>
  close(): Promise<void>
}

function refused(error: unknown, sentence: string): MediaprocError {
  const detail = error instanceof Error ? error.message : String(error)
  return new MediaprocError('PROCESSING_FAILED', sentence, { detail, cause: error })
}

/**
 * Loads an ONNX file.
 * @throws MediaprocError ENGINE_UNAVAILABLE where the runtime itself cannot be loaded; PROCESSING_FAILED where the file is no
 *   model that it can run
 */
export async function openModel(
  model: string,
  { device, ...options }: OpenModelOptions,
  signal?: AbortSignal,
): Promise<OpenModel> {
  signal?.throwIfAborted()
  const data: ModelThreadData = { ...options, device, model }
  const thread = openWorker<ModelRequest, ModelAnswer>(builtFile('src/engines/onnx/thread.js'), { data })
  let isAlive = true
  const close = async (): Promise<void> => {
    isAlive = false
    await thread.close()
  }
  let opened: ModelAnswer
  try {
    opened = await thread.ask({ kind: 'open' })
  } catch (error) {
    await close()
    throw refused(error, 'The model could not be loaded')
  }
  return {
    inputs: opened.inputs!,
    outputs: opened.outputs!,
    device,
    get isAlive() {
      return isAlive
    },
    async run(feeds, { signal: stop, wanted, carry, keep }) {
      stop.throwIfAborted()
      const choices = { ...(wanted && { wanted }), ...(carry && { carry }), ...(keep && { keep }) }
      const request: ModelRequest = { kind: 'run', feeds, ...choices }
      const answer = await thread.ask(request).catch((error: unknown) => {
        isAlive &&= thread.isFree
        throw stop.aborted ? toMediaprocError(stop.reason, 'CANCELED') : refused(error, 'The model could not be run')
      })
      if (stop.aborted) throw toMediaprocError(stop.reason, 'CANCELED')
      return answer.tensors!
    },
    async reset() {
      await thread.ask({ kind: 'reset' })
    },
    close,
  }
}
