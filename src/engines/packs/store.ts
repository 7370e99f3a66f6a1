import { existsSync } from 'node:fs'
import { readdir, rename, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { dataFolder } from '../../data-folder.ts'
import { environmentText } from '../../environment.ts'
import { makeFolder } from '../../make-folder.ts'
import { type Turn, waitForLock } from '../../process-lock.ts'
import { allPacks, type Pack, packKey } from './manifest.ts'

/** How long downloads of an abandoned install are kept, in milliseconds. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000

/** The module in a pack that imports its packages. It is written last, so a pack with it is complete. */
export const LOADER = 'load.mjs'

/** The folder of the installed packs: MEDIAPROC_ENGINES, or `mediaproc/engines` in the user's data folder. */
export function enginesFolder(): string {
  const given = environmentText('MEDIAPROC_ENGINES')
  return given === '' ? join(dataFolder(), 'mediaproc', 'engines') : resolve(given)
}

/** The variables by which a thread without our environment finds the same packs. */
export const packEnvironment = (): Record<string, string> => ({
  MEDIAPROC_ENGINES: enginesFolder(),
  MEDIAPROC_MANIFESTS: environmentText('MEDIAPROC_MANIFESTS'),
})

/** Partial downloads, kept for resuming. */
export const partsFolder = (folder: string): string => join(folder, 'partial')

/** Staging folder, cleared by the next change. */
export const stagingFolder = (folder: string): string => join(folder, 'staging')

const packsFolder = (folder: string): string => join(folder, 'packs')

/** The folder of a pack. It gets this name when everything is in it. */
export const packFolder = (pack: Pack, folder: string = enginesFolder()): string =>
  join(packsFolder(folder), packKey(pack))

/** Whether a pack is installed, in the exact version of this release. */
export const isInstalled = (pack: Pack, folder: string = enginesFolder()): boolean =>
  existsSync(join(packFolder(pack, folder), LOADER))

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => [])

/** Removes a folder from view atomically; what another process has open is deleted the next time. */
async function removeFolder(folder: string, name: string): Promise<void> {
  const aside = join(stagingFolder(folder), name)
  await rename(join(packsFolder(folder), name), aside).catch(() => {})
  await rm(aside, { recursive: true, force: true }).catch(() => {})
}

async function removeOldParts(folder: string): Promise<void> {
  const old = Date.now() - KEPT_MS
  for (const name of await namesIn(partsFolder(folder))) {
    const path = join(partsFolder(folder), name)
    const about = await stat(path).catch(() => undefined)
    if (about && about.mtimeMs < old) await rm(path, { force: true }).catch(() => {})
  }
}

/**
 * Changes the installed packs under a lock, which other processes wait for. Versions of former releases are deleted once the
 * current one is installed.
 */
export async function changePacks(folder: string, turn: Turn, work: () => Promise<void>): Promise<void> {
  await makeFolder(folder)
  const release = await waitForLock(folder, turn)
  try {
    await rm(stagingFolder(folder), { recursive: true, force: true })
    for (const part of [partsFolder, stagingFolder, packsFolder]) await makeFolder(part(folder))
    await work()
    const current = new Map(allPacks().map((pack) => [pack.name, pack]))
    for (const name of await namesIn(packsFolder(folder))) {
      const pack = current.get(name.slice(0, name.lastIndexOf('@')))
      if (pack && packKey(pack) !== name && isInstalled(pack, folder)) await removeFolder(folder, name)
    }
    await removeOldParts(folder)
  } finally {
    await rm(stagingFolder(folder), { recursive: true, force: true }).catch(() => {})
    await release()
  }
}

/** Removes every installed version of some packs, and with `all` the partial downloads as well. */
export async function removePacks(names: readonly string[], folder: string, turn: Turn, all = false): Promise<void> {
  await changePacks(folder, turn, async () => {
    for (const name of await namesIn(packsFolder(folder)))
      if (all || names.includes(name.slice(0, name.lastIndexOf('@')))) await removeFolder(folder, name)
    if (all) await rm(partsFolder(folder), { recursive: true, force: true })
  })
}
