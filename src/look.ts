/**
 * Looks at single files. Synchronous: a batch looks at each of its files several times, and a call through the thread pool
 * takes ten times the processor time of the call itself.
 */
import { lstatSync, type Stats, statSync } from 'node:fs'

function found(stat: () => Stats | undefined): Stats | undefined {
  try {
    return stat()
  } catch {
    return undefined
  }
}

/** The stat of a path; undefined if it does not exist or cannot be read. */
export const look = (path: string): Stats | undefined => found(() => statSync(path, { throwIfNoEntry: false }))

/** The stat of a name, which may be a link; undefined if it is free or cannot be read. */
export const lookAtName = (path: string): Stats | undefined => found(() => lstatSync(path, { throwIfNoEntry: false }))
