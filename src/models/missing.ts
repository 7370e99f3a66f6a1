import { MediaprocError } from '../errors.ts'
import { readableSize } from '../wording.ts'
import { downloadBytesOf } from './install/download-size.ts'
import { findBundle, findModel, RUNTIME } from './manifest.ts'
import { hasOwnRuntime, runtimeIsPossible } from './runtime-need.ts'
import { isShipped } from './store/installed.ts'

/** Installs what runs the models, and nothing else. */
export const INSTALL_RUNTIME = `mediaproc models install ${RUNTIME}`

/** What is fetched for the runtime, for people. */
export const runtimeSize = (): string => readableSize(downloadBytesOf([RUNTIME]))

/** Whether the light tier of a bundle comes with the program: then only the runtime can be missing. */
const needsOnlyRuntime = (id: string): boolean =>
  findBundle(id)!.light.every((model) => isShipped(findModel(model)!)) && !hasOwnRuntime() && runtimeIsPossible()

/**
 * The error for models that are not installed; where they come with the program, for the runtime that is not.
 * @param needed ids of bundles; the first that is missing gives the answer its name
 */
export function featureMissing(...needed: readonly string[]): MediaprocError {
  const { id, name, light, standard } = findBundle(needed[0]!)!
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
