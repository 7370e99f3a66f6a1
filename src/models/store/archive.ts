import type { Tier } from '../manifest.ts'

/** What `bundle.json` of an archive says. The files lie in it as `files/<SHA-256>`. */
export interface ArchiveList {
  format: 1
  /** null: models by their own names. */
  bundleId: string | null
  tier: Tier
  /** The release of mediaproc that wrote it. */
  version: string
  /** `linux-x64`: the runtime is that of the machine that wrote it. */
  platform: string
  /** The SHA-256 of each file by its name, by the models' ids. */
  models: Readonly<Record<string, Readonly<Record<string, string>>>>
}

export const LIST_NAME = 'bundle.json'
export const FILES_FOLDER = 'files'

/** What an archive may hold (http-api, section 20). */
export const MOST_ENTRIES = 10_000
export const MOST_BYTES = 20_000_000_000

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a value is the list of an archive that this release can read. */
export function isArchiveList(value: unknown): value is ArchiveList {
  if (!isObject(value) || value.format !== 1 || !isObject(value.models)) return false
  const { bundleId, tier, version, platform, models } = value
  return (
    (bundleId === null || typeof bundleId === 'string') &&
    (tier === 'light' || tier === 'standard') &&
    [version, platform].every((text) => typeof text === 'string') &&
    Object.values(models).every(
      (files) => isObject(files) && Object.values(files).every((sha256) => typeof sha256 === 'string'),
    )
  )
}
