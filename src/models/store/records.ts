import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaprocError } from '../../errors.ts'
import type { Tier } from '../manifest.ts'

/** An installed bundle. */
export interface InstalledBundle {
  tier: Tier
  models: readonly string[]
  /** The mediaproc release that installed it. */
  version: string
  installedAt: string
}

/** A model's folder in the store, with the SHA-256 of its files. */
export interface InstalledFolder {
  id: string
  files: readonly string[]
}

/**
 * The contents of a store and why they are kept. A file is kept while a folder needs it, a folder while its model is
 * required.
 */
export interface StoreRecords {
  format: 1
  bundles: Readonly<Record<string, InstalledBundle>>
  /** Models installed by name. */
  single: readonly string[]
  /** By folder name. */
  folders: Readonly<Record<string, InstalledFolder>>
}

const EMPTY: StoreRecords = { format: 1, bundles: {}, single: [], folders: {} }

const pathOf = (store: string): string => join(store, 'installed.json')

/**
 * The install records of a store; empty if there is no store.
 * @throws MediaprocError INVALID_CONFIG if damaged or written by a later release
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

/** Replaces the list atomically: a killed process leaves the old or the new one. */
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

/** The required models. */
export function wantedModels({ bundles, single }: StoreRecords): Set<string> {
  return new Set([...single, ...Object.values(bundles).flatMap(({ models }) => models)])
}
