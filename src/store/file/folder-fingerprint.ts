import { readFile, rm, stat, writeFile } from 'node:fs/promises'

/**
 * Younger changes than this cannot be told from later ones: clocks of file systems go by steps, of up to two seconds.
 * Milliseconds.
 */
const STEP_MS = 2100

/** What a folder is told by: making, removing or renaming something in it changes this, and nobody can set it back. */
async function stateOf(folder: string): Promise<{ text: string; changed: number }> {
  const { dev, ino, ctimeNs, ctimeMs } = await stat(folder, { bigint: true })
  return { text: `${dev} ${ino} ${ctimeNs}`, changed: Number(ctimeMs) }
}

/**
 * Records in a file that a folder is unchanged, with what is known of it, so that the next start need not look through it. Does
 * nothing where a change could not be told.
 */
export async function noteRest(path: string, folder: string, known: string, now: number): Promise<void> {
  const { text, changed } = await stateOf(folder)
  if (now - changed > STEP_MS) await writeFile(path, `${text} ${known}`, { mode: 0o600 })
}

/**
 * What was noted of a folder, when it is as it was then. The note is removed: from now on the folder changes.
 */
export async function takeRest(path: string, folder: string): Promise<string | undefined> {
  const noted = await readFile(path, 'utf8').catch(() => undefined)
  if (noted === undefined) return undefined
  await rm(path, { force: true })
  const { text } = await stateOf(folder)
  return noted.startsWith(`${text} `) ? noted.slice(text.length + 1) : undefined
}
