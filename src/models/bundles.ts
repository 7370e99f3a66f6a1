import { readableSize } from '../wording.ts'
import { allBundles, type Bundle, findModel } from './manifest.ts'

/** The bytes of some models together; a file that several of them have counts once, as the store keeps it once. */
export function bytesOf(models: readonly string[]): number {
  const files = models.flatMap((id) => findModel(id)?.files ?? [])
  const once = new Map(files.map(({ sha256, bytes }) => [sha256, bytes]))
  return [...once.values()].reduce((sum, bytes) => sum + bytes, 0)
}

/** A bundle as the interface names it, with its size for people. */
export interface ListedBundle extends Bundle {
  estimatedSize: string
}

/** The bundles of the interface. The sizes are ours: those of the files, not those of a Python installation. */
export function listedBundles(): ListedBundle[] {
  return allBundles().map((bundle) => ({ ...bundle, estimatedSize: readableSize(bytesOf(bundle.standard)) }))
}
