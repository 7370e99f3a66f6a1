import { stat } from 'node:fs/promises'
import { MediaprocError } from '../../errors.ts'
import type { Turn } from '../../process-lock.ts'
import { packageVersion } from '../../root.ts'
import { findModel, type Model, type ModelFile, modelOf, RUNTIME, type Tier } from '../manifest.ts'
import { hasOwnRuntime, needsRuntime, runtimeIsPossible } from '../runtime-need.ts'
import { changeStore } from '../store/change-store.ts'
import { installedModel, isShipped } from '../store/installed.ts'
import type { StoreRecords } from '../store/records.ts'
import { blobPath, folderName } from '../store/store-folder.ts'
import { assemble } from './assemble.ts'
import { downloadSize } from './download-size.ts'
import type { FetchOptions } from './fetching.ts'
import { fetchFiles } from './sources.ts'

/** An install request: a bundle in a tier, or models by name. */
export interface Requirement {
  bundle?: string
  tier: Tier
  models: readonly string[]
}

/** The plan of an install. */
export interface InstallPlan {
  requirements: readonly Requirement[]
  /** All missing models, including the runtime. */
  missing: readonly Model[]
  /** Files to download, each once. */
  files: readonly ModelFile[]
  /** Download size, with package archives counted whole. */
  bytes: number
  /** Disk usage of these files after the install. */
  keptBytes: number
}

/** The models of a requirement, and their runtime. @throws MediaprocError FEATURE_INCOMPATIBLE if none can run here */
function withRuntime(requirement: Requirement): Requirement {
  if (!needsRuntime(requirement.models) || hasOwnRuntime() || requirement.models.includes(RUNTIME)) return requirement
  if (runtimeIsPossible()) return { ...requirement, models: [RUNTIME, ...requirement.models] }
  throw new MediaprocError(
    'FEATURE_INCOMPATIBLE',
    `There is no onnxruntime for this machine (${process.platform} ${process.arch}), so models cannot run on it`,
  )
}

async function hasFile(store: string, { sha256, bytes, approximate }: ModelFile): Promise<boolean> {
  const about = await stat(blobPath(store, sha256)).catch(() => undefined)
  return about !== undefined && (approximate || about.size === bytes)
}

/** The files to download for some requirements. */
export async function planInstall(requirements: readonly Requirement[], store: string): Promise<InstallPlan> {
  const all = requirements.map(withRuntime)
  const missing: Model[] = []
  for (const id of new Set(all.flatMap(({ models }) => models))) {
    const model = findModel(id)
    if (!model) throw new MediaprocError('USAGE', `There is no model ${id}`)
    if (!(await installedModel(id, store))) missing.push(model)
  }
  const files = new Map<string, ModelFile>()
  for (const file of missing.flatMap((model) => model.files))
    if (!files.has(file.sha256) && !(await hasFile(store, file))) files.set(file.sha256, file)
  const wanted = [...files.values()]
  const { fetched, kept } = downloadSize(wanted)
  return { requirements: all, missing, files: wanted, bytes: fetched, keptBytes: kept }
}

/** Models whose licences must be accepted first. */
export const delicate = ({ missing }: InstallPlan): Model[] =>
  missing.filter(({ licence }) => licence.commercial !== true)

export interface InstallOptions extends FetchOptions, Turn {
  /** Confirms that licences with open questions or usage restrictions were read and accepted. */
  acceptLicence: boolean
}

/** The updated install records, including the new requirements. */
export function withRequirements(records: StoreRecords, requirements: readonly Requirement[]): StoreRecords {
  const bundles = { ...records.bundles }
  const single = new Set(records.single)
  for (const { bundle, tier, models } of requirements) {
    const kept = models.filter((id) => !isShipped(modelOf(id)))
    if (bundle === undefined) {
      for (const id of kept) single.add(id)
      continue
    }
    const before = bundles[bundle]
    bundles[bundle] = {
      tier: before?.tier === 'standard' ? 'standard' : tier,
      models: [...new Set([...(before?.models ?? []), ...kept])],
      version: packageVersion(),
      installedAt: new Date().toISOString(),
    }
  }
  const added = requirements
    .flatMap(({ models }) => models.map((id) => modelOf(id)))
    .filter((model) => !isShipped(model))
    .map((model) => [folderName(model), { id: model.id, files: [...new Set(model.files.map(({ sha256 }) => sha256))] }])
  return { ...records, bundles, single: [...single], folders: { ...records.folders, ...Object.fromEntries(added) } }
}

/** @throws MediaprocError LICENCE_NOT_ACCEPTED */
export function checkLicences(models: readonly Model[]): void {
  const [first] = models
  if (!first) return
  const { name, note } = first.licence
  const more = models.length > 1 ? ` (and ${models.length - 1} more)` : ''
  throw new MediaprocError(
    'LICENCE_NOT_ACCEPTED',
    `The licence of ${first.id}${more} was not accepted, so nothing was installed: ${name}${note ? `, ${note}` : ''}`,
  )
}

/**
 * Installs models: downloads what is missing, verifies every byte, and moves each model into place atomically. Waits
 * for other processes that change the store, and does not download their files again. A requirement is recorded when
 * all its models are in place, so that nothing is half installed.
 * @throws MediaprocError LICENCE_NOT_ACCEPTED, INSUFFICIENT_STORAGE, DOWNLOAD_FAILED, MODEL_DAMAGED, DISK_FULL, CANCELED,
 *   OFFLINE, FEATURE_INCOMPATIBLE
 */
export async function install(
  requirements: readonly Requirement[],
  store: string,
  options: InstallOptions,
): Promise<InstallPlan> {
  let plan = await planInstall(requirements, store)
  if (!options.acceptLicence) checkLicences(delicate(plan))
  await changeStore(store, options, async ({ records }) => {
    plan = await planInstall(requirements, store)
    await fetchFiles(plan.files, store, options)
    for (const model of plan.missing) await assemble(store, model)
    return withRequirements(records, plan.requirements)
  })
  return plan
}
