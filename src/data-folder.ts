import { renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { environmentText } from './environment.ts'
import { makeFolder } from './make-folder.ts'

/** The platform's application data folder. */
export function dataFolder(): string {
  if (process.platform === 'win32') return environmentText('LOCALAPPDATA') || join(homedir(), 'AppData', 'Local')
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support')
  return environmentText('XDG_DATA_HOME') || join(homedir(), '.local', 'share')
}

/** A file of the program in that folder. */
export const userFile = (name: string): string => join(dataFolder(), 'mediaproc', name)

/** Replaces such a file by a value as JSON, at once; only its owner can read it. */
export async function writeUserFile(name: string, value: unknown): Promise<void> {
  const path = userFile(name)
  await makeFolder(dirname(path), 0o700)
  const temporary = `${path}.${process.pid}`
  writeFileSync(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  renameSync(temporary, path)
}
