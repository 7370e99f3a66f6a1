import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { MediaprocError } from '../../errors.ts'
import { firstOf } from '../../lists.ts'
import { fetchFile } from '../http/fetch-file.ts'
import { findTarball } from './registry.ts'

/** The archive of an npm package. */
export interface ArchiveSource {
  name: string
  version: string
  /** Maximum size in bytes. */
  most: number
  /** The checksum that the archive must have (Subresource Integrity); the one that the registry lists by default. */
  integrity?: string
}

export interface ArchiveFetching {
  signal: AbortSignal
  /** Delay before the first retry, in milliseconds. */
  pauseMs?: number
  /** Progress from 0 to 1. */
  onProgress?(fraction: number): void
}

/** Verifies an archive against an integrity value; the strongest algorithm counts (Subresource Integrity). */
export async function hasIntegrity(path: string, integrity: string, signal: AbortSignal): Promise<boolean> {
  const ranks = ['sha512', 'sha384', 'sha256', 'sha1']
  const given = integrity.split(/\s+/).map((one) => firstOf(one.split('?')).split(/-(.*)/s) as [string, string])
  const algorithm = ranks.find((rank) => given.some(([name]) => name === rank))
  if (!algorithm) return false
  const hash = createHash(algorithm)
  await pipeline(createReadStream(path), hash, { signal })
  const digest = hash.digest('base64')
  return given.some(([name, value]) => name === algorithm && value === digest)
}

/**
 * Downloads and verifies the whole archive of a package.
 * @param folder for partial downloads, which a later call resumes
 * @returns the path of the archive in this folder
 * @throws MediaprocError DOWNLOAD_FAILED, MODEL_DAMAGED, DISK_FULL, CANCELED, OFFLINE
 */
export async function fetchArchive(
  { name, version, most, integrity }: ArchiveSource,
  folder: string,
  { signal, pauseMs, onProgress }: ArchiveFetching,
): Promise<string> {
  const listed = await findTarball(name, version, signal)
  const expected = integrity ?? listed.integrity
  const key = createHash('sha256')
    .update(`${name}@${version} ${expected ?? ''}`)
    .digest('hex')
  const path = join(folder, `${key}.tgz`)
  let length = 0
  const fetch = (): Promise<void> =>
    fetchFile(listed.open, path, {
      ...{ signal, most, ...(pauseMs !== undefined && { pauseMs }) },
      onLength: (bytes) => {
        length = bytes
      },
      // Before the length is known there is no share to report.
      onBytes: (bytes) => length > 0 && onProgress?.(Math.min(1, bytes / length)),
    })
  const isRight = (): Promise<boolean> =>
    expected === undefined ? Promise.resolve(true) : hasIntegrity(path, expected, signal)
  await fetch()
  if (await isRight()) return path
  // The leftovers of another attempt may be damaged on disk.
  await rm(path, { force: true })
  await fetch()
  if (await isRight()) return path
  await rm(path, { force: true })
  const source = integrity === undefined ? 'that the npm registry lists' : 'that this release of mediaproc requires'
  throw new MediaprocError('MODEL_DAMAGED', `The archive at ${listed.address} does not have the checksum ${source}`)
}
