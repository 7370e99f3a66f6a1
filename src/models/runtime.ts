import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { packageFolder } from '../engines/library.ts'
import { RUNTIME } from './manifest.ts'
import { installedModel } from './store/installed.ts'

/** The location of onnxruntime-node. */
export interface RuntimePlace {
  /** Installed in node_modules by the user, or the bundle of the store. */
  source: 'node_modules' | 'store'
  version: string
  /** The package folder. */
  folder: string
  /** The module to load, by absolute path. */
  entry: string
}

const PACKAGE = 'onnxruntime-node'

function placeAt(folder: string, source: RuntimePlace['source']): RuntimePlace {
  const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string; main: string }
  return { source, folder, version: about.version, entry: join(folder, about.main) }
}

/** The onnxruntime for models: the one in node_modules, as it was installed on purpose, otherwise the store's. */
export async function findRuntime(store?: string): Promise<RuntimePlace | undefined> {
  const folder = packageFolder(PACKAGE)
  if (folder) return placeAt(folder, 'node_modules')
  const installed = await installedModel(RUNTIME, store)
  const manifest = installed?.files.get(`node_modules/${PACKAGE}/package.json`)
  return manifest === undefined ? undefined : placeAt(dirname(manifest), 'store')
}
