import { packageFolder } from '../engines/library.ts'
import { findModel, RUNTIME } from './manifest.ts'

/** Whether some of these models are run by onnxruntime. */
export function needsRuntime(models: readonly string[]): boolean {
  return models.some((id) => findModel(id)?.files.some(({ name }) => name.endsWith('.onnx')))
}

/** Somebody installed onnxruntime-node beside us. */
export const hasOwnRuntime = (): boolean => packageFolder('onnxruntime-node') !== undefined

/** Whether there is an onnxruntime for this machine. */
export const runtimeIsPossible = (): boolean => hasOwnRuntime() || findModel(RUNTIME) !== undefined
