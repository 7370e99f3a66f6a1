import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { environmentText } from '../environment.ts'
import { builtFile } from '../root.ts'

/**
 * The folder of the fonts that come with the program (Noto Sans, TrueType), so that text looks the same on a machine
 * without any. The build makes it.
 */
export function shippedFontsFolder(): string {
  return fileURLToPath(builtFile('fonts/'))
}

/** The fontconfig settings for programs: the user's own, otherwise those of the shipped fonts. */
export function fontConfiguration(): string {
  return environmentText('FONTCONFIG_FILE') || join(shippedFontsFolder(), 'fonts.conf')
}
