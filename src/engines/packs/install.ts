import { createWriteStream } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { MediaprocError } from '../../errors.ts'
import { checkRoom } from '../../free-space.ts'
import { makeFolder } from '../../make-folder.ts'
import type { Turn } from '../../process-lock.ts'
import { fetchArchive } from '../npm/archive.ts'
import { readTar } from '../tar.ts'
import { type Pack, type PackPackage, packSize } from './manifest.ts'
import { changePacks, isInstalled, LOADER, packFolder, partsFolder, stagingFolder } from './store.ts'

export interface PackOptions extends Turn {
  /** Called with the bytes downloaded so far, of the total. */
  onProgress?(done: number, total: number, name: string): void
  /** Delay before the first retry of a download, in milliseconds. */
  pauseMs?: number
}

/** Provides the verified archive of a package; the caller may move or delete it. */
export type ArchiveOf = (source: PackPackage) => Promise<string>

/** Allowed excess over the sizes of the manifest, in bytes. */
const SPARE = 1_000_000

const LOADER_TEXT = 'export const load = (name) => import(name)\n'

/** Unpacks the archive of a package. Only files are written, and none outside of the folder. */
async function unpack(archive: string, { name, bytes }: PackPackage, folder: string, signal: AbortSignal) {
  let total = 0
  await readTar(archive, signal, async (entry) => {
    // npm archives have one top-level folder of arbitrary name.
    const path = entry.path.split('/').slice(1)
    if (entry.type !== 'File' || path.length === 0) return
    total += entry.bytes
    if (total > bytes + SPARE || path.some((part) => part === '..' || part === '' || /[\\:\0]/.test(part)))
      throw new MediaprocError('MODEL_DAMAGED', `The archive of ${name} has contents that an npm package does not have`)
    const target = join(folder, ...path)
    await makeFolder(dirname(target))
    await pipeline(entry.content(), createWriteStream(target, { mode: 0o644 }), { signal })
  })
}

/** Unpacks a pack and moves it into place. Must run within `changePacks`. */
export async function assemblePack(pack: Pack, folder: string, archiveOf: ArchiveOf, signal: AbortSignal) {
  const prepared = join(stagingFolder(folder), pack.name)
  for (const source of pack.packages) {
    const archive = await archiveOf(source)
    await unpack(archive, source, join(prepared, ...source.path.split('/')), signal)
    await rm(archive, { force: true })
  }
  await writeFile(join(prepared, LOADER), LOADER_TEXT)
  const target = packFolder(pack, folder)
  await rm(target, { recursive: true, force: true })
  await rename(prepared, target)
}

/** Checks that some packs fit on the disk, unpacked and with the largest archive. */
export async function checkPackRoom(packs: readonly Pack[], folder: string): Promise<void> {
  const largest = Math.max(0, ...packs.flatMap(({ packages }) => packages.map(({ archiveBytes }) => archiveBytes)))
  await checkRoom(folder, packSize(packs).kept + largest)
}

/** Downloads archives from the npm registry, with the progress of all of them. */
export function fetcher(packs: readonly Pack[], folder: string, options: PackOptions): ArchiveOf {
  const total = packSize(packs).fetched
  let done = 0
  return async ({ name, version, integrity, archiveBytes }) => {
    const report = (fraction: number): void =>
      options.onProgress?.(done + Math.floor(archiveBytes * Math.min(1, fraction)), total, name)
    report(0)
    const { signal, pauseMs } = options
    const archive = await fetchArchive({ name, version, integrity, most: archiveBytes + SPARE }, partsFolder(folder), {
      ...{ signal, onProgress: report, ...(pauseMs !== undefined && { pauseMs }) },
    })
    done += archiveBytes
    return archive
  }
}

/**
 * Installs packs: downloads the archives from the npm registry that npm itself would use, verifies their checksums against
 * this release's manifest, and moves each pack into place atomically. Runs no code of the packages. Waits for other processes
 * that install, and does not download again what they installed.
 * @returns the packs that were missing
 * @throws MediaprocError INSUFFICIENT_STORAGE, DOWNLOAD_FAILED, MODEL_DAMAGED, DISK_FULL, CANCELED, OFFLINE
 */
export async function installPacks(packs: readonly Pack[], folder: string, options: PackOptions): Promise<Pack[]> {
  let missing = packs.filter((pack) => !isInstalled(pack, folder))
  if (missing.length === 0) return missing
  await changePacks(folder, options, async () => {
    missing = missing.filter((pack) => !isInstalled(pack, folder))
    await checkPackRoom(missing, folder)
    const archiveOf = fetcher(missing, folder, options)
    for (const pack of missing) await assemblePack(pack, folder, archiveOf, options.signal)
  })
  return missing
}
