import { archiveBytes, findModel, type ModelFile, RUNTIME } from '../manifest.ts'
import { hasOwnRuntime, needsRuntime } from '../runtime-need.ts'

/** The cost of some files: bytes to download, and bytes on disk after the install. */
export interface DownloadSize {
  fetched: number
  kept: number
}

/**
 * The download size of some files: a package's whole archive once, or the file itself if it is in no package.
 * An archive without a size in packages.json counts as the files that are extracted from it.
 */
export function downloadSize(files: readonly ModelFile[]): DownloadSize {
  const once = new Map(files.filter(({ shipped }) => !shipped).map((file) => [file.sha256, file]))
  const packages = new Map<string, number>()
  let [fetched, kept] = [0, 0]
  for (const { npm, bytes } of once.values()) {
    kept += bytes
    if (!npm) {
      fetched += bytes
      continue
    }
    const key = `${npm.package}@${npm.version}`
    packages.set(key, archiveBytes(npm) ?? (packages.get(key) ?? 0) + bytes)
  }
  for (const bytes of packages.values()) fetched += bytes
  return { fetched, kept }
}

/**
 * The download size of models that are not installed, including the runtime if onnxruntime is not installed in
 * node_modules.
 */
export function downloadBytesOf(models: readonly string[]): number {
  const all = needsRuntime(models) && !hasOwnRuntime() ? [RUNTIME, ...models] : models
  return downloadSize(all.flatMap((id) => findModel(id)?.files ?? [])).fetched
}
