import { copyFile, lstat, rename } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { outputExists, placeFile, Workspace } from '../../job/workspace.ts'
import { type OpenFolder, openFolder } from './open-within.ts'
import type { Root } from './roots.ts'

/** A finished output in a private folder, and where it goes. */
export interface Finished {
  /** Its path in the private folder. */
  from: string
  /** Its name below the output folder, with subfolders. */
  name: string
  /** The output folder: absolute. */
  folder: string
  bytes: number
  mimeType: string
}

/** The finished outputs of a run. @param staged the private folder that the run wrote to */
export function finishedIn(
  staged: string,
  folder: string,
  outputs: readonly { path: string; bytes: number; type: string }[],
): Finished[] {
  return outputs.map(({ path, bytes, type }) => ({
    from: path,
    name: relative(staged, path),
    folder,
    bytes,
    mimeType: type,
  }))
}

/** Calls back with the open folder of every output, in groups. */
async function inFolders(
  roots: readonly Root[],
  outputs: readonly Finished[],
  use: (folder: OpenFolder, output: Finished, name: string) => Promise<void>,
): Promise<void> {
  const open = new Map<string, OpenFolder>()
  try {
    for (const output of outputs) {
      const path = dirname(join(output.folder, output.name))
      const folder = open.get(path) ?? (await openFolder(roots, path, path))
      open.set(path, folder)
      await use(folder, output, output.name.split(sep).at(-1) ?? output.name)
    }
  } finally {
    for (const folder of open.values()) await folder.close()
  }
}

/**
 * The outputs whose places are taken, by their real paths.
 * @throws MediaprocError OUTSIDE_ROOTS
 */
export async function takenPlaces(roots: readonly Root[], outputs: readonly Finished[]): Promise<string[]> {
  const taken: string[] = []
  await inFolders(roots, outputs, async (folder, _output, name) => {
    const isTaken = await lstat(folder.at(name)).then(
      () => true,
      () => false,
    )
    if (isTaken) taken.push(join(folder.path, name))
  })
  return taken
}

/** Outputs of one call may not replace each other. @returns the paths that several would have */
export function collisions(outputs: readonly Finished[]): string[] {
  const seen = new Set<string>()
  return outputs.flatMap(({ folder, name }) => {
    const path = join(folder, name)
    // Many file systems ignore case; two such names are rare, and one would be lost.
    const key = path.toLowerCase()
    if (seen.has(key)) return path
    seen.add(key)
    return []
  })
}

/** Moves a file into an open folder. It is complete before it has its name, which is given atomically. */
async function placeOne(folder: OpenFolder, from: string, name: string, overwrite: boolean): Promise<void> {
  const staging = new Workspace(folder.at('.'))
  try {
    const staged = await staging.output(name)
    await rename(from, staged).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EXDEV') throw error
      return copyFile(from, staged)
    })
    await placeFile(staged, folder.at(name), overwrite)
  } finally {
    await staging.remove()
  }
}

/**
 * Moves finished outputs to their places, each atomically: a link at its place is replaced, and never followed.
 * @param overwrite whether existing files are replaced
 * @returns their real paths, in order
 * @throws MediaprocError OUTSIDE_ROOTS, OUTPUT_EXISTS
 */
export async function placeOutputs(
  roots: readonly Root[],
  outputs: readonly Finished[],
  overwrite: boolean,
): Promise<string[]> {
  const paths: string[] = []
  await inFolders(roots, outputs, async (folder, { from }, name) => {
    const about = await lstat(folder.at(name)).catch(() => undefined)
    if (about?.isDirectory()) throw outputExists(join(folder.path, name))
    await folder.check()
    await placeOne(folder, from, name, overwrite).catch((error: unknown) => {
      throw (error as { code?: unknown }).code === 'OUTPUT_EXISTS' ? outputExists(join(folder.path, name)) : error
    })
    paths.push(join(folder.path, name))
  })
  return paths
}
