import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findModel } from '../../src/models/manifest.ts'
import { releaseModels } from '../../src/models/sessions.ts'
import { replaceModel } from '../../src/models/store/installed.ts'
import { afterEveryFile } from './clean-up.ts'
import { type Graph, onnxModel } from './onnx.ts'

/**
 * Replaces a model whose weights are not available by graphs, until the end of the test file.
 * @param graphs by the manifest's file names, or one for the model's only graph; texts are additional files
 */
export function stubModel(folder: string, id: string, graphs: Graph | Readonly<Record<string, Graph | string>>): void {
  const names = findModel(id)!.files.map(({ name }) => name)
  const only = names.find((name) => name.endsWith('.onnx'))!
  const files = 'nodes' in graphs ? { [only]: graphs as Graph } : graphs
  const own = join(folder, id)
  mkdirSync(own, { recursive: true })
  const paths = Object.entries(files).map(([name, content]): [string, string] => {
    const path = join(own, name)
    writeFileSync(path, typeof content === 'string' ? content : onnxModel(content))
    return [name, path]
  })
  replaceModel(id, new Map(paths))
  afterEveryFile(async () => {
    replaceModel(id, undefined)
    await Promise.all(paths.map(([, path]) => releaseModels(path)))
  })
}
