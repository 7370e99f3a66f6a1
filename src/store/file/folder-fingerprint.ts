import { readFile, rm, stat, writeFile } from 'node:fs/promises'

/**
 * A change more recent than this may have the same time as a later one: file system timestamps have a resolution of up
 * to two seconds. In milliseconds.
 */
const STEP_MS = 2100

/** Fingerprint of a folder: creating, removing or renaming an entry changes it, and programs cannot set it back. */
async function stateOf(folder: string): Promise<{ text: string; changed: number }> {
  const { dev, ino, ctimeNs, ctimeMs } = await stat(folder, { bigint: true })
  return { text: `${dev} ${ino} ${ctimeNs}`, changed: Number(ctimeMs) }
}

/**
 * Saves the fingerprint of a folder with derived data, so that the next start can skip the scan if nothing changed.
 * Does nothing if a change could go undetected.
 */
export async function noteRest(path: string, folder: string, known: string, now: number): Promise<void> {
  const { text, changed } = await stateOf(folder)
  if (now - changed > STEP_MS) await writeFile(path, `${text} ${known}`, { mode: 0o600 })
}

/**
 * Returns the saved data if the folder is unchanged. Removes the saved fingerprint, because the folder changes from now
 * on.
 */
export async function takeRest(path: string, folder: string): Promise<string | undefined> {
  const noted = await readFile(path, 'utf8').catch(() => undefined)
  if (noted === undefined) return undefined
  await rm(path, { force: true })
  const { text } = await stateOf(folder)
  return noted.startsWith(`${text} `) ? noted.slice(text.length + 1) : undefined
}
