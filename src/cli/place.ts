import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rename, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { MediaprocError } from '../errors.ts'
import { exists, placeFile, placeFolder } from '../job/workspace.ts'
import { extensionOf, stemOf } from '../media/file.ts'
import { outputName } from '../media/naming.ts'
import { zipFiles } from '../media/zip.ts'
import type { OutputFile, ToolResult } from '../tool/contract.ts'
import { behindLinks, type Destination } from './destination.ts'
import { checkExtension } from './name-pattern.ts'
import type { PlacedOutput, Placement } from './placement.ts'

/** A path in the job's staging folder. */
type Stage = (name: string) => Promise<string>

/** Text may be shown on a terminal; anything else would upset it. */
const isReadable = (mime: string): boolean => /^text\/|json|xml|yaml|subrip|x-ssa/.test(mime)

async function described({ path, mime }: OutputFile): Promise<{ bytes: number; type: string }> {
  return { bytes: (await stat(path)).size, type: mime }
}

/** The tool's name as part of a file name. */
const nameOfTool = ({ request }: Placement): string => request.facts.tool.replace('/', '-')

/** A report that was asked for as a file. */
async function reportFile(placement: Placement, report: Record<string, unknown>, stage: Stage): Promise<OutputFile> {
  const name = outputName(stemOf(placement.request.facts.inputName), `_${nameOfTool(placement)}`, 'json')
  await placement.beforeOutput(name)
  const path = await stage(name)
  await writeFile(path, `${JSON.stringify(report, null, 2)}\n`)
  return { path, name, mime: 'application/json' }
}

type Stream = Extract<Destination, { kind: 'stdout' | 'device' }>

const isStream = (destination: Destination): destination is Stream =>
  destination.kind === 'stdout' || destination.kind === 'device'

async function streamFile(placement: Placement, file: OutputFile, destination: Stream): Promise<PlacedOutput> {
  const { stdout, stdoutIsTerminal } = placement.request
  const about = await described(file)
  if (destination.kind === 'device') {
    await pipeline(createReadStream(file.path), createWriteStream(destination.path, { flags: 'w' }))
    return { path: destination.path, ...about }
  }
  if (stdoutIsTerminal && !isReadable(file.mime))
    throw new MediaprocError('USAGE', 'Standard output is a terminal, which cannot show this file', {
      hint: 'Pipe it into a program or a file.',
    })
  await pipeline(createReadStream(file.path), stdout, { end: false })
  return { path: '-', ...about }
}

/** The one output of a job, to a path or a stream. */
async function placeOne(placement: Placement, files: readonly OutputFile[], isSet: boolean): Promise<PlacedOutput> {
  const [file] = files
  if (isSet || !file || files.length > 1)
    throw new MediaprocError('USAGE', `The tool gave a set of files (${files.length}), and -o names one`, {
      hint: 'Name a folder (-o DIR/) or a ZIP file (-o FILE.zip).',
    })
  const { destination } = placement.request
  if (isStream(destination)) return streamFile(placement, file, destination)
  const path = placement.target(file.name, extensionOf(file.name))
  checkExtension(path, extensionOf(file.name), '-o')
  await placement.check(path)
  const about = await described(file)
  await placeFile(file.path, await behindLinks(path), true)
  return { path, ...about }
}

/** Files that are no set: each under its own name. */
async function placeEach(placement: Placement, files: readonly OutputFile[]): Promise<PlacedOutput[]> {
  const targets = files.map((file) => placement.target(file.name, extensionOf(file.name)))
  for (const target of targets) await placement.check(target)
  const placed: PlacedOutput[] = []
  for (const [index, file] of files.entries()) {
    const about = await described(file)
    await placeFile(file.path, targets[index]!, placement.overwrites)
    placed.push({ path: targets[index]!, ...about })
  }
  return placed
}

async function placeZip(placement: Placement, result: ToolResult, stage: Stage): Promise<PlacedOutput> {
  const { facts, destination } = placement.request
  const name = outputName(result.set ?? `${stemOf(facts.inputName)}_${nameOfTool(placement)}`, '', 'zip')
  const path = await stage(join('.zip', name))
  await zipFiles(result.files, path)
  const file = { path, name, mime: 'application/zip' }
  if (isStream(destination)) return streamFile(placement, file, destination)
  const target = placement.target(name, 'zip')
  await placement.check(target)
  const about = await described(file)
  await placeFile(path, await behindLinks(target), placement.overwrites)
  return { path: target, ...about }
}

/** A set as a folder, which appears in one step. */
async function placeSet(
  placement: Placement,
  files: readonly OutputFile[],
  folder: string,
  stage: Stage,
): Promise<PlacedOutput[]> {
  const { claims, job, given } = placement.request
  claims.claim(folder, job, given)
  const staged = await stage(join('.set', basename(folder)))
  const placed: PlacedOutput[] = []
  for (const file of files) {
    const about = await described(file)
    await mkdir(dirname(join(staged, file.name)), { recursive: true })
    await rename(file.path, join(staged, file.name))
    placed.push({ path: join(folder, file.name), ...about })
  }
  await placeFolder(staged, folder, placement.overwrites)
  return placed
}

/** A folder that a person named may hold other files: members are added to it, and only same names are replaced. */
async function placeMembers(
  placement: Placement,
  files: readonly OutputFile[],
  folder: string,
): Promise<PlacedOutput[]> {
  for (const file of files) await placement.check(join(folder, file.name))
  const placed: PlacedOutput[] = []
  for (const file of files) {
    const about = await described(file)
    await placeFile(file.path, join(folder, file.name), true)
    placed.push({ path: join(folder, file.name), ...about })
  }
  return placed
}

/**
 * Puts the finished files of a job where they belong, while its staging folder still exists.
 * @throws MediaprocError OUTPUT_EXISTS, OUTPUT_COLLISION, USAGE where a set was to become one file
 */
export async function placeResult(placement: Placement, result: ToolResult, stage: Stage): Promise<PlacedOutput[]> {
  const { destination, options, set } = placement.request
  const wantsFile = destination.kind !== 'named' || destination.folder !== undefined || options.name !== undefined
  const asFile = result.files.length === 0 && result.report !== undefined && wantsFile
  const files = asFile ? [await reportFile(placement, result.report!, stage)] : result.files
  if (files.length === 0) return []
  if (destination.kind === 'zip' || (options.zip && set))
    return [await placeZip(placement, { ...result, files }, stage)]
  if (destination.kind === 'members')
    return (await exists(destination.path))
      ? placeMembers(placement, files, destination.path)
      : placeSet(placement, files, destination.path, stage)
  if (destination.kind !== 'named') return [await placeOne(placement, files, result.set !== undefined)]
  return result.set === undefined
    ? placeEach(placement, files)
    : placeSet(placement, files, placement.target(result.set, ''), stage)
}
