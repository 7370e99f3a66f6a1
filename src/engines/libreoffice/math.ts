import { readdir, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Locations of the settings file of each component, relative to the program's folder: Linux and Windows, macOS. */
const REGISTRIES = ['../share/registry', '../Resources/registry']

export const MATH_INSTALL = 'apt-get install libreoffice-math-nogui'

/**
 * Whether an installation of LibreOffice lacks its component Math, which reads and draws equations: Debian and others ship it
 * as a separate package. False if the installation cannot be inspected, for example behind a wrapper script.
 * @param program path of `soffice`, or a link to it
 */
export async function lacksMath(program: string): Promise<boolean> {
  const folder = dirname(await realpath(program).catch(() => program))
  for (const registry of REGISTRIES) {
    const components: string[] = await readdir(join(folder, registry)).catch(() => [])
    if (components.includes('main.xcd')) return !components.includes('math.xcd')
  }
  return false
}
