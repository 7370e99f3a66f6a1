import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname, relative, resolve, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { mapConcurrently } from '../../concurrency.ts'
import type { InputItem } from '../inputs.ts'
import { measure } from '../names/measure.ts'
import type { FinishedOutput } from '../output-paths.ts'
import type { JobOutcome, PlannedJob, PlannedRun } from '../planned-run.ts'
import { pictureMarkup } from './picture-markup.ts'

/** One output. */
export interface ManifestFile {
  /** Relative to the folder of the manifest, with slashes. */
  file: string
  type: string
  bytes: number
  /** In pixels, as displayed. */
  width?: number
  height?: number
  /** In seconds. */
  duration?: number
  /** If a pipeline has several. */
  variant?: string
  /** In hexadecimal. */
  sha256: string
  /** For the attribute of the same name: Subresource Integrity. */
  integrity: string
}

/** The outputs of an input. */
export interface ManifestEntry {
  /** If the outputs are of several inputs together. */
  inputs?: string[]
  files: ManifestFile[]
  /** By media type, if pages can choose between several versions of a picture. */
  srcset?: Record<string, string>
  picture?: string
}

/** The outputs of a run by input. It contains no times, so that the same run gives the same manifest. */
export interface Manifest {
  generator: 'mediaproc'
  version: 1
  /** `image/resize`, or `pipeline/web-images`. */
  run: string
  /** All inputs are in it. */
  complete: boolean
  /** The inputs that failed or were not started. */
  missing?: string[]
  inputs: Record<string, ManifestEntry>
}

/** Outputs that are measured at the same time. */
const AT_ONCE = 4

const withSlashes = (path: string): string => (sep === '/' ? path : path.replaceAll(sep, '/'))

/** An input as the key of its outputs: relative to the current folder; a URL without its password. */
function keyOf({ kind, path, given }: InputItem): string {
  if (kind === 'file' && path !== undefined) return withSlashes(relative('.', path))
  return given.replace(/^(https?:\/\/)[^/@]*@/i, '$1')
}

/** Checksums of a file, read once. */
async function checksums(path: string): Promise<Pick<ManifestFile, 'sha256' | 'integrity'>> {
  const [sha256, sha384] = [createHash('sha256'), createHash('sha384')]
  await pipeline(createReadStream(path), async (chunks) => {
    for await (const chunk of chunks) for (const hash of [sha256, sha384]) hash.update(chunk as Buffer)
  })
  return { sha256: sha256.digest('hex'), integrity: `sha384-${sha384.digest('base64')}` }
}

async function fileOf({ path, type, bytes, variant }: FinishedOutput, folder: string): Promise<ManifestFile> {
  const { width, height, duration } = await measure(path, type)
  return {
    file: withSlashes(relative(folder, resolve(path))),
    type,
    bytes,
    ...(width !== undefined && { width, height }),
    ...(duration !== undefined && { duration: Number(duration.toFixed(3)) }),
    ...(variant !== undefined && { variant }),
    ...(await checksums(path)),
  }
}

async function isFile({ path }: FinishedOutput): Promise<boolean> {
  return path !== '-' && (await stat(path)).isFile()
}

/** The keys of a job's inputs, and the key of its outputs: that of the run, unless they are of one input. */
function keysOf(run: Pick<PlannedRun, 'name'>, { items }: PlannedJob): { key: string; inputs: string[] } {
  const inputs = items.map(keyOf)
  const [only] = inputs
  return { key: only !== undefined && inputs.length === 1 ? only : run.name, inputs }
}

const inOrder = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** The outputs of the jobs with one key. */
interface Collected {
  inputs: Set<string>
  /** By path: the same file of two jobs is one file. */
  files: Map<string, ManifestFile>
}

/** The versions of one picture: variants with one file each. Pages, frames and parts are different pictures. */
function versionsOf(files: readonly ManifestFile[]): ManifestFile[] {
  const counts = new Map<string, number>()
  for (const { variant } of files) if (variant !== undefined) counts.set(variant, (counts.get(variant) ?? 0) + 1)
  return files.filter(({ variant }) => variant !== undefined && counts.get(variant) === 1)
}

function entryOf({ inputs, files }: Collected, isOfOne: boolean): ManifestEntry {
  const all = [...files.values()]
  const names = isOfOne || inputs.size === 0 ? {} : { inputs: [...inputs] }
  return { ...names, files: all, ...pictureMarkup(versionsOf(all)) }
}

/**
 * The manifest of a finished run.
 * @param outcomes of the jobs that were started, in their order
 * @param path the manifest's own
 */
export async function manifestOf(
  run: Pick<PlannedRun, 'name' | 'jobs'>,
  outcomes: readonly JobOutcome[],
  path: string,
): Promise<Manifest> {
  const folder = dirname(resolve(path))
  const entries = new Map<string, Collected>()
  const missing = new Set<string>()
  const found = await mapConcurrently(run.jobs, AT_ONCE, async (_job, index) => {
    const outcome = outcomes[index]
    if (!outcome?.ok) return undefined
    const files: ManifestFile[] = []
    for (const output of outcome.outputs) if (await isFile(output)) files.push(await fileOf(output, folder))
    return files
  })
  for (const [index, job] of run.jobs.entries()) {
    const { key, inputs } = keysOf(run, job)
    const files = found[index]
    if (!files) missing.add(key)
    else {
      // Several jobs can have the same input, or none.
      const entry = entries.get(key) ?? { inputs: new Set(), files: new Map() }
      for (const input of inputs) entry.inputs.add(input)
      for (const file of files) entry.files.set(file.file, file)
      entries.set(key, entry)
    }
  }
  const sorted = [...entries].sort(([one], [other]) => inOrder(one, other))
  return {
    generator: 'mediaproc',
    version: 1,
    run: run.name,
    complete: missing.size === 0,
    ...(missing.size > 0 && { missing: [...missing].sort(inOrder) }),
    inputs: Object.fromEntries(sorted.map(([key, entry]) => [key, entryOf(entry, key !== run.name)])),
  }
}
