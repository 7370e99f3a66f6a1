import { displaySize } from '../../engines/display-size.ts'
import type { FinishedOutput } from '../../local/output-paths.ts'

/** Outputs of one job that are measured; a split video can have thousands. */
const MAX_MEASURED = 24

/**
 * Width and height of outputs as a viewer shows them, by path: `480 × 320`. Outputs without, such as audio, have no
 * entry. Only headers are read.
 */
export async function dimensionsOf(
  outputs: readonly FinishedOutput[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const { path, type } of outputs.slice(0, MAX_MEASURED)) {
    const size = path === '-' ? undefined : await displaySize(path, type, signal)
    if (size) found.set(path, `${size.width} × ${size.height}`)
  }
  return found
}
