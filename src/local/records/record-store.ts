import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { environmentText } from '../../environment.ts'

/** Records of outputs that are gone are kept this long: a disk may only be away for a while. */
const KEPT_MS = 30 * 24 * 3600 * 1000
/** How often a folder of records is looked through for them. */
const TIDIED_EVERY_MS = 24 * 3600 * 1000
/** Its time is that of the last look. */
const MARK = 'tidied'

function cacheFolder(): string {
  const given = environmentText('MEDIAPROC_CACHE_DIR')
  if (given !== '') return resolve(given)
  const caches =
    environmentText('XDG_CACHE_HOME') ||
    (process.platform === 'darwin' ? join(homedir(), 'Library', 'Caches') : join(homedir(), '.cache'))
  return join(caches, 'mediaproc')
}

/**
 * Where records lie: in the user's cache folder and not beside the outputs. A folder of results stays clean (it may be a
 * web root, a repository, somebody else's), and with a small file per job and per output, each written by rename, the
 * processes of `make -j` cannot get in each other's way. A cache that is lost costs nothing but a fall back to time stamps.
 * Asked once and early: where there is no cache, the engine of pictures sets a folder for fonts that anybody may write.
 */
const RECORDS = join(cacheFolder(), 'records')

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

/** Two levels, as a folder of a hundred thousand files is slow on some file systems. */
const fileOf = (kind: 'jobs' | 'outputs', key: string): string => join(RECORDS, kind, key.slice(0, 2), `${key}.json`)

/** What is kept under a key; undefined where there is nothing that can be read. */
export async function readStored(kind: 'jobs' | 'outputs', key: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(fileOf(kind, key), 'utf8'))
  } catch {
    return undefined
  }
}

/** Keeps something in one step. A cache folder that cannot be written is no failure: there is no record then. */
export async function writeStored(kind: 'jobs' | 'outputs', key: string, value: unknown): Promise<void> {
  const path = fileOf(kind, key)
  const own = `${path}.${randomUUID()}`
  const write = (): Promise<void> => writeFile(own, JSON.stringify(value), { mode: 0o600 })
  try {
    // Its folder is there but for the first of 256.
    await write().catch(async () => {
      await mkdir(dirname(path), { recursive: true })
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
 * Removes records of old whose outputs are gone, so that the cache cannot grow for ever. A run tidies the parts that it
 * writes to, each once a day: whoever makes many thousands of files would else wait for looks at all of them.
 * @param isGone judges what is kept
 */
export async function tidyBeside(
  kind: 'jobs' | 'outputs',
  key: string,
  isGone: (stored: unknown) => Promise<boolean>,
): Promise<void> {
  const folder = dirname(fileOf(kind, key))
  if (!(await isDue(folder))) return
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name)
    const about = await stat(path).catch(() => undefined)
    if (!about || Date.now() - about.mtimeMs < KEPT_MS) continue
    if (!name.endsWith('.json') || (await isGone(await readStored(kind, name.slice(0, -5)))))
      await rm(path, { force: true }).catch(() => undefined)
  }
  await writeFile(join(folder, MARK), '', { mode: 0o600 }).catch(() => undefined)
}
