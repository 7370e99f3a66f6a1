import { createReadStream, createWriteStream } from 'node:fs'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { MediaprocError } from '../errors.ts'
import { extensionOf, stemOf } from '../media/file.ts'
import { outputName } from '../media/naming.ts'
import { isTextMime } from '../media/type.ts'
import type { OutputFile, ToolResult } from '../tool/contract.ts'
import { behindLinks, type Destination } from './destination.ts'
import { updateMentions } from './mentions.ts'
import { checkExtension } from './output-names.ts'
import { type FinishedOutput, nameOfTool, type OutputPaths } from './output-paths.ts'
import { type FileMove, fileMove, placeFiles } from './place-files.ts'
import type { Stage } from './save-set.ts'

/** A report requested as a file. */
async function reportFile(paths: OutputPaths, report: Record<string, unknown>, stage: Stage): Promise<OutputFile> {
  const name = outputName(stemOf(paths.job.inputName), `_${nameOfTool(paths.context.tool.id)}`, 'json')
  await paths.beforeOutput(name)
  const path = await stage(name)
  await writeFile(path, `${JSON.stringify(report, null, 2)}\n`)
  return { path, name, mime: 'application/json' }
}

type Stream = Extract<Destination, { kind: 'stdout' | 'device' }>

const isStream = (destination: Destination): destination is Stream =>
  destination.kind === 'stdout' || destination.kind === 'device'

async function streamFile(file: OutputFile, destination: Stream): Promise<FinishedOutput> {
  const about = { bytes: (await stat(file.path)).size, type: file.mime }
  if (destination.kind === 'device') {
    await pipeline(createReadStream(file.path), createWriteStream(destination.path, { flags: 'w' }))
    return { path: destination.path, ...about }
  }
  if (destination.isTerminal && !isTextMime(file.mime))
    throw new MediaprocError('USAGE', 'Standard output is a terminal, which cannot show this file', {
      hint: 'Pipe it into a program or a file.',
    })
  await pipeline(createReadStream(file.path), destination.stream, { end: false })
  return { path: '-', ...about }
}

/** A job's single output, to a path or a stream. */
async function saveOne(paths: OutputPaths, files: readonly OutputFile[], isSet: boolean): Promise<FinishedOutput[]> {
  const [file] = files
  if (isSet || !file || files.length > 1)
    throw new MediaprocError('USAGE', `The tool gave a set of files (${files.length}), and -o names one`, {
      hint: 'Name a folder (-o DIR/) or a ZIP file (-o FILE.zip).',
    })
  const { destination } = paths.context
  if (isStream(destination)) return [await streamFile(file, destination)]
  const path = paths.finalPath(file.name, extensionOf(file.name))
  checkExtension(path, extensionOf(file.name), '-o')
  await paths.check(path)
  return placeFiles(paths, [fileMove(file, path, await behindLinks(path))])
}

/** Files that are not a set: each under its own name. */
async function saveEach(paths: OutputPaths, files: readonly OutputFile[]): Promise<FinishedOutput[]> {
  if (paths.isLate) return placeFiles(paths, await checkedMoves(paths, files))
  await updateMentions(paths, files)
  const moves = files.map((file) => fileMove(file, paths.finalPath(file.name, extensionOf(file.name))))
  for (const { output } of moves) await paths.check(output.path)
  return placeFiles(paths, moves)
}

/** The moves of files whose names their content decides. */
async function checkedMoves(paths: OutputPaths, files: readonly OutputFile[]): Promise<FileMove[]> {
  const { checkLate, lateMoves } = await import('./late-names.ts')
  const moves: FileMove[] = []
  for (const move of await lateMoves(paths, files)) moves.push(await checkLate(paths, move))
  return moves
}

async function saveZip(paths: OutputPaths, result: ToolResult, stage: Stage): Promise<FinishedOutput[]> {
  const { destination, tool } = paths.context
  const name = outputName(result.set ?? `${stemOf(paths.job.inputName)}_${nameOfTool(tool.id)}`, '', 'zip')
  const archive = await stage(join('.zip', name))
  const [{ zipFiles }, { verifyStructure }] = await Promise.all([
    import('../media/zip.ts'),
    import('../media/verify/verify.ts'),
  ])
  await zipFiles(result.files, archive)
  verifyStructure(archive, name, [])
  const file = { path: archive, name, mime: 'application/zip' }
  if (isStream(destination)) return [await streamFile(file, destination)]
  const facts = paths.isLate ? await (await import('./late-names.ts')).factsOfOutput(paths, file) : {}
  const path = paths.finalPath(name, 'zip', facts)
  await paths.check(path)
  return placeFiles(paths, [fileMove(file, path, await behindLinks(path))])
}

/**
 * Moves a job's finished files to their destinations, while its staging folder still exists.
 * @throws MediaprocError OUTPUT_EXISTS, OUTPUT_COLLISION, USAGE if a set was to become one file
 */
async function saveOutputs({ paths, result, stage }: Finished): Promise<FinishedOutput[]> {
  const { destination, options, isSet } = paths.context
  const wantsFile = destination.kind !== 'named' || destination.folder !== undefined || options.name !== undefined
  const asFile = result.files.length === 0 && result.report !== undefined && wantsFile
  const files = asFile ? [await reportFile(paths, result.report!, stage)] : result.files
  if (files.length === 0) return []
  if (destination.kind === 'zip' || (options.zip && isSet)) return saveZip(paths, { ...result, files }, stage)
  if (destination.kind === 'members')
    return (await import('./save-set.ts')).saveSet(paths, files, destination.path, stage)
  if (destination.kind !== 'named') return saveOne(paths, files, result.set !== undefined)
  if (result.set === undefined || paths.namesMembers) return saveEach(paths, files)
  const { saveSet } = await import('./save-set.ts')
  return saveSet(paths, files, paths.finalPath(result.set, ''), stage)
}

/** The finished files of a job or of one variant of it. */
export interface Finished {
  paths: OutputPaths
  result: ToolResult
  /** A path in the job's staging folder. */
  stage: Stage
}

/**
 * Moves the finished files of a job to their destinations: all variants, in order. Names that are only known now are
 * checked for all of them before the first file is moved, and no other job moves files in the meantime.
 * @throws MediaprocError OUTPUT_EXISTS, OUTPUT_COLLISION, NO_NAME_VALUE, USAGE if a set was to become one file
 */
export async function saveAll(parts: readonly Finished[]): Promise<FinishedOutput[][]> {
  const save = async (): Promise<FinishedOutput[][]> => {
    const saved: FinishedOutput[][] = []
    for (const part of parts) saved.push(await saveOutputs(part))
    return saved
  }
  const late = parts.filter(({ paths }) => paths.isLate)
  const [first] = late
  if (!first) return save()
  return first.paths.context.claims.exclusively(async () => {
    // An archive has its own file, and a pipeline's variants are none.
    const apart = late.filter(({ paths: { context } }) => !(context.options.zip && context.isSet))
    if (apart.length > 1)
      await (await import('./late-names.ts')).checkApart(
        apart.map(({ paths, result }) => ({ paths, files: result.files })),
      )
    return save()
  })
}
