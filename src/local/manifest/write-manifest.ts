import { readFile, stat } from 'node:fs/promises'
import { MediaprocError } from '../../errors.ts'
import { printableName } from '../../media/file.ts'
import type { OutputPlan } from '../output-plan.ts'
import type { JobOutcome, PlannedRun } from '../planned-run.ts'
import { writeText } from '../write-text.ts'
import type { Manifest } from './manifest.ts'

/** Manifests of this size have a million outputs; larger files are others. In bytes. */
const MAX_BYTES = 512 * 1024 * 1024

async function isManifest(path: string, bytes: number): Promise<boolean> {
  if (bytes > MAX_BYTES) return false
  try {
    const { generator, version } = JSON.parse(await readFile(path, 'utf8')) as Partial<Manifest>
    return generator === 'mediaproc' && typeof version === 'number'
  } catch {
    return false
  }
}

/**
 * Checks before a run that its manifest can be written, and reserves its path. Call it before the outputs are checked.
 * @param force replace any file; otherwise only an earlier manifest is replaced
 * @throws MediaprocError OUTPUT_EXISTS, IS_A_FOLDER, OUTPUT_IS_INPUT, USAGE
 */
export async function planManifest(path: string, force: boolean, outputs: readonly OutputPlan[]): Promise<void> {
  await checkManifest(path, force)
  for (const one of outputs) await one.reserveManifest(path)
}

async function checkManifest(path: string, force: boolean): Promise<void> {
  const shown = printableName(path)
  if (path === '' || path === '-')
    throw new MediaprocError('USAGE', `Expected a file name for --manifest, got ${shown || 'nothing'}`, { hint: '' })
  const about = await stat(path).catch(() => undefined)
  if (about?.isDirectory() || /[/\\]$/.test(path))
    throw new MediaprocError('IS_A_FOLDER', `The manifest ${shown} is a folder`, {
      hint: `Name a file in it, such as ${shown.replace(/[/\\]+$/, '')}/assets.json.`,
    })
  if (!about || force) return
  if (!about.isFile() || !(await isManifest(path, about.size)))
    throw new MediaprocError('OUTPUT_EXISTS', `${shown} is already there, and it is not a manifest of mediaproc`, {
      hint: 'Name another file with --manifest, or replace it with --force.',
    })
}

/**
 * Writes the manifest of a finished run, in place of an earlier one. Without a successful input, nothing is written.
 * @returns a sentence if the manifest is incomplete
 * @throws MediaprocError OUTPUT_IS_INPUT, PERMISSION_DENIED, DISK_FULL, FILE_NOT_FOUND for an output that disappeared
 */
export async function writeManifest(
  run: Pick<PlannedRun, 'name' | 'jobs'>,
  outcomes: readonly JobOutcome[],
  path: string,
): Promise<string | undefined> {
  const shown = printableName(path)
  if (!outcomes.some(({ ok }) => ok)) return `no input succeeded, so the manifest ${shown} was not written`
  // Only runs with a manifest load what measures outputs.
  const { manifestOf } = await import('./manifest.ts')
  const manifest = await manifestOf(run, outcomes, path)
  const inputs = run.jobs.flatMap(({ items }) => items.flatMap((item) => item.path ?? []))
  const outputs = outcomes.flatMap((outcome) => (outcome.ok ? outcome.outputs.map((output) => output.path) : []))
  await writeText(path, `${JSON.stringify(manifest, null, 2)}\n`, [...inputs, ...outputs])
  if (manifest.complete) return undefined
  return `the manifest ${shown} is incomplete: it lacks ${manifest.missing?.length === 1 ? 'an input' : `${manifest.missing?.length} inputs`}`
}
