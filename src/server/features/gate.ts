import { MediaprocError } from '../../errors.ts'
import { bundleState, unusableBundles } from '../../models/bundles.ts'
import { findBundle } from '../../models/manifest.ts'
import { featureMissing } from '../../models/missing.ts'
import { hasModel } from '../../models/use-model.ts'
import type { CatalogueEntry } from '../../tool/catalogue.ts'

type Needs = Pick<CatalogueEntry, 'bundles' | 'models'>

/**
 * The bundles that a tool needs and that are not installed completely enough. A tool that declares its models needs one
 * model of each bundle. The rest may be missing, or the bundle may hold only the part that another tool installed.
 */
export async function missingBundles({ bundles, models = [] }: Needs, modelsFolder: string): Promise<string[]> {
  const unusable = await unusableBundles(bundles, modelsFolder)
  const missing: string[] = []
  for (const id of bundles) {
    const bundle = findBundle(id)
    const all = bundle ? [...bundle.light, ...bundle.standard, ...bundle.onDemand] : []
    const own = all.filter((model) => models.includes(model))
    const isMissing = own.length > 0 ? !(await hasModel(own, modelsFolder)) : unusable.has(id)
    if (isMissing) missing.push(id)
  }
  return missing
}

/**
 * Refuses jobs of tools whose required models are missing, before they are queued. If only some settings need a model,
 * the tool's own `checkInstalled` decides.
 * @throws MediaprocError FEATURE_NOT_INSTALLED, FEATURE_INCOMPATIBLE
 */
export async function checkBundles(tools: readonly Needs[], modelsFolder: string): Promise<void> {
  const lists = await Promise.all(tools.map((tool) => missingBundles(tool, modelsFolder)))
  const missing = [...new Set(lists.flat())]
  if (missing.length === 0) return
  for (const feature of missing) {
    const compatibilityReason = (await bundleState(feature, modelsFolder))?.incompatible
    if (compatibilityReason)
      throw new MediaprocError('FEATURE_INCOMPATIBLE', undefined, { fields: { feature, compatibilityReason } })
  }
  throw featureMissing(...missing)
}
