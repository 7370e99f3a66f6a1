import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaprocError } from '../../errors.ts'
import type { Tier } from '../manifest.ts'

/** A bundle that somebody installed. */
export interface InstalledBundle {
  tier: Tier
  models: readonly string[]
  /** The release of mediaproc that installed it. */
  version: string
  installedAt: string
}

/** A model's folder in the store, with its files by their SHA-256. */
export interface InstalledFolder {
  id: string
  files: readonly string[]
}

/** What a store holds, and for whom. A file stays as long as a folder needs it, a folder as long as somebody wants its model. */
export interface StoreRecords {
  format: 1
  bundles: Readonly<Record<string, InstalledBundle>>
  /** Models that were asked for by their own names. */
  single: readonly string[]
  /** By the names of the folders. */
  folders: Readonly<Record<string, InstalledFolder>>
}

const EMPTY: StoreRecords = { format: 1, bundles: {}, single: [], folders: {} }

const pathOf = (store: string): string => join(store, 'installed.json')

/**
 * What is installed in a store; nothing where there is none.
 * @throws MediaprocError INVALID_CONFIG when it is damaged or of a later release
 */
export async function readRecords(store: string): Promise<StoreRecords> {
  const text = await readFile(pathOf(store), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
  if (text === undefined) return EMPTY
  const damaged = (cause?: unknown): MediaprocError =>
    new MediaprocError('INVALID_CONFIG', `The list of installed models in ${store} cannot be read`, {
      hint: 'Remove the folder, and install the models again.',
      cause,
    })
  let records: Partial<StoreRecords> | null
  try {
    records = JSON.parse(text) as Partial<StoreRecords> | null
  } catch (error) {
    throw damaged(error)
  }
  if (records?.format !== 1 || !records.bundles || !records.folders || !Array.isArray(records.single)) throw damaged()
  return records as StoreRecords
}

/** Replaces the list in one step: a process that is killed leaves the old or the new one. */
export async function writeRecords(store: string, records: StoreRecords): Promise<void> {
  const temporary = `${pathOf(store)}.tmp`
  const handle = await open(temporary, 'w', 0o644)
  try {
    await handle.writeFile(`${JSON.stringify(records, null, 2)}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(temporary, pathOf(store))
}

/** The models that somebody wants. */
export function wantedModels({ bundles, single }: StoreRecords): Set<string> {
  return new Set([...single, ...Object.values(bundles).flatMap(({ models }) => models)])
}
