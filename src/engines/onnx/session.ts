import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { builtFile } from '../../root.ts'
import { openWorker } from '../workers/worker-thread.ts'
import type { Tensor, TensorInfo } from './tensor.ts'
import type { ModelAnswer, ModelRequest, ModelThreadData } from './thread.ts'

export type Device = ModelThreadData['device']

/** Options for opening a model. */
export type OpenModelOptions = Omit<ModelThreadData, 'model'>

/** Options of a run besides its tensors. */
export interface RunOptions {
  signal: AbortSignal
  wanted?: readonly string[]
  carry?: Readonly<Record<string, string>>
  keep?: readonly string[]
}

/** A loaded model on its own thread. One run at a time. */
export interface OpenModel {
  readonly inputs: readonly TensorInfo[]
  readonly outputs: readonly TensorInfo[]
  readonly device: Device
  /** Whether it can run again: when its thread ends, the model is gone. */
  readonly isAlive: boolean
  /**
   * Maps tensors by input name to tensors by output name. The runtime always computes to the end, so an abort takes
   * effect only afterwards: ending the thread earlier would crash the process, since the runtime's result has no
   * receiver (`terminate called after throwing an instance of 'Napi::Error'`).
   * @throws MediaprocError of the signal; PROCESSING_FAILED if the runtime fails
   */
  run(feeds: Readonly<Record<string, Tensor>>, options: RunOptions): Promise<Record<string, Tensor>>
  /** Discards the state that runs carried over or kept. */
  reset(): Promise<void>
  close(): Promise<void>
}

function refused(error: unknown, sentence: string): MediaprocError {
  const detail = error instanceof Error ? error.message : String(error)
  return new MediaprocError('PROCESSING_FAILED', sentence, { detail, cause: error })
}

/**
 * Loads an ONNX file.
 * @throws MediaprocError ENGINE_UNAVAILABLE if the runtime cannot be loaded; PROCESSING_FAILED if the file is not a
 * model that it can run
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
