import { MediaprocError } from '../../errors.ts'
import { type BundleState, bundleState } from '../../models/bundles.ts'
import { featureMissing } from '../../models/missing.ts'
import type { CatalogueEntry } from '../../tool/catalogue.ts'

/**
 * Refuses the work of a tool that cannot do without models which are not there, before it is queued. Where only some
 * settings need them, the tool tells, which may have another way.
 * @throws MediaprocError FEATURE_NOT_INSTALLED, FEATURE_INCOMPATIBLE
 */
export async function checkBundles({ bundles }: Pick<CatalogueEntry, 'bundles'>, modelsFolder: string): Promise<void> {
  const states = await Promise.all(bundles.map((id) => bundleState(id, modelsFolder)))
  const missing = states.filter((state): state is BundleState => state !== undefined && !state.installed)
  if (missing.length === 0) return
  const incompatible = missing.find((state) => state.incompatible)
  if (incompatible)
    throw new MediaprocError('FEATURE_INCOMPATIBLE', undefined, {
      fields: { feature: incompatible.bundle.id, compatibilityReason: incompatible.incompatible },
    })
  throw featureMissing(...missing.map(({ bundle }) => bundle.id))
}
