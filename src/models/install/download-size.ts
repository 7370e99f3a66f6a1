import { archiveBytes, findModel, type ModelFile, RUNTIME } from '../manifest.ts'
import { hasOwnRuntime, needsRuntime } from '../runtime-need.ts'

/** What some files cost: bytes that are fetched, and bytes that they take on the disk afterwards. */
export interface DownloadSize {
  fetched: number
  kept: number
}

/**
 * What is fetched for some files: the whole archive of a package for what lies in it, once, and the file itself otherwise.
 * Without a size in packages.json an archive counts as the files that are taken out of it.
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

/** What is fetched for models that are not here, with what runs them where that is not beside us. */
export function downloadBytesOf(models: readonly string[]): number {
  const all = needsRuntime(models) && !hasOwnRuntime() ? [RUNTIME, ...models] : models
  return downloadSize(all.flatMap((id) => findModel(id)?.files ?? [])).fetched
}
