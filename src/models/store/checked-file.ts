import { readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { required } from '../../lists.ts'
import { modelOf } from '../manifest.ts'
import { fingerprintOf } from './file-hash.ts'
import { isReplaced } from './installed.ts'
import { storeFolder } from './store-folder.ts'

/** Keyed by `path sha256`: the state of a verified file (size, modification time in ns, inode). */
type Checked = Record<string, string>

/** The entries known to this process, by the list they come from. */
const known = new Map<string, Promise<Checked>>()

const listPath = (store: string): string => join(store, 'checked.json')

function checkedIn(path: string): Promise<Checked> {
  const list =
    known.get(path) ??
    readFile(path, 'utf8')
      .then((text) => JSON.parse(text) as Checked)
      .catch(() => ({}))
  known.set(path, list)
  return list
}

async function stateOf(path: string): Promise<string> {
  const { size, mtimeNs, ino } = await stat(path, { bigint: true })
  return [size, mtimeNs, ino].join()
}

/** Saves the list for later processes. In a read-only store, each process verifies again. */
async function keep(path: string, list: Checked): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`
  await writeFile(temporary, JSON.stringify(list), { flag: 'w' })
    .then(() => rename(temporary, path))
    .catch(() => undefined)
}

async function isRight(path: string, sha256: string, list: Checked, signal?: AbortSignal): Promise<boolean> {
  const state = await stateOf(path)
  const key = `${path} ${sha256}`
  if (list[key] === state) return true
  const found = await fingerprintOf(path, signal)
  if (found.sha256 !== sha256) return false
  list[key] = state
  return true
}

/**
 * The name of the first file of an installed model that does not match the manifest; undefined if all match. Size
 * checks elsewhere do not detect a flipped bit. A file is read once, and again after it has changed.
 */
export async function damagedFile(
  { id, files }: { id: string; files: ReadonlyMap<string, string> },
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (isReplaced(id)) return undefined
  const path = listPath(storeFolder())
  const list = await checkedIn(path)
  const before = Object.keys(list).length
  try {
    for (const { name, sha256 } of modelOf(id).files)
      if (!(await isRight(required(files, name), sha256, list, signal))) return name
  } finally {
    const isOurs = (await stat(dirname(path)).catch(() => undefined))?.isDirectory()
    if (isOurs && Object.keys(list).length > before) await keep(path, list)
  }
  return undefined
}
