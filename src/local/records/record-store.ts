import { createHash, randomUUID } from 'node:crypto'
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { rename } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { cacheFolder } from '../../cache-folder.ts'
import { letOthersRun } from '../../concurrency.ts'
import { environmentText } from '../../environment.ts'
import { look, lookAtName } from '../../look.ts'
import { makeFolder, makeFolderAtOnce } from '../../make-folder.ts'

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

/** A stored value. A second line has the fields that replace those of the first; an incomplete one is ignored. */
function parsed(text: string): unknown {
  const [first = '', later = ''] = text.split('\n', 2)
  const value: unknown = JSON.parse(first)
  if (later === '') return value
  try {
    return { ...(value as object), ...JSON.parse(later) }
  } catch {
    return value
  }
}

/**
 * The value of a key; undefined if it is missing or unreadable.
 * @param root another record folder than the cache
 */
export function readStored(kind: Kind, key: string, root = recordsFolder()): unknown {
  try {
    return parsed(readFileSync(fileOf(root, kind, key), 'utf8'))
  } catch {
    return undefined
  }
}

/** A stored value whose file is still open. */
export interface OpenRecord {
  /**
   * Replaces fields of the value, by a second line in its file: cheaper than another file and rename. If another process
   * has replaced the file, its value remains.
   */
  replace(fields: object): void
  close(): void
}

/**
 * Stores a value atomically, for a caller that replaces fields of it soon. A read-only cache folder is not an error: there
 * is no record then. The few hundred bytes are written synchronously, as `look` looks; a rename over a file waits for the
 * disk, so a thread does it.
 */
export async function openStored(
  kind: Kind,
  key: string,
  value: unknown,
  root = recordsFolder(),
): Promise<OpenRecord | undefined> {
  const path = fileOf(root, kind, key)
  const own = `${path}.${randomUUID()}`
  const open = (): number => openSync(own, 'wx', root === recordsFolder() ? 0o600 : 0o666)
  let file: number | undefined
  try {
    try {
      file = open()
    } catch {
      // Its folder exists except for the first of 256.
      if (!makeFolderAtOnce(dirname(path))) await makeFolder(dirname(path))
      file = open()
    }
    writeFileSync(file, JSON.stringify(value))
    if (lookAtName(path)) await rename(own, path)
    else renameSync(own, path)
    return openRecord(file)
  } catch {
    if (file !== undefined) closeSync(file)
    removeQuietly(own)
    return undefined
  }
}

const openRecord = (file: number): OpenRecord => ({
  replace(fields) {
    try {
      writeFileSync(file, `\n${JSON.stringify(fields)}`)
    } catch {
      // A full disk: the first line remains.
    }
  },
  close: () => closeSync(file),
})

/** Stores a value atomically, like `openStored`. */
export async function writeStored(kind: Kind, key: string, value: unknown, root = recordsFolder()): Promise<void> {
  const record = await openStored(kind, key, value, root)
  record?.close()
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

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function markTidied(folder: string): void {
  try {
    writeFileSync(join(folder, MARK), '', { mode: 0o600 })
  } catch {
    // The next run cleans up again.
  }
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
  const names = namesIn(folder)
  for (const [step, name] of names.entries()) {
    if (step > 0) await letOthersRun(step)
    const path = join(folder, name)
    const about = look(path)
    if (!about || Date.now() - about.mtimeMs < KEPT_MS) continue
    if (!name.endsWith('.json') || isGone(readStored(kind, name.slice(0, -5), root))) removeQuietly(path)
  }
  markTidied(folder)
}
