import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { noteConsulted } from '../../engines/consulted.ts'
import { ROOT } from '../../root.ts'
import { findModel, type Model, type ModelFile } from '../manifest.ts'
import { modelFolder, storeFolder } from './store-folder.ts'

/** An installed model. */
export interface InstalledModel {
  id: string
  /** Absolute paths by the manifest's file names. The files are in one folder under these names. */
  files: ReadonlyMap<string, string>
}

/** Whether a folder contains all files with the right sizes. Hashes were verified on install. */
export async function allThere(folder: string, files: readonly ModelFile[]): Promise<boolean> {
  const found = await Promise.all(
    files.map(async ({ name, bytes, approximate }) => {
      const size = await stat(join(folder, name))
        .then((about) => (about.isFile() ? about.size : -1))
        .catch(() => -1)
      return approximate ? size > 0 : size === bytes
    }),
  )
  return found.every(Boolean)
}

/** Whether a model ships with the package. */
export function isShipped({ files }: Model): boolean {
  return files.every(({ shipped }) => shipped)
}

const replacements = new Map<string, InstalledModel | undefined>()

/**
 * Overrides the files of a model in this process: test doubles, or custom weights with the same tensors.
 * @param files by the manifest's names; `absent` for a model that counts as not installed, undefined to end the
 * override
 */
export function replaceModel(id: string, files: ReadonlyMap<string, string> | 'absent' | undefined): void {
  if (files === undefined) replacements.delete(id)
  else replacements.set(id, files === 'absent' ? undefined : { id, files })
}

/** Whether the files of a model are overridden in this process. */
export const isReplaced = (id: string): boolean => replacements.has(id)

/** The files of a model: from the package, otherwise from the store; undefined if it is not installed. */
export async function installedModel(id: string, store: string = storeFolder()): Promise<InstalledModel | undefined> {
  const model = findModel(id)
  if (!model) return undefined
  noteConsulted(`model ${id}`)
  if (replacements.has(id)) return replacements.get(id)
  const folder = isShipped(model) ? fileURLToPath(new URL(`models/${id}`, ROOT)) : modelFolder(store, model)
  if (!(await allThere(folder, model.files))) return undefined
  return { id, files: new Map(model.files.map(({ name }) => [name, join(folder, name)])) }
}
