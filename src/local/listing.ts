import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { accepts } from '../job/accept.ts'
import { sniffFile } from '../media/sniff.ts'
import { typeOfName } from '../media/type.ts'

/** Made when first needed: the data of languages takes a tenth of a short command's time to load. */
let natural: Intl.Collator | undefined

/** `img2` before `img10`, whatever the locale of the machine. */
function inNaturalOrder(a: string, b: string): number {
  natural ??= new Intl.Collator('en', { numeric: true })
  return natural.compare(a, b)
}

/** Whether a name that does not exist may be meant as a pattern. */
export function hasGlobMagic(name: string): boolean {
  return /[*?[\]{}!]|[@+]\(/.test(name)
}

/** The folder that a pattern starts from: what stands before its first sign of a pattern. */
function startOf(pattern: string): string {
  const fixed = pattern.slice(0, pattern.search(/[*?[\]{}!]|[@+]\(/))
  return resolve(fixed.slice(0, fixed.lastIndexOf('/') + 1) || '.')
}

/**
 * The files that a pattern matches, in natural order.
 * @param exclude a folder to leave out where it lies below the one that the pattern starts from, absolute
 */
export async function globFiles(pattern: string, exclude?: string): Promise<string[]> {
  const { glob } = await import('tinyglobby')
  const slashed = process.platform === 'win32' ? pattern.replaceAll('\\', '/') : pattern
  const found = await glob(slashed, { onlyFiles: true, expandDirectories: false, followSymbolicLinks: false })
  const isBelow = exclude?.startsWith(join(startOf(slashed), sep)) === true
  return found.filter((path) => !isBelow || !resolve(path).startsWith(join(exclude!, sep))).sort(inNaturalOrder)
}

/** Judged by the name, as a listing of thousands must be quick; by content only where the name says nothing. */
async function isTaken(path: string, name: string, accept: readonly string[]): Promise<boolean> {
  if (accept.includes('*')) return true
  try {
    const type = typeOfName(name) ?? (await sniffFile(path, name))
    return accepts(accept, { path, name, bytes: 0, type })
  } catch {
    // A file that cannot be read is not one that the tool takes.
    return false
  }
}

/** Whether an entry is a regular file or a link to one; links to folders are not followed, they may lead in circles. */
async function isFile(entry: Dirent, path: string): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isFile()
  return stat(path).then(
    (about) => about.isFile(),
    () => false,
  )
}

/**
 * The files below a folder that a tool takes, in natural order, without hidden ones.
 * @param exclude a folder to leave out, absolute
 * @param subfolder where inside the root
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
