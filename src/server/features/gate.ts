import { MediaprocError } from '../../errors.ts'
import { bundleState, unusableBundles } from '../../models/bundles.ts'
import { featureMissing } from '../../models/missing.ts'
import type { CatalogueEntry } from '../../tool/catalogue.ts'

/**
 * Refuses the work of a tool that cannot do without models which are not there, before it is queued. Where only some
 * settings need them, the tool's own `checkInstalled` decides.
 * @throws MediaprocError FEATURE_NOT_INSTALLED, FEATURE_INCOMPATIBLE
 */
export async function checkBundles({ bundles }: Pick<CatalogueEntry, 'bundles'>, modelsFolder: string): Promise<void> {
  const missing = [...(await unusableBundles(bundles, modelsFolder))]
  if (missing.length === 0) return
  for (const feature of missing) {
    const compatibilityReason = (await bundleState(feature, modelsFolder))?.incompatible
    if (compatibilityReason)
      throw new MediaprocError('FEATURE_INCOMPATIBLE', undefined, { fields: { feature, compatibilityReason } })
  }
  throw featureMissing(...missing)
}
