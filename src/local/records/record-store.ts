import { createHash, randomUUID } from 'node:crypto'
import { readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { cacheFolder } from '../../cache-folder.ts'
import { environmentText } from '../../environment.ts'
import { makeFolder } from '../../make-folder.ts'

/** Records of outputs that are gone are kept this long: a disk may only be away for a while. */
const KEPT_MS = 30 * 24 * 3600 * 1000
/** How often a folder of records is looked through for them. */
const TIDIED_EVERY_MS = 24 * 3600 * 1000
/** Its time is that of the last look. */
const MARK = 'tidied'

/**
 * Where records are: in the user's cache folder, and beside the outputs only where that is asked for (beside.ts). A folder of
 * results stays clean, as it may be a web root or a repository, and with a small file per job and per output, each written by
 * rename, the processes of `make -j` cannot get in each other's way. A cache that is lost costs no more than to make everything
 * again. Looked up early: where there is no cache, the engine of pictures sets a folder for fonts that anybody may write.
 */
const USUAL = cacheFolder()

/** The variable counts at every call, so that callers of the library can change it. */
const recordsFolder = (): string =>
  join(environmentText('MEDIAPROC_CACHE_DIR') === '' ? USUAL : cacheFolder(), 'records')

/** A key that is a file name, for anything that JSON can say. */
export function keyOf(...parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40)
}

/** A folder with all links resolved, as far as it is there. */
export async function physicalFolder(path: string): Promise<string> {
  const folder = resolve(path)
  const parent = dirname(folder)
  return realpath(folder).catch(async () =>
    parent === folder ? folder : join(await physicalFolder(parent), basename(folder)),
  )
}

/** A path with the links of its folders resolved, so that one file has one name; it need not be there. */
export async function physicalPath(path: string): Promise<string> {
  const absolute = resolve(path)
  return join(await physicalFolder(dirname(absolute)), basename(absolute))
}

/** `jobs`: what each made of what. `outputs`: which job wrote a path last. `programs`: hashes of large programs. */
type Kind = 'jobs' | 'outputs' | 'programs'

/** Two levels, as a folder of a hundred thousand files is slow on some file systems. */
const fileOf = (root: string, kind: Kind, key: string): string => join(root, kind, key.slice(0, 2), `${key}.json`)

/**
 * What is kept under a key; undefined where there is nothing that can be read.
 * @param root another folder of records than that of the cache
 */
export async function readStored(kind: Kind, key: string, root = recordsFolder()): Promise<unknown> {
  try {
    return JSON.parse(await readFile(fileOf(root, kind, key), 'utf8'))
  } catch {
    return undefined
  }
}

/** Keeps something in one step. A cache folder that cannot be written is no failure: there is no record then. */
export async function writeStored(kind: Kind, key: string, value: unknown, root = recordsFolder()): Promise<void> {
  const path = fileOf(root, kind, key)
  const own = `${path}.${randomUUID()}`
  const write = (): Promise<void> =>
    writeFile(own, JSON.stringify(value), root === recordsFolder() ? { mode: 0o600 } : {})
  try {
    // Its folder is there but for the first of 256.
    await write().catch(async () => {
      await makeFolder(dirname(path))
      await write()
    })
    await rename(own, path)
  } catch {
    await rm(own, { force: true }).catch(() => undefined)
  }
}

/** Whether a folder of records is to be looked through again: a mark in it says when that was done last. */
async function isDue(folder: string): Promise<boolean> {
  const about = await stat(join(folder, MARK)).catch(() => undefined)
  // A mark of the future was made by another clock.
  return !about || Math.abs(Date.now() - about.mtimeMs) >= TIDIED_EVERY_MS
}

/**
 * Removes records of old whose outputs are gone, so that the cache cannot grow without limit. A run tidies the parts that it
 * writes to, each once a day: runs that make many thousands of files would otherwise wait for checks of all of them.
 * @param isGone judges what is kept
 */
export async function tidyBeside(
  kind: Kind,
  key: string,
  isGone: (stored: unknown) => Promise<boolean>,
  root = recordsFolder(),
): Promise<void> {
  const folder = dirname(fileOf(root, kind, key))
  if (!(await isDue(folder))) return
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name)
    const about = await stat(path).catch(() => undefined)
    if (!about || Date.now() - about.mtimeMs < KEPT_MS) continue
    if (!name.endsWith('.json') || (await isGone(await readStored(kind, name.slice(0, -5), root))))
      await rm(path, { force: true }).catch(() => undefined)
  }
  await writeFile(join(folder, MARK), '', { mode: 0o600 }).catch(() => undefined)
}
