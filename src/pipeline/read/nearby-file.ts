import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { nearest } from '../../tool/validate.ts'

/**
 * The hint for a file that does not exist: one with a similar name in its folder.
 * @param written its path as the pipeline has it
 * @param otherwise the hint without such a file
 */
export function nearbyFileHint(path: string, written: string, otherwise: string): string {
  try {
    const near = nearest(basename(path), readdirSync(dirname(path)))
    if (near !== undefined) return `Did you mean ${join(dirname(written), near)}?`
  } catch {
    // The folder does not exist either.
  }
  return otherwise
}
