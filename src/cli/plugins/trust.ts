import { readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { dataFolder } from '../../data-folder.ts'
import { makeFolder } from '../../make-folder.ts'

/** Which lists of plugins the user trusts, by the path of the configuration that has them. */
type Trusted = Record<string, readonly string[]>

const trustFile = (): string => join(dataFolder(), 'mediaproc', 'trusted-plugins.json')

function read(): Trusted {
  try {
    return JSON.parse(readFileSync(trustFile(), 'utf8')) as Trusted
  } catch {
    return {}
  }
}

async function write(trusted: Trusted): Promise<void> {
  const path = trustFile()
  await makeFolder(dirname(path), 0o700)
  const temporary = `${path}.${process.pid}`
  writeFileSync(temporary, `${JSON.stringify(trusted, null, 2)}\n`, { mode: 0o600 })
  renameSync(temporary, path)
}

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
