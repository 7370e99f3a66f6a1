import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { environmentText } from '../environment.ts'
import { builtFile } from '../root.ts'

/**
 * The folder of the bundled fonts (Noto Sans, TrueType), so that text looks the same on a machine without fonts.
 * Created by the build.
 */
export function shippedFontsFolder(): string {
  return fileURLToPath(builtFile('fonts/'))
}

const shippedConfiguration = (): string => join(shippedFontsFolder(), 'fonts.conf')

/**
 * Whether a file is the fontconfig settings of the bundled fonts. The image engine sets FONTCONFIG_FILE to it, which is
 * no choice of the user.
 */
export const isShippedConfiguration = (path: string): boolean => path === shippedConfiguration()

/** The fontconfig settings passed to programs: the user's own, otherwise those of the bundled fonts. */
export function fontConfiguration(): string {
  return environmentText('FONTCONFIG_FILE') || shippedConfiguration()
}
