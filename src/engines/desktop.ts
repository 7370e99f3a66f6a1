import { environmentText } from '../environment.ts'
import { startDetached } from './process/detached.ts'

/** The program of each system that opens a file as a double click does. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Why no browser can be opened from here; undefined if one can. */
export function missingDesktop(): string | undefined {
  if (environmentText('SSH_CONNECTION') !== '') return 'this is an SSH session'
  const hasDisplay = ['DISPLAY', 'WAYLAND_DISPLAY'].some((name) => environmentText(name as 'DISPLAY') !== '')
  return process.platform === 'linux' && !hasDisplay ? 'there is no display' : undefined
}

/** Opens a file with the program that the user has chosen for its type. Returns false when that fails. */
export function openFile(path: string): Promise<boolean> {
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open']
  return startDetached(program, [...args, path])
}
