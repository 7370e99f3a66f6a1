import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaprocError } from '../../errors.ts'
import { syncFolder, writeDurably } from '../local/atomic-write.ts'

/** The source of a store that `mediaproc store migrate` has not finished. */
export interface Marker {
  id: string
  label: string
}

const pathOf = (folder: string): string => join(folder, 'migration.json')

/** The marker of a data folder. */
export async function readMarker(folder: string): Promise<Marker | undefined> {
  const text = await readFile(pathOf(folder), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return text === undefined ? undefined : (JSON.parse(text) as Marker)
}

export const writeMarker = (folder: string, { id, label }: Marker): Promise<void> =>
  writeDurably(pathOf(folder), JSON.stringify({ id, label }))

export async function removeMarker(folder: string): Promise<void> {
  await rm(pathOf(folder), { force: true })
  await syncFolder(folder)
}

/** For servers: @throws INVALID_CONFIG for a store with a marker */
export function refuseUnfinished(marker: Marker | undefined, what: string): void {
  if (!marker) return
  throw new MediaprocError('INVALID_CONFIG', `${what} is an unfinished copy of ${marker.label}`, {
    hint: { shell: 'Run mediaproc store migrate again to finish it, or remove the copy.' },
  })
}

/**
 * For targets: whether the copy was begun before.
 * @throws CONFLICT for the copy of another store, and for a store that has data
 */
export function isBegun(marker: Marker | undefined, source: Marker, what: string, isEmpty: boolean): boolean {
  if (marker?.id === source.id) return true
  if (marker)
    throw new MediaprocError('CONFLICT', `${what} is an unfinished copy of another store: ${marker.label}`, {
      hint: { shell: 'Finish that migration, or name an empty target.' },
    })
  if (isEmpty) return false
  throw new MediaprocError('CONFLICT', `${what} is not empty`, {
    hint: { shell: 'Name a new folder, or an empty database with an empty folder or bucket.' },
  })
}
