import { readFileSync, realpathSync } from 'node:fs'
import { userFile, writeUserFile } from '../../data-folder.ts'

/** Which lists of plugins the user trusts, by the path of the configuration that has them. */
type Trusted = Record<string, readonly string[]>

const FILE = 'trusted-plugins.json'

function read(): Trusted {
  try {
    return JSON.parse(readFileSync(userFile(FILE), 'utf8')) as Trusted
  } catch {
    return {}
  }
}

const write = (trusted: Trusted): Promise<void> => writeUserFile(FILE, trusted)

/** Whether the user trusts exactly these plugins of a configuration. */
export function isTrusted(config: string, plugins: readonly string[]): boolean {
  const known = read()[realpathSync(config)]
  return JSON.stringify(known) === JSON.stringify(plugins)
}

export const trust = (config: string, plugins: readonly string[]): Promise<void> =>
  write({ ...read(), [realpathSync(config)]: plugins })

export async function distrust(config: string): Promise<void> {
  const { [realpathSync(config)]: _gone, ...rest } = read()
  await write(rest)
}
