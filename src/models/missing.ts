import { MediaprocError } from '../errors.ts'
import { firstOf } from '../lists.ts'
import { readableSize } from '../wording.ts'
import { downloadBytesOf } from './install/download-size.ts'
import { findBundle, modelOf, RUNTIME } from './manifest.ts'
import { hasOwnRuntime, runtimeIsPossible } from './runtime-need.ts'
import { isShipped } from './store/installed.ts'

/** Installs only the model runtime. */
export const INSTALL_RUNTIME = `mediaproc models install ${RUNTIME}`

/** Download size of the runtime, for display. */
export const runtimeSize = (): string => readableSize(downloadBytesOf([RUNTIME]))

/** Whether the light tier of a bundle ships with the package: then only the runtime can be missing. */
const needsOnlyRuntime = (id: string): boolean =>
  findBundle(id)!.light.every((model) => isShipped(modelOf(model))) && !hasOwnRuntime() && runtimeIsPossible()

/**
 * The error for models that are not installed, or, if they ship with the package, for a missing runtime.
 * @param needed ids of bundles; the first missing one is named in the error
 */
export function featureMissing(...needed: readonly string[]): MediaprocError {
  const { id, name, light, standard } = findBundle(firstOf(needed))!
  const feature = { feature: id, featureName: name, missingBundles: [...needed] }
  if (needed.every(needsOnlyRuntime))
    return new MediaprocError(
      'FEATURE_NOT_INSTALLED',
      `This needs ${RUNTIME}, which runs the models and is not installed`,
      {
        hint: { shell: `Install it (${runtimeSize()}) with: ${INSTALL_RUNTIME}` },
        fields: { ...feature, estimatedSize: runtimeSize() },
      },
    )
  const size = readableSize(downloadBytesOf(standard))
  const lightSize = readableSize(downloadBytesOf(light))
  return new MediaprocError(
    'FEATURE_NOT_INSTALLED',
    `This needs the models ${needed.join(' and ')}, which are not installed`,
    {
      hint: {
        shell: `Install them with: mediaproc models install ${needed.join(' ')} (${size} to download; with --tier light ${lightSize})`,
      },
      fields: { ...feature, estimatedSize: size },
    },
  )
}
