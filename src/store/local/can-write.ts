import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Whether files can be written in a folder. */
export async function canWrite(folder: string): Promise<boolean> {
  // A fixed name: the next check replaces the leftover of a server that was killed.
  const path = join(folder, 'ping')
  try {
    await writeFile(path, 'x', { mode: 0o600 })
    return true
  } catch {
    return false
  } finally {
    await rm(path, { force: true }).catch(() => {})
  }
}
