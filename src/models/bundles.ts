import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readableSize } from '../wording.ts'
import { downloadBytesOf } from './install/download-size.ts'
import { planInstall } from './install/install.ts'
import { allBundles, type Bundle, findBundle, findModel, type Tier } from './manifest.ts'
import { findRuntime } from './runtime.ts'
import { needsRuntime, runtimeIsPossible } from './runtime-need.ts'
import { installedModel, isShipped } from './store/installed.ts'
import { readRecords, type StoreRecords } from './store/records.ts'
import { blobsFolder, partsFolder } from './store/store-folder.ts'

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
  /** For people: what is fetched for the standard tier. */
  estimatedSize: string
  /** What the standard tier would still have to fetch. */
  downloadBytes: number
  /** What it takes in the store; files that other bundles share count for each. */
  installedBytes: number
  /** Why it cannot run on this machine. */
  incompatible?: string
}

/** One look at a store: what several bundles ask for is looked up once. */
class Look {
  readonly store: string
  #records: Promise<StoreRecords> | undefined
  readonly #models = new Map<string, Promise<boolean>>()
  #hasRuntime: Promise<boolean> | undefined

  constructor(store: string) {
    this.store = store
  }

  /** What was installed; read when somebody asks for the first time. */
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

  /** Whether all these models are here, with what runs them. */
  async hasAll(models: readonly string[]): Promise<boolean> {
    for (const id of models) if (!(await this.#has(id))) return false
    if (!needsRuntime(models)) return true
    this.#hasRuntime ??= findRuntime(this.store).then((place) => place !== undefined)
    return this.#hasRuntime
  }

  /** Whether the least of a bundle is here, or what somebody installed of it. */
  async isUsable({ id, light }: Bundle): Promise<boolean> {
    if (await this.hasAll(light)) return true
    const record = (await this.records).bundles[id]
    return record !== undefined && this.hasAll(record.models)
  }
}

async function stateOf(bundle: Bundle, look: Look): Promise<BundleState> {
  const record = (await look.records).bundles[bundle.id]
  const own = (record?.models ?? []).filter((id) => findModel(id) && !isShipped(findModel(id)!))
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

/** All bundles, as they stand in a store. */
export function bundleStates(store: string): Promise<BundleState[]> {
  const look = new Look(store)
  return Promise.all(allBundles().map((bundle) => stateOf(bundle, look)))
}

export async function bundleState(id: string, store: string): Promise<BundleState | undefined> {
  const bundle = findBundle(id)
  return bundle && stateOf(bundle, new Look(store))
}

/** Of some bundles those that cannot be used as they stand. */
export async function unusableBundles(ids: Iterable<string>, store: string): Promise<Set<string>> {
  const look = new Look(store)
  const unusable = new Set<string>()
  for (const id of ids) {
    const bundle = findBundle(id)
    if (bundle && !(await look.isUsable(bundle))) unusable.add(id)
  }
  return unusable
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
