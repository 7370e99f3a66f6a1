import { packageFolder } from '../engines/library.ts'
import { findModel, RUNTIME } from './manifest.ts'

/** Whether any of these models needs onnxruntime. */
export function needsRuntime(models: readonly string[]): boolean {
  return models.some((id) => findModel(id)?.files.some(({ name }) => name.endsWith('.onnx')))
}

/** onnxruntime-node is installed in node_modules. */
export const hasOwnRuntime = (): boolean => packageFolder('onnxruntime-node') !== undefined

/** Whether onnxruntime is available for this machine. */
export const runtimeIsPossible = (): boolean => hasOwnRuntime() || findModel(RUNTIME) !== undefined
