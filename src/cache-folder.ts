import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { environmentText } from './environment.ts'

/**
 * The folder for data that can be lost without harm: MEDIAPROC_CACHE_DIR, or `mediaproc` in the user's cache folder.
 */
export function cacheFolder(): string {
  const given = environmentText('MEDIAPROC_CACHE_DIR')
  if (given !== '') return resolve(given)
  const caches =
    environmentText('XDG_CACHE_HOME') ||
    (process.platform === 'darwin' ? join(homedir(), 'Library', 'Caches') : join(homedir(), '.cache'))
  return join(caches, 'mediaproc')
}
