import { createHash, randomUUID } from 'node:crypto'
import { readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { cacheFolder } from '../../cache-folder.ts'
import { environmentText } from '../../environment.ts'
import { look } from '../../look.ts'
import { makeFolder } from '../../make-folder.ts'

/** How long records of deleted outputs are kept: a disk may only be disconnected for a while. */
const KEPT_MS = 30 * 24 * 3600 * 1000
/** Interval between clean-ups of a record folder. */
const TIDIED_EVERY_MS = 24 * 3600 * 1000
/** Its mtime is the time of the last clean-up. */
const MARK = 'tidied'

/**
 * Records are kept in the user's cache folder, and next to the outputs only on request (beside.ts). A results folder
 * stays clean, as it may be a web root or a repository; and with a small file per job and output, each written by
 * rename, parallel processes of `make -j` do not conflict. A lost cache only means that everything is made again.
 * Resolved early: if there is no cache folder, the image engine sets a font cache that is writable by everyone.
 */
const USUAL = cacheFolder()

/** The variable is read on every call, so that library callers can change it. */
const recordsFolder = (): string =>
  join(environmentText('MEDIAPROC_CACHE_DIR') === '' ? USUAL : cacheFolder(), 'records')

/** A key that is a valid file name, for any JSON value. */
export function keyOf(...parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40)
}

/** A folder with all links resolved, as far as it exists. */
export function physicalFolder(path: string): string {
  const folder = resolve(path)
  const parent = dirname(folder)
  try {
    return realpathSync.native(folder)
  } catch {
    return parent === folder ? folder : join(physicalFolder(parent), basename(folder))
  }
}

/** A path with links in its folders resolved, so that each file has one name; the file itself need not exist. */
export function physicalPath(path: string): string {
  const absolute = resolve(path)
  return join(physicalFolder(dirname(absolute)), basename(absolute))
}

/** `jobs`: build records. `outputs`: the last job that wrote each path. `programs`: hashes of large programs. */
type Kind = 'jobs' | 'outputs' | 'programs'

/** Two levels, as a folder of a hundred thousand files is slow on some file systems. */
const fileOf = (root: string, kind: Kind, key: string): string => join(root, kind, key.slice(0, 2), `${key}.json`)

/**
 * The value of a key; undefined if it is missing or unreadable.
 * @param root another record folder than the cache
 */
export function readStored(kind: Kind, key: string, root = recordsFolder()): unknown {
  try {
    return JSON.parse(readFileSync(fileOf(root, kind, key), 'utf8'))
  } catch {
    return undefined
  }
}

/**
 * Stores a value atomically. A read-only cache folder is not an error: there is no record then. The few hundred bytes are
 * written synchronously, as `look` looks; a rename over a file waits for the disk, so a thread does it.
 */
export async function writeStored(kind: Kind, key: string, value: unknown, root = recordsFolder()): Promise<void> {
  const path = fileOf(root, kind, key)
  const own = `${path}.${randomUUID()}`
  const text = JSON.stringify(value)
  const write = (): void => writeFileSync(own, text, root === recordsFolder() ? { mode: 0o600 } : {})
  try {
    try {
      write()
    } catch {
      // Its folder exists except for the first of 256.
      await makeFolder(dirname(path))
      write()
    }
    await rename(own, path)
  } catch {
    removeQuietly(own)
  }
}

function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // It remains in the cache until the next clean-up.
  }
}

/** Whether a record folder is due for a clean-up: a marker file holds the time of the last one. */
function isDue(folder: string): boolean {
  const about = look(join(folder, MARK))
  // A marker from the future was made by another clock.
  return !about || Math.abs(Date.now() - about.mtimeMs) >= TIDIED_EVERY_MS
}

/**
 * Deletes old records of outputs that no longer exist, so that the cache does not grow without limit. A run cleans up
 * the parts that it writes to, each once a day: otherwise runs with many thousands of files would wait for checks of
 * all of them.
 * @param isGone decides whether a record can be deleted
 */
export async function tidyBeside(
  kind: Kind,
  key: string,
  isGone: (stored: unknown) => boolean,
  root = recordsFolder(),
): Promise<void> {
  const folder = dirname(fileOf(root, kind, key))
  if (!isDue(folder)) return
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name)
    const about = look(path)
    if (!about || Date.now() - about.mtimeMs < KEPT_MS) continue
    if (!name.endsWith('.json') || isGone(readStored(kind, name.slice(0, -5), root)))
      await rm(path, { force: true }).catch(() => undefined)
  }
  await writeFile(join(folder, MARK), '', { mode: 0o600 }).catch(() => undefined)
}
