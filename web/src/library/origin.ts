/** Which files of the browser came from the library, and are the bytes of which item. */
import type { WorkFile } from '../files/work-files.ts'

const origins = new WeakMap<File, string>()

export const noteOrigin = (file: File, itemId: string): void => {
  origins.set(file, itemId)
}

/** The item that a file, or an earlier version of it, came from: its result can become a version of that. */
export function originOf({ versions, at }: WorkFile): string | undefined {
  return versions
    .slice(0, at + 1)
    .reduce<string | undefined>((found, { file }) => origins.get(file) ?? found, undefined)
}
