import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { programFolder } from './installation.ts'

/** The location of the per-component settings files, relative to the program's folder: Linux and Windows, macOS. */
const REGISTRIES = ['../share/registry', '../Resources/registry']

export const MATH_INSTALL = 'apt-get install libreoffice-math-nogui'

/**
 * Whether a LibreOffice installation lacks its component Math, which reads and renders equations: Debian and others
 * ship it as a separate package. False if the installation cannot be inspected, such as behind a wrapper script.
 * @param program path of `soffice`, or a link to it
 */
export async function lacksMath(program: string): Promise<boolean> {
  const folder = await programFolder(program)
  for (const registry of REGISTRIES) {
    const components: string[] = await readdir(join(folder, registry)).catch(() => [])
    if (components.includes('main.xcd')) return !components.includes('math.xcd')
  }
  return false
}
