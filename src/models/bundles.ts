import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readableSize } from '../wording.ts'
import { downloadBytesOf } from './install/download-size.ts'
import { planInstall } from './install/install.ts'
import { allBundles, type Bundle, findBundle, findModel, modelOf, type Tier } from './manifest.ts'
import { findRuntime } from './runtime.ts'
import { needsRuntime, runtimeIsPossible } from './runtime-need.ts'
import { installedModel, isShipped } from './store/installed.ts'
import { readRecords, type StoreRecords } from './store/records.ts'
import { blobsFolder, partsFolder } from './store/store-folder.ts'

/** The total size of some models in bytes; a file that several models share counts once, as in the store. */
export function bytesOf(models: readonly string[]): number {
  const files = models.flatMap((id) => findModel(id)?.files ?? [])
  const once = new Map(files.map(({ sha256, bytes }) => [sha256, bytes]))
  return [...once.values()].reduce((sum, bytes) => sum + bytes, 0)
}

/** The state of a bundle in a store. */
export interface BundleState {
  bundle: Bundle
  /** Everything in its lowest tier is installed, or everything in the tier that the user installed. */
  installed: boolean
  /** The tier that is completely installed. */
  tier?: Tier
  /** The release that installed it; absent if it ships with the package. */
  version?: string
  /** For display: the download size of the standard tier. */
  estimatedSize: string
  /** The remaining download size of the standard tier. */
  downloadBytes: number
  /** Its size in the store; files shared with other bundles count for each of them. */
  installedBytes: number
  /** Why it cannot run on this machine. */
  incompatible?: string
}

/** A snapshot of a store: lookups that several bundles need are done once. */
class Look {
  readonly store: string
  #records: Promise<StoreRecords> | undefined
  readonly #models = new Map<string, Promise<boolean>>()
  #hasRuntime: Promise<boolean> | undefined

  constructor(store: string) {
    this.store = store
  }

  /** The install records; read on first use. */
  get records(): Promise<StoreRecords> {
    this.#records ??= readRecords(this.store)
    return this.#records
  }

  #has(id: string): Promise<boolean> {
    const known = this.#models.get(id)
    if (known) return known
    const found = installedModel(id, this.store).then((installed) => installed !== undefined)
    this.#models.set(id, found)
    return found
  }

  /** Whether all these models, and the runtime they need, are installed. */
  async hasAll(models: readonly string[]): Promise<boolean> {
    for (const id of models) if (!(await this.#has(id))) return false
    if (!needsRuntime(models)) return true
    this.#hasRuntime ??= findRuntime(this.store).then((place) => place !== undefined)
    return this.#hasRuntime
  }

  /** Whether the lowest tier of a bundle, or the tier that the user installed, is complete. */
  async isUsable({ id, light }: Bundle): Promise<boolean> {
    if (await this.hasAll(light)) return true
    const record = (await this.records).bundles[id]
    return record !== undefined && this.hasAll(record.models)
  }
}

async function stateOf(bundle: Bundle, look: Look): Promise<BundleState> {
  const record = (await look.records).bundles[bundle.id]
  const own = (record?.models ?? []).filter((id) => findModel(id) && !isShipped(modelOf(id)))
  const hasStandard = await look.hasAll(bundle.standard)
  const tier = hasStandard ? 'standard' : (await look.hasAll(bundle.light)) ? 'light' : undefined
  const possible = runtimeIsPossible() || !needsRuntime(bundle.light)
  const plan = { tier: 'standard' as const, models: bundle.standard }
  return {
    bundle,
    installed: tier !== undefined || (await look.isUsable(bundle)),
    ...(tier && { tier }),
    ...(record && { version: record.version }),
    estimatedSize: readableSize(downloadBytesOf(bundle.standard)),
    downloadBytes: possible && !hasStandard ? (await planInstall([plan], look.store)).bytes : 0,
    installedBytes: bytesOf(own),
    ...(!possible && { incompatible: `There is no onnxruntime for ${process.platform} on ${process.arch}` }),
  }
}

/** All bundles with their state in a store. */
export function bundleStates(store: string): Promise<BundleState[]> {
  const look = new Look(store)
  return Promise.all(allBundles().map((bundle) => stateOf(bundle, look)))
}

export async function bundleState(id: string, store: string): Promise<BundleState | undefined> {
  const bundle = findBundle(id)
  return bundle && stateOf(bundle, new Look(store))
}

/** Those of the given bundles that cannot be used in their current state. */
export async function unusableBundles(ids: Iterable<string>, store: string): Promise<Set<string>> {
  const look = new Look(store)
  const unusable = new Set<string>()
  for (const id of ids) {
    const bundle = findBundle(id)
    if (bundle && !(await look.isUsable(bundle))) unusable.add(id)
  }
  return unusable
}

/** The disk usage of a store in bytes, including partial downloads. */
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
