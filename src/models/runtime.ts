import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { packageFolder } from '../engines/library.ts'
import { RUNTIME } from './manifest.ts'
import { installedModel } from './store/installed.ts'

/** Where an onnxruntime-node lies. */
export interface RuntimePlace {
  /** Somebody installed it beside us, or it is the bundle of the store. */
  source: 'node_modules' | 'store'
  version: string
  /** The folder of the package. */
  folder: string
  /** The module to load, by its absolute path. */
  entry: string
}

const PACKAGE = 'onnxruntime-node'

function placeAt(folder: string, source: RuntimePlace['source']): RuntimePlace {
  const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string; main: string }
  return { source, folder, version: about.version, entry: join(folder, about.main) }
}

/** The onnxruntime that runs the models: the one in node_modules first, since it was installed on purpose, then the store's. */
export async function findRuntime(store?: string): Promise<RuntimePlace | undefined> {
  const folder = packageFolder(PACKAGE)
  if (folder) return placeAt(folder, 'node_modules')
  const installed = await installedModel(RUNTIME, store)
  const manifest = installed?.files.get(`node_modules/${PACKAGE}/package.json`)
  return manifest === undefined ? undefined : placeAt(dirname(manifest), 'store')
}
