import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fetchFile } from '../../engines/http/fetch-file.ts'
import { restOf } from '../../engines/http/ranged.ts'
import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { checkRoom } from '../../free-space.ts'
import { makeFolder } from '../../make-folder.ts'
import type { ModelFile } from '../manifest.ts'
import { fingerprintOf } from '../store/file-hash.ts'
import { blobPath, partsFolder, stagingFolder } from '../store/store-folder.ts'
import { downloadSize } from './download-size.ts'
import type { FetchOptions, PartProgress } from './fetching.ts'
import { type NpmFile, takeFromPackage } from './npm-package.ts'

/** Allowed deviation of an approximate size: the hash is decisive, but a server must not fill the disk. */
const APPROXIMATE = 2

/** Moves a file into the store if it matches the manifest. @throws MediaprocError MODEL_DAMAGED */
export async function keepFile(store: string, file: ModelFile, path: string, signal: AbortSignal): Promise<void> {
  const found = await fingerprintOf(path, signal)
  if (found.sha256 !== file.sha256 || (!file.approximate && found.bytes !== file.bytes)) {
    await rm(path, { force: true })
    const what =
      found.bytes === file.bytes || file.approximate
        ? 'does not have the SHA-256 of the manifest'
        : `has ${found.bytes} bytes, and the manifest says ${file.bytes}`
    throw new MediaprocError('MODEL_DAMAGED', `The fetched file ${file.name} ${what}`)
  }
  // Flushed to disk before the rename: after a power failure, a file with this name is complete.
  const handle = await open(path, 'r+')
  await handle.sync().finally(() => handle.close())
  await rename(path, blobPath(store, file.sha256))
}

async function fetchFromAddress(store: string, file: ModelFile, url: string, progress: PartProgress): Promise<void> {
  const { signal, pauseMs, onProgress } = progress
  const path = join(partsFolder(store), file.sha256)
  const most = file.bytes * (file.approximate ? APPROXIMATE : 1)
  const fetch = (): Promise<void> =>
    fetchFile(restOf(url), path, {
      ...{ signal, most, ...(pauseMs !== undefined && { pauseMs }) },
      onBytes: (bytes) => onProgress(Math.min(1, bytes / file.bytes)),
    })
  await fetch()
  await keepFile(store, file, path, signal)
}

/** Tries the sources of a file in order. */
async function fetchFromAddresses(store: string, file: ModelFile, progress: PartProgress): Promise<void> {
  let failure: MediaprocError | undefined
  for (const url of file.urls) {
    try {
      return await fetchFromAddress(store, file, url, progress)
    } catch (error) {
      const now = toMediaprocError(error)
      if (['CANCELED', 'OFFLINE', 'DISK_FULL'].includes(now.code)) throw now
      failure ??= now
    }
  }
  throw failure ?? new MediaprocError('DOWNLOAD_FAILED', `The manifest has no address for ${file.name}`)
}

interface Part {
  name: string
  isPackage: boolean
  bytes: number
  run(progress: PartProgress): Promise<void>
}

/** A download unit: the files of one package, or one file. */
function partsOf(files: readonly ModelFile[], store: string): Part[] {
  const packages = new Map<string, [NpmFile, ...NpmFile[]]>()
  for (const file of files) {
    if (!file.npm) continue
    const key = `${file.npm.package}@${file.npm.version}`
    const known = packages.get(key)
    if (known) known.push(file as NpmFile)
    else packages.set(key, [file as NpmFile])
  }
  const fromPackages = [...packages].map(
    ([name, group], index): Part => ({
      name,
      isPackage: true,
      bytes: downloadSize(group).fetched,
      run: (progress) => fromPackage(group, store, String(index), progress),
    }),
  )
  const fromAddresses = files
    .filter(({ npm }) => !npm)
    .map(
      (file): Part => ({
        name: file.name,
        isPackage: false,
        bytes: file.bytes,
        run: (progress) => fetchFromAddresses(store, file, progress),
      }),
    )
  return [...fromPackages, ...fromAddresses]
}

/** Tries a package, then the URLs of its files if all of them have one. */
async function fromPackage(
  files: readonly [NpmFile, ...NpmFile[]],
  store: string,
  name: string,
  progress: PartProgress,
): Promise<void> {
  const folder = join(stagingFolder(store), `package-${name}`)
  await makeFolder(folder)
  try {
    await takeFromPackage(files, store, folder, progress, (file, path) => keepFile(store, file, path, progress.signal))
  } catch (error) {
    const failure = toMediaprocError(error)
    const isFinal = ['CANCELED', 'OFFLINE', 'DISK_FULL'].includes(failure.code)
    if (isFinal || files.some(({ urls }) => urls.length === 0)) throw failure
    for (const file of files) await fetchFromAddresses(store, file, progress)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Downloads files into the store, one after the other. A file is added only if it matches the manifest.
 * @throws MediaprocError INSUFFICIENT_STORAGE before anything is downloaded; DOWNLOAD_FAILED, MODEL_DAMAGED, DISK_FULL,
 *   CANCELED, OFFLINE
 */
export async function fetchFiles(files: readonly ModelFile[], store: string, options: FetchOptions): Promise<void> {
  const { signal, onProgress, pauseMs } = options
  const parts = partsOf(files, store)
  const total = parts.reduce((sum, { bytes }) => sum + bytes, 0)
  // A package archive and its extracted files are on disk at the same time.
  const largest = Math.max(0, ...parts.filter(({ isPackage }) => isPackage).map(({ bytes }) => bytes))
  if (total > 0) await checkRoom(store, downloadSize(files).kept + largest)
  let done = 0
  for (const { name, bytes, run } of parts) {
    const report = (fraction: number): void => onProgress?.(done + Math.floor(bytes * fraction), total, name)
    await run({ signal, onProgress: report, ...(pauseMs !== undefined && { pauseMs }) })
    done += bytes
  }
  onProgress?.(total, total, '')
}
