import { readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../../make-folder.ts'
import { type Turn, waitForLock } from '../../process-lock.ts'
import { findModel } from '../manifest.ts'
import { readRecords, type StoreRecords, wantedModels, writeRecords } from './records.ts'
import { blobsFolder, folderName, modelsFolder, partsFolder, stagingFolder } from './store-folder.ts'

/** How long downloads of an abandoned install are kept, in milliseconds. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000

/** The working folder of a change; exists while the store is locked. */
export interface Change {
  store: string
  records: StoreRecords
}

/**
 * Changes a store under a lock. The result of `work` becomes the new install records; models that are no longer
 * required and files that no model needs are then deleted.
 */
export async function changeStore(
  store: string,
  turn: Turn,
  work: (change: Change) => Promise<StoreRecords>,
): Promise<void> {
  await makeFolder(store)
  const release = await waitForLock(store, turn)
  try {
    await rm(stagingFolder(store), { recursive: true, force: true })
    for (const folder of [blobsFolder, partsFolder, stagingFolder, modelsFolder]) await makeFolder(folder(store))
    const before = await readRecords(store)
    const records = await work({ store, records: before })
    const folders = neededFolders(records)
    await writeRecords(store, { ...records, folders })
    await clearAway(store, before.folders, folders)
  } finally {
    await release()
  }
}

/** Folders of required models, except those of former releases that this release has replaced. */
function neededFolders(records: StoreRecords): StoreRecords['folders'] {
  const wanted = wantedModels(records)
  const isCurrent = (name: string, id: string): boolean => {
    const model = findModel(id)
    const current = model && folderName(model)
    return current === undefined || current === name || !Object.hasOwn(records.folders, current)
  }
  const needed = Object.entries(records.folders).filter(([name, { id }]) => wanted.has(id) && isCurrent(name, id))
  return Object.fromEntries(needed)
}

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => [])

/** Removes a folder from view atomically. Files still open are deleted the next time. */
async function removeFolder(store: string, name: string): Promise<void> {
  const aside = join(stagingFolder(store), name)
  await rename(join(modelsFolder(store), name), aside).catch(() => {})
  await rm(aside, { recursive: true, force: true }).catch(() => {})
}

const filesOf = (folders: StoreRecords['folders']): Set<string> =>
  new Set(Object.values(folders).flatMap(({ files }) => files))

/**
 * Deletes unused folders and the files that only they needed. Downloads of an interrupted install can be resumed, and
 * are deleted after a long time.
 */
async function clearAway(store: string, before: StoreRecords['folders'], now: StoreRecords['folders']): Promise<void> {
  for (const name of await namesIn(modelsFolder(store))) if (!Object.hasOwn(now, name)) await removeFolder(store, name)
  const needed = filesOf(now)
  const unneeded = filesOf(before)
  const old = Date.now() - KEPT_MS
  const removeOld = async (folder: string, name: string, isGone: boolean): Promise<void> => {
    const path = join(folder, name)
    const about = await stat(path).catch(() => undefined)
    if (about && (isGone || about.mtimeMs < old)) await rm(path, { force: true }).catch(() => {})
  }
  for (const name of await namesIn(blobsFolder(store)))
    if (!needed.has(name)) await removeOld(blobsFolder(store), name, unneeded.has(name))
  for (const name of await namesIn(partsFolder(store))) await removeOld(partsFolder(store), name, false)
}
