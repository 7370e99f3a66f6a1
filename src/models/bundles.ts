import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readableSize } from '../wording.ts'
import { planInstall } from './install.ts'
import { installedModel, isShipped } from './installed.ts'
import { allBundles, type Bundle, findModel, type Tier } from './manifest.ts'
import { readRecords } from './records.ts'
import { findRuntime } from './runtime.ts'
import { needsRuntime, runtimeIsPossible } from './runtime-need.ts'
import { blobsFolder, partsFolder } from './store-folder.ts'

/** The bytes of some models together; a file that several of them have counts once, as the store keeps it once. */
export function bytesOf(models: readonly string[]): number {
  const files = models.flatMap((id) => findModel(id)?.files ?? [])
  const once = new Map(files.map(({ sha256, bytes }) => [sha256, bytes]))
  return [...once.values()].reduce((sum, bytes) => sum + bytes, 0)
}

/** How a bundle stands in a store. */
export interface BundleState {
  bundle: Bundle
  /** All that the least of its tiers needs is here, or all that somebody installed of it. */
  installed: boolean
  /** The tier that is here, all of it. */
  tier?: Tier
  /** The release that installed it; absent where it comes with the program. */
  version?: string
  /** For people: what the standard tier has. */
  estimatedSize: string
  /** What the standard tier would still have to fetch. */
  downloadBytes: number
  /** What it takes in the store; files that other bundles share count for each. */
  installedBytes: number
  /** Why it cannot run on this machine. */
  incompatible?: string
}

async function isHere(models: readonly string[], store: string): Promise<boolean> {
  const found = await Promise.all(models.map((id) => installedModel(id, store)))
  if (!found.every(Boolean)) return false
  return !needsRuntime(models) || (await findRuntime(store)) !== undefined
}

async function stateOf(bundle: Bundle, store: string): Promise<BundleState> {
  const record = (await readRecords(store)).bundles[bundle.id]
  const [hasLight, hasStandard] = [await isHere(bundle.light, store), await isHere(bundle.standard, store)]
  const own = (record?.models ?? []).filter((id) => findModel(id) && !isShipped(findModel(id)!))
  const tier = hasStandard ? 'standard' : hasLight ? 'light' : undefined
  const possible = runtimeIsPossible() || !needsRuntime(bundle.light)
  return {
    bundle,
    installed: tier !== undefined || (record !== undefined && (await isHere(record.models, store))),
    ...(tier && { tier }),
    ...(record && { version: record.version }),
    estimatedSize: readableSize(bytesOf(bundle.standard)),
    downloadBytes: possible ? (await planInstall([{ tier: 'standard', models: bundle.standard }], store)).bytes : 0,
    installedBytes: bytesOf(own),
    ...(!possible && { incompatible: `There is no onnxruntime for ${process.platform} on ${process.arch}` }),
  }
}

/** All bundles, as they stand in a store. */
export function bundleStates(store: string): Promise<BundleState[]> {
  return Promise.all(allBundles().map((bundle) => stateOf(bundle, store)))
}

export async function bundleState(id: string, store: string): Promise<BundleState | undefined> {
  const bundle = allBundles().find((one) => one.id === id)
  return bundle && stateOf(bundle, store)
}

/** The bytes that a store takes on the disk, what is being fetched included. */
export async function storeBytes(store: string): Promise<number> {
  const sizes = [blobsFolder(store), partsFolder(store)].map(async (folder) => {
    const names = await readdir(folder).catch(() => [])
    const all = await Promise.all(
      names.map((name) =>
        stat(join(folder, name)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
    )
    return all.reduce((sum, size) => sum + size, 0)
  })
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
