import type { Engine, EngineStatus } from '../engines/engine.ts'
import { findRuntime } from './runtime.ts'
import { devicesOf } from './sessions.ts'

/** The model runtime as an engine whose status can be queried, whatever its location. */
export const runtimeEngine: Engine = {
  id: 'onnxruntime',
  purpose: 'models: backgrounds, faces, enlarging, text, speech',
  kind: 'library',
  licence: 'MIT',
  install: 'mediaproc models install onnxruntime',
  async probe(): Promise<EngineStatus> {
    const runtime = await findRuntime()
    if (!runtime) return { available: false }
    const { version, folder, source } = runtime
    return {
      available: true,
      version,
      path: folder,
      source: source === 'node_modules' ? 'package' : 'path',
      abilities: devicesOf(runtime).map((device) => `compute on ${device}`),
    }
  },
}
