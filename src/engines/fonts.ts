import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The folder of the fonts that come with the program (Noto Sans, TrueType), so that text looks the same on a machine
 * without any. The build makes it; code that runs uncompiled uses the last build's.
 */
export function shippedFontsFolder(): string {
  const built = extname(import.meta.url) === '.js'
  return fileURLToPath(new URL(built ? '../../fonts/' : '../../dist/fonts/', import.meta.url))
}
