import { type Stats, statSync } from 'node:fs'

/**
 * The stat of a path; undefined if it does not exist or cannot be read. Synchronous: a batch looks at each of its files
 * several times, and a call through the thread pool takes ten times the processor time of the call itself.
 */
export function look(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
