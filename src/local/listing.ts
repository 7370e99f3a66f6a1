import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { accepts } from '../job/accept.ts'
import { sniffFile } from '../media/sniff.ts'
import { typeOfName } from '../media/type.ts'

/** Created on first use: loading language data takes a tenth of the time of a short command. */
let natural: Intl.Collator | undefined

/** Natural order: `img2` before `img10`, independent of the machine's locale. */
export function inNaturalOrder(a: string, b: string): number {
  natural ??= new Intl.Collator('en', { numeric: true })
  return natural.compare(a, b)
}

/** Whether a name that does not exist can be a pattern. */
export function hasGlobMagic(name: string): boolean {
  return /[*?[\]{}!]|[@+]\(/.test(name)
}

/** The base folder of a pattern: the part before its first glob character. */
export function startOfGlob(pattern: string): string {
  const fixed = pattern.slice(0, pattern.search(/[*?[\]{}!]|[@+]\(/))
  return resolve(fixed.slice(0, fixed.lastIndexOf('/') + 1) || '.')
}

/**
 * The files that match a pattern, in natural order.
 * @param exclude absolute path of a folder to exclude if it is below the pattern's base folder
 */
export async function globFiles(pattern: string, exclude?: string): Promise<string[]> {
  const { glob } = await import('tinyglobby')
  const slashed = process.platform === 'win32' ? pattern.replaceAll('\\', '/') : pattern
  const found = await glob(slashed, { onlyFiles: true, expandDirectories: false, followSymbolicLinks: false })
  const isBelow = exclude?.startsWith(join(startOfGlob(slashed), sep)) === true
  return found.filter((path) => !isBelow || !resolve(path).startsWith(join(exclude, sep))).sort(inNaturalOrder)
}

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
