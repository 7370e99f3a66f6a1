import { fileURLToPath } from 'node:url'
import { builtFile } from '../root.ts'

/**
 * The folder of the fonts that come with the program (Noto Sans, TrueType), so that text looks the same on a machine
 * without any. The build makes it.
 */
export function shippedFontsFolder(): string {
  return fileURLToPath(builtFile('fonts/'))
}
