import { MediaprocError } from '../errors.ts'
import { readableSize } from '../wording.ts'
import { bytesOf } from './bundles.ts'
import { findBundle } from './manifest.ts'

/**
 * The error for models that are not installed.
 * @param needed ids of bundles; the first that is missing gives the answer its name
 */
export function featureMissing(...needed: readonly string[]): MediaprocError {
  const { id, name, standard } = findBundle(needed[0]!)!
  const estimatedSize = readableSize(bytesOf(standard))
  return new MediaprocError(
    'FEATURE_NOT_INSTALLED',
    `This needs the models ${needed.join(' and ')}, which are not installed`,
    {
      hint: `Install them with: mediaproc models install ${needed.join(' ')} (or, less to download, with --tier light)`,
      fields: { feature: id, featureName: name, estimatedSize, missingBundles: [...needed] },
    },
  )
}
