import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { inNaturalOrder } from '../engines/glob-files.ts'
import { accepts } from '../job/accept.ts'
import { sniffFile } from '../media/sniff.ts'
import { typeOfName } from '../media/type.ts'

/** Decided by name, so that a listing of thousands of files is fast; by content only if the name is not conclusive. */
export async function isTaken(path: string, name: string, accept: readonly string[]): Promise<boolean> {
  if (accept.includes('*')) return true
  try {
    const type = typeOfName(name) ?? (await sniffFile(path, name))
    return accepts(accept, { path, name, bytes: 0, type })
  } catch {
    // An unreadable file does not count as accepted by the tool.
    return false
  }
}

/**
 * Whether an entry is a regular file or a link to one; links to folders are not followed, since they can form loops.
 */
async function isFile(entry: Dirent, path: string): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isFile()
  return stat(path).then(
    (about) => about.isFile(),
    () => false,
  )
}

/**
 * The files below a folder that a tool accepts, in natural order, without hidden ones.
 * @param exclude a folder to leave out, absolute
 * @param subfolder path inside the root
 */
export async function walkFolder(
  root: string,
  accept: readonly string[],
  exclude?: string,
  subfolder = '',
): Promise<{ path: string; subfolder: string }[]> {
  const entries = await readdir(join(root, subfolder), { withFileTypes: true })
  const found: { path: string; subfolder: string }[] = []
  for (const entry of entries.sort((a, b) => inNaturalOrder(a.name, b.name))) {
    if (entry.name.startsWith('.')) continue
    const path = join(root, subfolder, entry.name)
    if (entry.isDirectory()) {
      if (resolve(path) !== exclude)
        found.push(...(await walkFolder(root, accept, exclude, join(subfolder, entry.name))))
    } else if ((await isFile(entry, path)) && (await isTaken(path, entry.name, accept))) found.push({ path, subfolder })
  }
  return found
}
