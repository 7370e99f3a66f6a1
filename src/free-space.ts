import { statfs } from 'node:fs/promises'
import { MediaprocError } from './errors.ts'
import { readableSize } from './wording.ts'

/** Free space left for others on the disk: a share of the requested size, up to a maximum in bytes. */
const SPARE = { part: 0.1, most: 100_000_000 }

/** Checks that an install fits on the disk of a folder. @throws MediaprocError INSUFFICIENT_STORAGE */
export async function checkRoom(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize >= bytes + Math.min(SPARE.most, bytes * SPARE.part)) return
  const free = readableSize(bavail * bsize)
  throw new MediaprocError(
    'INSUFFICIENT_STORAGE',
    `The install needs ${readableSize(bytes)} on the disk, and ${free} are free`,
  )
}
