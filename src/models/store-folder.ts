import { createHash } from 'node:crypto'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { environmentText } from '../environment.ts'
import type { Model } from './manifest.ts'

/** The folder for data of programs, as each system has it. */
function dataFolder(): string {
  if (process.platform === 'win32') return environmentText('LOCALAPPDATA') || join(homedir(), 'AppData', 'Local')
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support')
  return environmentText('XDG_DATA_HOME') || join(homedir(), '.local', 'share')
}

/** Where models are kept: MEDIAPROC_MODELS, or `mediaproc/models` in the user's data folder. */
export function storeFolder(): string {
  const given = environmentText('MEDIAPROC_MODELS')
  return given === '' ? join(dataFolder(), 'mediaproc', 'models') : resolve(given)
}

/**
 * The folder of a model in a store. It is named by what is in it, so that a release with other weights never takes the old
 * ones for its own, and a folder that is there is whole: it gets this name only when all its files are in it.
 */
export function modelFolder(store: string, { id, files }: Model): string {
  const content = createHash('sha256').update(JSON.stringify(files.map(({ name, sha256 }) => [name, sha256])))
  return join(store, 'models', `${id}@${content.digest('hex').slice(0, 16)}`)
}
