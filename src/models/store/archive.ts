import type { Tier } from '../manifest.ts'

/** The contents of an archive's `bundle.json`. The files are stored as `files/<SHA-256>`. */
export interface ArchiveList {
  format: 1
  /** null: individual models. */
  bundleId: string | null
  tier: Tier
  /** The mediaproc release that wrote it. */
  version: string
  /** `linux-x64`: the platform of the included runtime. */
  platform: string
  /** SHA-256 of each file by name, by model id. */
  models: Readonly<Record<string, Readonly<Record<string, string>>>>
}

export const LIST_NAME = 'bundle.json'
export const FILES_FOLDER = 'files'

/** Limits of an archive (http-api, section 20). */
export const MOST_ENTRIES = 10_000
export const MOST_BYTES = 20_000_000_000

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a value is an archive list that this release can read. */
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
