import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { environmentText } from '../environment.ts'
import { builtFile } from '../root.ts'

// Every file of a batch asks for them.
const FOLDER = fileURLToPath(builtFile('fonts/'))
const CONFIGURATION = join(FOLDER, 'fonts.conf')

/**
 * The folder of the bundled fonts (Noto Sans, TrueType), so that text looks the same on a machine without fonts.
 * Created by the build.
 */
export function shippedFontsFolder(): string {
  return FOLDER
}

/**
 * Whether a file is the fontconfig settings of the bundled fonts. The image engine sets FONTCONFIG_FILE to it, which is
 * no choice of the user.
 */
export const isShippedConfiguration = (path: string): boolean => path === CONFIGURATION

/** The fontconfig settings passed to programs: the user's own, otherwise those of the bundled fonts. */
export function fontConfiguration(): string {
  return environmentText('FONTCONFIG_FILE') || CONFIGURATION
}
