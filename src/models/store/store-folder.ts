import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import { dataFolder } from '../../data-folder.ts'
import { environmentText } from '../../environment.ts'
import type { Model } from '../manifest.ts'

/** The model folder: MEDIAPROC_MODELS, or `mediaproc/models` in the user's data folder. */
export function storeFolder(): string {
  const given = environmentText('MEDIAPROC_MODELS')
  return given === '' ? join(dataFolder(), 'mediaproc', 'models') : resolve(given)
}

/** The files, each stored once, however many models use it. */
export const blobsFolder = (store: string): string => join(store, 'blobs')
export const blobPath = (store: string, sha256: string): string => join(blobsFolder(store), sha256)

/** Partial downloads, kept for resuming. */
export const partsFolder = (store: string): string => join(store, 'partial')

/** Staging folder. Not read by others, and cleared by the next change of the store. */
export const stagingFolder = (store: string): string => join(store, 'staging')

export const modelsFolder = (store: string): string => join(store, 'models')

/**
 * The name of a model's folder. It depends on the contents, so that a release with other weights never uses the old
 * ones.
 */
export function folderName({ id, files }: Pick<Model, 'id' | 'files'>): string {
  const content = createHash('sha256').update(JSON.stringify(files.map(({ name, sha256 }) => [name, sha256])))
  return `${id}@${content.digest('hex').slice(0, 16)}`
}

/** The folder of a model in a store. If it exists, it is complete: it gets this name only when all files are in it. */
export function modelFolder(store: string, model: Pick<Model, 'id' | 'files'>): string {
  return join(modelsFolder(store), folderName(model))
}
