import { homedir } from 'node:os'
import { join } from 'node:path'
import { environmentText } from './environment.ts'

/** The platform's application data folder. */
export function dataFolder(): string {
  if (process.platform === 'win32') return environmentText('LOCALAPPDATA') || join(homedir(), 'AppData', 'Local')
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support')
  return environmentText('XDG_DATA_HOME') || join(homedir(), '.local', 'share')
}
