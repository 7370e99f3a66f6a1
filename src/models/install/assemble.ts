import { copyFile, link, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolder } from '../../make-folder.ts'
import type { Model } from '../manifest.ts'
import { blobPath, folderName, modelFolder, stagingFolder } from '../store/store-folder.ts'

/**
 * Creates a model folder with all files next to each other under their own names: hard links, since libraries look for
 * sibling files at the real path, and copies on file systems without links. The folder appears atomically.
 */
export async function assemble(store: string, model: Model): Promise<void> {
  const prepared = join(stagingFolder(store), folderName(model))
  await rm(prepared, { recursive: true, force: true })
  for (const { name, sha256 } of model.files) {
    const place = join(prepared, name)
    await makeFolder(dirname(place))
    await link(blobPath(store, sha256), place).catch(() => copyFile(blobPath(store, sha256), place))
  }
  const folder = modelFolder(store, model)
  await rm(folder, { recursive: true, force: true })
  await rename(prepared, folder)
}
