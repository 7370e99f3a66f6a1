import { MediaprocError } from '../errors.ts'
import { BUNDLES } from './bundles.ts'

/**
 * The error for models that are not installed.
 * @param needed ids of bundles; the first that is missing gives the answer its name
 */
export function featureMissing(...needed: readonly string[]): MediaprocError {
  const { id, name, estimatedSize } = BUNDLES.find((bundle) => bundle.id === needed[0])!
  return new MediaprocError(
    'FEATURE_NOT_INSTALLED',
    `This needs the models ${needed.join(' and ')}, which are not installed`,
    {
      hint: `Install them with: mediaproc models install ${needed.join(' ')} (or, less to download, with --tier light)`,
      fields: { feature: id, featureName: name, estimatedSize, missingBundles: [...needed] },
    },
  )
}
