import { createWriteStream } from 'node:fs'
import { link, lstat, mkdtemp, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { openFile } from './open-within.ts'
import { namedPath, type Root } from './roots.ts'

/** An input of a run, under a private name. */
export interface Snapshot {
  /** As the client named it. */
  given: string
  /** Its real path. */
  from: string
  /** Its path in the private folder, with the same file name. */
  path: string
}

/** Gives an open file a second name, if the file system has hard links; the name is checked to be of the same file. */
async function linked(from: string, to: string, { dev, ino }: { dev: bigint; ino: bigint }): Promise<boolean> {
  try {
    await link(from, to)
  } catch {
    return false
  }
  const made = await lstat(to, { bigint: true })
  if (made.dev === dev && made.ino === ino) return true
  // Another file took the name in the meantime.
  await rm(to, { force: true })
  return false
}

/**
 * Takes an input into a private folder: by a hard link where that is possible, otherwise by a copy. What runs then sees
 * only this file, whatever happens to its name or its folder.
 * @param scratch a private folder
 * @throws MediaprocError those of `openFile`, DISK_FULL
 */
export async function takeSnapshot(
  roots: readonly Root[],
  given: string,
  scratch: string,
  signal: AbortSignal,
): Promise<Snapshot> {
  const { handle, path: from } = await openFile(roots, namedPath(roots, given), given)
  try {
    const path = join(await mkdtemp(join(scratch, 'in-')), basename(from))
    if (!(await linked(from, path, await handle.stat({ bigint: true }))))
      await pipeline(
        handle.createReadStream({ start: 0, autoClose: false }),
        createWriteStream(path, { flags: 'wx', mode: 0o600 }),
        { signal },
      )
    return { given, from, path }
  } finally {
    await handle.close()
  }
}
